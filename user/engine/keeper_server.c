// SPDX-License-Identifier: GPL-2.0-only
/*
 * The keeper's side of the channel. Nobody who connects can make it wait: what a peer does not take is not
 * sent, and the peer is dropped; the ledger tells it the rest. A peer of another version is told so, in the two
 * words that never change, and dropped.
 */
#include <errno.h>
#include <event2/event.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>

#include "../kernel/child.h"
#include "keeper_server.h"

struct peer {
	LIST_ENTRY(peer) all;
	struct keeper_server *server;
	struct event *readable;
	int fd;
};

struct keeper_server {
	struct event_base *base;
	struct keeper_server_args args;
	struct event *readable;
	int listen_fd;
	LIST_HEAD(, peer) peers;
	struct {
		struct keeper_order order;
		char args[CHILD_STEP_BYTES_MAX];
	} received;
};

static void peer_free(struct peer *peer)
{
	LIST_REMOVE(peer, all);
	if (peer->readable)
		event_free(peer->readable);
	fd_close(&peer->fd);
	free(peer);
}

static bool peer_send(struct peer *peer, const void *message, size_t n)
{
	return send(peer->fd, message, n, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)n;
}

static struct keeper_note status_make(const struct keeper_server *server, enum keeper_note_kind kind)
{
	struct keeper_note note = {};

	server->args.status(&note, server->args.arg);
	note.version = KEEPER_VERSION;
	note.kind = kind;
	return note;
}

/* Whether the message of @n bytes is an order as this version has it. */
static bool order_is_whole(const struct keeper_order *order, ssize_t n)
{
	return n >= (ssize_t)sizeof(*order) && order->version == KEEPER_VERSION &&
	       (size_t)n - sizeof(*order) == order->n_bytes;
}

static void order_readable(int fd, short what, void *arg)
{
	struct peer *peer = arg;
	struct keeper_server *server = peer->server;
	const struct keeper_order *order = &server->received.order;
	ssize_t n = recv(fd, &server->received, sizeof(server->received), MSG_DONTWAIT);
	struct keeper_note note;
	int r = -EPROTO;

	(void)what;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		peer_free(peer);
		return;
	}
	note = status_make(server, KEEPER_REFUSED);
	if (order_is_whole(order, n)) {
		note.order = order->number;
		r = server->args.order(order, server->received.args, &note, server->args.arg);
	}
	note.kind = r ? KEEPER_REFUSED : KEEPER_TAKEN;
	note.err = r;
	if (!peer_send(peer, &note, sizeof(note)) || r == -EPROTO)
		peer_free(peer);
}

static struct peer *peer_take(struct keeper_server *server)
{
	struct peer *peer;
	int fd = accept4(server->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return NULL;
	peer = calloc(1, sizeof(*peer));
	if (!peer) {
		fd_close(&fd);
		return NULL;
	}
	peer->server = server;
	peer->fd = fd;
	LIST_INSERT_HEAD(&server->peers, peer, all);
	return peer;
}

static void peer_waits(int fd, short what, void *arg)
{
	struct keeper_server *server = arg;
	struct peer *peer = peer_take(server);
	struct keeper_note note;

	(void)fd;
	(void)what;
	if (!peer)
		return;
	note = status_make(server, KEEPER_STATUS);
	peer->readable =
		event_new(server->base, peer->fd, EV_READ | EV_PERSIST, order_readable, peer);
	if (!peer->readable || event_add(peer->readable, NULL) ||
	    !peer_send(peer, &note, sizeof(note)))
		peer_free(peer);
}

int keeper_server_new(struct event_base *base, int listen_fd, const struct keeper_server_args *args,
		      struct keeper_server **ret)
{
	struct keeper_server *server = calloc(1, sizeof(*server));

	if (!server)
		return -ENOMEM;
	server->base = base;
	server->args = *args;
	server->listen_fd = listen_fd;
	LIST_INIT(&server->peers);
	server->readable = event_new(base, listen_fd, EV_READ | EV_PERSIST, peer_waits, server);
	if (!server->readable || event_add(server->readable, NULL)) {
		keeper_server_free(server);
		return -ENOMEM;
	}
	*ret = server;
	return 0;
}

static void all_send(struct keeper_server *server, const void *message, size_t n)
{
	struct peer *peer, *next;

	for (peer = LIST_FIRST(&server->peers); peer; peer = next) {
		next = LIST_NEXT(peer, all);
		if (!peer_send(peer, message, n))
			peer_free(peer);
	}
}

void keeper_server_tell(struct keeper_server *server, const struct keeper_note *note)
{
	all_send(server, note, sizeof(*note));
}

void keeper_server_end(struct keeper_server *server, const struct keeper_end *end)
{
	while (peer_take(server))
		continue;
	all_send(server, end, sizeof(*end));
}

void keeper_server_free(struct keeper_server *server)
{
	if (!server)
		return;
	while (!LIST_EMPTY(&server->peers))
		peer_free(LIST_FIRST(&server->peers));
	if (server->readable)
		event_free(server->readable);
	free(server);
}
