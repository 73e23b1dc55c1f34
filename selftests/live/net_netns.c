// SPDX-License-Identifier: GPL-2.0-only
/* A session's network namespace by itself: what is in it, and that its maker stays at home. */
#include <fcntl.h>
#include <sys/wait.h>

#include "playnet.h"

static int make(void)
{
	struct fault fault = {};
	int fd = -1, r = netns_make(&fd, &fault);

	printf("%s %s\n", fault.field, fault.reason);
	ASSERT_EQ(r, 0);
	return fd;
}

static void read_setting(const char *path, char *ret, size_t size)
{
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, ret, size - 1);

	ASSERT_GT(n, 0);
	ret[n] = 0;
	ret[strcspn(ret, "\n")] = 0;
}

/* Whether a server at @address answers a client there. */
static int loops(const char *address, unsigned int port)
{
	struct sockaddr_storage at;
	socklen_t len = net_address(address, port, &at);
	_cleanup_fd_ int server = socket(at.ss_family, SOCK_STREAM, 0);
	_cleanup_fd_ int client = socket(at.ss_family, SOCK_STREAM, 0);

	if (bind(server, (struct sockaddr *)&at, len) < 0 || listen(server, 1) < 0)
		return -errno;
	return connect(client, (struct sockaddr *)&at, len) < 0 ? -errno : 0;
}

TEST("a new namespace has a loopback that works for IPv4 and IPv6, and no other device")
{
	_cleanup_fd_ int fd = make();
	int home;

	ASSERT_OK(netns_enter(fd, &home));
	EXPECT_OK(loops("127.0.0.1", 8080));
	EXPECT_OK(loops("127.5.6.7", 8080));
	EXPECT_OK(loops("::1", 8080));
	EXPECT_EQ(sh("test \"$(ip -o link | wc -l)\" = 1"), 0);
	EXPECT_EQ(sh("test -z \"$(ip route; ip -6 route show table main)\""), 0);
	ASSERT_OK(netns_leave(&home));
}

TEST("the thread that makes or visits a namespace is back in its own behind it")
{
	uint64_t before, inside, after;
	_cleanup_fd_ int fd = -1;
	int home;

	ASSERT_OK(netns_identity(&before));
	fd = make();
	ASSERT_OK(netns_identity(&after));
	EXPECT_EQ(before, after);
	ASSERT_OK(netns_enter(fd, &home));
	ASSERT_OK(netns_identity(&inside));
	ASSERT_OK(netns_leave(&home));
	ASSERT_OK(netns_identity(&after));
	EXPECT_NE(before, inside);
	EXPECT_EQ(before, after);
	EXPECT_EQ(home, -1);
}

TEST("a process without privileges may bind any port, and no one may use ping sockets")
{
	_cleanup_fd_ int fd = make();
	char range[64];
	int home, status;

	ASSERT_OK(netns_enter(fd, &home));
	read_setting("/proc/sys/net/ipv4/ping_group_range", range, sizeof(range));
	EXPECT_STREQ(range, "1\t0");
	if (fork() == 0) {
		EXPECT_OK(setgid(65534));
		EXPECT_OK(setuid(65534));
		EXPECT_OK(loops("127.0.0.1", 80));
		EXPECT_OK(loops("::1", 443));
		EXPECT_EQ(socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP), -1);
		_exit(0);
	}
	wait(&status);
	EXPECT_EQ(status, 0);
	ASSERT_OK(netns_leave(&home));
}

TEST("a namespace forwards nothing, whatever the host does")
{
	_cleanup_fd_ int fd = -1;
	char value[16];
	int home;

	ASSERT_EQ(sh("sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1"), 0);
	fd = make();
	ASSERT_OK(netns_enter(fd, &home));
	read_setting("/proc/sys/net/ipv4/ip_forward", value, sizeof(value));
	EXPECT_STREQ(value, "0");
	read_setting("/proc/sys/net/ipv6/conf/all/forwarding", value, sizeof(value));
	EXPECT_STREQ(value, "0");
	ASSERT_OK(netns_leave(&home));
}

TEST("without the privilege there is a fault that says so, and the thread is where it was")
{
	struct fault fault = {};
	uint64_t before, after;
	int fd = -1;

	ASSERT_OK(netns_identity(&before));
	ASSERT_OK(setuid(65534));
	EXPECT_EQ(netns_make(&fd, &fault), FAULT_E_SET);
	EXPECT_EQ(fault.code, FAULT_START);
	EXPECT_HAS(fault.reason, "network namespace");
	EXPECT_HAS(fault.remedy, "root");
	EXPECT_EQ(fd, -1);
	ASSERT_OK(netns_identity(&after));
	EXPECT_EQ(before, after);
}
