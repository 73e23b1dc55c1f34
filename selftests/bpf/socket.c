// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which sockets a session may make and what it may set on them, by the hooks alone: no seccomp, no
 * namespaces, and all the capabilities of the test. What the kernel lacks on this machine is left out by
 * asking it outside of the session first.
 */
#include "../gate_account.h"

#include <errno.h>
#include <linux/icmp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#define IPPROTO_MPTCP_ 262
#define SOL_IPV6_ 41
#define IPV6_2292PKTOPTIONS_ 6

TEARDOWN
{
	gate_remove();
}

static const struct kind {
	int family, type, protocol, err;
} kinds[] = {
	{ AF_INET, SOCK_STREAM, 0, 0 },
	{ AF_INET, SOCK_STREAM, IPPROTO_TCP, 0 },
	{ AF_INET, SOCK_DGRAM, 0, 0 },
	{ AF_INET, SOCK_DGRAM, IPPROTO_UDP, 0 },
	{ AF_INET6, SOCK_STREAM, 0, 0 },
	{ AF_INET6, SOCK_DGRAM, 0, 0 },
	{ AF_UNIX, SOCK_STREAM, 0, 0 },
	{ AF_INET, SOCK_STREAM, IPPROTO_MPTCP_, EPROTONOSUPPORT },
	{ AF_INET6, SOCK_STREAM, IPPROTO_MPTCP_, EPROTONOSUPPORT },
	{ AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE, EPROTONOSUPPORT },
	{ AF_INET6, SOCK_DGRAM, IPPROTO_UDPLITE, EPROTONOSUPPORT },
	{ AF_INET, SOCK_DGRAM, IPPROTO_ICMP, EPROTONOSUPPORT },
	{ AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6, EPROTONOSUPPORT },
	{ AF_INET, SOCK_STREAM, IPPROTO_SCTP, EPROTONOSUPPORT },
	{ AF_INET, SOCK_SEQPACKET, IPPROTO_SCTP, EPROTONOSUPPORT },
	{ AF_INET, SOCK_RAW, IPPROTO_ICMP, EPROTONOSUPPORT },
	{ AF_INET, SOCK_RAW, IPPROTO_TCP, EPROTONOSUPPORT },
	{ AF_INET, SOCK_RAW, IPPROTO_RAW, EPROTONOSUPPORT },
	{ AF_INET6, SOCK_RAW, IPPROTO_ICMPV6, EPROTONOSUPPORT },
	{ AF_INET6, SOCK_RAW, IPPROTO_RAW, EPROTONOSUPPORT },
};

/* Whether this kernel makes such a socket for a process outside of any session. */
static bool there[ARRAY_SIZE(kinds)];

static int socket_errno(const struct kind *kind)
{
	int fd = socket(kind->family, kind->type | SOCK_CLOEXEC, kind->protocol);
	int err = fd < 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	return err;
}

static void kinds_look(void)
{
	system("sysctl -qw net.ipv4.ping_group_range='0 2147483647'");
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		there[i] = socket_errno(&kinds[i]) == 0;
}

static void kinds_check(void *arg)
{
	uint64_t refused = 0, tried = 0;

	(void)arg;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		int err = socket_errno(&kinds[i]);

		if (!there[i])
			continue;
		if (err != kinds[i].err)
			printf("family %d, type %d, protocol %d:\n", kinds[i].family, kinds[i].type,
			       kinds[i].protocol);
		EXPECT_EQ(err, kinds[i].err);
		refused += kinds[i].err != 0;
		tried++;
	}
	EXPECT_GT(tried, 12);
	EXPECT_EQ(gate_denials(gate.id, REASON_SOCKET_TYPE), refused);
	EXPECT_EQ(gate_denials_all(gate.id), refused);
}

TEST("a session makes TCP and UDP sockets and no others of the internet's, and each no is counted")
{
	gate_make();
	kinds_look();
	ASSERT_OK(gate_run_in(gate.session_fd, kinds_check, NULL));
}

static void starting_check(void *arg)
{
	const struct kind tcp = { AF_INET, SOCK_STREAM, 0, 0 };

	(void)arg;
	EXPECT_EQ(socket_errno(&tcp), 0);
}

static void stranger_check(void *arg)
{
	(void)arg;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (there[i] && kinds[i].family != AF_UNIX)
			EXPECT_EQ(socket_errno(&kinds[i]), EPERM);
}

TEST("a session that only starts makes sockets already, a cgroup without a session none")
{
	uint64_t id;
	int fd;

	gate_make();
	kinds_look();
	gate.policy.state = POLICY_PROOF;
	gate_update();
	EXPECT_OK(gate_run_in(gate.session_fd, starting_check, NULL));
	ASSERT_OK(cgroup_create(gate.place.parent_fd, "stranger", &fd, &id));
	EXPECT_OK(gate_run_in(fd, stranger_check, NULL));
	EXPECT_GT(gate_denials(0, REASON_NO_SESSION), 10);
}

static const struct option {
	int family, level, name;
	bool denied;
} options[] = {
	{ AF_INET, IPPROTO_IP, IP_OPTIONS, true },
	{ AF_INET, IPPROTO_IP, IP_HDRINCL, true },
	{ AF_INET, IPPROTO_IP, IP_FREEBIND, true },
	{ AF_INET, IPPROTO_IP, IP_TRANSPARENT, true },
	{ AF_INET6, IPPROTO_IP, IP_OPTIONS, true },
	{ AF_INET6, SOL_IPV6_, IPV6_RTHDR, true },
	{ AF_INET6, SOL_IPV6_, IPV6_HOPOPTS, true },
	{ AF_INET6, SOL_IPV6_, IPV6_DSTOPTS, true },
	{ AF_INET6, SOL_IPV6_, IPV6_RTHDRDSTOPTS, true },
	{ AF_INET6, SOL_IPV6_, IPV6_2292PKTOPTIONS_, true },
	{ AF_INET6, SOL_IPV6_, IPV6_TRANSPARENT, true },
	{ AF_INET6, SOL_IPV6_, IPV6_FREEBIND, true },
	{ AF_INET6, SOL_IPV6_, IPV6_HDRINCL, true },
	{ AF_INET, IPPROTO_IP, IP_TTL, false },
	{ AF_INET, IPPROTO_IP, IP_TOS, false },
	{ AF_INET6, SOL_IPV6_, IPV6_V6ONLY, false },
	{ AF_INET6, SOL_IPV6_, IPV6_UNICAST_HOPS, false },
	{ AF_INET, SOL_SOCKET, SO_REUSEADDR, false },
	{ AF_INET, SOL_SOCKET, SO_RCVBUF, false },
	{ AF_INET, IPPROTO_TCP, 1, false },
};

static int option_errno(const struct option *option, const void *value, socklen_t len)
{
	_cleanup_fd_ int fd = socket(option->family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ASSERT_GE(fd, 0);
	return setsockopt(fd, option->level, option->name, value, len) ? errno : 0;
}

static void options_check(void *arg)
{
	const int one = 1;
	uint64_t denied = 0;

	(void)arg;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		int err = option_errno(&options[i], &one, sizeof(one));

		if (err != (options[i].denied ? EPERM : 0))
			printf("family %d, level %d, option %d:\n", options[i].family,
			       options[i].level, options[i].name);
		EXPECT_EQ(err, options[i].denied ? EPERM : 0);
		denied += options[i].denied;
	}
	EXPECT_EQ(gate_denials(gate.id, REASON_SOCKET_OPTION), denied);
}

TEST("options that reroute a packet, forge its source or write its headers are refused, others work")
{
	gate_make();
	ASSERT_OK(gate_run_in(gate.session_fd, options_check, NULL));
}

/* The hook is given no more than a page of a value; the kernel must still see the whole. */
static void long_value_check(void *arg)
{
	static char big[3 * 4096];
	const struct option filter = { AF_INET, SOL_SOCKET, SO_BINDTODEVICE, false };
	const struct option options_of_ip = { AF_INET, IPPROTO_IP, IP_OPTIONS, true };

	(void)arg;
	big[0] = '\0';
	EXPECT_EQ(option_errno(&filter, big, sizeof(big)), 0);
	EXPECT_EQ(option_errno(&options_of_ip, big, sizeof(big)), EPERM);
}

TEST("a value that is longer than the hook may read is neither refused for it nor let by")
{
	gate_make();
	ASSERT_OK(gate_run_in(gate.session_fd, long_value_check, NULL));
}
