// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the policy costs a system call: the same operation in a session's cgroup and outside of every
 * session, over loopback, to an address that is public for the hooks. The far end is made before, outside,
 * as a real one would be. Beside it what a host has without reeve: a rule of nftables for a cgroup, in a
 * network namespace of its own, for such a rule is paid for by every packet of its namespace.
 *
 * Both ends are one process, so that its CPU time is the figure. The far end closes a connection by reset, so that no waiting ports pile up.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../user/base/macro.h"
#include "../../user/kernel/netns.h"
#include "bench.h"
#include "peer.h"
#include "room.h"

#define SLICE_MS 5
#define ROUNDS 150
#define DATAGRAM 64
#define STREAM (64 * 1024)
#define PUBLIC BENCH_PUBLIC_V4

/* A network namespace with the far ends of everything. */
struct net {
	int fd, listener, receiver, resolver;
};

struct operation {
	const char *name;
	int (*run)(void *arg);
	int (*prepare)(void); /* or NULL */
};

struct side {
	const char *name;
	const struct room *room;
	const struct net *net;
	const struct operation *operation;
};

/* In the slice's own process. */
static const struct net *here;
static int sender = -1, far_end = -1;
static char bytes[STREAM];

static struct sockaddr_in address(uint32_t ip, uint16_t port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(ip),
		.sin_port = htons(port),
	};
}

static int socket_at(int type, uint32_t ip, uint16_t port)
{
	struct sockaddr_in addr = address(ip, port);
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) ||
	    (type == SOCK_STREAM && listen(fd, SOMAXCONN)))
		bench_die(errno, "port %u", port);
	return fd;
}

/* Makes the namespace and its sockets; @script is run in it. */
static void net_make(struct net *ret, const char *script)
{
	const struct linger now = { .l_onoff = 1 };
	struct fault fault = {};
	int home, r = netns_make(&ret->fd, &fault);

	r = r ? r : netns_enter(ret->fd, &home);
	if (r || system(script))
		bench_die(r < 0 ? r : 0, "no network namespace: %s", script);
	ret->listener = socket_at(SOCK_STREAM, PUBLIC, 443);
	if (setsockopt(ret->listener, SOL_SOCKET, SO_LINGER, &now, sizeof(now)))
		bench_die(errno, "listener");
	ret->receiver = socket_at(SOCK_DGRAM, PUBLIC, 7777);
	ret->resolver = socket_at(SOCK_DGRAM, POLICY_RESOLVER_V4, POLICY_RESOLVER_PORT);
	r = netns_leave(&home);
	if (r)
		bench_die(r, "no way back from a network namespace");
}

static int connect_to(int type, uint32_t ip, uint16_t port, int *ret_fd)
{
	struct sockaddr_in addr = address(ip, port);

	*ret_fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
	return connect(*ret_fd, (struct sockaddr *)&addr, sizeof(addr)) ? -errno : 0;
}

static int tcp_open(int *ret_near, int *ret_far)
{
	int r = connect_to(SOCK_STREAM, PUBLIC, 443, ret_near);

	if (r)
		return r;
	*ret_far = accept4(here->listener, NULL, NULL, SOCK_CLOEXEC);
	return *ret_far < 0 ? -errno : 0;
}

static int tcp_connect(void *arg)
{
	int near, far, r;

	(void)arg;
	r = tcp_open(&near, &far);
	if (!r && (close(far) || close(near)))
		r = -errno;
	return r;
}

static int udp_connect(void *arg)
{
	_cleanup_fd_ int fd = -1;

	(void)arg;
	return connect_to(SOCK_DGRAM, PUBLIC, 7777, &fd);
}

static int tcp_denied(void *arg)
{
	_cleanup_fd_ int fd = -1;
	int r;

	(void)arg;
	r = connect_to(SOCK_STREAM, 0x0a010203, 80, &fd);
	return r == -EPERM ? 0 : r ? r : -EISCONN;
}

static int udp_prepare(void)
{
	sender = socket_at(SOCK_DGRAM, 0, 0);
	return 0;
}

/* Sent and taken out again, or the receiver's queue would fill up and drop. */
static int datagram(uint32_t ip, uint16_t port, int receiver)
{
	struct sockaddr_in addr = address(ip, port);

	if (sendto(sender, bytes, DATAGRAM, 0, (struct sockaddr *)&addr, sizeof(addr)) != DATAGRAM ||
	    recv(receiver, bytes, DATAGRAM, 0) != DATAGRAM)
		return -errno;
	return 0;
}

static int udp_send(void *arg)
{
	(void)arg;
	return datagram(PUBLIC, 7777, here->receiver);
}

static int udp_ask(void *arg)
{
	(void)arg;
	return datagram(POLICY_RESOLVER_V4, POLICY_RESOLVER_PORT, here->resolver);
}

static int stream_prepare(void)
{
	return tcp_open(&sender, &far_end);
}

static int stream_send(void *arg)
{
	ssize_t n;

	(void)arg;
	if (send(sender, bytes, STREAM, 0) != STREAM)
		return -errno;
	for (size_t got = 0; got < STREAM; got += (size_t)n) {
		n = recv(far_end, bytes, STREAM - got, 0);
		if (n <= 0)
			return n ? -errno : -EPIPE;
	}
	return 0;
}

static int side_prepare(void *arg)
{
	const struct side *side = arg;

	here = side->net;
	if (setns(here->fd, CLONE_NEWNET))
		return -errno;
	return side->operation->prepare ? side->operation->prepare() : 0;
}

static int side_slice(void *arg, double *ret_ns)
{
	const struct side *side = arg;
	const struct room_work work = {
		.room = side->room,
		.run = side->operation->run,
		.arg = arg,
		.prepare = side_prepare,
		.ms = SLICE_MS,
		.alone = true,
	};

	return room_slice(&work, ret_ns);
}

/* The first of @sides is the base. */
static bool sides_compare(struct side *sides, size_t n)
{
	struct bench_case cases[4];
	char names[4][80];

	for (size_t i = 0; i < n; i++) {
		snprintf(names[i], sizeof(names[i]), "%s, %s", sides[i].operation->name,
			 sides[i].name);
		cases[i] = (struct bench_case){ names[i], side_slice, &sides[i] };
	}
	return bench_compare(&(struct bench_group){ cases[0], &cases[1], n - 1, ROUNDS });
}

#define ADDRESS_SCRIPT "ip address add " BENCH_PUBLIC " dev lo"
#define NFT_SCRIPT                                                                                 \
	"nft 'table inet bench {\n"                                                                \
	"set private { type ipv4_addr; flags interval\n"                                           \
	"elements = { 10.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.168.0.0/16 }; }\n"            \
	"chain out { type filter hook output priority 0\n"                                         \
	"socket cgroupv2 level 1 \"" ROOM_OUTSIDE "\" ip daddr @private drop; }; }'"

enum {
	NO_POLICY,
	PUBLIC_SESSION,
	PACKAGES_SESSION,
	NFT_RULE,
	SIDES
};

static const struct operation operations[] = {
	{ "TCP connect + close", tcp_connect, NULL },
	{ "UDP connect + close", udp_connect, NULL },
	{ "UDP 64 B", udp_send, udp_prepare },
	{ "UDP 64 B to the resolver", udp_ask, udp_prepare },
	{ "TCP 64 KiB", stream_send, stream_prepare },
	{ "TCP connect, denied", tcp_denied, NULL },
};

/* What is measured where, beside the base; ends with 0. A session for packages sends UDP to its resolver only. */
static const struct {
	unsigned int operation, sides[SIDES];
} rows[] = {
	{ 0, { PUBLIC_SESSION, PACKAGES_SESSION, NFT_RULE, 0 } },
	{ 1, { PUBLIC_SESSION, 0 } },
	{ 2, { PUBLIC_SESSION, NFT_RULE, 0 } },
	{ 3, { PACKAGES_SESSION, 0 } },
	{ 4, { PUBLIC_SESSION, PACKAGES_SESSION, NFT_RULE, 0 } },
};

static bool row_compare(size_t at, const struct side *all)
{
	struct side sides[SIDES] = { all[NO_POLICY] };
	size_t n = 1;

	for (const unsigned int *side = rows[at].sides; *side; side++)
		sides[n++] = all[*side];
	for (size_t i = 0; i < n; i++)
		sides[i].operation = &operations[rows[at].operation];
	return sides_compare(sides, n);
}

static bool denied_compare(const struct side *all)
{
	struct side sides[] = { all[PUBLIC_SESSION], all[PUBLIC_SESSION], all[PACKAGES_SESSION] };

	sides[0].operation = &operations[0];
	sides[1].operation = sides[2].operation = &operations[ARRAY_SIZE(operations) - 1];
	return sides_compare(sides, ARRAY_SIZE(sides));
}

int main(void)
{
	_cleanup_engine_ struct engine engine = ENGINE_INIT;
	struct room outside, open, packages;
	struct net plain, filtered;
	struct peer_place place;
	bool valid = true;

	peer_place_init(&place);
	room_engine(&place.config, &engine);
	bench_pin();
	room_outside(&outside);
	room_session(&engine, POLICY_UNLIMITED, POLICY_EGRESS_PUBLIC, &open);
	room_session(&engine, POLICY_UNLIMITED, POLICY_EGRESS_PACKAGE_MANAGERS, &packages);
	net_make(&plain, ADDRESS_SCRIPT);
	net_make(&filtered, ADDRESS_SCRIPT " && " NFT_SCRIPT);

	const struct side all[SIDES] = {
		[NO_POLICY] = { "no policy", &outside, &plain, NULL },
		[PUBLIC_SESSION] = { "public", &open, &plain, NULL },
		[PACKAGES_SESSION] = { "package-managers", &packages, &plain, NULL },
		[NFT_RULE] = { "one nft rule", &outside, &filtered, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		valid = row_compare(i, all) && valid;
	valid = denied_compare(all) && valid;
	room_end(&packages);
	room_end(&open);
	room_end(&outside);
	return valid ? 0 : 1;
}
