// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whatever bytes a session hands to the kernel as an address, nothing leaves its host but to addresses that
 * the policy's table allows. A listener at the far end of the device reads every packet that came out;
 * what it finds is judged by the second reading of the table, not by ours.
 *
 * The same for what goes beside the address: ancillary data can carry options and routing headers, of
 * which neither the hooks of connect and sendmsg nor that of setsockopt know.
 */
#include "../gate_run.h"

#include <linux/if_packet.h>
#include <netinet/ip6.h>
#include <sys/socket.h>

#include "../address_forms.h"

#define TRIES 20000
#define CONTROL_BYTES 64

TEARDOWN
{
	gate_net_remove();
	gate_remove();
}

static struct address_table table;
static uint64_t random_state;

static uint64_t random_next(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static void random_fill(void *to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((uint8_t *)to)[i] = (uint8_t)random_next();
}

/* An address near a row of the table, so that both sides of every edge come up. */
static void random_name(struct sockaddr_storage *ret, socklen_t *ret_len)
{
	const struct address_row *row = &table.rows[random_next() % table.n];
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret;
	struct sockaddr_in *v4 = (struct sockaddr_in *)ret;
	address_bits bits = row->net | (random_next() & address_mask(row->family, row->len));

	bits ^= (address_bits)(random_next() & 1) << random_next() % (row->family == 4 ? 32 : 128);
	random_fill(ret, sizeof(*ret));
	*ret_len = row->family == 4 ? sizeof(*v4) : sizeof(*v6);
	if (random_next() % 16 == 0)
		*ret_len = (socklen_t)(random_next() % (sizeof(*ret) + 1));
	if (random_next() % 32 == 0)
		return;
	ret->ss_family = row->family == 4 ? AF_INET : AF_INET6;
	if (random_next() % 32 == 0)
		ret->ss_family = AF_UNSPEC;
	if (row->family == 4) {
		v4->sin_addr.s_addr = htonl((uint32_t)bits);
		return;
	}
	v6->sin6_scope_id = 0;
	for (int i = 15; i >= 0; i--, bits >>= 8)
		v6->sin6_addr.s6_addr[i] = (uint8_t)bits;
}

static void random_call(void)
{
	int family = random_next() & 1 ? AF_INET : AF_INET6;
	int type = random_next() & 1 ? SOCK_STREAM : SOCK_DGRAM;
	_cleanup_fd_ int fd = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct sockaddr_storage name;
	const struct sockaddr *to = (const struct sockaddr *)&name;
	socklen_t len;

	ASSERT_GE(fd, 0);
	random_name(&name, &len);
	switch (random_next() % 4) {
	case 0:
		bind(fd, to, len);
		random_name(&name, &len);
		/* fall through */
	case 1:
		connect(fd, to, len);
		send(fd, "x", 1, MSG_NOSIGNAL);
		break;
	default:
		sendto(fd, "x", 1, MSG_NOSIGNAL | (random_next() & 1 ? MSG_FASTOPEN : 0), to, len);
		break;
	}
}

static void random_calls(void *arg)
{
	(void)arg;
	for (int i = 0; i < TRIES; i++)
		random_call();
}

static int listener_make(void)
{
	struct sockaddr_ll at = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)if_nametoindex("rvgate1"),
	};
	const int bytes = 32 << 20;
	int fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	ASSERT_OK(setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)));
	ASSERT_OK(bind(fd, (struct sockaddr *)&at, sizeof(at)));
	return fd;
}

/* The kernel's own talk on a device: membership reports and router solicitations. */
static bool is_housekeeping(const uint8_t *packet)
{
	return packet[0] >> 4 == 6 && (packet[6] == IPPROTO_HOPOPTS || packet[6] == IPPROTO_ICMPV6);
}

/* How many packets came out, each to an address that the table allows. */
static unsigned int listener_judge(int fd, bool allowed_only)
{
	uint8_t packet[256];
	unsigned int n = 0;
	char text[INET6_ADDRSTRLEN];

	while (recv(fd, packet, sizeof(packet), 0) > 0) {
		int family = packet[0] >> 4;
		const uint8_t *to = packet + (family == 4 ? 16 : 24);
		address_bits bits = 0;

		if (is_housekeeping(packet))
			continue;
		n++;
		for (int i = 0; i < (family == 4 ? 4 : 16); i++)
			bits = bits << 8 | to[i];
		if (address_allowed(&table, family, bits) && allowed_only)
			continue;
		printf("a packet to %s\n", address_text(family, bits, text));
		EXPECT_TRUE(false);
	}
	return n;
}

TEST("whatever bytes are given as an address, packets leave to none but allowed addresses",
     .seconds = 40)
{
	int listener;

	ASSERT_TRUE(address_table_read(ADDRESS_TABLE, &table));
	random_state = 20261201;
	gate_make();
	gate_net_make();
	listener = listener_make();
	ASSERT_OK(gate_run_in(gate.session_fd, random_calls, NULL));
	EXPECT_GT(listener_judge(listener, true), TRIES / 50);
	EXPECT_GT(gate_denials_all(gate.id), TRIES / 10);
	gate.policy.egress = POLICY_EGRESS_NONE;
	gate_update();
	ASSERT_OK(gate_run_in(gate.session_fd, random_calls, NULL));
	EXPECT_EQ(listener_judge(listener, false), 0);
}

static const struct ancillary {
	const char *name;
	int level, type;
	size_t n;
	uint8_t bytes[24];
} ancillaries[] = {
	{ "loose source route", IPPROTO_IP, IP_RETOPTS, 8, { 131, 7, 4, 10, 0, 0, 1, 0 } },
	{ "timestamp option", IPPROTO_IP, IP_RETOPTS, 8, { 68, 8, 5, 0 } },
	{ "routing header", IPPROTO_IPV6, IPV6_RTHDR, 24, { 0, 2, 2, 1, [8] = 0xfd, [23] = 1 } },
	{ "destination options", IPPROTO_IPV6, IPV6_DSTOPTS, 8, { 0, 0, 1, 4 } },
	{ "hop-by-hop options", IPPROTO_IPV6, IPV6_HOPOPTS, 8, { 0, 0, 1, 4 } },
};

/* Whether this kernel takes it from a process outside of any session. */
static bool there[ARRAY_SIZE(ancillaries)];

/* Sends to a public address with one piece of ancillary data; the errno, or 0. */
static int ancillary_send(const struct ancillary *ancillary)
{
	_Alignas(struct cmsghdr) uint8_t control[CONTROL_BYTES] = { 0 };
	bool v6 = ancillary->level == IPPROTO_IPV6;
	struct sockaddr_in v4_name = { AF_INET, htons(53), { htonl(0x01010101) }, { 0 } };
	struct sockaddr_in6 v6_name = { .sin6_family = AF_INET6,
					.sin6_port = htons(53),
					.sin6_addr.s6_addr = { 0x26, 0x06, 0x47, [15] = 1 } };
	struct iovec iov = { "x", 1 };
	struct msghdr message = {
		.msg_name = v6 ? (void *)&v6_name : (void *)&v4_name,
		.msg_namelen = v6 ? sizeof(v6_name) : sizeof(v4_name),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = CMSG_SPACE(ancillary->n),
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	_cleanup_fd_ int fd = socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	header->cmsg_level = ancillary->level;
	header->cmsg_type = ancillary->type;
	header->cmsg_len = CMSG_LEN(ancillary->n);
	memcpy(CMSG_DATA(header), ancillary->bytes, ancillary->n);
	return sendmsg(fd, &message, 0) < 0 ? errno : 0;
}

static void ancillaries_check(void *arg)
{
	(void)arg;
	for (size_t i = 0; i < ARRAY_SIZE(ancillaries); i++) {
		uint64_t before = gate_denials(gate.id, REASON_PACKET_FORMAT);
		int err = ancillary_send(&ancillaries[i]);

		if (!there[i])
			continue;
		if (err != EPERM)
			printf("%s:\n", ancillaries[i].name);
		EXPECT_EQ(err, EPERM);
		EXPECT_EQ(gate_denials(gate.id, REASON_PACKET_FORMAT), before + 1);
	}
}

TEST("options and extension headers that ride as ancillary data are refused with their packet")
{
	unsigned int n = 0;
	uint8_t byte;
	int listener;

	ASSERT_TRUE(address_table_read(ADDRESS_TABLE, &table));
	gate_make();
	gate_net_make();
	listener = listener_make();
	for (size_t i = 0; i < ARRAY_SIZE(ancillaries); i++) {
		there[i] = ancillary_send(&ancillaries[i]) == 0;
		n += there[i];
	}
	EXPECT_GE(n, 4);
	while (recv(listener, &byte, 1, 0) > 0)
		;
	ASSERT_OK(gate_run_in(gate.session_fd, ancillaries_check, NULL));
	EXPECT_EQ(listener_judge(listener, false), 0);
}
