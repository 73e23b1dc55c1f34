/* SPDX-License-Identifier: GPL-2.0-only */
/* Attempts to get what attempts are made of: other families of sockets, power over the network. */
#ifndef REEVE_SELFTESTS_LIVE_WAYS_KERNEL_H
#define REEVE_SELFTESTS_LIVE_WAYS_KERNEL_H

#include <linux/if_tun.h>
#include <linux/rtnetlink.h>
#include <sys/ioctl.h>

#include "local.h"

static inline int try_vsock(const struct target *t)
{
	(void)t;
	return socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static inline int try_rds(const struct target *t)
{
	(void)t;
	return socket(AF_RDS, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
}

static inline int try_tipc(const struct target *t)
{
	(void)t;
	return socket(AF_TIPC, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

static inline int try_netlink_diag(const struct target *t)
{
	(void)t;
	return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
}

static inline int try_netlink_generic(const struct target *t)
{
	(void)t;
	return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
}

static inline int try_netlink_netfilter(const struct target *t)
{
	(void)t;
	return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
}

/* What needs power over the network and changes nothing: loopback is set up once more. */
static inline int try_netlink_change(const struct target *t)
{
	struct {
		struct nlmsghdr header;
		struct ifinfomsg link;
	} request = { .header = { .nlmsg_len = sizeof(request),
				  .nlmsg_type = RTM_NEWLINK,
				  .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
		      .link = { .ifi_index = 1, .ifi_flags = IFF_UP, .ifi_change = IFF_UP } };
	struct {
		struct nlmsghdr header;
		struct nlmsgerr error;
		char rest[256];
	} answer = { 0 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	(void)t;
	if (send(fd, &request, sizeof(request), 0) < 0 || recv(fd, &answer, sizeof(answer), 0) < 0)
		return -1;
	errno = -answer.error.error;
	return answer.error.error ? -1 : 0;
}

/* A node that the outside left, and a device of the network behind it. */
static inline int try_tun(const struct target *t)
{
	struct ifreq request = { .ifr_flags = IFF_TUN, .ifr_name = "way%d" };
	char path[108];
	int fd;

	(void)t;
	snprintf(path, sizeof(path), "%s/tun", outside.dir);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -1 : ioctl(fd, TUNSETIFF, &request);
}

/* Written as it is. */
static inline int try_sysctl(const struct target *t)
{
	int fd = open("/proc/sys/net/ipv4/ip_forward", O_RDWR | O_CLOEXEC);
	char value[2];

	(void)t;
	if (fd < 0 || pread(fd, value, 2, 0) != 2)
		return -1;
	return (int)write(fd, value, 2);
}

#endif
