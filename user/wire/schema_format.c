// SPDX-License-Identifier: GPL-2.0-only
/*
 * The formats date-time (RFC 3339) and uri (RFC 3986), each as the validator that the session
 * contract names reads it. It is wider than the two RFCs, and a document that it passes must pass
 * here:
 *
 *   - the offset of a time may lack its minutes or its colon, and a blank may stand for the T;
 *   - what follows the scheme is one or two slashes, an authority that may be empty, and a path,
 *     so that a port that is no number is read as a part of the path.
 *
 * A leap second is one only where the minute is the last of a day in UTC.
 */
#include "schema_format.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "../base/macro.h"
#include "../base/utf8.h"

/* Reads exactly @n digits at *at. */
static bool take_number(const char **at, size_t n, int *ret)
{
	int value = 0;

	for (; n > 0; n--, (*at)++) {
		if (**at < '0' || **at > '9')
			return false;
		value = value * 10 + (**at - '0');
	}
	*ret = value;
	return true;
}

static bool take_char(const char **at, char c)
{
	if (**at != c)
		return false;
	(*at)++;
	return true;
}

static bool take_date(const char **at)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int year, month, day;
	bool leap;

	if (!take_number(at, 4, &year) || !take_char(at, '-') || !take_number(at, 2, &month) ||
	    !take_char(at, '-') || !take_number(at, 2, &day))
		return false;
	leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1] + (month == 2 && leap);
}

/* The T, or one character that ECMA-262 calls a blank. */
static bool take_separator(const char **at)
{
	static const uint32_t blanks[] = {
		'T',	't',	'\t',	'\n',	'\v',	'\f',	'\r',	' ',	0xa0,
		0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007,
		0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff,
	};
	uint32_t code_point;
	size_t len = utf8_decode(*at, strlen(*at), &code_point), i;

	*at += len;
	for (i = 0; len && i < ARRAY_SIZE(blanks); i++)
		if (blanks[i] == code_point)
			return true;
	return false;
}

/* Z, or the minutes that local time is ahead. */
static bool take_offset(const char **at, int *ret)
{
	int sign, hours, minutes = 0;

	*ret = 0;
	if (take_char(at, 'Z') || take_char(at, 'z'))
		return true;
	sign = **at == '-' ? -1 : 1;
	if ((!take_char(at, '+') && !take_char(at, '-')) || !take_number(at, 2, &hours))
		return false;
	if (**at && (take_char(at, ':'), !take_number(at, 2, &minutes)))
		return false;
	*ret = sign * (hours * 60 + minutes);
	return hours <= 23 && minutes <= 59;
}

static bool format_date_time(const char *text)
{
	int hour, minute, second, offset, utc;

	if (!take_date(&text) || !take_separator(&text) || !take_number(&text, 2, &hour) ||
	    !take_char(&text, ':') || !take_number(&text, 2, &minute) || !take_char(&text, ':') ||
	    !take_number(&text, 2, &second))
		return false;
	if (take_char(&text, '.')) {
		size_t places = strspn(text, "0123456789");

		if (places == 0)
			return false;
		text += places;
	}
	if (!take_offset(&text, &offset) || *text || hour > 23 || minute > 59)
		return false;
	utc = (hour * 60 + minute - offset + 2 * 24 * 60) % (24 * 60);
	return second <= 59 || (second == 60 && utc == 24 * 60 - 1);
}

/* How many of the characters at @s are of a URI's own, percent escapes, or in @more. */
static size_t uri_span(const char *s, const char *more)
{
	const char *at = s;

	for (;;) {
		if (*at == '%' && isxdigit((unsigned char)at[1]) && isxdigit((unsigned char)at[2]))
			at += 3;
		else if (*at && ((unsigned char)*at < 0x80) &&
			 (isalnum((unsigned char)*at) || strchr("-._~!$&'()*+,;=", *at) ||
			  strchr(more, *at)))
			at++;
		else
			return (size_t)(at - s);
	}
}

/* What stands between the brackets of an address: IPv6, or "v" and a number for a later kind. */
static bool uri_literal_is_valid(const char *s, size_t n)
{
	struct in6_addr address;
	char text[INET6_ADDRSTRLEN];
	size_t digits;

	if (n > 0 && (s[0] == 'v' || s[0] == 'V')) {
		digits = strspn(s + 1, "0123456789abcdefABCDEF");
		return digits > 0 && s[1 + digits] == '.' && n > digits + 2 &&
		       strcspn(s, "%") >= n && uri_span(s + digits + 2, ":") >= n - digits - 2;
	}
	if (n >= sizeof(text))
		return false;
	memcpy(text, s, n);
	text[n] = 0;
	return inet_pton(AF_INET6, text, &address) == 1;
}

/*
 * An authority that is an address in brackets, from its slashes on; returns what is behind, or
 * NULL.
 */
static const char *uri_skip_literal(const char *s)
{
	const char *at = s, *end;
	size_t user;

	if (*at++ != '/')
		return NULL;
	at += *at == '/';
	user = uri_span(at, ":");
	at += at[user] == '@' ? user + 1 : 0;
	end = *at == '[' ? strchr(at, ']') : NULL;
	if (!end || !uri_literal_is_valid(at + 1, (size_t)(end - at - 1)))
		return NULL;
	at = end + 1;
	if (*at == ':')
		at += 1 + strspn(at + 1, "0123456789");
	return !*at || strchr("/?#", *at) ? at : NULL;
}

static bool format_uri(const char *text)
{
	const char *first, *behind;

	if (!isalpha((unsigned char)*text))
		return false;
	while (isalnum((unsigned char)*text) || (*text && strchr("+-.", *text)))
		text++;
	if (*text++ != ':')
		return false;
	first = text;
	behind = uri_skip_literal(text);
	if (behind)
		text = behind;
	text += uri_span(text, ":@/");
	if (text == first)
		return false;
	if (*text == '?')
		text += 1 + uri_span(text + 1, ":@/?");
	if (*text == '#')
		text += 1 + uri_span(text + 1, ":@/?");
	return !*text;
}

static const struct {
	const char *name;
	bool (*check)(const char *text);
} formats[] = {
	{ "date-time", format_date_time },
	{ "uri", format_uri },
};

bool (*schema_format_find(const char *name))(const char *text)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(formats); i++)
		if (strcmp(formats[i].name, name) == 0)
			return formats[i].check;
	return NULL;
}
