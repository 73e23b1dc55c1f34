// SPDX-License-Identifier: GPL-2.0-only
/*
 * The set of connections. It owns them; a connection owns the exchange that it reads or streams; an exchange that is with
 * its handler outlives its connection, because the handler will come back to it.
 */
#include "http.h"

#include <errno.h>
#include <string.h>

#include "http_conn.h"

int http_new(struct event_base *base, const struct http_args *args, struct http **ret)
{
	struct http *http = calloc(1, sizeof(*http));

	if (!http)
		return -ENOMEM;
	http->base = base;
	http->args = *args;
	TAILQ_INIT(&http->conns);
	TAILQ_INIT(&http->exchanges);
	*ret = http;
	return 0;
}

void http_free(struct http **http)
{
	struct http_conn *conn;
	struct exchange *exchange;

	if (!*http)
		return;
	(*http)->args.empty = NULL;
	while ((conn = TAILQ_FIRST(&(*http)->conns)))
		http_conn_free(conn);
	while ((exchange = TAILQ_FIRST(&(*http)->exchanges)))
		exchange_free(exchange);
	free(*http);
	*http = NULL;
}

static bool is_waiting(const struct http_conn *conn)
{
	return conn->state != HTTP_CONN_BUSY && conn->state != HTTP_CONN_STREAM;
}

/* Closes the connection that has kept reeve waiting longest. */
static bool room_make(struct http *http)
{
	struct http_conn *conn, *oldest = NULL;

	TAILQ_FOREACH(conn, &http->conns, entry)
	if (is_waiting(conn) && !conn->is_advancing && (!oldest || conn->since_ns < oldest->since_ns))
		oldest = conn;
	if (!oldest)
		return false;
	http_conn_free(oldest);
	return true;
}

static int conn_take(struct http *http, int fd, struct http_conn **ret)
{
	int r;

	if (http->counts.connections >= http->args.limits.connections) {
		http->counts.turned_away++;
		if (!room_make(http)) {
			close(fd);
			return -EBUSY;
		}
	}
	r = http_conn_new(http, fd, ret);
	if (!r)
		http->counts.accepted++;
	return r;
}

int http_take(struct http *http, int fd)
{
	struct http_conn *conn;

	return conn_take(http, fd, &conn);
}

int http_turn_away(struct http *http, int fd, int status, const char *type, const char *text)
{
	struct exchange *exchange;
	struct http_conn *conn;
	int r = conn_take(http, fd, &conn);

	if (r)
		return r;
	exchange = conn->exchange = exchange_new(http, conn);
	if (!exchange) {
		http_conn_free(conn);
		return -ENOMEM;
	}
	exchange_reply(exchange, status, type, text, strlen(text));
	return 0;
}

void http_shutdown(struct http *http)
{
	struct http_conn *conn, *next;

	http->is_closing = true;
	for (conn = TAILQ_FIRST(&http->conns); conn; conn = next) {
		next = TAILQ_NEXT(conn, entry);
		if (conn->state == HTTP_CONN_STREAM || conn->state == HTTP_CONN_LINGER) {
			http_conn_free(conn);
		} else if (conn->state != HTTP_CONN_BUSY) {
			/* a reply may still be on its way out */
			conn->state = HTTP_CONN_FLUSH;
			event_active(conn->turn, 0, 0);
		}
	}
	if (TAILQ_EMPTY(&http->conns) && http->args.empty)
		http->args.empty(http->args.arg);
}

const struct http_counts *http_counts(const struct http *http)
{
	return &http->counts;
}

bool http_streams_full(const struct http *http)
{
	return http->counts.streams >= http->args.limits.streams;
}
