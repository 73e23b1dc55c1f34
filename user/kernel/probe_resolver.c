// SPDX-License-Identifier: GPL-2.0-only
/*
 * The acts of a probe that ask a name server. What the session sends to one anywhere arrives at a socket
 * in the resolver's place, which is not the session's, and is answered from there; yet the client must see
 * the address that it asked, by each of the ways in which it can look.
 *
 * Who is asked is an address for documentation: a datagram that no hook turns round goes nowhere.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "../../include/policy.h"
#include "../base/macro.h"
#include "probe_acts.h"

static const struct sockaddr_in asked_v4 = {
	.sin_family = AF_INET,
	.sin_addr.s_addr = __builtin_bswap32(0xc0000201), /* 192.0.2.1 */
	.sin_port = __builtin_bswap16(POLICY_RESOLVER_PORT),
};
static const struct sockaddr_in6 asked_v6 = {
	.sin6_family = AF_INET6,
	.sin6_addr.s6_addr = { 0x20, 0x01, 0x0d, 0xb8, [15] = 0x01 }, /* 2001:db8::1 */
	.sin6_port = __builtin_bswap16(POLICY_RESOLVER_PORT),
};

static struct dnssock_peer asked(enum dnssock_family family)
{
	struct dnssock_peer peer = {};

	peer.len = family == DNSSOCK_V4 ? sizeof(asked_v4) : sizeof(asked_v6);
	memcpy(&peer.addr, family == DNSSOCK_V4 ? (const void *)&asked_v4 : &asked_v6, peer.len);
	return peer;
}

static int compare(const struct dnssock_peer *seen, const struct dnssock_peer *server)
{
	return seen->len == server->len && !memcmp(&seen->addr, &server->addr, seen->len) ? 0
											  : -EREMCHG;
}

static int take(int fd, struct dnssock_peer *ret_from)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char byte;
	int r = poll(&p, 1, PROBE_ARRIVAL_MS);
	ssize_t n;

	if (r <= 0)
		return r < 0 ? -errno : -ENOMSG;
	n = dnssock_receive(fd, &byte, 1, ret_from);
	return n < 0 ? (int)n : 0;
}

/* The client is not connected: it compares the sender of the answer with whom it asked, if anything. */
static int answer(const struct acting *a, enum dnssock_family family)
{
	const struct dnssock_peer server = asked(family);
	const int resolver_fd = a->resolver->udp[family];
	_cleanup_fd_ int fd = probe_acts_socket(server.addr.ss_family, SOCK_DGRAM, 0);
	struct dnssock_peer client, from;
	int r;

	if (fd < 0)
		return fd;
	if (sendto(fd, "", 1, 0, (const struct sockaddr *)&server.addr, server.len) < 0)
		return -errno;
	r = take(resolver_fd, &client);
	if (r)
		return r;
	dnssock_send(resolver_fd, "", 1, &client);
	r = take(fd, &from);
	return r ? r : compare(&from, &server);
}

static int peer_name(enum dnssock_family family)
{
	const struct dnssock_peer server = asked(family);
	_cleanup_fd_ int fd = probe_acts_socket(server.addr.ss_family, SOCK_DGRAM, 0);
	struct dnssock_peer peer = { .len = sizeof(peer.addr) };

	if (fd < 0)
		return fd;
	if (connect(fd, (const struct sockaddr *)&server.addr, server.len) < 0 ||
	    getpeername(fd, (struct sockaddr *)&peer.addr, &peer.len) < 0)
		return -errno;
	return compare(&peer, &server);
}

int probe_act_answer_v4(struct acting *a)
{
	return answer(a, DNSSOCK_V4);
}

int probe_act_answer_v6(struct acting *a)
{
	return answer(a, DNSSOCK_V6);
}

int probe_act_peer_name_v4(struct acting *a)
{
	(void)a;
	return peer_name(DNSSOCK_V4);
}

int probe_act_peer_name_v6(struct acting *a)
{
	(void)a;
	return peer_name(DNSSOCK_V6);
}
