/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_UTF8_H
#define REEVE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT 0xfffdu
#define UTF8_BYTES_MAX 4

/*
 * Decodes the character at the start of @s. Returns its length and sets *ret, or returns 0 when the
 * bytes are no character (RFC 3629: no surrogate, no overlong form, nothing above U+10FFFF) or @n
 * is 0.
 */
size_t utf8_decode(const char *s, size_t n, uint32_t *ret);

/* Writes @code_point to @ret and returns its length. */
size_t utf8_encode(uint32_t code_point, char ret[UTF8_BYTES_MAX]);

/* Whether all of @s is UTF-8; *ret_offset says where it is not. */
bool utf8_is_valid(const char *s, size_t n, size_t *ret_offset);

/* How many characters the valid string @s has. */
size_t utf8_count(const char *s);

#endif
