// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a connection reads: a head, then a body, then nothing until the reply is given, then again. What a client sends ahead
 * stays in the socket behind a bounded buffer.
 *
 * One deadline at a time: of a connection at rest, or of a request from its first byte to its last, so that
 * a byte now and then wins no time. A connection has few turns in a row; then the others have theirs.
 *
 * Frees itself in callbacks of its own bufferevent only as the last thing that is done there.
 */
#include "http_conn.h"

#include <errno.h>
#include <sys/socket.h>

#include "../base/clock.h"

#define INPUT_BYTES_MAX (64 * 1024)
#define TURNS_MAX 16
#define LINGER_MS 2000

void http_conn_set_deadline(struct http_conn *conn, unsigned int ms)
{
	struct timeval tv = { ms / 1000, (ms % 1000) * 1000 };

	event_add(conn->deadline, &tv);
}

static void conn_rest(struct http_conn *conn)
{
	conn->state = HTTP_CONN_HEAD;
	conn->is_late_set = false;
	conn->since_ns = clock_monotonic_ns();
	http_conn_set_deadline(conn, conn->http->args.limits.idle_ms);
}

/* What is not taken from it stops more from being read, and the end from being seen. */
static void input_drop(struct http_conn *conn)
{
	struct evbuffer *input = bufferevent_get_input(conn->stream);

	evbuffer_drain(input, evbuffer_get_length(input));
}

static void conn_linger(struct http_conn *conn)
{
	input_drop(conn);
	shutdown(bufferevent_getfd(conn->stream), SHUT_WR);
	conn->state = HTTP_CONN_LINGER;
	http_conn_set_deadline(conn, LINGER_MS);
}

void http_conn_next(struct http_conn *conn, bool keep)
{
	bufferevent_setwatermark(conn->stream, EV_WRITE, 0, 0);
	conn_rest(conn);
	if (!keep || conn->http->is_closing) {
		conn->state = HTTP_CONN_FLUSH;
		event_del(conn->deadline);
	}
	if (!conn->is_advancing)
		event_active(conn->turn, 0, 0);
}

static void handle(struct http_conn *conn)
{
	struct exchange *exchange = conn->exchange;

	event_del(conn->deadline);
	conn->state = HTTP_CONN_BUSY;
	conn->http->counts.requests++;
	conn->http->args.handle(exchange, conn->http->args.arg);
}

/* Not understood, so what follows cannot be either: the reply is the last. */
static int refuse(struct http_conn *conn, int status, const char *reason)
{
	conn->exchange->wrong = (struct http_wrong){ status, reason };
	conn->exchange->head.keep_alive = false;
	handle(conn);
	return 1;
}

static int body_begin(struct http_conn *conn)
{
	struct http_head *head = &conn->exchange->head;

	if (head->length > conn->http->args.limits.body_bytes)
		return refuse(conn, 413, "the body is too large");
	if (head->expects_continue && (head->length || head->chunked))
		bufferevent_write(conn->stream, "HTTP/1.1 100 Continue\r\n\r\n", 25);
	conn->chunks = (struct http_chunks){ 0 };
	conn->state = HTTP_CONN_BODY;
	return 1;
}

/* Returns 1 when there is something new to look at, 0 when more has to come. */
static int head_read(struct http_conn *conn)
{
	struct evbuffer *input = bufferevent_get_input(conn->stream);
	size_t n = evbuffer_get_length(input), n_head;
	struct exchange *exchange;

	if (n == 0)
		return 0;
	n = n < REEVE_HTTP_HEAD_BYTES_MAX ? n : REEVE_HTTP_HEAD_BYTES_MAX;
	n_head = http_head_end((const char *)evbuffer_pullup(input, (ev_ssize_t)n), n);
	if (!n_head && n < REEVE_HTTP_HEAD_BYTES_MAX)
		return 0;
	exchange = conn->exchange = exchange_new(conn->http, conn);
	if (!exchange)
		return -ENOMEM;
	if (!n_head)
		return refuse(conn, 431, "the head of the request is too large");
	exchange->head_text = malloc(n_head + 1);
	if (!exchange->head_text)
		return -ENOMEM;
	evbuffer_remove(input, exchange->head_text, n_head);
	exchange->head_text[n_head] = 0;
	if (http_request_parse(exchange->head_text, n_head, &exchange->head, &exchange->wrong))
		return refuse(conn, exchange->wrong.status, exchange->wrong.reason);
	return body_begin(conn);
}

static int chunks_read(struct http_conn *conn, struct evbuffer *input)
{
	while (conn->chunks.state != HTTP_CHUNKS_DONE && evbuffer_get_length(input) > 0) {
		size_t n = evbuffer_get_length(input), taken, n_data;
		const char *data;

		if (http_chunks_feed(&conn->chunks, (const char *)evbuffer_pullup(input, -1), n,
				     &taken, &data, &n_data))
			return -EBADMSG;
		if (evbuffer_add(conn->body, data, n_data))
			return -ENOMEM;
		evbuffer_drain(input, taken);
	}
	return 0;
}

static int body_read(struct http_conn *conn)
{
	struct evbuffer *input = bufferevent_get_input(conn->stream);
	struct exchange *exchange = conn->exchange;
	size_t have = evbuffer_get_length(conn->body);
	int r = 0;

	if (exchange->head.chunked)
		r = chunks_read(conn, input);
	else
		evbuffer_remove_buffer(input, conn->body, (size_t)exchange->head.length - have);
	have = evbuffer_get_length(conn->body);
	if (r == -EBADMSG)
		return refuse(conn, 400, "the chunks of the body are none");
	if (r < 0)
		return r;
	if (have > conn->http->args.limits.body_bytes)
		return refuse(conn, 413, "the body is too large");
	if (exchange->head.chunked ? conn->chunks.state != HTTP_CHUNKS_DONE
				   : have < exchange->head.length)
		return 0;
	exchange->body = malloc(have + 1);
	if (!exchange->body)
		return -ENOMEM;
	evbuffer_remove(conn->body, exchange->body, have);
	exchange->body[have] = 0;
	exchange->n_body = have;
	handle(conn);
	return 1;
}

/* Who does not read the replies gets no more of them. */
static bool is_blocked(const struct http_conn *conn)
{
	return evbuffer_get_length(bufferevent_get_output(conn->stream)) >
	       conn->http->args.limits.output_bytes;
}

static int advance_once(struct http_conn *conn)
{
	switch (conn->state) {
	case HTTP_CONN_HEAD:
		return is_blocked(conn) ? 0 : head_read(conn);
	case HTTP_CONN_BODY:
		return body_read(conn);
	case HTTP_CONN_FLUSH:
	case HTTP_CONN_LINGER:
		input_drop(conn);
		return 0;
	default:
		return 0;
	}
}

static void flush(struct http_conn *conn)
{
	if (conn->state != HTTP_CONN_FLUSH ||
	    evbuffer_get_length(bufferevent_get_output(conn->stream)) > 0)
		return;
	if (conn->is_eof || conn->http->is_closing)
		http_conn_free(conn);
	else
		conn_linger(conn);
}

static bool is_reading(const struct http_conn *conn)
{
	return conn->state == HTTP_CONN_HEAD || conn->state == HTTP_CONN_BODY;
}

static void late_set(struct http_conn *conn)
{
	bool begun = evbuffer_get_length(bufferevent_get_input(conn->stream)) > 0 &&
		     !is_blocked(conn);

	if (conn->is_late_set || (conn->state != HTTP_CONN_BODY && !begun))
		return;
	conn->is_late_set = true;
	http_conn_set_deadline(conn, conn->http->args.limits.read_ms);
}

static void advance(struct http_conn *conn)
{
	unsigned int turns = 0;
	int r = conn->is_cut ? -ECANCELED : 1;

	conn->is_advancing = true;
	while (r > 0 && turns++ < TURNS_MAX)
		r = advance_once(conn);
	conn->is_advancing = false;
	if (r < 0) {
		http_conn_free(conn);
		return;
	}
	if (r > 0)
		event_active(conn->turn, 0, 0);
	if (is_reading(conn)) {
		late_set(conn);
		if (r == 0 && conn->is_eof && !is_blocked(conn))
			conn->state = HTTP_CONN_FLUSH;
	}
	flush(conn);
}

static void on_turn(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	advance(arg);
}

static void on_read(struct bufferevent *stream, void *arg)
{
	(void)stream;
	advance(arg);
}

static void on_write(struct bufferevent *stream, void *arg)
{
	struct http_conn *conn = arg;

	(void)stream;
	if (conn->state == HTTP_CONN_STREAM)
		conn->exchange->stream->more(conn->exchange, conn->exchange->stream_arg);
	else
		advance(conn);
}

static void on_event(struct bufferevent *stream, short what, void *arg)
{
	struct http_conn *conn = arg;

	(void)stream;
	if (what & BEV_EVENT_TIMEOUT)
		conn->http->counts.cut++;
	if (!(what & BEV_EVENT_EOF) || conn->state == HTTP_CONN_STREAM ||
	    conn->state == HTTP_CONN_LINGER) {
		http_conn_free(conn);
		return;
	}
	/* the other direction may be open still: what was asked is replied to */
	conn->is_eof = true;
	advance(conn);
}

static void on_deadline(evutil_socket_t fd, short what, void *arg)
{
	struct http_conn *conn = arg;

	(void)fd;
	(void)what;
	if (!conn->is_late_set || conn->state == HTTP_CONN_LINGER) {
		http_conn_free(conn);
		return;
	}
	conn->http->counts.timed_out++;
	if (!conn->exchange)
		conn->exchange = exchange_new(conn->http, conn);
	if (!conn->exchange) {
		http_conn_free(conn);
		return;
	}
	refuse(conn, 408, "the request took too long to arrive");
}

int http_conn_new(struct http *http, int fd, struct http_conn **ret)
{
	struct timeval stall = { http->args.limits.stall_ms / 1000,
				 (http->args.limits.stall_ms % 1000) * 1000 };
	struct http_conn *conn = calloc(1, sizeof(*conn));

	evutil_make_socket_nonblocking(fd);
	if (conn) {
		conn->http = http;
		conn->stream = bufferevent_socket_new(http->base, fd, BEV_OPT_CLOSE_ON_FREE);
		conn->deadline = evtimer_new(http->base, on_deadline, conn);
		conn->turn = event_new(http->base, -1, 0, on_turn, conn);
		conn->body = evbuffer_new();
		TAILQ_INSERT_TAIL(&http->conns, conn, entry);
		http->counts.connections++;
	}
	if (!conn || !conn->stream)
		close(fd);
	if (!conn || !conn->stream || !conn->deadline || !conn->turn || !conn->body) {
		if (conn)
			http_conn_free(conn);
		return -ENOMEM;
	}
	bufferevent_setcb(conn->stream, on_read, on_write, on_event, conn);
	bufferevent_setwatermark(conn->stream, EV_READ, 0, INPUT_BYTES_MAX);
	bufferevent_set_timeouts(conn->stream, NULL, &stall);
	conn_rest(conn);
	bufferevent_enable(conn->stream, EV_READ | EV_WRITE);
	*ret = conn;
	return 0;
}

void http_conn_free(struct http_conn *conn)
{
	struct http *http = conn->http;
	struct exchange *exchange = conn->exchange;

	TAILQ_REMOVE(&http->conns, conn, entry);
	http->counts.connections--;
	if (exchange) {
		exchange->conn = NULL;
		if (conn->state == HTTP_CONN_STREAM) {
			http->counts.streams--;
			exchange->stream->gone(exchange->stream_arg);
		}
		if (conn->state != HTTP_CONN_BUSY)
			exchange_free(exchange);
	}
	if (conn->stream)
		bufferevent_free(conn->stream);
	if (conn->deadline)
		event_free(conn->deadline);
	if (conn->turn)
		event_free(conn->turn);
	if (conn->body)
		evbuffer_free(conn->body);
	free(conn);
	if (http->is_closing && TAILQ_EMPTY(&http->conns) && http->args.empty)
		http->args.empty(http->args.arg);
}
