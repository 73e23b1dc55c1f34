/* SPDX-License-Identifier: GPL-2.0-only */
/* A connection from within: http.c has the set of them, http_conn.c reads, http_reply.c writes. */
#ifndef REEVE_HTTP_CONN_H
#define REEVE_HTTP_CONN_H

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>

#include "http.h"
#include "http_chunks.h"

enum http_conn_state {
	HTTP_CONN_HEAD, /* a request is awaited or coming */
	HTTP_CONN_BODY,
	HTTP_CONN_BUSY,	  /* it is with its handler */
	HTTP_CONN_STREAM, /* its reply comes in pieces */
	HTTP_CONN_FLUSH,  /* closes when the reply is sent */
	HTTP_CONN_LINGER, /* the reply is sent; what still comes is read, or the client might never see the reply */
};

struct http_conn {
	struct http *http;
	enum http_conn_state state;
	struct bufferevent *stream;
	struct event *deadline, *turn;
	struct exchange *exchange; /* that is read or handled */
	struct evbuffer *body;
	struct http_chunks chunks;
	uint64_t since_ns; /* when it began to wait for its client */
	bool is_late_set;  /* the deadline is that of a request that has begun */
	bool is_advancing, is_eof, is_cut;
	TAILQ_ENTRY(http_conn) entry;
};

TAILQ_HEAD(http_conns, http_conn);
TAILQ_HEAD(exchanges, exchange);

struct http {
	struct event_base *base;
	struct http_args args;
	struct http_counts counts;
	struct http_conns conns;
	struct exchanges exchanges;
	bool is_closing;
};

int http_conn_new(struct http *http, int fd, struct http_conn **ret);
void http_conn_free(struct http_conn *conn);
/* Goes on to the next request, or closes when there is to be none. */
void http_conn_next(struct http_conn *conn, bool keep);
void http_conn_set_deadline(struct http_conn *conn, unsigned int ms);

struct exchange *exchange_new(struct http *http, struct http_conn *conn);
void exchange_free(struct exchange *exchange);

#endif
