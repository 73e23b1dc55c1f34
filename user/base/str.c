// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers out of text, and text of unknown origin made fit for a message. The readers take one
 * spelling of each number and nothing around it: strtoull would let pass signs, blanks, octal and
 * overflow. None of these allocates.
 */
#include "str.h"

#include <stdio.h>
#include <string.h>

#define NANO 1000000000ull
#define NANO_PLACES 9

/*
 * Reads the digits at @s; returns what is behind them, or NULL: none, a leading zero, or above
 * @max.
 */
static const char *str_digits(const char *s, uint64_t max, uint64_t *ret)
{
	const char *first = s;
	uint64_t value = 0;

	for (; *s >= '0' && *s <= '9'; s++) {
		uint64_t digit = (uint64_t)(*s - '0');

		if (value > (max - digit) / 10 || digit > max)
			return NULL;
		value = value * 10 + digit;
	}
	if (s == first || (*first == '0' && s > first + 1))
		return NULL;
	*ret = value;
	return s;
}

bool str_to_u64(const char *s, uint64_t max, uint64_t *ret)
{
	uint64_t value;

	s = str_digits(s, max, &value);
	if (!s || *s)
		return false;
	*ret = value;
	return true;
}

bool str_to_bytes(const char *s, uint64_t max, uint64_t *ret)
{
	static const char units[] = "KMG";
	const char *unit;
	uint64_t value;
	int shift = 0;

	s = str_digits(s, max, &value);
	if (!s)
		return false;
	unit = *s ? strchr(units, *s) : NULL;
	if (unit) {
		shift = 10 * (int)(unit - units + 1);
		s++;
	}
	if (*s || value > max >> shift)
		return false;
	*ret = value << shift;
	return true;
}

bool str_to_nano(const char *s, uint64_t max, uint64_t *ret)
{
	uint64_t whole, part = 0;
	int places = 0;

	s = str_digits(s, max < UINT64_MAX / NANO ? max : UINT64_MAX / NANO - 1, &whole);
	if (!s)
		return false;
	if (*s == '.') {
		for (s++; *s >= '0' && *s <= '9' && places < NANO_PLACES; s++, places++)
			part = part * 10 + (uint64_t)(*s - '0');
		if (places == 0)
			return false;
	}
	if (*s)
		return false;
	for (; places < NANO_PLACES; places++)
		part *= 10;
	if (whole == max && part > 0)
		return false;
	*ret = whole * NANO + part;
	return true;
}

void str_show(const char *bytes, size_t n, char *ret, size_t size)
{
	size_t at = 0, i;

	for (i = 0; i < n; i++) {
		unsigned char c = (unsigned char)bytes[i];
		size_t need = c >= 0x20 && c < 0x7f ? 1 : 4;

		if (at + need + sizeof("...") > size) {
			memcpy(ret + at, "...", sizeof("..."));
			return;
		}
		if (need == 1)
			ret[at] = (char)c;
		else
			snprintf(ret + at, size - at, "\\x%02x", c);
		at += need;
	}
	ret[at] = 0;
}

char *str_trim(char *s)
{
	size_t n;

	s += strspn(s, " \t\r\n");
	for (n = strlen(s); n && strchr(" \t\r\n", s[n - 1]); n--)
		s[n - 1] = '\0';
	return s;
}
