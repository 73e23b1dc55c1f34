/* SPDX-License-Identifier: GPL-2.0-only */
/* Text of unknown origin for a terminal: what would be obeyed, or not be seen, is written out. */
#ifndef REEVE_TEXT_SHOW_H
#define REEVE_TEXT_SHOW_H

#include <stddef.h>

#include "../base/utf8.h"

/*
 * One line: @text in at most @columns characters, cut with "..." when it has more; a newline is written out as well. @size
 * is at least 8; always ends with a zero.
 */
void text_show(const char *text, size_t columns, char *ret, size_t size);

/* A stream: characters may come in parts. Begins as all zeros. */
struct text_stream {
	char part[UTF8_BYTES_MAX];
	size_t n_part;
};

/* Room for @n bytes, shown: one becomes four at most. */
#define TEXT_SHOWN_SIZE(n) (4 * ((n) + UTF8_BYTES_MAX) + 16)

/*
 * Shows @n bytes into @ret, which has room for them; newlines and tabs stay. Returns the length. With @n 0 the stream
 * ends: what is left of a character is written out.
 */
size_t text_stream_show(struct text_stream *stream, const char *bytes, size_t n, char *ret);

#endif
