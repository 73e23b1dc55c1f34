// SPDX-License-Identifier: GPL-2.0-only
/*
 * A connection under "package-managers" behind its first hello: whatever may be read as another hello is judged
 * or refused, also when TCP sends it again and its pages were written to in between; and no session can
 * make the device forget the connections of another.
 */
#include "../gate_flow.h"

TEARDOWN
{
	gate_net_remove();
	gate_remove();
}

#define AT(n) .seq = FLOW_FIRST + 1 + (uint32_t)(n)
#define OF(sample) .data = (sample).bytes, .len = (sample).len
#define TEXT(text) .data = text, .len = sizeof(text) - 1
#define CCS "\x14\3\3\0\1\1"
#define CCS_LEN 6
#define SEALED "\x17\3\3\0\x13nobody can read it."
#define CANCELED "\x15\3\3\0\2\1\x5a"
#define SIZE 1448

static struct sample hello, evil, large;

static void setup(void)
{
	flow_make();
	hello = sample_of("made-plain");
	evil = sample_of("name-one-label");
	large = sample_of("made-pq-psk");
	ASSERT_GT(large.len, SIZE + 100);
}

static void name_it(unsigned int port)
{
	FLOW_OPEN(.own_port = port);
	FLOW(PASSED, REASON_OK, .own_port = port, AT(0), OF(hello));
}

static struct sample joined(const char *bytes, size_t len, const struct sample *behind)
{
	struct sample whole = { .len = len + behind->len };

	memcpy(whole.bytes, bytes, len);
	memcpy(whole.bytes + len, behind->bytes, behind->len);
	return whole;
}

TEST("an alert is the last that a client says: no hello hides behind it")
{
	struct sample both;

	setup();
	name_it(1);
	FLOW(PASSED, REASON_OK, .own_port = 1, AT(hello.len), TEXT(CANCELED));
	FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = 1, AT(hello.len + 7), OF(evil));
	both = joined(CANCELED, 7, &evil);
	name_it(2);
	FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = 2, AT(hello.len), OF(both));
	name_it(3);
	FLOW(PASSED, REASON_OK, .own_port = 3, AT(hello.len), TEXT(CCS));
	FLOW(PASSED, REASON_OK, .own_port = 3, AT(hello.len + CCS_LEN), TEXT(CANCELED));
	FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = 3, AT(hello.len + CCS_LEN + 7), OF(hello));
	name_it(4);
	FLOW(PASSED, REASON_OK, .own_port = 4, AT(hello.len), TEXT(CANCELED));
	FLOW(PASSED, REASON_OK, .own_port = 4, AT(0), OF(hello));
	FLOW(PASSED, REASON_OK, .own_port = 4, AT(hello.len), TEXT(CANCELED));
	FLOW(PASSED, REASON_OK, .own_port = 4, AT(hello.len + 7), .flags = FRAME_ACK | FLOW_FIN);
	FLOW(PASSED, REASON_OK, .own_port = 4, AT(hello.len + 8), .flags = FLOW_RST);
	FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = 4, AT(hello.len), TEXT(SEALED));
}

TEST("an urgent byte is refused whenever it comes, with data and without")
{
	const unsigned int flags = FRAME_ACK | FLOW_URG;

	setup();
	FLOW(DROPPED, REASON_NAME_HIDDEN, .own_port = 1, .flags = FRAME_SYN | FLOW_URG,
	     .seq = FLOW_FIRST);
	FLOW_OPEN(.own_port = 2);
	FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = 2, AT(0), .flags = flags);
	name_it(3);
	FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = 3, AT(hello.len), .flags = flags,
	     TEXT("\x16\3\3\1\x10\x10"));
	name_it(4);
	FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = 4, AT(hello.len), .flags = flags,
	     TEXT(SEALED));
	name_it(5);
	FLOW(PASSED, REASON_OK, .own_port = 5, AT(hello.len), TEXT(SEALED));
	FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = 5, AT(hello.len + 24), .flags = flags);
}

/* A large second hello, behind a change_cipher_spec in the same packet, on its own, or none. */
static void second(unsigned int port, int ccs)
{
	struct sample both = joined(CCS, CCS_LEN, &large);

	name_it(port);
	if (ccs == 1) {
		FLOW(PASSED, REASON_OK, .own_port = port, AT(hello.len), OF(both), .gso_size = SIZE);
		return;
	}
	if (ccs == 2)
		FLOW(PASSED, REASON_OK, .own_port = port, AT(hello.len), TEXT(CCS));
	FLOW(PASSED, REASON_OK, .own_port = port, AT(hello.len + (ccs ? CCS_LEN : 0)), OF(large),
	     .gso_size = SIZE);
}

TEST("a second hello may be sent again in its segments as it was, and is refused when a byte changed")
{
	setup();
	for (int ccs = 0; ccs < 3; ccs++) {
		struct sample all = joined(CCS, ccs ? CCS_LEN : 0, &large);
		/* where the device cut it */
		size_t cut = SIZE + (ccs == 2 ? CCS_LEN : 0);
		unsigned int port = 10 * (unsigned int)ccs;

		second(port, ccs);
		FLOW(PASSED, REASON_OK, .own_port = port, AT(hello.len + cut), .len = all.len - cut,
		     .data = all.bytes + cut);
		FLOW(PASSED, REASON_OK, .own_port = port, AT(hello.len), .len = cut,
		     .data = all.bytes);
		FLOW(PASSED, REASON_OK, .own_port = port, AT(hello.len), OF(all));
		if (ccs == 2)
			FLOW(PASSED, REASON_OK, .own_port = port, AT(hello.len), TEXT(CCS));
		FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = port, AT(hello.len + cut + 8),
		     .len = all.len - cut - 8, .data = all.bytes + cut + 8);
		second(port + 1, ccs);
		all.bytes[all.len - 3] ^= 1;
		FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = port + 1, AT(hello.len + cut),
		     .len = all.len - cut, .data = all.bytes + cut);
		second(port + 2, ccs);
		FLOW(PASSED, REASON_OK, .own_port = port + 2, AT(hello.len + all.len), TEXT(SEALED));
		FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = port + 2, AT(hello.len + cut),
		     .len = all.len - cut, .data = all.bytes + cut);
		second(port + 3, ccs);
		FLOW(RESET_BOTH, REASON_NAME, .own_port = port + 3, AT(hello.len + all.len),
		     OF(evil));
	}
}

TEST("what ends the hellos cannot be exchanged for what does not when it is sent again")
{
	setup();
	for (unsigned int i = 0; i < 5; i++) {
		name_it(i);
		FLOW(PASSED, REASON_OK, .own_port = i, AT(hello.len), .len = CCS_LEN, .data = SEALED);
		FLOW(PASSED, REASON_OK, .own_port = i, AT(hello.len + CCS_LEN), OF(evil));
	}
	FLOW(PASSED, REASON_OK, .own_port = 0, AT(hello.len), TEXT(SEALED));
	FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = 0, AT(hello.len), TEXT(CCS));
	FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = 1, AT(hello.len), OF(hello));
	FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = 2, AT(hello.len), TEXT(CANCELED));
	FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = 3, AT(hello.len), TEXT("\x17\3\3\0\0\x16"));
	FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = 4, AT(hello.len), .data = "\x17\3\3",
	     .len = 3);
	name_it(10);
	FLOW(PASSED, REASON_OK, .own_port = 10, AT(hello.len), TEXT(CCS));
	FLOW(RESET_BOTH, REASON_NAME_HIDDEN, .own_port = 10, AT(hello.len), .len = CCS_LEN,
	     .data = SEALED);
	/* what was judged and what is new in one segment, as TCP may join them */
	name_it(11);
	FLOW(PASSED, REASON_OK, .own_port = 11, AT(hello.len), TEXT(CCS));
	FLOW(PASSED, REASON_OK, .own_port = 11, AT(hello.len), TEXT(CCS SEALED));
	FLOW(PASSED, REASON_OK, .own_port = 11, AT(hello.len), TEXT(CCS SEALED));
}

#define GET(host) "GET /x HTTP/1.1\r\nHost: " host "\r\n\r\n"
#define GOOD GET("a.example.org")
#define OTHER GET("b.example.net")
#define HTTP(fate, reason, from, at, ...)                                                          \
	FLOW(fate, reason, .port = 80, .own_port = from, AT(at), ##__VA_ARGS__)

static void ask_it(unsigned int port)
{
	FLOW_OPEN(.port = 80, .own_port = port);
	HTTP(PASSED, REASON_OK, port, 0, TEXT(GOOD));
}

static const struct request {
	enum reason reason;
	const char *text;
} requests[] = {
	{ REASON_OK, GOOD },
	{ REASON_OK, "HEAD / HTTP/1.1\r\nHost: c.example.org\r\nTransport: x\r\nContent: y\r\n\r\n" },
	{ REASON_OK, GOOD GET("c.example.org") GOOD },
	{ REASON_NAME, OTHER },
	{ REASON_NAME, GOOD OTHER },
	{ REASON_NAME_HIDDEN, GOOD "GET / HTTP/1.1\r\n" },
	{ REASON_NAME_HIDDEN, "GET / HTTP/1.1\r\nHost: a.example" },
	{ REASON_NAME_HIDDEN, GOOD "\r\n" GOOD },
	{ REASON_NAME_HIDDEN, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" },
	{ REASON_NAME_HIDDEN, "\x16\3\1\1\1\1" },
	{ REASON_NAME_HIDDEN, "POST / HTTP/1.1\r\nHost: a.example.org\r\n\r\n" },
	{ REASON_NAME_HIDDEN, "GET / HTTP/1.1\r\nHost: a.example.org\r\nContent-Length: 0\r\n\r\n" },
	{ REASON_NAME_HIDDEN,
	  "GET / HTTP/1.1\r\nHost: a.example.org\r\ntransfer-ENCODING: chunked\r\n\r\n" },
	{ REASON_NAME_HIDDEN, "GET / HTTP/1.1\r\nHost: a.example.org\r\n\r\nbody" },
};

TEST("on port 80 each segment is one or more whole requests, every one for an allowed Host")
{
	setup();
	for (unsigned int i = 0; i < ARRAY_SIZE(requests); i++) {
		const struct request *request = &requests[i];
		enum fate fate = request->reason ? RESET_BOTH : PASSED;

		printf("request %u:\n", i);
		FLOW_OPEN(.port = 80, .own_port = i);
		HTTP(fate, request->reason, i, 0, .data = request->text,
		     .len = strlen(request->text));
		ask_it(100 + i);
		HTTP(fate, request->reason, 100 + i, sizeof(GOOD) - 1, .data = request->text,
		     .len = strlen(request->text));
	}
}

TEST("requests may be sent again as they were, and with a byte changed the connection is refused")
{
	const size_t n = sizeof(GOOD) - 1;
	char many[4096 + 1] = "";
	unsigned int i;

	setup();
	ask_it(1);
	for (i = 1; i < 4; i++)
		HTTP(PASSED, REASON_OK, 1, i * n, TEXT(GOOD));
	for (i = 0; i < 4; i++)
		HTTP(PASSED, REASON_OK, 1, i * n, TEXT(GOOD));
	HTTP(PASSED, REASON_OK, 1, 2 * n, TEXT(GOOD GOOD GOOD));
	HTTP(RESET_BOTH, REASON_NAME_HIDDEN, 1, n, TEXT(GET("b.example.org")));
	ask_it(2);
	HTTP(RESET_BOTH, REASON_NAME_HIDDEN, 2, n + 1, TEXT(GOOD));
	for (i = 0; i < 13; i++)
		strcat(many, "GET /a/path/that/is/long/enough/for/a/packet/larger/than/a/segment/"
			     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx HTTP/1.1\r\n"
			     "Host: mirror.example.org\r\n\r\n");
	ASSERT_GT(strlen(many), SIZE + 100);
	FLOW_OPEN(.port = 80, .own_port = 3);
	HTTP(PASSED, REASON_OK, 3, 0, .data = many, .len = strlen(many), .gso_size = SIZE);
	HTTP(PASSED, REASON_OK, 3, SIZE, .data = many + SIZE, .len = strlen(many) - SIZE);
	HTTP(PASSED, REASON_OK, 3, 0, .data = many, .len = SIZE);
	many[SIZE + 40] ^= 1;
	HTTP(RESET_BOTH, REASON_NAME_HIDDEN, 3, SIZE, .data = many + SIZE,
	     .len = strlen(many) - SIZE);
}

/* Opens so many connections that every one of them is forgotten, and sends @data in each, or nothing. */
static void flood(unsigned int flags, const struct sample *data)
{
	for (unsigned int i = 0; i < 2 * REEVE_FLOWS_MAX; i++) {
		struct segment segment = { .flags = FRAME_SYN,
					   .seq = FLOW_FIRST,
					   .own_port = 2 + i % 60000,
					   .v6 = i / 60000 % 2,
					   .port = i / 120000 ? 80 : 443 };

		ASSERT_EQ(flow_send(segment), PASSED);
		if (segment.port == 80)
			continue;
		segment.flags = flags;
		segment.seq++;
		segment.data = data->bytes;
		segment.len = data->len;
		ASSERT_EQ(flow_send(segment), PASSED);
	}
}

TEST("connections that never speak push out each other, not one that is idle", .seconds = 120)
{
	const struct sample nothing = { .len = 0 };

	setup();
	name_it(1);
	FLOW(PASSED, REASON_OK, .own_port = 1, AT(hello.len), TEXT(SEALED));
	flood(FRAME_ACK, &nothing);
	FLOW(PASSED, REASON_OK, .own_port = 1, AT(hello.len + 24), TEXT("data"));
	FLOW(RESET, REASON_NAME_HIDDEN, .own_port = 2, AT(0), OF(hello));
	name_it(2);
}

TEST("connections that their client has ended push out each other, not one that is idle",
     .seconds = 120)
{
	setup();
	name_it(1);
	flood(FRAME_ACK | FLOW_FIN, &hello);
	FLOW(PASSED, REASON_OK, .own_port = 1, AT(hello.len), TEXT(SEALED));
}
