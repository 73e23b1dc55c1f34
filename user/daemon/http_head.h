/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The head of an HTTP/1.x message (RFC 9112), strictly: what two readers could understand differently is
 * refused. The parts point into the text that was parsed, which is the caller's.
 */
#ifndef REEVE_HTTP_HEAD_H
#define REEVE_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../include/limits.h"

struct http_field {
	const char *name, *value;
};

struct http_head {
	const char *method, *path, *query; /* of a request; "" for no query */
	int status;			   /* of a reply */
	unsigned int minor;		   /* HTTP/1.minor */
	struct http_field fields[REEVE_HTTP_HEADERS_MAX];
	size_t n_fields;
	bool chunked, has_length, keep_alive, expects_continue;
	uint64_t length; /* of the body, when not chunked */
};

/* What is wrong, for a person, and the status that says so. */
struct http_wrong {
	int status;
	const char *reason;
};

/*
 * Where the head that begins @text ends, behind its empty line; 0 when more is needed. A head beyond
 * REEVE_HTTP_HEAD_BYTES_MAX is for the caller to refuse.
 */
size_t http_head_end(const char *text, size_t n);

/*
 * @text holds exactly one head and a zero behind it; zeros are put between its parts. Returns 0, or -EBADMSG with
 * *ret_wrong.
 */
int http_request_parse(char *text, size_t n, struct http_head *ret, struct http_wrong *ret_wrong);
int http_reply_parse(char *text, size_t n, struct http_head *ret, struct http_wrong *ret_wrong);

/* The value of the field; NULL when there is none. Names are compared without case. */
const char *http_head_field(const struct http_head *head, const char *name);

/* Whether @list, parts between commas, has @token; without case. */
bool http_list_has(const char *list, const char *token);

/* Decodes %XX; false for what is no such text, no UTF-8, has a zero in it or does not fit. */
bool http_percent_decode(const char *text, size_t n, char *ret, size_t size);

/*
 * The decoded value of a parameter of @query: 1 when there is one, 0 when there is none, -EBADMSG when it comes twice or
 * is no text.
 */
int http_query_get(const char *query, const char *name, char *ret, size_t size);

#endif
