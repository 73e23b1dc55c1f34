/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The extensions of a TLS ClientHello: the server name, RFC 6066, 3, and what would make it another one.
 */
#ifndef REEVE_HELLO_EXTENSIONS_H
#define REEVE_HELLO_EXTENSIONS_H

#include "hello.h"

#define HELLO_EXTENSIONS_MAX 64
#define HELLO_EXT_SERVER_NAME 0
#define HELLO_EXT_TICKET 35
#define HELLO_EXT_EARLY_DATA 42
#define HELLO_EXT_VERSIONS 43
#define HELLO_EXT_ECH 0xfe0d
#define HELLO_VERSION_13 0x0304
#define HELLO_VERSIONS_MAX 16 /* that are looked at */

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

/* Whether TLS 1.3 is among the versions that are offered. */
static inline int hello_offers_13(const struct hello *hello)
{
	__u32 found = 0;

	for (__u32 i = 0; i < HELLO_VERSIONS_MAX && 2 * i + 3 <= hello->versions_len; i++)
		found += hello_u16(hello, hello->versions_at + 1 + 2 * i) == HELLO_VERSION_13;
	return found > 0;
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
		if (type == HELLO_EXT_TICKET)
			hello->ticket |= n;
		if (type == HELLO_EXT_VERSIONS) {
			hello->versions_at = at;
			hello->versions_len = n;
		}
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
	if (hello->ticket && !hello_offers_13(hello))
		return HELLO_RESUMED;
	return hello->name_len ? HELLO_NAMED : HELLO_NAMELESS;
}

#endif
