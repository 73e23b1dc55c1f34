// SPDX-License-Identifier: GPL-2.0-only
/*
 * Heads are cut apart in place: each line, then each field at its colon. Nothing is allocated and nothing
 * outlives the text.
 *
 * What RFC 9112 lets a recipient repair is refused instead: bare line feeds, folded lines, blanks before a
 * colon, lengths that come twice or beside chunks. A client that sends such is broken or is trying something.
 */
#include "http_head.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "../base/str.h"
#include "../base/utf8.h"

#define PARAMETER_BYTES_MAX 1024

static int wrong(struct http_wrong *ret, int status, const char *reason)
{
	*ret = (struct http_wrong){ .status = status, .reason = reason };
	return -EBADMSG;
}

size_t http_head_end(const char *text, size_t n)
{
	const char *end = memmem(text, n, "\r\n\r\n", 4);

	return end ? (size_t)(end - text) + 4 : 0;
}

static bool is_token(const char *s)
{
	static const char marks[] = "!#$%&'*+-.^_`|~";

	if (!*s)
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr(marks, *s))
			return false;
	return true;
}

static bool has_control(const char *s)
{
	for (; *s; s++)
		if (((unsigned char)*s < 0x20 && *s != '\t') || *s == 0x7f)
			return true;
	return false;
}

/* Puts a zero in the place of the line's end and moves *at behind it. */
static char *line_take(char **at)
{
	char *line = *at, *end = strstr(line, "\r\n");

	if (!end)
		return NULL;
	*end = 0;
	*at = end + 2;
	return line;
}

static int version_parse(const char *text, struct http_head *head, struct http_wrong *ret_wrong)
{
	if (strcmp(text, "HTTP/1.1") == 0)
		head->minor = 1;
	else if (strcmp(text, "HTTP/1.0") == 0)
		head->minor = 0;
	else if (strncmp(text, "HTTP/", 5) == 0)
		return wrong(ret_wrong, 505, "the version is not HTTP/1.1 or HTTP/1.0");
	else
		return wrong(ret_wrong, 400, "the first line does not end with a version of HTTP");
	return 0;
}

/* "http:", a host and "/path" are the same as "/path" on a socket that has one host. */
static char *target_path(char *target)
{
	char *host = strncasecmp(target, "http:", 5) == 0 && strncmp(target + 5, "//", 2) == 0
			     ? target + 7
			     : NULL;

	return host ? strchr(host, '/') : target;
}

static int request_line(char *line, struct http_head *head, struct http_wrong *ret_wrong)
{
	char *target = strchr(line, ' '), *version = target ? strchr(target + 1, ' ') : NULL, *query;

	if (!version || strchr(version + 1, ' '))
		return wrong(ret_wrong, 400, "the first line is not METHOD TARGET VERSION");
	*target++ = 0;
	*version++ = 0;
	if (!is_token(line))
		return wrong(ret_wrong, 400, "the method is no token");
	for (const char *s = target; *s; s++)
		if ((unsigned char)*s <= 0x20 || (unsigned char)*s >= 0x7f || *s == '#')
			return wrong(ret_wrong, 400,
				     "the target has a character that must be escaped");
	target = target_path(target);
	if (!target || *target != '/')
		return wrong(ret_wrong, 400, "the target does not begin with /");
	query = strchr(target, '?');
	if (query)
		*query++ = 0;
	head->method = line;
	head->path = target;
	head->query = query ? query : "";
	return version_parse(version, head, ret_wrong);
}

static int status_line(char *line, struct http_head *head, struct http_wrong *ret_wrong)
{
	char *code = strchr(line, ' '), *end;
	uint64_t status;

	if (!code)
		return wrong(ret_wrong, 502, "the reply has no status");
	*code++ = 0;
	end = strchrnul(code, ' ');
	*end = 0;
	if (!str_to_u64(code, 599, &status) || status < 100)
		return wrong(ret_wrong, 502, "the reply's status is none");
	head->status = (int)status;
	return version_parse(line, head, ret_wrong);
}

static int field_parse(char *line, struct http_head *head, struct http_wrong *ret_wrong)
{
	char *colon = strchr(line, ':');

	if (head->n_fields == REEVE_HTTP_HEADERS_MAX)
		return wrong(ret_wrong, 431, "there are too many header fields");
	if (*line == ' ' || *line == '\t')
		return wrong(ret_wrong, 400, "a header field goes over two lines");
	if (!colon)
		return wrong(ret_wrong, 400, "a header field has no colon");
	*colon++ = 0;
	if (!is_token(line))
		return wrong(ret_wrong, 400, "the name of a header field is no token");
	if (has_control(colon))
		return wrong(ret_wrong, 400, "a header field has a control character");
	head->fields[head->n_fields++] = (struct http_field){ line, str_trim(colon) };
	return 0;
}

static unsigned int field_count(const struct http_head *head, const char *name)
{
	unsigned int n = 0;

	for (size_t i = 0; i < head->n_fields; i++)
		n += strcasecmp(head->fields[i].name, name) == 0;
	return n;
}

static int framing_read(struct http_head *head, struct http_wrong *ret_wrong)
{
	const char *length = http_head_field(head, "Content-Length");
	const char *coding = http_head_field(head, "Transfer-Encoding");

	if (field_count(head, "Content-Length") + field_count(head, "Transfer-Encoding") > 1)
		return wrong(ret_wrong, 400, "the length of the body is said twice");
	if (length && !str_to_u64(length, INT64_MAX, &head->length))
		return wrong(ret_wrong, 400, "Content-Length is no number");
	if (coding && (strcasecmp(coding, "chunked") != 0 || head->minor == 0))
		return wrong(ret_wrong, 501, "the only transfer coding is chunked, in HTTP/1.1");
	head->has_length = length;
	head->chunked = coding;
	return 0;
}

static int connection_read(struct http_head *head, struct http_wrong *ret_wrong)
{
	const char *connection = http_head_field(head, "Connection");
	const char *expect = http_head_field(head, "Expect");

	head->keep_alive = head->minor == 1;
	if (connection && http_list_has(connection, "close"))
		head->keep_alive = false;
	else if (connection && http_list_has(connection, "keep-alive"))
		head->keep_alive = true;
	if (!head->method)
		return 0;
	if (field_count(head, "Host") > 1 || (head->minor == 1 && field_count(head, "Host") == 0))
		return wrong(ret_wrong, 400, "there is not exactly one Host");
	if (expect && strcasecmp(expect, "100-continue") != 0)
		return wrong(ret_wrong, 417, "the only expectation is 100-continue");
	head->expects_continue = expect && head->minor == 1;
	return 0;
}

static int head_parse(char *text, size_t n, struct http_head *ret, struct http_wrong *ret_wrong,
		      int (*first)(char *, struct http_head *, struct http_wrong *))
{
	struct http_head head = {};
	char *at = text, *line;
	int r;

	if (strlen(text) != n)
		return wrong(ret_wrong, 400, "the head has a zero in it");
	for (const char *s = text; (s = strpbrk(s, "\r\n")); s += 2)
		if (s[0] != '\r' || s[1] != '\n')
			return wrong(ret_wrong, 400, "a line does not end with CR LF");
	line = line_take(&at);
	r = line ? first(line, &head, ret_wrong) : wrong(ret_wrong, 400, "there is no first line");
	while (!r && (line = line_take(&at)) && *line)
		r = field_parse(line, &head, ret_wrong);
	if (!r)
		r = framing_read(&head, ret_wrong);
	if (!r)
		r = connection_read(&head, ret_wrong);
	if (!r)
		*ret = head;
	return r;
}

int http_request_parse(char *text, size_t n, struct http_head *ret, struct http_wrong *ret_wrong)
{
	return head_parse(text, n, ret, ret_wrong, request_line);
}

int http_reply_parse(char *text, size_t n, struct http_head *ret, struct http_wrong *ret_wrong)
{
	return head_parse(text, n, ret, ret_wrong, status_line);
}

const char *http_head_field(const struct http_head *head, const char *name)
{
	for (size_t i = 0; i < head->n_fields; i++)
		if (strcasecmp(head->fields[i].name, name) == 0)
			return head->fields[i].value;
	return NULL;
}

bool http_list_has(const char *list, const char *token)
{
	size_t len = strlen(token), n;

	while (*list) {
		list += strspn(list, ", \t");
		n = strcspn(list, ", \t");
		if (n == len && strncasecmp(list, token, len) == 0)
			return true;
		list += n;
	}
	return false;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool http_percent_decode(const char *text, size_t n, char *ret, size_t size)
{
	size_t len = 0, at;

	for (size_t i = 0; i < n; i++) {
		int high, low;

		if (len + 1 >= size)
			return false;
		if (text[i] != '%') {
			ret[len++] = text[i];
			continue;
		}
		high = n - i > 2 ? hex_digit(text[i + 1]) : -1;
		low = high >= 0 ? hex_digit(text[i + 2]) : -1;
		if (low < 0 || (high | low) == 0)
			return false;
		ret[len++] = (char)(high << 4 | low);
		i += 2;
	}
	if (len >= size)
		return false;
	ret[len] = 0;
	return utf8_is_valid(ret, len, &at);
}

int http_query_get(const char *query, const char *name, char *ret, size_t size)
{
	char key[PARAMETER_BYTES_MAX];
	int found = 0;

	while (*query) {
		size_t n = strcspn(query, "&"), n_key = strcspn(query, "=&");
		const char *value = query + n_key + (query[n_key] == '=');

		if (!http_percent_decode(query, n_key, key, sizeof(key)))
			return -EBADMSG;
		if (strcmp(key, name) == 0) {
			if (found ||
			    !http_percent_decode(value, (size_t)(query + n - value), ret, size))
				return -EBADMSG;
			found = 1;
		}
		query += n + (query[n] == '&');
	}
	return found;
}
