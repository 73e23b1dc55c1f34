/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The server name of a TLS ClientHello: RFC 8446, 4.1.2. One text for BPF and for user
 * space.
 */
#ifndef REEVE_HELLO_TLS_H
#define REEVE_HELLO_TLS_H

#include "hello_extensions.h"

#define HELLO_RECORD_HANDSHAKE 22
#define HELLO_RECORD_MAX 16384
#define HELLO_CLIENT_HELLO 1

#define HELLO_HEADERS 9 /* the record's 5 bytes and the message's 4 */
#define HELLO_SESSION_AT (HELLO_HEADERS + 2 + 32)

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
