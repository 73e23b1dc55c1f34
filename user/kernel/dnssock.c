// SPDX-License-Identifier: GPL-2.0-only
/*
 * The server's sockets are bound before anything of the sandbox runs, so that nothing in it can take their
 * place, and without any option that lets an address be shared. They keep the namespace alive until they
 * are closed.
 *
 * An upstream's datagram socket is connected and used for one question: the kernel then picks an
 * unpredictable port, drops what comes from elsewhere, and tells at once when nobody listens there.
 */
#include "dnssock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/sock_diag.h>
#include <net/if.h>
#include <stdbool.h>
#include <string.h>

#include "../../include/policy.h"
#include "netns.h"

#define BACKLOG 128

static void address_set(enum dnssock_family family, struct dnssock_peer *ret)
{
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&ret->addr;
	struct sockaddr_in *v4 = (struct sockaddr_in *)&ret->addr;

	memset(ret, 0, sizeof(*ret));
	if (family == DNSSOCK_V4) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(POLICY_RESOLVER_PORT);
		v4->sin_addr.s_addr = htonl(POLICY_RESOLVER_V4);
		ret->len = sizeof(*v4);
		return;
	}
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons(POLICY_RESOLVER_PORT);
	v6->sin6_addr = in6addr_loopback;
	ret->len = sizeof(*v6);
}

static int serve(enum dnssock_family family, int type, int *ret_fd)
{
	struct dnssock_peer at;
	_cleanup_fd_ int fd = -1;
	const int on = 1;

	address_set(family, &at);
	fd = socket(at.addr.ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (family == DNSSOCK_V6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) < 0)
		return -errno;
	if (bind(fd, (const struct sockaddr *)&at.addr, at.len) < 0)
		return -errno;
	if (type == SOCK_STREAM && listen(fd, BACKLOG) < 0)
		return -errno;
	*ret_fd = fd_take(&fd);
	return 0;
}

/* A host without IPv6 has no address family, or no address on its loopback. */
static bool is_absent(enum dnssock_family family, int err)
{
	return family == DNSSOCK_V6 && (err == -EAFNOSUPPORT || err == -EADDRNOTAVAIL);
}

static int serve_all(struct dnssock *socks)
{
	int r = 0;

	for (enum dnssock_family family = 0; !r && family < DNSSOCK_FAMILIES; family++) {
		r = serve(family, SOCK_DGRAM, &socks->udp[family]);
		if (!r)
			r = serve(family, SOCK_STREAM, &socks->tcp[family]);
		if (is_absent(family, r))
			r = 0;
	}
	return r;
}

int dnssock_open(int netns_fd, struct dnssock *ret, struct fault *ret_fault)
{
	_cleanup_(dnssock_close) struct dnssock socks = DNSSOCK_INIT;
	int home = -1;
	int r = netns_enter(netns_fd, &home);

	if (!r) {
		r = serve_all(&socks);
		if (netns_leave(&home) < 0)
			return -ENOTRECOVERABLE;
	}
	if (r)
		return fault_set_errno(ret_fault, FAULT_START, "resolver", NULL, -r,
				       "the session's resolver cannot stand on its loopback");
	*ret = socks;
	socks = (struct dnssock)DNSSOCK_INIT;
	return 0;
}

void dnssock_close(struct dnssock *socks)
{
	for (unsigned int i = 0; i < DNSSOCK_FAMILIES; i++) {
		fd_close(&socks->udp[i]);
		fd_close(&socks->tcp[i]);
	}
}

uint64_t dnssock_drops(const struct dnssock *socks)
{
	uint64_t drops = 0;

	for (unsigned int i = 0; i < DNSSOCK_FAMILIES; i++) {
		uint32_t info[SK_MEMINFO_VARS] = {};
		socklen_t size = sizeof(info);

		if (socks->udp[i] >= 0 &&
		    getsockopt(socks->udp[i], SOL_SOCKET, SO_MEMINFO, info, &size) == 0)
			drops += info[SK_MEMINFO_DROPS];
	}
	return drops;
}

ssize_t dnssock_receive(int fd, void *buffer, size_t size, struct dnssock_peer *ret_from)
{
	ssize_t n;

	ret_from->len = sizeof(ret_from->addr);
	n = recvfrom(fd, buffer, size, MSG_DONTWAIT, (struct sockaddr *)&ret_from->addr,
		     &ret_from->len);
	return n < 0 ? -errno : n;
}

void dnssock_send(int fd, const void *bytes, size_t n, const struct dnssock_peer *to)
{
	(void)!sendto(fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)&to->addr,
		      to->len);
}

int dnssock_accept(int fd)
{
	int connection = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	return connection < 0 ? -errno : connection;
}

int dnssock_connect(const struct dnssock_peer *server, int type, int *ret_fd)
{
	_cleanup_fd_ int fd = socket(server->addr.ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)&server->addr, server->len) < 0 &&
	    errno != EINPROGRESS)
		return -errno;
	*ret_fd = fd_take(&fd);
	return 0;
}

/* "fe80::1%eth0" is as libc reads it; what is no address is passed over. */
static bool server_read(char *text, struct dnssock_peer *ret)
{
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&ret->addr;
	struct sockaddr_in *v4 = (struct sockaddr_in *)&ret->addr;
	char *scope = strchr(text, '%');

	memset(ret, 0, sizeof(*ret));
	v4->sin_port = htons(POLICY_RESOLVER_PORT); /* at the same place in both */
	if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		ret->len = sizeof(*v4);
		return true;
	}
	if (scope)
		*scope = '\0';
	if (inet_pton(AF_INET6, text, &v6->sin6_addr) != 1)
		return false;
	v6->sin6_family = AF_INET6;
	v6->sin6_scope_id = scope ? if_nametoindex(scope + 1) : 0;
	ret->len = sizeof(*v6);
	return true;
}

int dnssock_servers_read(const char *path, struct dnssock_servers *ret)
{
	_cleanup_file_ FILE *file = fopen(path, "re");
	char line[512], server[INET6_ADDRSTRLEN + IF_NAMESIZE + 1];
	struct dnssock_servers servers = {};
	char local[] = "127.0.0.1";

	if (!file && errno != ENOENT)
		return -errno;
	while (file && servers.n < DNSSOCK_SERVERS_MAX && fgets(line, sizeof(line), file))
		if (sscanf(line, " nameserver %62s", server) == 1 &&
		    server_read(server, &servers.items[servers.n]))
			servers.n++;
	if (servers.n == 0)
		servers.n = server_read(local, &servers.items[0]);
	*ret = servers;
	return 0;
}
