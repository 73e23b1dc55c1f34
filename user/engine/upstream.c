// SPDX-License-Identifier: GPL-2.0-only
/*
 * A lookup is a row of tries: each server once with EDNS, then each once without, for servers and paths
 * that choke on it. A try has a socket of its own, so a new port, and an id of its own; it ends with a
 * reply, an error of the socket, or its time. Every way to end it but a usable reply leads to the next.
 *
 * A datagram that is no reply to the query is passed over, and the wait goes on: else one forged datagram
 * could end a try. There is a limit to how many, so that a flood cannot hold the loop.
 */
#include "upstream.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <string.h>
#include <sys/random.h>

#include "../base/clock.h"

#define TRY_NS (2 * NSEC_PER_SEC)
#define ROUNDS 2
#define FOREIGN_MAX 64
#define LENGTH_BYTES 2

struct upstream {
	struct event_base *base;
	struct dnssock_servers servers;
	struct upstream_args args;
	struct dns_query query;
	unsigned int tries, foreign;
	int fd; /* of the datagram */
	struct event *readable, *timer;
	struct bufferevent *stream;
	struct dns_digest digest;
};

static void try_next(struct upstream *upstream);

static unsigned int server_of(const struct upstream *upstream, unsigned int number)
{
	return (upstream->args.first + number) % (unsigned int)upstream->servers.n;
}

static void try_end(struct upstream *upstream)
{
	if (upstream->readable)
		event_free(upstream->readable);
	upstream->readable = NULL;
	if (upstream->stream)
		bufferevent_free(upstream->stream);
	upstream->stream = NULL;
	fd_close(&upstream->fd);
	event_del(upstream->timer);
}

/* The owner frees the upstream in here: nothing of it may be touched behind. */
static void finish(struct upstream *upstream, const struct dns_digest *digest)
{
	try_end(upstream);
	upstream->args.done(digest, server_of(upstream, upstream->tries - 1), upstream->args.arg);
}

static int timer_start(struct upstream *upstream)
{
	uint64_t now = clock_monotonic_ns(), left_us;
	uint64_t end = now + TRY_NS;
	struct timeval wait;

	if (end > upstream->args.deadline_ns)
		end = upstream->args.deadline_ns;
	left_us = end > now ? (end - now) / 1000 : 0;
	wait.tv_sec = (time_t)(left_us / 1000000);
	wait.tv_usec = (suseconds_t)(left_us % 1000000);
	return event_add(upstream->timer, &wait) ? -ENOMEM : 0;
}

/* A reply was read: it ends the lookup, or this server is done with. */
static void judge(struct upstream *upstream)
{
	if (upstream->digest.rcode == ns_r_noerror || upstream->digest.rcode == ns_r_nxdomain)
		finish(upstream, &upstream->digest);
	else
		try_next(upstream);
}

/* --- over TCP ---------------------------------------------------------------------------------------- */

static void stream_readable(struct bufferevent *stream, void *arg)
{
	struct upstream *upstream = arg;
	struct evbuffer *input = bufferevent_get_input(stream);
	size_t have = evbuffer_get_length(input), length;
	const uint8_t *bytes = have < LENGTH_BYTES ? NULL : evbuffer_pullup(input, -1);

	if (!bytes)
		return;
	length = ns_get16(bytes);
	if (have - LENGTH_BYTES < length)
		return;
	if (dns_reply_read(bytes + LENGTH_BYTES, length, &upstream->query, &upstream->digest) ||
	    upstream->digest.truncated)
		try_next(upstream);
	else
		judge(upstream);
}

static void stream_changed(struct bufferevent *stream, short what, void *arg)
{
	(void)stream;
	if (what & (BEV_EVENT_EOF | BEV_EVENT_ERROR))
		try_next(arg);
}

/* The same query once more, to the same server. Returns 0 or -errno. */
static int stream_start(struct upstream *upstream)
{
	uint8_t bytes[LENGTH_BYTES + DNS_QUERY_BYTES_MAX];
	unsigned int server = server_of(upstream, upstream->tries - 1);
	size_t n = dns_query_write(&upstream->query, false, bytes + LENGTH_BYTES);
	int fd, r;

	try_end(upstream);
	r = dnssock_connect(&upstream->servers.items[server], SOCK_STREAM, &fd);
	if (r)
		return r;
	upstream->stream = bufferevent_socket_new(upstream->base, fd, BEV_OPT_CLOSE_ON_FREE);
	if (!upstream->stream) {
		fd_close(&fd);
		return -ENOMEM;
	}
	ns_put16((unsigned int)n, bytes);
	bufferevent_setcb(upstream->stream, stream_readable, NULL, stream_changed, upstream);
	bufferevent_setwatermark(upstream->stream, EV_READ, 0, LENGTH_BYTES + NS_MAXMSG);
	if (bufferevent_write(upstream->stream, bytes, LENGTH_BYTES + n) ||
	    bufferevent_enable(upstream->stream, EV_READ | EV_WRITE))
		return -ENOMEM;
	return timer_start(upstream);
}

/* --- over UDP ---------------------------------------------------------------------------------------- */

static void datagram_readable(int fd, short what, void *arg)
{
	struct upstream *upstream = arg;
	struct dnssock_peer from;
	uint8_t bytes[4096];
	ssize_t n = dnssock_receive(fd, bytes, sizeof(bytes), &from);
	int r;

	(void)what;
	if (n == -EAGAIN || n == -EINTR)
		return;
	r = n < 0 ? DNS_E_BROKEN
		  : dns_reply_read(bytes, (size_t)n, &upstream->query, &upstream->digest);
	if (r == DNS_E_FOREIGN && ++upstream->foreign < FOREIGN_MAX)
		return;
	if (r)
		try_next(upstream);
	else if (!upstream->digest.truncated)
		judge(upstream);
	else if (stream_start(upstream))
		try_next(upstream);
}

static int datagram_start(struct upstream *upstream, unsigned int server, bool edns)
{
	uint8_t bytes[DNS_QUERY_BYTES_MAX];
	ssize_t n;
	int r;

	if (getrandom(&upstream->query.id, sizeof(upstream->query.id), 0) < 0)
		return -errno;
	n = (ssize_t)dns_query_write(&upstream->query, edns, bytes);
	r = dnssock_connect(&upstream->servers.items[server], SOCK_DGRAM, &upstream->fd);
	if (r)
		return r;
	if (write(upstream->fd, bytes, (size_t)n) != n)
		return -errno;
	upstream->readable = event_new(upstream->base, upstream->fd, EV_READ | EV_PERSIST,
				       datagram_readable, upstream);
	if (!upstream->readable || event_add(upstream->readable, NULL))
		return -ENOMEM;
	return timer_start(upstream);
}

static void try_next(struct upstream *upstream)
{
	const unsigned int n = (unsigned int)upstream->servers.n;

	while (upstream->tries < ROUNDS * n && clock_monotonic_ns() < upstream->args.deadline_ns) {
		unsigned int number = upstream->tries++;

		try_end(upstream);
		if (datagram_start(upstream, server_of(upstream, number), number < n) == 0)
			return;
	}
	finish(upstream, NULL);
}

static void time_over(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	try_next(arg);
}

int upstream_start(struct event_base *base, const struct upstream_args *args, struct upstream **ret)
{
	struct upstream *upstream = calloc(1, sizeof(*upstream));

	if (!upstream)
		return -ENOMEM;
	upstream->base = base;
	upstream->servers = *args->servers;
	upstream->args = *args;
	upstream->args.servers = NULL;
	upstream->fd = -1;
	upstream->query.type = args->type;
	snprintf(upstream->query.name, sizeof(upstream->query.name), "%s", args->name);
	upstream->timer = evtimer_new(base, time_over, upstream);
	if (!upstream->timer) {
		free(upstream);
		return -ENOMEM;
	}
	/* the first try begins in the loop, so that what it comes to is never told in here */
	event_active(upstream->timer, EV_TIMEOUT, 0);
	*ret = upstream;
	return 0;
}

void upstream_free(struct upstream *upstream)
{
	if (!upstream)
		return;
	try_end(upstream);
	event_free(upstream->timer);
	free(upstream);
}
