// SPDX-License-Identifier: GPL-2.0-only
/* Heads, chunks and ranges as pure functions: what is taken apart, and what is refused with which status. */
#include <errno.h>
#include <string.h>

#include "../../user/daemon/client.h"
#include "../../user/daemon/http_chunks.h"
#include "../../user/daemon/http_head.h"
#include "../../user/daemon/outputs.h"
#include "../test.h"

static struct http_head head;
static char head_text[REEVE_HTTP_HEAD_BYTES_MAX + 1];

/* The status that refuses it, 0 when it is taken. */
static int parse(const char *text, size_t n)
{
	struct http_wrong wrong = { 0 };

	memcpy(head_text, text, n);
	head_text[n] = 0;
	return http_request_parse(head_text, n, &head, &wrong) ? wrong.status : 0;
}

static int parse_line(const char *line)
{
	char text[1024];

	snprintf(text, sizeof(text), "%s\r\nHost: a\r\n\r\n", line);
	return parse(text, strlen(text));
}

static int parse_field(const char *field)
{
	char text[1024];

	snprintf(text, sizeof(text), "POST / HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n", field);
	return parse(text, strlen(text));
}

TEST("a head is taken apart")
{
	const char text[] =
		"POST /v1/x?a=1&b HTTP/1.1\r\nhost: h\r\nContent-Length: 12\r\nX:\t v w \r\n\r\n";

	ASSERT_EQ(parse(text, sizeof(text) - 1), 0);
	EXPECT_STREQ(head.method, "POST");
	EXPECT_STREQ(head.path, "/v1/x");
	EXPECT_STREQ(head.query, "a=1&b");
	EXPECT_EQ(head.length, 12);
	EXPECT_STREQ(http_head_field(&head, "x"), "v w");
	EXPECT_TRUE(head.keep_alive);
	EXPECT_EQ(http_head_end(text, sizeof(text) - 1), sizeof(text) - 1);
	EXPECT_EQ(http_head_end(text, sizeof(text) - 2), 0);
}

TEST("a first line that is none is refused with its status")
{
	EXPECT_EQ(parse_line("GET / HTTP/1.1"), 0);
	EXPECT_EQ(parse_line("GET http://any.test/v1 HTTP/1.1"), 0);
	EXPECT_STREQ(head.path, "/v1");
	EXPECT_EQ(parse_line("GET"), 400);
	EXPECT_EQ(parse_line("GET /"), 400);
	EXPECT_EQ(parse_line("GET / HTTP/1.1 more"), 400);
	EXPECT_EQ(parse_line("GET  / HTTP/1.1"), 400);
	EXPECT_EQ(parse_line("G(T / HTTP/1.1"), 400);
	EXPECT_EQ(parse_line(" / HTTP/1.1"), 400);
	EXPECT_EQ(parse_line("GET x HTTP/1.1"), 400);
	EXPECT_EQ(parse_line("GET http://any.test HTTP/1.1"), 400);
	EXPECT_EQ(parse_line("GET /\xc3\xa9 HTTP/1.1"), 400);
	EXPECT_EQ(parse_line("GET /#a HTTP/1.1"), 400);
	EXPECT_EQ(parse_line("GET / HTTP/2.0"), 505);
	EXPECT_EQ(parse_line("GET / XTTP/1.1"), 400);
}

TEST("what two readers could understand differently is refused")
{
	EXPECT_EQ(parse_field("Content-Length: 1\r\nContent-Length: 1"), 400);
	EXPECT_EQ(parse_field("Content-Length: 1\r\nTransfer-Encoding: chunked"), 400);
	EXPECT_EQ(parse_field("Content-Length: +1"), 400);
	EXPECT_EQ(parse_field("Content-Length: 1, 1"), 400);
	EXPECT_EQ(parse_field("Content-Length: 99999999999999999999"), 400);
	EXPECT_EQ(parse_field("Transfer-Encoding: gzip, chunked"), 501);
	EXPECT_EQ(parse_field("Content-Length : 1"), 400);
	EXPECT_EQ(parse_field("A: b\r\n c"), 400);
	EXPECT_EQ(parse_field("A: b\nC: d"), 400);
	EXPECT_EQ(parse_field("A: b\rC: d"), 400);
	EXPECT_EQ(parse_field("no colon"), 400);
	EXPECT_EQ(parse_field("A: \x01"), 400);
	EXPECT_EQ(parse_field("Host: b"), 400);
	EXPECT_EQ(parse_field("Expect: tea"), 417);
	EXPECT_EQ(parse("GET / HTTP/1.1\r\n\r\n", 18), 400);
	EXPECT_EQ(parse("GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n", 29), 400);
	EXPECT_EQ(parse("GET / HTTP/1.0\r\n\r\n", 18), 0);
	EXPECT_FALSE(head.keep_alive);
}

TEST("more fields than there is a place for are refused")
{
	char text[4096] = "GET / HTTP/1.1\r\nHost: a\r\n";

	for (int i = 0; i < REEVE_HTTP_HEADERS_MAX; i++)
		strcat(text, "A: b\r\n");
	strcat(text, "\r\n");
	EXPECT_EQ(parse(text, strlen(text)), 431);
}

TEST("escapes are decoded to UTF-8 without zeros, and to nothing else")
{
	char text[8];

	EXPECT_TRUE(http_percent_decode("a%c3%A9", 7, text, sizeof(text)));
	EXPECT_STREQ(text, "a\xc3\xa9");
	EXPECT_FALSE(http_percent_decode("%00", 3, text, sizeof(text)));
	EXPECT_FALSE(http_percent_decode("%4", 2, text, sizeof(text)));
	EXPECT_FALSE(http_percent_decode("%zz", 3, text, sizeof(text)));
	EXPECT_FALSE(http_percent_decode("%ff", 3, text, sizeof(text)));
	EXPECT_FALSE(http_percent_decode("12345678", 8, text, sizeof(text)));
	EXPECT_EQ(http_query_get("a=1&%62=%32", "b", text, sizeof(text)), 1);
	EXPECT_STREQ(text, "2");
	EXPECT_EQ(http_query_get("a=1", "b", text, sizeof(text)), 0);
	EXPECT_EQ(http_query_get("a=1&a=2", "a", text, sizeof(text)), -EBADMSG);
	EXPECT_EQ(http_query_get("a=%", "a", text, sizeof(text)), -EBADMSG);
}

/* Feeds @text in pieces of @step; the length of the body, or -1 when it is none, -2 when it has no end. */
static int chunks(const char *text, size_t step, char *ret)
{
	struct http_chunks state = { 0 };
	size_t n = strlen(text), at = 0, len = 0;

	while (at < n && state.state != HTTP_CHUNKS_DONE) {
		size_t taken, n_data, have = n - at < step ? n - at : step;
		const char *data;

		if (http_chunks_feed(&state, text + at, have, &taken, &data, &n_data))
			return -1;
		memcpy(ret + len, data, n_data);
		len += n_data;
		at += taken;
	}
	ret[len] = 0;
	return state.state == HTTP_CHUNKS_DONE ? (int)len : -2;
}

TEST("chunks are put together, however they arrive")
{
	char body[256];

	for (size_t step = 1; step < 40; step++) {
		EXPECT_EQ(chunks("4\r\nabcd\r\na;x=\"y\"\r\n0123456789\r\n0\r\nT: v\r\n\r\n", step,
				 body),
			  14);
		EXPECT_STREQ(body, "abcd0123456789");
	}
	EXPECT_EQ(chunks("0\r\n\r\n", 1, body), 0);
	EXPECT_EQ(chunks("4\r\nab", 9, body), -2);
	EXPECT_EQ(chunks("4\r\nabcdX\r\n", 99, body), -1);
	EXPECT_EQ(chunks("4\nabcd", 99, body), -1);
	EXPECT_EQ(chunks("\r\n", 99, body), -1);
	EXPECT_EQ(chunks(";x\r\n", 99, body), -1);
	EXPECT_EQ(chunks("-1\r\n", 99, body), -1);
	EXPECT_EQ(chunks("123456789\r\n", 99, body), -1);
}

TEST("a path is built of escaped parts, as far as it fits")
{
	char path[24] = "/v1/x/";

	EXPECT_TRUE(client_path_add(path, sizeof(path), "a@1 /\xc3?"));
	EXPECT_STREQ(path, "/v1/x/a@1%20%2F%C3%3F");
	EXPECT_FALSE(client_path_add(path, sizeof(path), "abc"));
}

TEST("a range is the part that is there, or none")
{
	uint64_t offset, length;

	EXPECT_EQ(outputs_range("bytes=0-", 10, &offset, &length), 1);
	EXPECT_EQ(length, 10);
	EXPECT_EQ(outputs_range("bytes=2-5", 10, &offset, &length), 1);
	EXPECT_EQ(offset, 2);
	EXPECT_EQ(length, 4);
	EXPECT_EQ(outputs_range("bytes=8-99", 10, &offset, &length), 1);
	EXPECT_EQ(length, 2);
	EXPECT_EQ(outputs_range("bytes=-3", 10, &offset, &length), 1);
	EXPECT_EQ(offset, 7);
	EXPECT_EQ(length, 3);
	EXPECT_EQ(outputs_range("bytes=-30", 10, &offset, &length), 1);
	EXPECT_EQ(length, 10);
	EXPECT_EQ(outputs_range("bytes=10-", 10, &offset, &length), -ERANGE);
	EXPECT_EQ(outputs_range("bytes=-0", 10, &offset, &length), -ERANGE);
	EXPECT_EQ(outputs_range("bytes=0-", 0, &offset, &length), -ERANGE);
	EXPECT_EQ(outputs_range("bytes=5-2", 10, &offset, &length), 0);
	EXPECT_EQ(outputs_range("bytes=0-1,3-4", 10, &offset, &length), 0);
	EXPECT_EQ(outputs_range("lines=0-1", 10, &offset, &length), 0);
	EXPECT_EQ(outputs_range("bytes=-", 10, &offset, &length), 0);
}
