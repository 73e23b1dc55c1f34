// SPDX-License-Identifier: GPL-2.0-only
/* Where the resolver's sockets stand, who can take their place, and which servers the host has. */
#include <arpa/inet.h>
#include <errno.h>

#include "dns_desk.h"

static int netns_fd;
static struct dnssock socks = DNSSOCK_INIT;

static void open_sockets(void)
{
	ASSERT_OK(netns_make(&netns_fd, &desk_fault));
	ASSERT_OK(dnssock_open(netns_fd, &socks, &desk_fault));
}

static int bind_inside(int type, uint32_t address, bool reuse)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_port = htons(53),
				  .sin_addr = { htonl(address) } };
	int fd, home, r = 0;
	const int on = 1;

	ASSERT_OK(netns_enter(netns_fd, &home));
	fd = socket(AF_INET, type, 0);
	if (reuse)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (reuse)
		setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    (type == SOCK_STREAM && listen(fd, 1) < 0))
		r = -errno;
	close(fd);
	ASSERT_OK(netns_leave(&home));
	return r;
}

TEST("the sockets stand in the session's namespace, and the thread is back in its own")
{
	uint64_t before, after;

	ASSERT_OK(netns_identity(&before));
	open_sockets();
	ASSERT_OK(netns_identity(&after));
	EXPECT_EQ(before, after);
	EXPECT_GE(socks.udp[DNSSOCK_V6], 0);
	EXPECT_GE(socks.tcp[DNSSOCK_V6], 0);
	EXPECT_EQ(dnssock_drops(&socks), 0);
}

TEST("nothing in the session can take the resolver's place while it lives")
{
	open_sockets();
	for (int reuse = 0; reuse < 2; reuse++) {
		EXPECT_EQ(bind_inside(SOCK_DGRAM, POLICY_RESOLVER_V4, reuse), -EADDRINUSE);
		EXPECT_EQ(bind_inside(SOCK_STREAM, POLICY_RESOLVER_V4, reuse), -EADDRINUSE);
		EXPECT_EQ(bind_inside(SOCK_DGRAM, INADDR_ANY, reuse), -EADDRINUSE);
		EXPECT_EQ(bind_inside(SOCK_STREAM, INADDR_ANY, reuse), -EADDRINUSE);
	}
	EXPECT_OK(bind_inside(SOCK_DGRAM, INADDR_LOOPBACK, false));
	dnssock_close(&socks);
	EXPECT_OK(bind_inside(SOCK_DGRAM, POLICY_RESOLVER_V4, false));
}

TEST("a second resolver in a session is refused with its reason")
{
	struct dnssock again = DNSSOCK_INIT;

	open_sockets();
	EXPECT_EQ(dnssock_open(netns_fd, &again, &desk_fault), FAULT_E_SET);
	EXPECT_EQ(desk_fault.code, FAULT_START);
	EXPECT_HAS(desk_fault.reason, "Address already in use");
	EXPECT_EQ(again.udp[DNSSOCK_V4], -1);
}

TEST("a namespace without IPv6 has a resolver for IPv4")
{
	int home;

	ASSERT_OK(netns_make(&netns_fd, &desk_fault));
	ASSERT_OK(netns_enter(netns_fd, &home));
	ASSERT_EQ(system("echo 1 >/proc/sys/net/ipv6/conf/lo/disable_ipv6"), 0);
	ASSERT_OK(netns_leave(&home));
	ASSERT_OK(dnssock_open(netns_fd, &socks, &desk_fault));
	EXPECT_GE(socks.udp[DNSSOCK_V4], 0);
	EXPECT_EQ(socks.udp[DNSSOCK_V6], -1);
}

/* The addresses that a resolv.conf with @content names, with blanks between. */
static const char *servers_of(const char *content)
{
	static char text[256];
	struct dnssock_servers servers;
	char path[256], one[INET6_ADDRSTRLEN];
	FILE *file;

	snprintf(path, sizeof(path), "%s/resolv.conf", getenv("TMPDIR"));
	file = fopen(path, "we");
	ASSERT_NOT_NULL(file);
	fputs(content, file);
	fclose(file);
	ASSERT_OK(dnssock_servers_read(path, &servers));
	text[0] = '\0';
	for (size_t i = 0; i < servers.n; i++) {
		const struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&servers.items[i].addr;
		const struct sockaddr_in *v4 = (struct sockaddr_in *)&servers.items[i].addr;
		const bool is_v4 = v4->sin_family == AF_INET;

		EXPECT_EQ(v4->sin_port, htons(53));
		inet_ntop(v4->sin_family, is_v4 ? (void *)&v4->sin_addr : (void *)&v6->sin6_addr,
			  one, sizeof(one));
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s%s", i ? " " : "",
			 one, !is_v4 && v6->sin6_scope_id ? "%" : "");
	}
	return text;
}

TEST("the host's servers are read as libc reads them: the first three, or the host itself")
{
	struct dnssock_servers servers;

	EXPECT_STREQ(
		servers_of("# a comment\nsearch corp.example\nnameserver 10.0.0.53\noptions edns0\n"),
		"10.0.0.53");
	EXPECT_STREQ(servers_of("nameserver 127.0.0.53\nnameserver\t2606:4700:4700::1111 # mine\n"),
		     "127.0.0.53 2606:4700:4700::1111");
	EXPECT_STREQ(servers_of("nameserver 1.1.1.1\nnameserver 1.1.1.2\nnameserver 1.1.1.3\n"
				"nameserver 1.1.1.4\n"),
		     "1.1.1.1 1.1.1.2 1.1.1.3");
	EXPECT_STREQ(servers_of("nameserver fe80::1%lo"), "fe80::1%");
	EXPECT_STREQ(servers_of("nameserver\nnameserver x\nnameservers 1.1.1.1\n"), "127.0.0.1");
	EXPECT_STREQ(servers_of(""), "127.0.0.1");
	ASSERT_OK(dnssock_servers_read("/nonexistent", &servers));
	EXPECT_EQ(servers.n, 1);
	EXPECT_EQ(dnssock_servers_read("/proc/self/mem/x", &servers), -ENOTDIR);
}
