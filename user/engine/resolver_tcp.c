// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connections of the sandbox to its resolver: messages behind a length of two bytes, as many as the client
 * likes, answered as their answers come. Each has buffers of its own and is never waited for, so a slow one
 * delays nobody. It is read only while little of it is pending, and closed when it is silent for too
 * long, sends what is no message, or when a new one comes and it was silent longest.
 *
 * A client may close its side after the last question: it is answered first. Whoever frees a client cancels
 * its questions, so no answer finds its connection gone.
 */
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>

#include "resolver_parts.h"

#define IDLE_S 10
#define LENGTH_BYTES 2
#define PENDING_MAX 16
#define OUTPUT_BYTES_MAX 65536

struct tcp_client {
	TAILQ_ENTRY(tcp_client) entry;
	struct resolver *resolver;
	struct bufferevent *stream;
	unsigned int pending; /* questions on their way upstream */
	bool ended;	      /* it sends no more */
};

static void client_free(struct tcp_client *client)
{
	struct resolver *resolver = client->resolver;

	asks_cancel(resolver, client);
	TAILQ_REMOVE(&resolver->clients, client, entry);
	resolver->n_clients--;
	bufferevent_free(client->stream);
	free(client);
}

static bool client_has_room(const struct tcp_client *client)
{
	return client->pending < PENDING_MAX &&
	       evbuffer_get_length(bufferevent_get_output(client->stream)) < OUTPUT_BYTES_MAX;
}

/* The length of the message that is there whole; 0: none yet, -EBADMSG: none that is read. */
static ssize_t message_there(struct evbuffer *input)
{
	uint8_t head[LENGTH_BYTES];
	size_t n;

	if (evbuffer_copyout(input, head, sizeof(head)) < (ssize_t)sizeof(head))
		return 0;
	n = ns_get16(head);
	if (n == 0 || n > DNS_QUESTION_BYTES_MAX)
		return -EBADMSG;
	return evbuffer_get_length(input) - LENGTH_BYTES < n ? 0 : (ssize_t)n;
}

/* Takes what is there, as far as there is room and credit. False when the client is gone. */
static bool client_read(struct tcp_client *client)
{
	struct evbuffer *input = bufferevent_get_input(client->stream);
	const struct client from = { .tcp = client, .fd = -1 };
	uint8_t bytes[LENGTH_BYTES + DNS_QUESTION_BYTES_MAX];
	ssize_t n;

	while ((n = message_there(input)) > 0 && client_has_room(client)) {
		if (client->resolver->paused || !resolver_pay(client->resolver))
			return true;
		evbuffer_remove(input, bytes, LENGTH_BYTES + (size_t)n);
		resolver_take(client->resolver, &from, bytes + LENGTH_BYTES, (size_t)n);
	}
	if (n < 0) {
		client_free(client);
		return false;
	}
	return true;
}

static void client_go_on(struct tcp_client *client)
{
	if (!client_read(client) || !client->ended || client->pending)
		return;
	if (evbuffer_get_length(bufferevent_get_output(client->stream)) == 0 &&
	    message_there(bufferevent_get_input(client->stream)) == 0)
		client_free(client);
}

static void client_readable(struct bufferevent *stream, void *arg)
{
	struct tcp_client *client = arg;
	struct resolver *resolver = client->resolver;

	(void)stream;
	TAILQ_REMOVE(&resolver->clients, client, entry);
	TAILQ_INSERT_TAIL(&resolver->clients, client, entry);
	client_go_on(client);
}

static void client_drained(struct bufferevent *stream, void *arg)
{
	(void)stream;
	client_go_on(arg);
}

static void client_changed(struct bufferevent *stream, short what, void *arg)
{
	struct tcp_client *client = arg;

	(void)stream;
	if (what & BEV_EVENT_EOF) {
		client->ended = true;
		client_go_on(client);
	} else {
		client_free(client);
	}
}

void tcp_send(struct tcp_client *client, const uint8_t *bytes, size_t n)
{
	uint8_t head[LENGTH_BYTES];

	ns_put16((unsigned int)n, head);
	bufferevent_write(client->stream, head, sizeof(head));
	bufferevent_write(client->stream, bytes, n);
}

void tcp_asked(struct tcp_client *client)
{
	client->pending++;
}

void tcp_settled(struct tcp_client *client)
{
	client->pending--;
	client_go_on(client);
}

void tcp_resume(struct resolver *resolver)
{
	struct tcp_client *client = TAILQ_FIRST(&resolver->clients);

	while (client && !resolver->paused) {
		struct tcp_client *next = TAILQ_NEXT(client, entry);

		client_go_on(client);
		client = next;
	}
}

void tcp_accept(struct resolver *resolver, int listener_fd)
{
	static const struct timeval idle = { .tv_sec = IDLE_S };
	struct tcp_client *client;
	int fd = dnssock_accept(listener_fd);

	if (fd < 0)
		return;
	client = calloc(1, sizeof(*client));
	if (client)
		client->stream = bufferevent_socket_new(resolver->base, fd, BEV_OPT_CLOSE_ON_FREE);
	if (!client || !client->stream) {
		free(client);
		fd_close(&fd);
		return;
	}
	if (resolver->n_clients == REEVE_DNS_CONNECTIONS_MAX)
		client_free(TAILQ_FIRST(&resolver->clients));
	client->resolver = resolver;
	TAILQ_INSERT_TAIL(&resolver->clients, client, entry);
	resolver->n_clients++;
	bufferevent_setcb(client->stream, client_readable, client_drained, client_changed, client);
	bufferevent_setwatermark(client->stream, EV_READ, 0, 4 * DNS_QUESTION_BYTES_MAX);
	bufferevent_set_timeouts(client->stream, &idle, &idle);
	if (bufferevent_enable(client->stream, EV_READ | EV_WRITE))
		client_free(client);
}

void tcp_free_all(struct resolver *resolver)
{
	while (!TAILQ_EMPTY(&resolver->clients))
		client_free(TAILQ_FIRST(&resolver->clients));
}
