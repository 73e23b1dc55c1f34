/* SPDX-License-Identifier: GPL-2.0-only */
/* The body of a message that comes in chunks (RFC 9112, 7.1). */
#ifndef REEVE_HTTP_CHUNKS_H
#define REEVE_HTTP_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_chunks {
	enum {
		HTTP_CHUNKS_SIZE,
		HTTP_CHUNKS_DATA,
		HTTP_CHUNKS_AFTER, /* the line's end behind the data */
		HTTP_CHUNKS_TRAILER,
		HTTP_CHUNKS_DONE,
	} state;
	uint64_t left; /* of the data of this chunk */
	size_t n_line; /* of the line that is being read: bounded */
	size_t n_overhead;
	bool has_digit, in_extension, after_cr;
};

/*
 * Takes as much of @bytes as belongs to the body, which it says in *ret_taken; *ret_data and *ret_n_data are the data
 * that came first in it, a part of @bytes, empty when there was none. To be called until the state is DONE or nothing
 * was taken. Returns 0 or -EBADMSG.
 */
int http_chunks_feed(struct http_chunks *chunks, const char *bytes, size_t n, size_t *ret_taken,
		     const char **ret_data, size_t *ret_n_data);

#endif
