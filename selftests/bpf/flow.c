// SPDX-License-Identifier: GPL-2.0-only
/*
 * A connection under "package-managers" at the session's device, segment by segment: what opens it, what
 * its first bytes must be, what may be sent again and what may follow, and what goes back to the client when
 * the answer is no. Which names are allowed is in flow_names.c.
 */
#include "../gate_flow.h"

#include <linux/if_packet.h>

TEARDOWN
{
	gate_net_remove();
	gate_remove();
}

static struct sample hello;

static void setup(void)
{
	flow_make();
	hello = sample_of("made-plain");
}

#define HELLO .data = hello.bytes, .len = hello.len
#define AT(n) .seq = FLOW_FIRST + 1 + (uint32_t)(n)
/* A record of data as it follows a hello. */
#define SEALED "\x17\3\3\0\x13nobody can read it."
#define SEALED_LEN 24

/* Opens a connection from @port and sends the hello, which passes. */
static void name_it(unsigned int port)
{
	FLOW_OPEN(.own_port = port);
	FLOW(PASSED, REASON_OK, .own_port = port, AT(0), HELLO);
}

TEST("a connection with an allowed name passes, in both families, and so does what follows")
{
	setup();
	for (int v6 = 0; v6 < 2; v6++) {
		FLOW_OPEN(.v6 = v6);
		FLOW(PASSED, REASON_OK, .v6 = v6, AT(0));
		FLOW(PASSED, REASON_OK, .v6 = v6, AT(0), HELLO);
		FLOW(PASSED, REASON_OK, .v6 = v6, AT(hello.len));
		FLOW(PASSED, REASON_OK, .v6 = v6, AT(hello.len), .data = SEALED, .len = SEALED_LEN);
		FLOW(PASSED, REASON_OK, .v6 = v6, AT(hello.len + SEALED_LEN), .data = "anything",
		     .len = 8);
		FLOW(PASSED, REASON_OK, .v6 = v6, AT(hello.len + SEALED_LEN + 8),
		     .flags = FRAME_ACK | FLOW_FIN);
	}
}

static void sample_check(char *line)
{
	static unsigned int port = 1;
	char name[64], kind[8], verdict[16], host[256];
	struct sample sample;
	unsigned long behind;
	bool tls, good;

	ASSERT_EQ(sscanf(line, "%63s %7s %15s %255s %lu", name, kind, verdict, host, &behind), 5);
	sample = sample_of(name);
	/* what a frame of the test can hold */
	if (sample.len > 3000)
		return;
	tls = strcmp(kind, "tls") == 0;
	good = strcmp(verdict, "named") == 0 && strstr(host, "example.org") && !behind;
	port++;
	for (int v6 = 0; v6 < 2; v6++) {
		struct segment segment = {
			.v6 = v6,
			.own_port = port,
			.port = tls ? 443 : 80,
			.flags = FRAME_SYN,
			.seq = FLOW_FIRST,
		};
		enum fate fate;

		ASSERT_EQ(flow_send(segment), PASSED);
		segment.flags = FRAME_ACK;
		segment.seq++;
		segment.data = sample.bytes;
		segment.len = sample.len;
		fate = flow_send(segment);
		if (fate != (good ? PASSED : RESET_BOTH))
			printf("%s, IPv%d: fate %d\n", name, v6 ? 6 : 4, fate);
		EXPECT_EQ(fate, good ? PASSED : RESET_BOTH);
	}
}

TEST("of all samples exactly those pass in which one allowed name can be read")
{
	char line[512];
	FILE *index = fopen("selftests/vectors/hello/index", "r");

	setup();
	ASSERT_NOT_NULL(index);
	while (fgets(line, sizeof(line), index))
		if (line[0] != '#')
			sample_check(line);
	fclose(index);
	EXPECT_GT(gate_denials(gate.id, REASON_NAME), 3);
	EXPECT_GT(gate_denials(gate.id, REASON_NAME_HIDDEN), 150);
	EXPECT_EQ(gate_denials_all(gate.id),
		  gate_denials(gate.id, REASON_NAME) + gate_denials(gate.id, REASON_NAME_HIDDEN));
}

TEST("a segment without a connection is reset, a refused connection stays refused and is told once")
{
	setup();
	FLOW(RESET, REASON_NAME_HIDDEN, .own_port = 1, AT(0), HELLO);
	FLOW(RESET, REASON_NAME_HIDDEN, .own_port = 1, AT(0));
	FLOW_OPEN(.own_port = 2);
	FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = 2, AT(0), .data = "hello", .len = 5);
	FLOW(RESET, REASON_OK, .own_port = 2, AT(0), HELLO);
	FLOW(RESET, REASON_OK, .own_port = 2, AT(0));
	FLOW(DROPPED, REASON_OK, .own_port = 2, AT(0), .flags = FLOW_RST);
	/* a new connection from the same port is a new one */
	FLOW_OPEN(.own_port = 2);
	FLOW(PASSED, REASON_OK, .own_port = 2, AT(0), HELLO);
}

TEST("data in a SYN, data before the hello, urgent data and a SYN with an ACK are no way in")
{
	setup();
	FLOW(DROPPED, REASON_NAME_HIDDEN, .own_port = 1, .flags = FRAME_SYN, .seq = FLOW_FIRST,
	     HELLO);
	FLOW(RESET, REASON_NAME_HIDDEN, .own_port = 1, AT(0));
	FLOW_OPEN(.own_port = 2);
	FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = 2, AT(1), HELLO);
	FLOW_OPEN(.own_port = 3);
	FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = 3, .seq = FLOW_FIRST, HELLO);
	FLOW_OPEN(.own_port = 4);
	FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = 4, AT(0), HELLO,
	     .flags = FRAME_ACK | FLOW_URG);
	FLOW_OPEN(.own_port = 5);
	FLOW(DROPPED, REASON_INBOUND, .own_port = 5, .flags = FRAME_SYN | FRAME_ACK, AT(0));
}

TEST("a hello in two segments is refused wherever it is cut")
{
	setup();
	for (size_t cut = 1; cut < hello.len; cut++) {
		unsigned int port = 1000 + (unsigned int)cut;

		FLOW_OPEN(.own_port = port);
		FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = port, AT(0), .data = hello.bytes,
		     .len = cut);
		FLOW(RESET, REASON_OK, .own_port = port, AT(cut), .data = hello.bytes + cut,
		     .len = hello.len - cut);
	}
}

TEST("the hello may be sent again as it was; with any byte changed the connection is refused")
{
	setup();
	name_it(1);
	FLOW(PASSED, REASON_OK, .own_port = 1, AT(0), HELLO);
	for (size_t at = 0; at < hello.len; at++) {
		unsigned int port = 1000 + (unsigned int)at;

		name_it(port);
		hello.bytes[at] ^= 0x80;
		FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = port, AT(0), HELLO);
		hello.bytes[at] ^= 0x80;
	}
}

/* The hello as one large packet that the device cuts into segments of @size. */
static void name_it_cut(unsigned int port, uint32_t size)
{
	FLOW_OPEN(.own_port = port);
	FLOW(PASSED, REASON_OK, .own_port = port, AT(0), HELLO, .gso_size = size);
}

TEST("a large hello may be sent again in the segments that it was cut into, and in no others")
{
	const uint32_t sizes[] = { 1448, 1428, 1220, 600 };

	setup();
	hello = sample_of("made-pq-psk");
	ASSERT_GT(hello.len, 2000);
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t size = sizes[i], n = (hello.len + size - 1) / size;

		name_it_cut(i, sizes[i]);
		for (size_t part = n; part-- > 0;) {
			size_t from = part * size, len = part == n - 1 ? hello.len - from : size;

			if (n <= 4)
				FLOW(PASSED, REASON_OK, .own_port = i, AT(from), .len = len,
				     .data = hello.bytes + from);
		}
		FLOW(n <= 4 ? PASSED : RESET_BOTH, n <= 4 ? REASON_OK : REASON_NAME_HIDDEN,
		     .own_port = i, AT(0), HELLO);
	}
	name_it_cut(10, 1448);
	FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = 10, AT(8), .len = 1440,
	     .data = hello.bytes + 8);
	name_it_cut(11, 1448);
	FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = 11, AT(0), .len = 1440, .data = hello.bytes);
	name_it_cut(12, 1448);
	hello.bytes[1500] ^= 1;
	FLOW(PASSED, REASON_OK, .own_port = 12, AT(0), .len = 1448, .data = hello.bytes);
	FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = 12, AT(1448), .len = hello.len - 1448,
	     .data = hello.bytes + 1448);
}

static const struct second {
	const char *bytes;
	size_t len;
	bool passes;
} seconds[] = {
	{ SEALED, SEALED_LEN, true },
	{ "\x15\3\3\0\2\2\x28", 7, true },		/* alert */
	{ "\x14\3\3\0\1\1" SEALED, 30, true },		/* change_cipher_spec, data */
	{ "\x14\3\3\0\1\1", 6, true },			/* change_cipher_spec alone */
	{ "\x16\3\3\0\5\x10\0\0\1x", 10, true },	/* client_key_exchange */
	{ "\x16\3\3\0\4\xb\0\0\0", 9, true },		/* certificate */
	{ "\x14\3\3\0\1\1\x16\3\3\0\x18\0", 12, true }, /* change_cipher_spec, finished */
	{ "\x16\3\3\0\4\0\0\0\0", 9, false },	/* hello_request, which may be passed over */
	{ "\x17\3\3\0\0x", 6, false },		/* empty: passed over as well */
	{ "\x17\3\3\0\1x", 6, false },		/* too short to be sealed */
	{ "\x15\3\3\0\2\1\x5a\x16", 8, false }, /* an alert and something */
	{ "\x15\3\3\0\2\1", 6, false },
	{ "\x15\3\3\0\1\1\x5a", 7, false },
	{ "\x15\3\3\0\0\x16\3", 7, false },
	{ "\x18\3\3\0\1x", 6, false }, /* heartbeat */
	{ "\x17\2\3\0\x13nobody can read it.", 24, false },
	{ "\x14\3\3\0\1\1\x16\3\3\0\x4\0", 12, false },
	{ "\x16\3\3\0\5\1\0\0\1x", 10, false },	       /* a hello that is none */
	{ "\x16\3\3\0\1\1\x16\3\3\0\1\0", 12, false }, /* a hello byte by byte */
	{ "\x16\3\3\0\0\x16\3\3\0\5\1", 11, false },   /* an empty record before it */
	{ "\x14\3\3\0\2\1\1", 7, false },
	{ "\x14\3\3\0\1\1\x14\3\3\0\1\1", 12, false },
	{ "\x14\3\3\0\1\1\x17", 7, false },
	{ "\x17\3\3\0\1", 5, false },
	{ "\x80\1\2\3\4\5", 6, false },
};

TEST("behind the hello only what cannot be another hello follows")
{
	setup();
	for (unsigned int i = 0; i < ARRAY_SIZE(seconds); i++) {
		const struct second *second = &seconds[i];

		name_it(i);
		printf("second flight %u:\n", i);
		FLOW(second->passes ? PASSED : RESET_BOTH,
		     second->passes ? REASON_OK : REASON_NAME_HIDDEN, .own_port = i, AT(hello.len),
		     .data = second->bytes, .len = second->len);
	}
	name_it(100);
	FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = 100, AT(hello.len + 1), .data = SEALED,
	     .len = SEALED_LEN);
}

static void second_hello(unsigned int port, const char *name, size_t ccs, enum fate fate,
			 enum reason reason)
{
	struct sample second = sample_of(name), whole = { .len = ccs };

	memcpy(whole.bytes, "\x14\3\3\0\1\1", ccs);
	memcpy(whole.bytes + ccs, second.bytes, second.len);
	whole.len += second.len;
	name_it(port);
	FLOW(fate, reason, .own_port = port, AT(hello.len), .data = whole.bytes, .len = whole.len);
}

TEST("a second hello is judged by its own name, with and without a change_cipher_spec before it")
{
	setup();
	for (unsigned int i = 0; i < 2; i++) {
		second_hello(10 + i, "made-pq", 6 * i, PASSED, REASON_OK);
		second_hello(20 + i, "name-one-label", 6 * i, RESET_BOTH, REASON_NAME);
		second_hello(30 + i, "made-pq-ech", 6 * i, RESET_BOTH, REASON_NAME_HIDDEN);
		second_hello(40 + i, "no-name", 6 * i, RESET_BOTH, REASON_NAME_HIDDEN);
		second_hello(50 + i, "behind-garbage", 6 * i, RESET_BOTH, REASON_NAME_HIDDEN);
	}
	name_it(1);
	FLOW(PASSED, REASON_OK, .own_port = 1, AT(hello.len), .data = "\x14\3\3\0\1\1", .len = 6);
	hello = sample_of("name-one-label");
	FLOW(RESET_BOTH, REASON_NAME, .own_port = 1, AT(sample_of("made-plain").len + 6), HELLO);
}

TEST("sequence numbers that come round again after 4 GiB are not taken for the hello")
{
	uint32_t at;

	setup();
	name_it(1);
	FLOW(PASSED, REASON_OK, .own_port = 1, AT(hello.len), .data = SEALED, .len = SEALED_LEN);
	for (at = 0; at < 0xff000000u; at += 0x01000000u)
		FLOW(PASSED, REASON_OK, .own_port = 1, AT(hello.len + SEALED_LEN + at),
		     .data = "data", .len = 4);
	FLOW(PASSED, REASON_OK, .own_port = 1, AT(0), .data = "anything", .len = 8);
}

static uint32_t sum_of(const uint8_t *bytes, size_t n, uint32_t sum)
{
	for (size_t i = 0; i < n; i += 2)
		sum += (uint32_t)bytes[i] << 8 | (i + 1 < n ? bytes[i + 1] : 0);
	return sum;
}

static bool sum_is_right(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum == 0xffff;
}

static uint32_t word_at(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* A reset of the connection from port 12345, to the client or to the server. */
static void reset_check(const uint8_t *bytes, size_t len, bool v6, bool to_client, uint32_t seq,
			uint32_t ack)
{
	const uint8_t *ip = bytes + ETH_HLEN, *tcp = ip + (v6 ? 40 : 20);
	const uint8_t *addresses = ip + (v6 ? 8 : 12), n = v6 ? 16 : 4;

	ASSERT_EQ(len, ETH_HLEN + (v6 ? 60 : 40));
	EXPECT_EQ(bytes[0], to_client ? 0xbb : 0xaa);
	EXPECT_EQ(bytes[6], to_client ? 0xaa : 0xbb);
	EXPECT_MEMEQ(addresses + (to_client ? 0 : n), v6 ? flow_v6 : flow_v4, n);
	EXPECT_MEMEQ(ip, v6 ? "\x60\0\0\0\0\x14\6\x40" : "\x45\0\0\x28", v6 ? 8 : 4);
	if (!v6)
		EXPECT_TRUE(sum_is_right(sum_of(ip, 20, 0)));
	EXPECT_TRUE(sum_is_right(sum_of(tcp, 20, sum_of(addresses, 2 * n, 20 + IPPROTO_TCP))));
	EXPECT_EQ(word_at(tcp), to_client ? 443u << 16 | 12345 : 12345u << 16 | 443);
	EXPECT_EQ(word_at(tcp + 4), seq);
	EXPECT_EQ(word_at(tcp + 8), ack);
	EXPECT_EQ(tcp[12], 0x50);
	EXPECT_EQ(tcp[13], FLOW_RST | FRAME_ACK);
}

/* What came out of the device: where the sandbox's end of the pair is. */
static int listener_open(void)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET,
				  .sll_protocol = htons(ETH_P_ALL),
				  .sll_ifindex = (int)if_nametoindex("rvgate1") };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, htons(ETH_P_ALL));

	ASSERT_OK(bind(fd, (struct sockaddr *)&to, sizeof(to)));
	return fd;
}

/* The next frame with a reset; others are the kernel's own. */
static size_t reset_receive(int fd, uint8_t *ret, size_t size)
{
	for (int i = 0; i < 100; i++) {
		ssize_t n = recv(fd, ret, size, 0);

		if (n > 12 && ret[0] == 0xbb)
			return (size_t)n;
		if (n < 0)
			usleep(10000);
	}
	return 0;
}

TEST("a refused segment becomes a reset for its client and one for its server: all of them right")
{
	const uint32_t ack = 0x12345678;
	uint8_t bytes[2048];
	size_t len;
	int fd;

	setup();
	fd = listener_open();
	for (int v6 = 0; v6 < 2; v6++) {
		FLOW_OPEN(.v6 = v6, .own_port = 12345);
		FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .v6 = v6, .own_port = 12345, AT(0),
		     .data = "hello", .len = 5);
		reset_check(flow_answer.bytes, flow_answer.len, v6, false, FLOW_FIRST + 1, ack);
		len = reset_receive(fd, bytes, sizeof(bytes));
		reset_check(bytes, len, v6, true, ack, FLOW_FIRST + 6);
		/* the server was told: now it is between the device and the client */
		FLOW(RESET, REASON_OK, .v6 = v6, .own_port = 12345, AT(0), .data = "hello",
		     .len = 5, .gso_size = 1448);
		reset_check(flow_answer.bytes, flow_answer.len, v6, true, ack, FLOW_FIRST + 6);
		FLOW(RESET, REASON_OK, .v6 = v6, .own_port = 12345, AT(5),
		     .flags = FRAME_ACK | FLOW_FIN);
		reset_check(flow_answer.bytes, flow_answer.len, v6, true, ack, FLOW_FIRST + 7);
	}
	close(fd);
}
