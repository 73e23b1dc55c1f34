// SPDX-License-Identifier: GPL-2.0-only
/*
 * UTF-8 as RFC 3629 has it. One decoder for everybody: the JSON reader that refuses what is not
 * valid, the writer that replaces it, and the schema check that counts characters, so that the
 * three never disagree about where a character ends. Nothing is allocated, nothing is kept.
 */
#include "utf8.h"

/* A lead byte's pattern, how many bytes follow, and the least code point that needs as many. */
static const struct {
	unsigned char mask, lead;
	unsigned int more;
	uint32_t least;
} forms[] = {
	{ 0x80, 0x00, 0, 0 },
	{ 0xe0, 0xc0, 1, 0x80 },
	{ 0xf0, 0xe0, 2, 0x800 },
	{ 0xf8, 0xf0, 3, 0x10000 },
};

size_t utf8_decode(const char *s, size_t n, uint32_t *ret)
{
	const unsigned char *u = (const unsigned char *)s;
	uint32_t code;
	size_t form = 0, i;

	if (n == 0)
		return 0;
	while (form < 4 && (u[0] & forms[form].mask) != forms[form].lead)
		form++;
	if (form == 4 || n <= forms[form].more)
		return 0;
	code = u[0] & (unsigned char)~forms[form].mask;
	for (i = 1; i <= forms[form].more; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (u[i] & 0x3f);
	}
	if (code < forms[form].least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	*ret = code;
	return i;
}

size_t utf8_encode(uint32_t code_point, char ret[UTF8_BYTES_MAX])
{
	size_t form = 3, i;

	while (form > 0 && code_point < forms[form].least)
		form--;
	for (i = form; i > 0; i--) {
		ret[i] = (char)(0x80 | (code_point & 0x3f));
		code_point >>= 6;
	}
	ret[0] = (char)(forms[form].lead | code_point);
	return form + 1;
}

bool utf8_is_valid(const char *s, size_t n, size_t *ret_offset)
{
	size_t at = 0, len;
	uint32_t code;

	while (at < n) {
		len = utf8_decode(s + at, n - at, &code);
		if (!len) {
			*ret_offset = at;
			return false;
		}
		at += len;
	}
	return true;
}

size_t utf8_count(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}
