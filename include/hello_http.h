/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The Host of an HTTP/1 request that ends with its head. A body, another method than GET and HEAD, a target
 * that is no path, a folded line, a bare CR or LF, a second Host, a Host with anything but a name and a
 * port end in HELLO_MALFORMED. One step of hello_http_table.h a byte, for BPF and for user space.
 */
#ifndef REEVE_HELLO_HTTP_H
#define REEVE_HELLO_HTTP_H

#include "hello_http_table.h"

#define HELLO_HTTP_MAX 1024

/* Without a branch for what a byte means, or the verifier would follow each of 2^HELLO_HTTP_MAX ways. */
static inline enum hello_verdict hello_http(struct hello *hello)
{
	__u32 state = HS_BEGIN, class, what, i;

	for (i = 0; i < HELLO_HTTP_MAX && i < hello->len; i++) {
		class = hello_http_class[hello_u8(hello, i)] & (HC_CLASSES - 1);
		state = hello_http_next[state & (HS_STATES - 1)][class];
		what = hello_http_next[state & (HS_STATES - 1)][HC_TALLY] & (HELLO_TALLIES - 1);
		hello->tally[what]++;
		hello->seen[what] = i;
	}
	if (state == HS_BAD || hello->tally[HELLO_HOST_FIELD] > 1)
		return HELLO_MALFORMED;
	if (state != HS_END && state != HS_BEHIND)
		return HELLO_SHORT;
	hello->end = hello->seen[HELLO_LAST_BYTE] + 1;
	hello->name_len = hello->tally[HELLO_NAME_BYTE];
	hello->name_at = hello->seen[HELLO_NAME_BYTE] + 1 - hello->name_len;
	return hello->name_len ? HELLO_NAMED : HELLO_NAMELESS;
}

#endif
