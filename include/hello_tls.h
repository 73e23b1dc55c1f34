/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The server name of a TLS ClientHello: RFC 8446, 4.1.2, and RFC 6066, 3. One text for BPF and for user
 * space.
 */
#ifndef REEVE_HELLO_TLS_H
#define REEVE_HELLO_TLS_H

#include "hello.h"

#define HELLO_RECORD_HANDSHAKE 22
#define HELLO_RECORD_MAX 16384
#define HELLO_CLIENT_HELLO 1
#define HELLO_EXTENSIONS_MAX 64
#define HELLO_EXT_SERVER_NAME 0
#define HELLO_EXT_EARLY_DATA 42
#define HELLO_EXT_ECH 0xfe0d

#define HELLO_HEADERS 9 /* the record's 5 bytes and the message's 4 */
#define HELLO_SESSION_AT (HELLO_HEADERS + 2 + 32)

/* Exactly one name of the type host_name. */
static inline enum hello_verdict hello_server_name(struct hello *hello, __u32 at, __u32 n)
{
	if (hello->name_len || n < 6)
		return HELLO_MALFORMED;
	if (hello_u16(hello, at) != n - 2 || hello_u8(hello, at + 2) != 0 ||
	    hello_u16(hello, at + 3) != n - 5)
		return HELLO_MALFORMED;
	hello->name_at = at + 5;
	hello->name_len = n - 5;
	return HELLO_NAMED;
}

static inline enum hello_verdict hello_extensions(struct hello *hello, __u32 at)
{
	__u32 type, n;

	for (int i = 0; i < HELLO_EXTENSIONS_MAX && at != hello->end; i++) {
		if (at + 4 > hello->end)
			return HELLO_MALFORMED;
		type = hello_u16(hello, at);
		n = hello_u16(hello, at + 2);
		at += 4;
		if (at + n > hello->end)
			return HELLO_MALFORMED;
		if (type == HELLO_EXT_ECH)
			hello->encrypted = 1;
		if (type == HELLO_EXT_EARLY_DATA)
			hello->early = 1;
		if (type == HELLO_EXT_SERVER_NAME && hello_server_name(hello, at, n) != HELLO_NAMED)
			return HELLO_MALFORMED;
		at += n;
	}
	if (at != hello->end)
		return HELLO_MALFORMED;
	if (hello->encrypted)
		return HELLO_ENCRYPTED;
	if (hello->early)
		return HELLO_EARLY;
	return hello->name_len ? HELLO_NAMED : HELLO_NAMELESS;
}

/* Session id, cipher suites, compression methods. Returns where the extensions begin, or 0. */
static inline __u32 hello_skip_lists(const struct hello *hello)
{
	__u32 at = HELLO_SESSION_AT, n;

	if (at + 1 > hello->end)
		return 0;
	n = hello_u8(hello, at);
	at += 1 + n;
	if (n > 32 || at + 2 > hello->end)
		return 0;
	n = hello_u16(hello, at);
	at += 2 + n;
	if (n < 2 || n % 2 || at + 1 > hello->end)
		return 0;
	n = hello_u8(hello, at);
	at += 1 + n;
	return n == 0 || at > hello->end ? 0 : at;
}

/* Reads a hello that must be one record, and all of it. Bytes behind it are the caller's to judge. */
static inline enum hello_verdict hello_tls(struct hello *hello)
{
	__u32 record, message, at;

	if (hello->len > 0 && hello_u8(hello, 0) != HELLO_RECORD_HANDSHAKE)
		return HELLO_FOREIGN;
	if (hello->len < HELLO_HEADERS)
		return HELLO_SHORT;
	if (hello_u8(hello, 1) != 3 || hello_u8(hello, 5) != HELLO_CLIENT_HELLO)
		return HELLO_FOREIGN;
	record = hello_u16(hello, 3);
	message = hello_u8(hello, 6) << 16 | hello_u16(hello, 7);
	if (message + 4 > record)
		return HELLO_SPLIT;
	if (message + 4 < record || record > HELLO_RECORD_MAX)
		return HELLO_MALFORMED;
	if (record + 5 > hello->len)
		return HELLO_SHORT;
	hello->end = record + 5;
	at = hello_skip_lists(hello);
	if (!at)
		return HELLO_MALFORMED;
	/* before TLS 1.2 there may be none */
	if (at == hello->end)
		return HELLO_NAMELESS;
	if (at + 2 > hello->end || at + 2 + hello_u16(hello, at) != hello->end)
		return HELLO_MALFORMED;
	return hello_extensions(hello, at + 2);
}

#endif
