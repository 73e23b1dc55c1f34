/* SPDX-License-Identifier: GPL-2.0-only */
/* Attempts by the sockets of the internet's protocols. Each returns -1 with errno for a no. */
#ifndef REEVE_SELFTESTS_LIVE_WAYS_INET_H
#define REEVE_SELFTESTS_LIVE_WAYS_INET_H

#include <errno.h>
#include <sys/uio.h>

#include "target.h"

#define PROTOCOL_MPTCP 262
#define PROTOCOL_DCCP 33
#define TYPE_DCCP 6

static inline int way_socket(const struct target *t, int type, int protocol)
{
	return socket(t->family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
}

/* A connect that is under way has sent its first packet. */
static inline int way_connect(int fd, const struct target *t)
{
	int r = fd < 0 ? -1 : connect(fd, &t->name.any, t->len);

	return r < 0 && errno == EINPROGRESS ? 0 : r;
}

static inline int way_sendto(int fd, const struct target *t)
{
	return fd < 0 ? -1 : (int)sendto(fd, "x", 1, 0, &t->name.any, t->len);
}

static inline int way_send_connected(int fd, const struct target *t)
{
	return way_connect(fd, t) < 0 ? -1 : (int)send(fd, "x", 1, 0);
}

static inline int try_tcp(const struct target *t)
{
	return way_connect(way_socket(t, SOCK_STREAM, 0), t);
}

static inline int try_fastopen(const struct target *t)
{
	int fd = way_socket(t, SOCK_STREAM, 0);
	int r = (int)sendto(fd, "x", 1, MSG_FASTOPEN, &t->name.any, t->len);

	return r < 0 && errno == EINPROGRESS ? 0 : r;
}

static inline int try_mptcp(const struct target *t)
{
	return way_connect(way_socket(t, SOCK_STREAM, PROTOCOL_MPTCP), t);
}

static inline int try_udp(const struct target *t)
{
	return way_sendto(way_socket(t, SOCK_DGRAM, 0), t);
}

static inline int try_udp_connected(const struct target *t)
{
	return way_send_connected(way_socket(t, SOCK_DGRAM, 0), t);
}

/* Connected to where it may, then sent elsewhere. */
static inline int try_udp_elsewhere(const struct target *t)
{
	int fd = way_socket(t, SOCK_DGRAM, 0);
	union way_name first;
	socklen_t len = way_name_set(t->family, t->public_text, &first);

	if (t->to != WAY_MAPPED && connect(fd, &first.any, len) < 0)
		return -1;
	return way_sendto(fd, t);
}

static inline int try_udp_unspec(const struct target *t)
{
	struct target nameless = *t;

	nameless.name.any.sa_family = AF_UNSPEC;
	return way_sendto(way_socket(t, SOCK_DGRAM, 0), &nameless);
}

static inline int try_sendmmsg(const struct target *t)
{
	struct iovec iov = { (void *)"x", 1 };
	struct mmsghdr message = { .msg_hdr = { .msg_name = (void *)&t->name,
						.msg_namelen = t->len,
						.msg_iov = &iov,
						.msg_iovlen = 1 } };

	return sendmmsg(way_socket(t, SOCK_DGRAM, 0), &message, 1, 0);
}

static inline int try_udplite(const struct target *t)
{
	return way_sendto(way_socket(t, SOCK_DGRAM, IPPROTO_UDPLITE), t);
}

static inline int try_udplite_connected(const struct target *t)
{
	return way_send_connected(way_socket(t, SOCK_DGRAM, IPPROTO_UDPLITE), t);
}

static inline int try_sctp(const struct target *t)
{
	return way_connect(way_socket(t, SOCK_STREAM, IPPROTO_SCTP), t);
}

static inline int try_dccp(const struct target *t)
{
	return way_connect(way_socket(t, TYPE_DCCP, PROTOCOL_DCCP), t);
}

#endif
