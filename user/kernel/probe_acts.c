// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a probe tries. Each act asks one hook, by a way that no other hook stops:
 *
 * The two packet hooks stand behind connect and sendmsg, so they are reached by what those let through:
 * sockets that were connected while the session was open and are used when it is paused. For the way in
 * the sender is a socket that was made outside of the session, whose packets only the receiver's hook sees.
 *
 * The network is a namespace with nothing but loopback: what a broken hook lets through goes nowhere.
 * System calls only, for the child is a copy of a possibly threaded process.
 */
#include "probe_acts.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../base/macro.h"
#include "probe_net.h"

static const struct sockaddr_in metadata_v4 = {
	.sin_family = AF_INET,
	.sin_addr.s_addr = __builtin_bswap32(0xa9fea9fe), /* 169.254.169.254 */
	.sin_port = __builtin_bswap16(PROBE_PORT),
};
static const struct sockaddr_in private_v4 = {
	.sin_family = AF_INET,
	.sin_addr.s_addr = __builtin_bswap32(0x0a000001), /* 10.0.0.1 */
	.sin_port = __builtin_bswap16(PROBE_PORT),
};
static const struct sockaddr_in6 metadata_v6 = {
	.sin6_family = AF_INET6,
	.sin6_addr.s6_addr = { 0xfd, 0, 0x0e, 0xc2, [14] = 0x02, [15] = 0x54 }, /* fd00:ec2::254 */
	.sin6_port = __builtin_bswap16(PROBE_PORT),
};
static const struct sockaddr_in6 mapped_v6 = {
	.sin6_family = AF_INET6,
	.sin6_addr.s6_addr = { [10] = 0xff, 0xff, 169, 254, 169, 254 },
	.sin6_port = __builtin_bswap16(PROBE_PORT),
};
static const struct sockaddr_in loopback_v4 = {
	.sin_family = AF_INET,
	.sin_addr.s_addr = __builtin_bswap32(INADDR_LOOPBACK),
};
static const struct sockaddr_in6 loopback_v6 = {
	.sin6_family = AF_INET6,
	.sin6_addr = IN6ADDR_LOOPBACK_INIT,
};

int probe_acts_socket(int family, int type, int protocol)
{
	int fd = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);

	return fd < 0 ? -errno : fd;
}

static int connect_to(const void *address, socklen_t len)
{
	const struct sockaddr *to = address;
	_cleanup_fd_ int fd = probe_acts_socket(to->sa_family, SOCK_STREAM, 0);

	if (fd < 0)
		return fd;
	return connect(fd, to, len) < 0 ? -errno : 0;
}

static int act_connect_v4(struct acting *a)
{
	(void)a;
	return connect_to(&metadata_v4, sizeof(metadata_v4));
}

static int act_connect_v6(struct acting *a)
{
	(void)a;
	return connect_to(&metadata_v6, sizeof(metadata_v6));
}

static int act_connect_mapped(struct acting *a)
{
	(void)a;
	return connect_to(&mapped_v6, sizeof(mapped_v6));
}

static int send_to(const void *address, socklen_t len)
{
	const struct sockaddr *to = address;
	_cleanup_fd_ int fd = probe_acts_socket(to->sa_family, SOCK_DGRAM, 0);

	if (fd < 0)
		return fd;
	return sendto(fd, "", 1, 0, to, len) < 0 ? -errno : 0;
}

static int act_datagram_v4(struct acting *a)
{
	(void)a;
	return send_to(&private_v4, sizeof(private_v4));
}

static int act_datagram_v6(struct acting *a)
{
	(void)a;
	return send_to(&metadata_v6, sizeof(metadata_v6));
}

static int bind_to(const void *address, socklen_t len)
{
	const struct sockaddr *at = address;
	_cleanup_fd_ int fd = probe_acts_socket(at->sa_family, SOCK_STREAM, 0);

	if (fd < 0)
		return fd;
	return bind(fd, at, len) < 0 ? -errno : 0;
}

static int act_bind_v4(struct acting *a)
{
	(void)a;
	return bind_to(&private_v4, sizeof(private_v4));
}

static int act_bind_v6(struct acting *a)
{
	(void)a;
	return bind_to(&metadata_v6, sizeof(metadata_v6));
}

/* Without CAP_NET_RAW the kernel itself refuses raw sockets; a ping socket then gets as far as the hook. */
static int act_raw_socket(struct acting *a)
{
	_cleanup_fd_ int raw = probe_acts_socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
	_cleanup_fd_ int ping = -1;

	(void)a;
	if (raw != -EPERM)
		return raw < 0 ? raw : 0;
	ping = probe_acts_socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP);
	return ping < 0 ? ping : 0;
}

static int act_socket_option(struct acting *a)
{
	static const unsigned char no_operation[4] = { 1, 1, 1, 0 };

	return setsockopt(a->out_fd, IPPROTO_IP, IP_OPTIONS, no_operation, sizeof(no_operation)) < 0
		       ? -errno
		       : 0;
}

/* The kernel's log, 1:11. */
static int kmsg_make(void)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", "/sys", "tmpfs", 0, NULL) < 0 ||
	    mknod("/sys/kmsg", S_IFCHR | 0600, makedev(1, 11)) < 0)
		return -errno;
	return 0;
}

static int act_device(struct acting *a)
{
	_cleanup_fd_ int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	(void)a;
	if (fd >= 0)
		return 0;
	/* a host without the node, or with devices forbidden on /dev: the hook also judges the making */
	return errno == ENOENT || errno == EACCES ? kmsg_make() : -errno;
}

static int act_null_device(struct acting *a)
{
	_cleanup_fd_ int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	(void)a;
	return fd < 0 ? -errno : 0;
}

/* Of the probe's own network namespace, and the value that it has. */
static int act_sysctl(struct acting *a)
{
	_cleanup_fd_ int fd = open("/proc/sys/net/ipv4/ip_forward", O_WRONLY | O_CLOEXEC);

	(void)a;
	if (fd < 0 || write(fd, "0", 1) < 0)
		return -errno;
	return 0;
}

static int stream_over(const void *loopback, socklen_t len)
{
	const struct sockaddr *at = loopback;
	_cleanup_fd_ int listener = probe_acts_socket(at->sa_family, SOCK_STREAM, 0);
	_cleanup_fd_ int client = socket(at->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_storage name;
	socklen_t name_len = sizeof(name);

	if (listener < 0 || client < 0 || bind(listener, at, len) < 0 || listen(listener, 1) < 0 ||
	    getsockname(listener, (struct sockaddr *)&name, &name_len) < 0 ||
	    connect(client, (struct sockaddr *)&name, name_len) < 0)
		return -errno;
	return 0;
}

/* What does not arrive was denied: the sender is told nothing. */
static int arrival(int fd)
{
	int r = probe_receive(fd, PROBE_ARRIVAL_MS);

	return r == -ENOMSG ? -EPERM : r;
}

/* From outside of the session too: without this way the denial of it would say nothing. */
static int act_loopback_v4(struct acting *a)
{
	int r = stream_over(&loopback_v4, sizeof(loopback_v4));

	if (!r && send(a->out_fd, "", 1, 0) < 0)
		r = -errno;
	r = r ? r : arrival(a->in_fd);
	if (!r && sendto(a->outside_fd, "", 1, 0, (struct sockaddr *)&a->in, sizeof(a->in)) < 0)
		r = -errno;
	return r ? r : arrival(a->in_fd);
}

static int act_loopback_v6(struct acting *a)
{
	(void)a;
	return stream_over(&loopback_v6, sizeof(loopback_v6));
}

static int act_packet_out(struct acting *a)
{
	return send(a->out_fd, "", 1, 0) < 0 ? -errno : 0;
}

static int act_packet_in(struct acting *a)
{
	if (sendto(a->outside_fd, "", 1, 0, (struct sockaddr *)&a->in, sizeof(a->in)) < 0)
		return -errno;
	return arrival(a->in_fd);
}

static int act_unix_connect(struct acting *a)
{
	return connect(a->unix_fd, (struct sockaddr *)&a->unix_name, a->unix_len) < 0 ? -errno : 0;
}

static int act_unix_datagram(struct acting *a)
{
	return sendto(a->unix_fd, "", 1, 0, (struct sockaddr *)&a->unix_name, a->unix_len) < 0
		       ? -errno
		       : 0;
}

const struct probe_act_row probe_acts[PROBE_ACT_COUNT] = {
	[PROBE_CONNECT_V4] = { act_connect_v4, POLICY_OPEN, REASON_LINK_LOCAL },
	[PROBE_CONNECT_V6] = { act_connect_v6, POLICY_OPEN, REASON_PRIVATE },
	[PROBE_CONNECT_MAPPED] = { act_connect_mapped, POLICY_OPEN, REASON_LINK_LOCAL },
	[PROBE_DATAGRAM_V4] = { act_datagram_v4, POLICY_OPEN, REASON_PRIVATE },
	[PROBE_DATAGRAM_V6] = { act_datagram_v6, POLICY_OPEN, REASON_PRIVATE },
	[PROBE_BIND_V4] = { act_bind_v4, POLICY_OPEN, REASON_BIND },
	[PROBE_BIND_V6] = { act_bind_v6, POLICY_OPEN, REASON_BIND },
	[PROBE_RAW_SOCKET] = { act_raw_socket, POLICY_OPEN, REASON_SOCKET_TYPE },
	[PROBE_SOCKET_OPTION] = { act_socket_option, POLICY_OPEN, REASON_SOCKET_OPTION },
	[PROBE_DEVICE] = { act_device, POLICY_OPEN, REASON_DEVICE },
	[PROBE_SYSCTL] = { act_sysctl, POLICY_OPEN, REASON_SYSCTL },
	[PROBE_LOOPBACK_V4] = { act_loopback_v4, POLICY_OPEN, REASON_OK },
	[PROBE_LOOPBACK_V6] = { act_loopback_v6, POLICY_OPEN, REASON_OK },
	[PROBE_ANSWER_V4] = { probe_act_answer_v4, POLICY_OPEN, REASON_OK },
	[PROBE_ANSWER_V6] = { probe_act_answer_v6, POLICY_OPEN, REASON_OK },
	[PROBE_PEER_NAME_V4] = { probe_act_peer_name_v4, POLICY_OPEN, REASON_OK },
	[PROBE_PEER_NAME_V6] = { probe_act_peer_name_v6, POLICY_OPEN, REASON_OK },
	[PROBE_NULL_DEVICE] = { act_null_device, POLICY_OPEN, REASON_OK },
	[PROBE_PACKET_OUT] = { act_packet_out, POLICY_PROOF, REASON_PROOF },
	[PROBE_PACKET_IN] = { act_packet_in, POLICY_PROOF, REASON_PROOF },
	[PROBE_UNIX_CONNECT] = { act_unix_connect, POLICY_PROOF, REASON_PROOF },
	[PROBE_UNIX_DATAGRAM] = { act_unix_datagram, POLICY_PROOF, REASON_PROOF },
};

int probe_acts_prepare(struct acting *a)
{
	socklen_t len = sizeof(a->in), family_only = sizeof(sa_family_t);

	a->in = loopback_v4;
	a->in_fd = probe_acts_socket(AF_INET, SOCK_DGRAM, 0);
	a->out_fd = probe_acts_socket(AF_INET, SOCK_DGRAM, 0);
	if (a->in_fd < 0 || a->out_fd < 0 || bind(a->in_fd, (struct sockaddr *)&a->in, len) < 0 ||
	    getsockname(a->in_fd, (struct sockaddr *)&a->in, &len) < 0 ||
	    connect(a->out_fd, (struct sockaddr *)&a->in, len) < 0)
		return -errno;
	/* the kernel picks the abstract name */
	a->unix_name.sun_family = AF_UNIX;
	a->unix_len = sizeof(a->unix_name);
	a->unix_fd = probe_acts_socket(AF_UNIX, SOCK_DGRAM, 0);
	a->unix_peer_fd = probe_acts_socket(AF_UNIX, SOCK_DGRAM, 0);
	if (a->unix_fd < 0 || a->unix_peer_fd < 0 ||
	    bind(a->unix_peer_fd, (struct sockaddr *)&a->unix_name, family_only) < 0 ||
	    getsockname(a->unix_peer_fd, (struct sockaddr *)&a->unix_name, &a->unix_len) < 0)
		return -errno;
	return 0;
}
