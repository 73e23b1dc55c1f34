// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a reply is written. A whole one is put into the output at once; a stream is put there piece by piece, no more than its
 * client leaves room for. HTTP/1.0 knows no chunks: there the end of a stream is the end of the connection.
 */
#include <stdarg.h>
#include <string.h>

#include "../base/clock.h"
#include "http_conn.h"

#define CHUNK_OVERHEAD 32

struct exchange *exchange_new(struct http *http, struct http_conn *conn)
{
	struct exchange *exchange = calloc(1, sizeof(*exchange));

	if (!exchange)
		return NULL;
	exchange->fields = evbuffer_new();
	if (!exchange->fields) {
		free(exchange);
		return NULL;
	}
	exchange->http = http;
	exchange->conn = conn;
	exchange->head.minor = 1;
	TAILQ_INSERT_TAIL(&http->exchanges, exchange, entry);
	return exchange;
}

void exchange_free(struct exchange *exchange)
{
	TAILQ_REMOVE(&exchange->http->exchanges, exchange, entry);
	if (exchange->conn)
		exchange->conn->exchange = NULL;
	evbuffer_free(exchange->fields);
	free(exchange->head_text);
	free(exchange->body);
	free(exchange->key);
	free(exchange);
}

static const struct {
	int status;
	const char *text;
} phrases[] = {
	{ 200, "OK" },
	{ 201, "Created" },
	{ 202, "Accepted" },
	{ 206, "Partial Content" },
	{ 304, "Not Modified" },
	{ 400, "Bad Request" },
	{ 403, "Forbidden" },
	{ 404, "Not Found" },
	{ 405, "Method Not Allowed" },
	{ 406, "Not Acceptable" },
	{ 408, "Request Timeout" },
	{ 409, "Conflict" },
	{ 412, "Precondition Failed" },
	{ 413, "Content Too Large" },
	{ 415, "Unsupported Media Type" },
	{ 416, "Range Not Satisfiable" },
	{ 417, "Expectation Failed" },
	{ 422, "Unprocessable Content" },
	{ 429, "Too Many Requests" },
	{ 431, "Request Header Fields Too Large" },
	{ 500, "Internal Server Error" },
	{ 501, "Not Implemented" },
	{ 503, "Service Unavailable" },
	{ 505, "HTTP Version Not Supported" },
};

const char *http_phrase(int status)
{
	for (size_t i = 0; i < ARRAY_SIZE(phrases); i++)
		if (phrases[i].status == status)
			return phrases[i].text;
	return "Unknown";
}

void exchange_add_field(struct exchange *exchange, const char *name, const char *fmt, ...)
{
	va_list args;

	evbuffer_add_printf(exchange->fields, "%s: ", name);
	va_start(args, fmt);
	evbuffer_add_vprintf(exchange->fields, fmt, args);
	va_end(args);
	evbuffer_add(exchange->fields, "\r\n", 2);
}

static void head_write(struct exchange *exchange, int status, const char *type, uint64_t length)
{
	struct evbuffer *output = bufferevent_get_output(exchange->conn->stream);
	time_t now = time(NULL);
	char date[64];
	struct tm tm;

	exchange->status = status;
	strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&now, &tm));
	evbuffer_add_printf(output, "HTTP/1.1 %d %s\r\nDate: %s\r\nCache-Control: no-store\r\n",
			    status, http_phrase(status), date);
	if (type)
		evbuffer_add_printf(output,
				    "Content-Type: %s\r\nX-Content-Type-Options: nosniff\r\n", type);
	if (length != EXCHANGE_LENGTH_UNKNOWN && status != 304)
		evbuffer_add_printf(output, "Content-Length: %llu\r\n", (unsigned long long)length);
	if (exchange->chunked)
		evbuffer_add_printf(output, "Transfer-Encoding: chunked\r\n");
	if (exchange->conn->http->is_closing)
		exchange->head.keep_alive = false;
	if (!exchange->head.keep_alive)
		evbuffer_add_printf(output, "Connection: close\r\n");
	else if (exchange->head.minor == 0)
		evbuffer_add_printf(output, "Connection: keep-alive\r\n");
	evbuffer_add_buffer(output, exchange->fields);
	evbuffer_add(output, "\r\n", 2);
	if (exchange->http->args.replied)
		exchange->http->args.replied(exchange, exchange->http->args.arg);
}

void exchange_reply(struct exchange *exchange, int status, const char *type, const char *bytes,
		    size_t n)
{
	struct http_conn *conn = exchange->conn;
	bool keep;

	if (!conn) {
		exchange_free(exchange);
		return;
	}
	head_write(exchange, status, type, n);
	if (!exchange->is_head && status != 304)
		evbuffer_add(bufferevent_get_output(conn->stream), bytes, n);
	keep = exchange->head.keep_alive;
	exchange_free(exchange);
	http_conn_next(conn, keep);
}

int exchange_stream(struct exchange *exchange, int status, const char *type, uint64_t length,
		    const struct http_stream *stream, void *arg)
{
	struct http_conn *conn = exchange->conn;

	if (!conn || exchange->is_head) {
		if (conn)
			head_write(exchange, status, type, length);
		exchange->stream = NULL;
		exchange_end(exchange);
		return EXCHANGE_E_DONE;
	}
	exchange->chunked = length == EXCHANGE_LENGTH_UNKNOWN && exchange->head.minor == 1;
	if (length == EXCHANGE_LENGTH_UNKNOWN && !exchange->chunked)
		exchange->head.keep_alive = false;
	exchange->stream = stream;
	exchange->stream_arg = arg;
	head_write(exchange, status, type, length);
	conn->state = HTTP_CONN_STREAM;
	conn->http->counts.streams++;
	bufferevent_setwatermark(conn->stream, EV_WRITE, conn->http->args.limits.output_bytes / 4, 0);
	return 0;
}

size_t exchange_room(const struct exchange *exchange)
{
	size_t used = evbuffer_get_length(bufferevent_get_output(exchange->conn->stream)) +
		      CHUNK_OVERHEAD;
	size_t bound = exchange->http->args.limits.output_bytes;

	return used < bound ? bound - used : 0;
}

bool exchange_is_drained(const struct exchange *exchange)
{
	return evbuffer_get_length(bufferevent_get_output(exchange->conn->stream)) == 0;
}

void exchange_write(struct exchange *exchange, const void *bytes, size_t n)
{
	struct evbuffer *output = bufferevent_get_output(exchange->conn->stream);

	if (n == 0)
		return;
	if (exchange->chunked)
		evbuffer_add_printf(output, "%zx\r\n", n);
	evbuffer_add(output, bytes, n);
	if (exchange->chunked)
		evbuffer_add(output, "\r\n", 2);
}

void exchange_end(struct exchange *exchange)
{
	struct http_conn *conn = exchange->conn;
	bool keep = exchange->head.keep_alive;

	if (conn && exchange->chunked)
		evbuffer_add(bufferevent_get_output(conn->stream), "0\r\n\r\n", 5);
	if (conn && exchange->stream)
		conn->http->counts.streams--;
	exchange_free(exchange);
	if (conn)
		http_conn_next(conn, keep);
}

void exchange_cut(struct exchange *exchange)
{
	exchange->conn->is_cut = true;
	event_active(exchange->conn->turn, 0, 0);
}
