/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_STR_H
#define REEVE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads a whole decimal number without sign, blank or leading zero. False when @s is none or above
 * @max.
 */
bool str_to_u64(const char *s, uint64_t max, uint64_t *ret);

/*
 * Reads a decimal number with up to nine places as that many billionths: seconds as nanoseconds.
 * False when @s is none or its whole part is above @max.
 */
bool str_to_nano(const char *s, uint64_t max, uint64_t *ret);

/*
 * Reads a whole number of bytes, or of KiB, MiB or GiB with K, M or G behind it. False when @s is none or comes
 * to more than @max.
 */
bool str_to_bytes(const char *s, uint64_t max, uint64_t *ret);

/* Cuts blanks off both ends of @s, in place; returns its new beginning. */
char *str_trim(char *s);

/*
 * Copies bytes of unknown origin for a message: what is not printable ASCII as \xNN, cut with "..."
 * when @ret would overflow. Always ends with a zero. @size is at least 8.
 */
void str_show(const char *bytes, size_t n, char *ret, size_t size);

#endif
