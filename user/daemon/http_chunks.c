// SPDX-License-Identifier: GPL-2.0-only
/*
 * A state machine over single bytes for the lines, and over whole pieces for the data. Lines, extensions and
 * trailers are passed over, and bounded together, so that a body of no data does not go on for ever.
 */
#include "http_chunks.h"

#include <errno.h>

#define SIZE_DIGITS_MAX 8
#define OVERHEAD_BYTES_MAX (64 * 1024)

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void line_begin(struct http_chunks *chunks, int state)
{
	chunks->state = state;
	chunks->n_line = 0;
	chunks->has_digit = chunks->in_extension = chunks->after_cr = false;
}

/* One byte of "SIZE[;extension]CRLF". */
static int size_feed(struct http_chunks *chunks, char c)
{
	int value = digit_value(c);

	if (chunks->after_cr) {
		if (c != '\n' || !chunks->has_digit)
			return -EBADMSG;
		line_begin(chunks, chunks->left ? HTTP_CHUNKS_DATA : HTTP_CHUNKS_TRAILER);
		return 0;
	}
	if (c == '\r') {
		chunks->after_cr = true;
		return 0;
	}
	if (c == ';' || c == ' ' || c == '\t')
		chunks->in_extension = true;
	if (c == '\n' || (!chunks->in_extension && value < 0))
		return -EBADMSG;
	if (chunks->in_extension)
		return chunks->has_digit ? 0 : -EBADMSG;
	if (chunks->n_line++ == SIZE_DIGITS_MAX)
		return -EBADMSG;
	chunks->left = chunks->left << 4 | (unsigned int)value;
	chunks->has_digit = true;
	return 0;
}

/* One byte of the line's end behind data, or of the trailer, whose last line is empty. */
static int end_feed(struct http_chunks *chunks, char c)
{
	bool is_trailer = chunks->state == HTTP_CHUNKS_TRAILER;

	if (chunks->after_cr) {
		if (c != '\n')
			return -EBADMSG;
		if (is_trailer)
			line_begin(chunks, chunks->n_line ? HTTP_CHUNKS_TRAILER : HTTP_CHUNKS_DONE);
		else
			line_begin(chunks, HTTP_CHUNKS_SIZE);
		return 0;
	}
	if (c == '\r')
		chunks->after_cr = true;
	else if (!is_trailer || c == '\n')
		return -EBADMSG;
	else
		chunks->n_line++;
	return 0;
}

int http_chunks_feed(struct http_chunks *chunks, const char *bytes, size_t n, size_t *ret_taken,
		     const char **ret_data, size_t *ret_n_data)
{
	size_t i = 0, n_data = 0;
	int r = 0;

	while (!r && i < n && chunks->state != HTTP_CHUNKS_DONE && chunks->state != HTTP_CHUNKS_DATA) {
		if (++chunks->n_overhead > OVERHEAD_BYTES_MAX)
			return -EBADMSG;
		r = chunks->state == HTTP_CHUNKS_SIZE ? size_feed(chunks, bytes[i])
						      : end_feed(chunks, bytes[i]);
		i++;
	}
	if (r)
		return r;
	if (chunks->state == HTTP_CHUNKS_DATA) {
		n_data = n - i < chunks->left ? n - i : (size_t)chunks->left;
		chunks->left -= n_data;
		if (!chunks->left)
			line_begin(chunks, HTTP_CHUNKS_AFTER);
	}
	*ret_data = bytes + i;
	*ret_n_data = n_data;
	*ret_taken = i + n_data;
	return 0;
}
