/* SPDX-License-Identifier: GPL-2.0-only */
/* The playground of selftests/playnet for tests in C: the test's namespace is the host. */
#ifndef REEVE_SELFTESTS_PLAYNET_H
#define REEVE_SELFTESTS_PLAYNET_H

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>

#include "../../user/kernel/netns.h"
#include "../../user/kernel/veth.h"
#include "../test.h"

#define NET_STATIC __attribute__((unused)) static

/* Long enough for an answer on a busy machine, short enough to wait for one that must not come. */
#define REACH_MS 700

/* Runs a command in the host's namespace; its output goes to the log. Returns its exit code. */
__attribute__((format(printf, 1, 2))) NET_STATIC int sh(const char *fmt, ...)
{
	char command[2048];
	va_list args;
	int code;

	va_start(args, fmt);
	vsnprintf(command, sizeof(command), fmt, args);
	va_end(args);
	fflush(stdout);
	code = system(command);
	if (code)
		printf("exit code %d: %s\n", code >> 8, command);
	return code >> 8;
}

NET_STATIC void net_up(void)
{
	ASSERT_EQ(sh("selftests/playnet up \"$TMPDIR/playnet\""), 0);
}

NET_STATIC void net_down(void)
{
	sh("selftests/playnet down \"$TMPDIR/playnet\"; nft delete table inet reeve 2>/dev/null; :");
}

/* What @party counts: "packets" that came for an address, or "served" at it; "-" is any address. */
NET_STATIC long net_count(const char *party, const char *what, const char *address)
{
	char command[512], line[64] = "-1";
	FILE *answer;

	snprintf(command, sizeof(command), "selftests/playnet ask \"$TMPDIR/playnet\" %s %s %s",
		 party, what, address);
	answer = popen(command, "re");
	if (!answer || !fgets(line, sizeof(line), answer))
		printf("no answer: %s\n", command);
	if (answer)
		pclose(answer);
	return atol(line);
}

/* The link that session @slot has in these pools. */
NET_STATIC struct plan_network net_plan(unsigned int slot)
{
	struct plan_network network = { .veth = true };
	struct in6_addr *v6[] = { &network.host_v6, &network.sandbox_v6 };

	plan_ifname(slot, network.host_ifname);
	network.host_v4.s_addr = htonl(0x0ad50000 + 4 * slot + 1);
	network.sandbox_v4.s_addr = htonl(0x0ad50000 + 4 * slot + 2);
	for (unsigned int i = 0; i < 2; i++) {
		inet_pton(AF_INET6, "fd72:6565:7665::", v6[i]);
		v6[i]->s6_addr[14] = (uint8_t)((4 * slot + 1 + i) >> 8);
		v6[i]->s6_addr[15] = (uint8_t)(4 * slot + 1 + i);
	}
	return network;
}

NET_STATIC socklen_t net_address(const char *address, unsigned int port, struct sockaddr_storage *ret)
{
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret;
	struct sockaddr_in *v4 = (struct sockaddr_in *)ret;

	*ret = (struct sockaddr_storage){};
	v4->sin_port = htons((uint16_t)port); /* at the same place in both */
	if (inet_pton(AF_INET, address, &v4->sin_addr) == 1) {
		ret->ss_family = AF_INET;
		return sizeof(*v4);
	}
	ret->ss_family = AF_INET6;
	ASSERT_EQ(inet_pton(AF_INET6, address, &v6->sin6_addr), 1);
	return sizeof(*v6);
}

/* Asks the server at @address for its answer. Returns 0 or -errno, -ETIMEDOUT for silence. */
NET_STATIC int net_reach(int type, const char *address, unsigned int port, char *ret, size_t size)
{
	struct sockaddr_storage to;
	socklen_t len = net_address(address, port, &to);
	_cleanup_fd_ int fd = socket(to.ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct pollfd wait = { fd, POLLIN, 0 };
	ssize_t n;

	memset(ret, 0, size);
	if (connect(fd, (struct sockaddr *)&to, len) < 0 && errno != EINPROGRESS)
		return -errno;
	if (type == SOCK_DGRAM && send(fd, "hello", 5, 0) < 0)
		return -errno;
	if (poll(&wait, 1, REACH_MS) == 0)
		return -ETIMEDOUT;
	n = recv(fd, ret, size - 1, 0);
	return n < 0 ? -errno : 0;
}

#endif
