/* SPDX-License-Identifier: GPL-2.0-only */
/* The neighbours of the ways out: what a command needs, and what must work wherever it is tried. */
#ifndef REEVE_SELFTESTS_LIVE_WAYS_WORKS_H
#define REEVE_SELFTESTS_LIVE_WAYS_WORKS_H

#include <linux/netlink.h>
#include <poll.h>
#include <sys/un.h>

#include "inet.h"

#define WORKS_MS 1000

/* One byte from a client to a server, both of this process. */
static inline int works_between(int type, const struct sockaddr *at, socklen_t len)
{
	int server = socket(at->sa_family, type, 0), client = socket(at->sa_family, type, 0);
	struct sockaddr_storage name;
	socklen_t size = sizeof(name);
	struct pollfd wait = { server, POLLIN, 0 };
	char byte;

	if (bind(server, at, len) < 0 || (type == SOCK_STREAM && listen(server, 1) < 0) ||
	    getsockname(server, (struct sockaddr *)&name, &size) < 0 ||
	    connect(client, (struct sockaddr *)&name, size) < 0 || send(client, "x", 1, 0) < 0)
		return -1;
	if (poll(&wait, 1, WORKS_MS) != 1)
		return -1;
	if (type == SOCK_STREAM)
		server = accept(server, NULL, NULL);
	return recv(server, &byte, 1, 0) == 1 ? 0 : -1;
}

static inline int works_loopback(int family, int type)
{
	union way_name at;
	socklen_t len = way_name_set(family, family == AF_INET ? "127.0.0.1" : "::1", &at);

	at.v4.sin_port = 0;
	return works_between(type, &at.any, len);
}

static inline int try_loopback(const struct target *t)
{
	(void)t;
	for (int i = 0; i < 4; i++)
		if (works_loopback(i & 1 ? AF_INET : AF_INET6, i & 2 ? SOCK_STREAM : SOCK_DGRAM) < 0)
			return -1;
	return 0;
}

/* By a name that the kernel gives. */
static inline int try_unix_inside(const struct target *t)
{
	const struct sockaddr any = { .sa_family = AF_UNIX };

	(void)t;
	if (works_between(SOCK_STREAM, &any, sizeof(any.sa_family)) < 0)
		return -1;
	return works_between(SOCK_DGRAM, &any, sizeof(any.sa_family));
}

static inline int try_netlink_route(const struct target *t)
{
	(void)t;
	return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
}

#endif
