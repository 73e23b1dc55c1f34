// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the policy costs a system call: the same operation in a session's cgroup and outside of every
 * session, over loopback. The far end is made before, outside, as a real one would be.
 *
 * A connection is closed by reset, so that no waiting ports pile up.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../user/base/macro.h"
#include "bench.h"
#include "peer.h"
#include "room.h"

#define SLICE_MS 5
#define ROUNDS 150
#define DATAGRAM 64
#define STREAM (64 * 1024)

static struct sockaddr_in listener_addr, receiver_addr;
static int listener, receiver;
/* In the slice's own process. */
static int sender = -1, far_end = -1;
static char bytes[STREAM];

static int loopback_socket(int type, struct sockaddr_in *ret_addr)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(addr);
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, len) ||
	    getsockname(fd, (struct sockaddr *)&addr, &len))
		bench_die(errno, "loopback");
	*ret_addr = addr;
	return fd;
}

static int reset_close(int fd)
{
	const struct linger now = { .l_onoff = 1 };

	if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now)) || close(fd))
		return -errno;
	return 0;
}

static int tcp_open(int *ret_near, int *ret_far)
{
	*ret_near = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*ret_near < 0 ||
	    connect(*ret_near, (struct sockaddr *)&listener_addr, sizeof(listener_addr)))
		return -errno;
	*ret_far = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	return *ret_far < 0 ? -errno : 0;
}

static int tcp_connect(void *arg)
{
	int near, far, r;

	(void)arg;
	r = tcp_open(&near, &far);
	if (!r)
		r = reset_close(near);
	if (!r && close(far))
		r = -errno;
	return r;
}

static int udp_connect(void *arg)
{
	_cleanup_fd_ int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)arg;
	return connect(fd, (struct sockaddr *)&receiver_addr, sizeof(receiver_addr)) ? -errno : 0;
}

static int tcp_denied(void *arg)
{
	const struct sockaddr_in addr = { .sin_family = AF_INET,
					  .sin_addr.s_addr = htonl(0x0a010203),
					  .sin_port = htons(80) };
	_cleanup_fd_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)arg;
	if (connect(fd, (const struct sockaddr *)&addr, sizeof(addr)) == 0)
		return -EISCONN;
	return errno == EPERM ? 0 : -errno;
}

static int udp_prepare(void *arg)
{
	struct sockaddr_in ignored;

	(void)arg;
	sender = loopback_socket(SOCK_DGRAM, &ignored);
	return 0;
}

/* Sent and taken out again, or the receiver's queue would fill up and drop. */
static int udp_send(void *arg)
{
	(void)arg;
	if (sendto(sender, bytes, DATAGRAM, 0, (struct sockaddr *)&receiver_addr,
		   sizeof(receiver_addr)) != DATAGRAM ||
	    recv(receiver, bytes, DATAGRAM, 0) != DATAGRAM)
		return -errno;
	return 0;
}

static int stream_prepare(void *arg)
{
	(void)arg;
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

static int slice(void *arg, double *ret_ns)
{
	return room_slice(arg, ret_ns);
}

/* One operation, outside as the base and in the session as the case. */
static bool pair(const char *name, struct room_work work, const struct room *outside,
		 const struct room *session)
{
	struct room_work base = work, inside = work;
	char outside_name[64], inside_name[64];
	const struct bench_case cases[] = { { inside_name, slice, &inside } };
	const struct bench_group group = { { outside_name, slice, &base }, cases, 1, ROUNDS };

	base.room = outside;
	inside.room = session;
	snprintf(outside_name, sizeof(outside_name), "%s, no policy", name);
	snprintf(inside_name, sizeof(inside_name), "%s, in a session", name);
	return bench_compare(&group);
}

static bool denied_pair(const struct room *session)
{
	struct room_work allowed = { .room = session, .run = tcp_connect, .ms = SLICE_MS };
	struct room_work denied = { .room = session, .run = tcp_denied, .ms = SLICE_MS };
	const struct bench_case cases[] = { { "TCP connect, denied", slice, &denied } };
	const struct bench_group group = {
		{ "TCP connect + close, allowed", slice, &allowed }, cases, 1, ROUNDS
	};

	return bench_compare(&group);
}

int main(void)
{
	static const struct {
		const char *name;
		struct room_work work;
	} rows[] = {
		{ "TCP connect + close", { .run = tcp_connect, .ms = SLICE_MS } },
		{ "UDP connect + close", { .run = udp_connect, .ms = SLICE_MS } },
		{ "UDP 64 B", { .run = udp_send, .prepare = udp_prepare, .ms = SLICE_MS } },
		{ "TCP 64 KiB", { .run = stream_send, .prepare = stream_prepare, .ms = SLICE_MS } },
	};
	_cleanup_engine_ struct engine engine = ENGINE_INIT;
	struct room outside, session;
	struct peer_place place;
	bool valid = true;

	peer_place_init(&place);
	room_engine(&place.config, &engine);
	bench_pin();
	listener = loopback_socket(SOCK_STREAM, &listener_addr);
	receiver = loopback_socket(SOCK_DGRAM, &receiver_addr);
	if (listen(listener, SOMAXCONN))
		bench_die(errno, "listen");
	room_outside(&outside);
	room_session(&engine, POLICY_UNLIMITED, &session);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		valid = pair(rows[i].name, rows[i].work, &outside, &session) && valid;
	valid = denied_pair(&session) && valid;
	room_end(&session);
	room_end(&outside);
	return valid ? 0 : 1;
}
