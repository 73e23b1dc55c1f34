// SPDX-License-Identifier: GPL-2.0-only
/*
 * The strict reading of RFC 8259, done before cJSON builds its tree. cJSON takes control characters
 * as blanks, raw ones inside strings, leading zeros, bytes that are no UTF-8, and an escaped zero
 * that then ends the string early: each of them lets two readers of one document see two requests.
 *
 * One pass, no allocation, recursion bounded by REEVE_JSON_DEPTH_MAX. A scan function returns true
 * with @at behind what it read, or false with @error set and @at on the offending byte.
 */
#include <inttypes.h>
#include <string.h>

#include "../../include/limits.h"
#include "../base/utf8.h"
#include "json.h"

struct scan {
	const char *s;
	size_t n, at;
	unsigned int depth;
	const char *error;
};

static bool scan_value(struct scan *scan);

static bool scan_fail(struct scan *scan, const char *error)
{
	scan->error = error;
	return false;
}

static bool scan_peek(const struct scan *scan, char c)
{
	return scan->at < scan->n && scan->s[scan->at] == c;
}

static bool scan_take(struct scan *scan, char c)
{
	if (!scan_peek(scan, c))
		return false;
	scan->at++;
	return true;
}

static void scan_blanks(struct scan *scan)
{
	while (scan->at < scan->n && scan->s[scan->at] && strchr(" \t\r\n", scan->s[scan->at]))
		scan->at++;
}

static size_t scan_digits(struct scan *scan)
{
	size_t first = scan->at;

	while (scan->at < scan->n && scan->s[scan->at] >= '0' && scan->s[scan->at] <= '9')
		scan->at++;
	return scan->at - first;
}

static bool scan_number(struct scan *scan)
{
	size_t first = scan->at;

	scan_take(scan, '-');
	if (!scan_take(scan, '0') && scan_digits(scan) == 0)
		return scan_fail(scan, "a value is expected");
	if (scan_take(scan, '.') && scan_digits(scan) == 0)
		return scan_fail(scan, "a digit is expected behind the point");
	if (scan_take(scan, 'e') || scan_take(scan, 'E')) {
		if (!scan_take(scan, '+'))
			scan_take(scan, '-');
		if (scan_digits(scan) == 0)
			return scan_fail(scan, "a digit is expected in the exponent");
	}
	/* cJSON reads no more of a number than fits its buffer */
	if (scan->at - first > REEVE_JSON_NUMBER_MAX) {
		scan->at = first;
		return scan_fail(scan, "the number has too many digits");
	}
	return true;
}

/* The four hexadecimal digits of an escape. */
static bool scan_unit(struct scan *scan, uint32_t *ret)
{
	static const char digits[] = "0123456789abcdef";
	uint32_t unit = 0;
	size_t i;

	for (i = 0; i < 4; i++) {
		char c = scan->at < scan->n ? scan->s[scan->at] : 0;
		const char *digit = c ? strchr(digits, c >= 'A' && c <= 'F' ? c | 0x20 : c) : NULL;

		if (!digit)
			return scan_fail(scan, "four hexadecimal digits are expected");
		unit = unit << 4 | (uint32_t)(digit - digits);
		scan->at++;
	}
	*ret = unit;
	return true;
}

/* What follows "\u": one unit, or a pair of surrogates. */
static bool scan_code_point(struct scan *scan)
{
	uint32_t unit, low;

	if (!scan_unit(scan, &unit))
		return false;
	if (unit == 0)
		return scan_fail(scan, "a string holds the character U+0000");
	if (unit < 0xd800 || unit > 0xdfff)
		return true;
	if (unit > 0xdbff || !scan_take(scan, '\\') || !scan_take(scan, 'u'))
		return scan_fail(scan, "half a surrogate pair");
	if (!scan_unit(scan, &low))
		return false;
	if (low < 0xdc00 || low > 0xdfff)
		return scan_fail(scan, "half a surrogate pair");
	return true;
}

static bool scan_escape(struct scan *scan)
{
	if (scan_take(scan, 'u'))
		return scan_code_point(scan);
	if (scan->at >= scan->n || !scan->s[scan->at] || !strchr("\"\\/bfnrt", scan->s[scan->at]))
		return scan_fail(scan, "there is no such escape");
	scan->at++;
	return true;
}

static bool scan_string(struct scan *scan)
{
	uint32_t code_point;
	size_t len;

	if (!scan_take(scan, '"'))
		return scan_fail(scan, "a string is expected");
	while (!scan_take(scan, '"')) {
		if (scan->at == scan->n)
			return scan_fail(scan, "the string does not end");
		if (scan_take(scan, '\\')) {
			if (!scan_escape(scan))
				return false;
			continue;
		}
		len = utf8_decode(scan->s + scan->at, scan->n - scan->at, &code_point);
		if (!len)
			return scan_fail(scan, "the bytes are not UTF-8");
		if (code_point < 0x20)
			return scan_fail(scan, "a control character in a string is not escaped");
		scan->at += len;
	}
	return true;
}

static bool scan_member(struct scan *scan)
{
	scan_blanks(scan);
	if (!scan_string(scan))
		return false;
	scan_blanks(scan);
	if (!scan_take(scan, ':'))
		return scan_fail(scan, "':' is expected");
	return scan_value(scan);
}

/* The items of an array or an object behind its opening bracket. */
static bool scan_items(struct scan *scan, char end, bool (*item)(struct scan *), const char *error)
{
	if (++scan->depth > REEVE_JSON_DEPTH_MAX)
		return scan_fail(scan, "arrays and objects nest too deep");
	scan_blanks(scan);
	if (!scan_take(scan, end)) {
		do {
			if (!item(scan))
				return false;
			scan_blanks(scan);
		} while (scan_take(scan, ','));
		if (!scan_take(scan, end))
			return scan_fail(scan, error);
	}
	scan->depth--;
	return true;
}

static bool scan_literal(struct scan *scan, const char *literal)
{
	size_t n = strlen(literal);

	if (scan->n - scan->at < n || memcmp(scan->s + scan->at, literal, n) != 0)
		return scan_fail(scan, "a value is expected");
	scan->at += n;
	return true;
}

static bool scan_value(struct scan *scan)
{
	scan_blanks(scan);
	if (scan->at == scan->n)
		return scan_fail(scan, "the document ends where a value is expected");
	switch (scan->s[scan->at]) {
	case '{':
		scan->at++;
		return scan_items(scan, '}', scan_member, "',' or '}' is expected");
	case '[':
		scan->at++;
		return scan_items(scan, ']', scan_value, "',' or ']' is expected");
	case '"':
		return scan_string(scan);
	case 't':
		return scan_literal(scan, "true");
	case 'f':
		return scan_literal(scan, "false");
	case 'n':
		return scan_literal(scan, "null");
	default:
		return scan_number(scan);
	}
}

int json_scan(const char *bytes, size_t n, const struct json_origin *origin, struct fault *ret_fault)
{
	struct scan scan = { .s = bytes, .n = n };
	size_t line = 1, column = 1, i;

	if (scan_value(&scan)) {
		scan_blanks(&scan);
		if (scan.at == n)
			return 0;
		scan_fail(&scan, "something follows the document");
	}
	for (i = 0; i < scan.at; i++) {
		column = bytes[i] == '\n' ? 1 : column + 1;
		line += bytes[i] == '\n';
	}
	return fault_set(ret_fault, origin->code, "/", origin->remedy,
			 "%s is not JSON: line %zu, byte %zu: %s", origin->what, line, column,
			 scan.error);
}
