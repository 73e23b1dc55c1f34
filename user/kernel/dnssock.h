/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sockets of a session's resolver: those that serve stand on the loopback of the session's network
 * namespace, those that ask upstream in the caller's. All are made by this process, so that they belong to
 * its cgroup and no hook of the session runs on them.
 */
#ifndef REEVE_DNSSOCK_H
#define REEVE_DNSSOCK_H

#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>

#include "../base/fault.h"

enum dnssock_family {
	DNSSOCK_V4, /* POLICY_RESOLVER_V4 */
	DNSSOCK_V6, /* ::1 */
	DNSSOCK_FAMILIES,
};

struct dnssock {
	int udp[DNSSOCK_FAMILIES], tcp[DNSSOCK_FAMILIES]; /* IPv6 is -1 on a host without it */
};

#define DNSSOCK_INIT                                                                               \
	{                                                                                          \
		.udp = { -1, -1 }, .tcp = { -1, -1 }                                               \
	}

/*
 * Opens them in @netns_fd, not blocking; the thread is back in its own namespace when this returns, except
 * on -ENOTRECOVERABLE: then the process must end. Returns 0, -ENOTRECOVERABLE or FAULT_E_SET.
 */
int dnssock_open(int netns_fd, struct dnssock *ret, struct fault *ret_fault);
void dnssock_close(struct dnssock *socks);

/* Datagrams that the kernel dropped because nobody read them. */
uint64_t dnssock_drops(const struct dnssock *socks);

struct dnssock_peer {
	struct sockaddr_storage addr;
	socklen_t len;
};

/* Takes a datagram, cut at @size. Returns its length, or -EAGAIN when there is none. */
ssize_t dnssock_receive(int fd, void *buffer, size_t size, struct dnssock_peer *ret_from);

/* Sends one, or not: a client that does not read loses it. */
void dnssock_send(int fd, const void *bytes, size_t n, const struct dnssock_peer *to);

/* The next connection, not blocking, or -EAGAIN. */
int dnssock_accept(int fd);

/*
 * Upstream: a socket of @type (SOCK_DGRAM, SOCK_STREAM) on its way to @server, with a port of the kernel's
 * choice. Returns 0 or -errno.
 */
int dnssock_connect(const struct dnssock_peer *server, int type, int *ret_fd);

/* What the sandbox's resolv.conf says. */
#define DNSSOCK_SANDBOX_CONF "nameserver 127.0.0.53\n"

/* The servers that the host itself asks. */
#define DNSSOCK_SERVERS_MAX 3
#define DNSSOCK_RESOLV_CONF "/etc/resolv.conf"
struct dnssock_servers {
	struct dnssock_peer items[DNSSOCK_SERVERS_MAX];
	size_t n;
};

/*
 * Reads a file in the format of resolv.conf(5). As for libc, the first servers count, and none at all is
 * the local host's. Returns 0 or -errno.
 */
int dnssock_servers_read(const char *path, struct dnssock_servers *ret);

#endif
