// SPDX-License-Identifier: GPL-2.0-only
/*
 * First segments as bytes, against a second reader that shares no line with the first and is written the
 * other way round: it takes the bytes apart into pieces that know their own length. Both must agree on whether
 * there is a name, and on the name. The first byte of an input says which protocol.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../../include/hello_http.h"
#include "../../include/hello_tls.h"

struct piece {
	const uint8_t *at;
	size_t len;
	bool bad;
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static struct piece take(struct piece *from, size_t len)
{
	struct piece part = { from->at, len, false };

	if (from->bad || len > from->len) {
		from->bad = true;
		return (struct piece){ from->at, 0, true };
	}
	from->at += len;
	from->len -= len;
	return part;
}

/* A piece behind its length, which is a number of @width bytes. */
static struct piece take_sized(struct piece *from, size_t width)
{
	struct piece number = take(from, width);
	size_t len = 0;

	for (size_t i = 0; i < number.len; i++)
		len = len << 8 | number.at[i];
	return take(from, len);
}

static bool takes_byte(struct piece *from, unsigned int byte)
{
	struct piece one = take(from, 1);

	return one.len == 1 && one.at[0] == byte;
}

static bool name_in_list(struct piece extension, struct piece *ret)
{
	struct piece list = take_sized(&extension, 2);

	if (!takes_byte(&list, 0))
		return false;
	*ret = take_sized(&list, 2);
	return !list.bad && list.len == 0 && !extension.bad && extension.len == 0 && ret->len > 0;
}

/* Of up to 16 versions, with the length of them all before, whatever it says. */
static bool offers_13(struct piece body)
{
	take(&body, 1);
	for (int i = 0; i < 16 && body.len >= 2; i++)
		if (memcmp(take(&body, 2).at, "\3\4", 2) == 0)
			return true;
	return false;
}

static bool name_in_extensions(struct piece extensions, struct piece *ret)
{
	unsigned int names = 0;
	bool ticket = false, modern = false;

	for (int i = 0; extensions.len > 0; i++) {
		struct piece type = take(&extensions, 2), body = take_sized(&extensions, 2);
		unsigned int number;

		if (extensions.bad || i == HELLO_EXTENSIONS_MAX)
			return false;
		number = (unsigned int)type.at[0] << 8 | type.at[1];
		if (number == 0xfe0d || number == 42)
			return false;
		ticket = ticket || (number == 35 && body.len > 0);
		if (number == 43)
			modern = offers_13(body);
		if (number == 0 && (names++ > 0 || !name_in_list(body, ret)))
			return false;
	}
	return names == 1 && (modern || !ticket);
}

static bool tls_name(struct piece all, struct piece *ret)
{
	struct piece record, message, part;

	if (!takes_byte(&all, 22) || !takes_byte(&all, 3))
		return false;
	take(&all, 1);
	record = take_sized(&all, 2);
	if (all.bad || record.len > 16384 || !takes_byte(&record, 1))
		return false;
	message = take_sized(&record, 3);
	if (record.bad || record.len > 0)
		return false;
	take(&message, 34);
	if (take_sized(&message, 1).len > 32)
		return false;
	part = take_sized(&message, 2);
	if (part.len == 0 || part.len % 2)
		return false;
	if (take_sized(&message, 1).len == 0 || message.bad)
		return false;
	part = take_sized(&message, 2);
	return !message.bad && message.len == 0 && name_in_extensions(part, ret);
}

/* A line without its CR LF, or a bad one where CR and LF stand otherwise. */
static struct piece take_line(struct piece *from)
{
	const uint8_t *end = memmem(from->at, from->len, "\r\n", 2);
	struct piece line;

	if (!end) {
		from->bad = true;
		return (struct piece){ from->at, 0, true };
	}
	line = take(from, (size_t)(end - from->at));
	take(from, 2);
	for (size_t i = 0; i < line.len; i++)
		if ((line.at[i] < ' ' && line.at[i] != '\t') || line.at[i] == 0x7f)
			line.bad = true;
	return line;
}

static bool is_token(const uint8_t *at, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (at[i] <= ' ' || at[i] >= 0x7f || strchr("\"(),/:;<=>?@[\\]{}", at[i]))
			return false;
	return len > 0;
}

static bool request_line(struct piece line)
{
	const uint8_t *space = memchr(line.at, ' ', line.len), *version = line.at + line.len - 9;

	if (line.bad || line.len < 12 || !space || version <= space + 1)
		return false;
	if ((strncasecmp((const char *)line.at, "GET ", 4) != 0 &&
	     strncasecmp((const char *)line.at, "HEAD ", 5) != 0) ||
	    space[1] != '/' || strncasecmp((const char *)version, " HTTP/1.", 8) != 0 ||
	    version[8] < '0' || version[8] > '9')
		return false;
	for (const uint8_t *at = space + 1; at < version; at++)
		if (*at <= ' ')
			return false;
	return true;
}

static bool is_host(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '_' || c == '.';
}

/* The value of Host: a name, or none, then a port. */
static bool host_value(struct piece value, struct piece *ret)
{
	size_t n = 0;

	while (value.len && strchr(" \t", value.at[0]) && value.at[0])
		take(&value, 1);
	while (value.len && strchr(" \t", value.at[value.len - 1]) && value.at[value.len - 1])
		value.len--;
	while (n < value.len && is_host(value.at[n]))
		n++;
	*ret = take(&value, n);
	if (value.len && (n == 0 || value.at[0] != ':'))
		return false;
	for (size_t i = 1; i < value.len; i++)
		if (value.at[i] < '0' || value.at[i] > '9')
			return false;
	return true;
}

static bool announces_body(const uint8_t *field, size_t len)
{
	return (len >= 9 && strncasecmp((const char *)field, "content-l", 9) == 0) ||
	       (len >= 6 && strncasecmp((const char *)field, "transf", 6) == 0);
}

static bool http_name(struct piece all, struct piece *ret)
{
	const uint8_t *begin = all.at;
	unsigned int hosts = 0;
	struct piece line;

	if (!request_line(take_line(&all)) || all.bad)
		return false;
	while ((line = take_line(&all)).len > 0) {
		const uint8_t *colon = memchr(line.at, ':', line.len);
		size_t n = colon ? (size_t)(colon - line.at) : 0;

		if (all.bad || line.bad || !is_token(line.at, n))
			return false;
		if (announces_body(line.at, n))
			return false;
		take(&line, n + 1);
		if (n == 4 && strncasecmp((const char *)colon - 4, "host", 4) == 0 &&
		    (hosts++ > 0 || !host_value(line, ret)))
			return false;
	}
	return !all.bad && !line.bad && all.at - begin <= HELLO_HTTP_MAX && hosts == 1 &&
	       ret->len > 0;
}

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static void key_check(const struct hello *hello, struct piece name)
{
	uint8_t key[REEVE_NAME_MAX + 2];
	uint32_t n = hello_name_key(hello, key);
	bool good = name.len <= REEVE_NAME_MAX && name.at[0] != '.' &&
		    name.at[name.len - 1] != '.' && !memmem(name.at, name.len, "..", 2);

	for (size_t i = 0; i < name.len; i++)
		good = good && is_host(name.at[i]);
	must(good == (n > 0), "the key of a name");
	if (!n)
		return;
	must(n == name.len + 1 && key[name.len] == '.', "the length of a key");
	for (size_t i = 0; i < name.len; i++)
		must(strncasecmp((const char *)name.at + i, (const char *)key + name.len - 1 - i,
				 1) == 0,
		     "a byte of a key");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct hello hello;
	struct piece name = { 0 };
	bool tls, want, got;

	if (size == 0)
		return 0;
	tls = *bytes++ & 1;
	if (--size > HELLO_BYTES_MAX)
		size = HELLO_BYTES_MAX;
	memset(&hello, 0xa5, sizeof(hello));
	memset(&hello, 0, offsetof(struct hello, bytes));
	memcpy(hello.bytes, bytes, size);
	hello.len = (uint32_t)size;
	want = tls ? tls_name((struct piece){ bytes, size, false }, &name)
		   : http_name((struct piece){ bytes, size, false }, &name);
	got = (tls ? hello_tls(&hello) : hello_http(&hello)) == HELLO_NAMED;
	must(want == got, want ? "a name is overseen" : "a name out of nothing");
	if (!got)
		return 0;
	must(hello.name_len == name.len && hello.name_at == (uint32_t)(name.at - bytes),
	     "another name");
	key_check(&hello, name);
	return 0;
}
