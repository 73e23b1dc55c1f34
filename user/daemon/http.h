/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HTTP/1.1 for connected sockets: requests come whole, one at a time on a connection, and are replied to at once,
 * later, or piece by piece. Knows nothing of methods, sessions or JSON.
 *
 * No client holds up another: nothing blocks, a request has a time to arrive in, output that is not read is
 * bounded and then cut, and when there are too many connections the one that has waited longest for its
 * own client makes room.
 */
#ifndef REEVE_HTTP_H
#define REEVE_HTTP_H

#include <sys/queue.h>

#include "../base/macro.h"
#include "http_head.h"

struct event_base;
struct evbuffer;
struct http;
struct http_conn;
struct exchange;

struct http_limits {
	unsigned int connections, streams;
	unsigned int read_ms, idle_ms, stall_ms;
	size_t body_bytes, output_bytes;
};

#define HTTP_LIMITS_INIT                                                                           \
	{                                                                                          \
		.connections = REEVE_HTTP_CONNECTIONS_MAX, .streams = REEVE_HTTP_STREAMS_MAX,      \
		.read_ms = REEVE_HTTP_READ_MS, .idle_ms = REEVE_HTTP_IDLE_MS,                      \
		.stall_ms = REEVE_HTTP_STALL_MS, .body_bytes = REEVE_REQUEST_BYTES_MAX,            \
		.output_bytes = REEVE_HTTP_OUTPUT_BYTES_MAX,                                       \
	}

struct http_args {
	struct http_limits limits;
	/* Has to reply or to start a stream, now or later. */
	void (*handle)(struct exchange *exchange, void *arg);
	/* The head of a reply is written: its status is set. May be NULL. */
	void (*replied)(const struct exchange *exchange, void *arg);
	/* After http_shutdown(): the last connection is gone. May be NULL. */
	void (*empty)(void *arg);
	void *arg;
};

struct http_counts {
	unsigned int connections, streams;
	uint64_t accepted, requests, turned_away, timed_out, cut;
};

int http_new(struct event_base *base, const struct http_args *args, struct http **ret);
/* Cuts every connection; the exchanges that were not replied to are gone with it. */
void http_free(struct http **http);
/* Takes the socket over, whatever is returned: 0, -ENOMEM, or -EBUSY when nobody can make room. */
int http_take(struct http *http, int fd);
/* Takes it over as well, for one reply that no request is awaited for. */
int http_turn_away(struct http *http, int fd, int status, const char *type, const char *text);
/* Ends streams and resting connections now, the others behind the reply that they wait for. */
void http_shutdown(struct http *http);
const struct http_counts *http_counts(const struct http *http);
bool http_streams_full(const struct http *http);
const char *http_phrase(int status);

/* What a stream asks of the one that fills it. */
struct http_stream {
	void (*more)(struct exchange *exchange, void *arg); /* there is room again */
	void (*gone)(void *arg); /* the client is; the exchange no longer exists */
};

/* One request and its reply. What the reply ends, the exchange's life too, is freed with it. */
struct exchange {
	struct http *http;
	struct http_conn *conn; /* NULL once the client is gone; a reply then goes nowhere */
	struct http_head head;
	struct http_wrong wrong; /* its status is set: this is no request, and that is why */
	char *body;		 /* with a zero behind it; NULL for none */
	size_t n_body;
	bool is_head; /* no body is sent, whatever is written */
	int status;   /* of the reply */
	/* for whoever handles it */
	const void *route;
	char id[64];
	char *key; /* freed with it */
	uint8_t digest[32];
	/* the HTTP's own */
	char *head_text;
	struct evbuffer *fields;
	const struct http_stream *stream;
	void *stream_arg;
	bool chunked;
	TAILQ_ENTRY(exchange) entry;
};

/* A header field of the reply; the value must be of printable characters. */
void exchange_add_field(struct exchange *exchange, const char *name, const char *fmt, ...)
	_printf_(3, 4);
void exchange_reply(struct exchange *exchange, int status, const char *type, const char *bytes,
		    size_t n);

#define EXCHANGE_E_DONE                                                                            \
	1 /* nothing has to be written: the exchange is over, its client gone or content with a head */
#define EXCHANGE_LENGTH_UNKNOWN UINT64_MAX
/* Starts a reply whose body comes by exchange_write(). Returns 0 or EXCHANGE_E_DONE. */
int exchange_stream(struct exchange *exchange, int status, const char *type, uint64_t length,
		    const struct http_stream *stream, void *arg);
/* How many bytes may be written until its client has read some. */
size_t exchange_room(const struct exchange *exchange);
bool exchange_is_drained(const struct exchange *exchange);
void exchange_write(struct exchange *exchange, const void *bytes, size_t n);
/* The body is whole. */
void exchange_end(struct exchange *exchange);
/* It will never be: the connection is cut, behind the stream's gone(). */
void exchange_cut(struct exchange *exchange);

#endif
