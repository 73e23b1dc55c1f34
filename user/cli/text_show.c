// SPDX-License-Identifier: GPL-2.0-only
/*
 * A terminal obeys C0 and C1 control characters, and shows text in another order than it has behind marks of direction; characters
 * without width hide differences. All of these are written as \xNN or \u{NNNN}; so are bytes that are no UTF-8.
 */
#include "text_show.h"

#include <stdio.h>
#include <string.h>

#include "../base/macro.h"

/* \u{10ffff} and its zero, and some room. */
#define ONE_SIZE 16

/* Beside controls: formats, invisible ones, separators of lines, tags. */
static const struct {
	uint32_t from, to;
} hidden[] = {
	{ 0x0000, 0x001f }, { 0x007f, 0x009f }, { 0x00ad, 0x00ad },   { 0x061c, 0x061c },
	{ 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x2028, 0x202e },   { 0x2060, 0x206f },
	{ 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe0fff },
};

static bool is_plain(uint32_t code)
{
	for (size_t i = 0; i < ARRAY_SIZE(hidden); i++)
		if (code >= hidden[i].from && code <= hidden[i].to)
			return false;
	return true;
}

/* One character of @len bytes, or with 0 one byte that is part of none. Returns the length. */
static size_t one_show(const char *bytes, size_t len, uint32_t code, char ret[ONE_SIZE])
{
	if (len == 0)
		return (size_t)sprintf(ret, "\\x%02x", (unsigned char)*bytes);
	if (is_plain(code)) {
		memcpy(ret, bytes, len);
		return len;
	}
	return (size_t)(code < 0x80 ? sprintf(ret, "\\x%02x", code) : sprintf(ret, "\\u{%x}", code));
}

void text_show(const char *text, size_t columns, char *ret, size_t size)
{
	size_t n = strlen(text), at = 0, cut = 0, used = 0;

	while (n > 0) {
		char one[ONE_SIZE];
		uint32_t code = 0;
		size_t len = utf8_decode(text, n, &code);
		size_t shown = one_show(text, len, code, one);
		size_t width = len && is_plain(code) ? 1 : shown;

		if (used + width > columns || at + shown >= size) {
			strcpy(ret + cut, "...");
			return;
		}
		memcpy(ret + at, one, shown);
		at += shown;
		used += width;
		/* the last place where "..." still fits into both */
		if (used + 3 <= columns && at + sizeof("...") <= size)
			cut = at;
		len = len ? len : 1;
		text += len;
		n -= len;
	}
	ret[at] = 0;
}

/* Whether more bytes could make a character of these. */
static bool is_part(const char *bytes, size_t n)
{
	static const char *const tails[] = { "\x80", "\x80\x80", "\x80\x80\x80",
					     "\xbf", "\xbf\xbf", "\xbf\xbf\xbf" };
	char whole[2 * UTF8_BYTES_MAX];
	uint32_t code;

	if (n == 0 || n >= UTF8_BYTES_MAX)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(tails); i++) {
		size_t n_tail = strlen(tails[i]);

		memcpy(whole, bytes, n);
		memcpy(whole + n, tails[i], n_tail);
		if (utf8_decode(whole, n + n_tail, &code) == n + n_tail)
			return true;
	}
	return false;
}

size_t text_stream_show(struct text_stream *stream, const char *bytes, size_t n, char *ret)
{
	bool ends = n == 0;
	size_t at = 0;

	while (n > 0 || stream->n_part) {
		uint32_t code = 0;
		size_t len, taken;

		/* the next bytes behind what was kept */
		for (taken = 0; taken < n && stream->n_part < UTF8_BYTES_MAX; taken++)
			stream->part[stream->n_part++] = bytes[taken];
		bytes += taken;
		n -= taken;
		len = utf8_decode(stream->part, stream->n_part, &code);
		if (!len && !ends && n == 0 && is_part(stream->part, stream->n_part))
			break;
		if (len == 1 && (code == '\n' || code == '\t'))
			ret[at++] = (char)code;
		else
			at += one_show(stream->part, len, code, ret + at);
		len = len ? len : 1;
		stream->n_part -= len;
		memmove(stream->part, stream->part + len, stream->n_part);
	}
	return at;
}
