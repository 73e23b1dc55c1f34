/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first bytes that a client sends, and the server name in them; hello_tls.h and hello_http.h find it.
 * One text for BPF and for user space. A hello is named only when it is whole in the buffer and can be
 * read in one way alone. Each index is below len where it is used; the masks only show it to the verifier.
 */
#ifndef REEVE_HELLO_H
#define REEVE_HELLO_H

#include "limits.h"
#include <linux/types.h>

#define HELLO_BYTES_MAX 4096

enum hello_verdict {
	HELLO_NAMED,	 /* name_at and name_len are set */
	HELLO_SHORT,	 /* more bytes would be needed */
	HELLO_SPLIT,	 /* over several TLS records */
	HELLO_FOREIGN,	 /* another protocol */
	HELLO_MALFORMED, /* breaks its grammar, or has two readings */
	HELLO_NAMELESS,
	HELLO_ENCRYPTED, /* the extension encrypted_client_hello: the name is another one */
	HELLO_EARLY,	 /* the extension early_data: more follows before the server is heard */
	HELLO_RESUMED,	 /* a ticket and no TLS 1.3: the server may go by the name in the ticket */
};

/* What hello_http.h counts, and where it saw the last of it. */
enum hello_tally {
	HELLO_OTHER_BYTE,
	HELLO_NAME_BYTE,
	HELLO_HOST_FIELD,
	HELLO_LAST_BYTE, /* of the head */
	HELLO_TALLIES,
};

/* The caller fills in len and bytes, and clears what lies between. */
struct hello {
	__u32 len;
	__u32 end; /* of the hello in bytes, once it is known to be whole */
	__u32 name_at, name_len;
	__u32 encrypted, early, ticket;
	__u32 versions_at, versions_len;
	__u32 tally[HELLO_TALLIES], seen[HELLO_TALLIES];
	__u8 bytes[HELLO_BYTES_MAX];
};

static inline __u32 hello_u8(const struct hello *hello, __u32 at)
{
	/* or the compiler proves the mask away, and the verifier misses it */
	__asm__ volatile("" : "+r"(at));
	return hello->bytes[at & (HELLO_BYTES_MAX - 1)];
}

static inline __u32 hello_u16(const struct hello *hello, __u32 at)
{
	return hello_u8(hello, at) << 8 | hello_u8(hello, at + 1);
}

/* A byte as it stands in a name, in lower case; 0 where it can not. */
static const __u8 hello_name_byte[256] = {
#define X(upper, lower) [upper] = lower, [lower] = lower
	X('A', 'a'), X('B', 'b'), X('C', 'c'), X('D', 'd'), X('E', 'e'), X('F', 'f'), X('G', 'g'),
	X('H', 'h'), X('I', 'i'), X('J', 'j'), X('K', 'k'), X('L', 'l'), X('M', 'm'), X('N', 'n'),
	X('O', 'o'), X('P', 'p'), X('Q', 'q'), X('R', 'r'), X('S', 's'), X('T', 't'), X('U', 'u'),
	X('V', 'v'), X('W', 'w'), X('X', 'x'), X('Y', 'y'), X('Z', 'z'),
#undef X
	['0'] = '0', ['1'] = '1', ['2'] = '2', ['3'] = '3', ['4'] = '4', ['5'] = '5', ['6'] = '6',
	['7'] = '7', ['8'] = '8', ['9'] = '9', ['-'] = '-', ['_'] = '_', ['.'] = '.',
};

/*
 * Puts the name into @ret as a key of the map "names" has it: from its end, in lower case, a dot behind it.
 * Returns how many bytes that are, or 0 when it is no plain host name. The rest of @ret stays as it is.
 */
static inline __u32 hello_name_key(const struct hello *hello, __u8 ret[REEVE_NAME_MAX + 2])
{
	__u32 n = hello->name_len, last = hello->name_at + n - 1, c = '.', before;

	if (n == 0 || n > REEVE_NAME_MAX)
		return 0;
	for (__u32 i = 0; i < REEVE_NAME_MAX && i < n; i++) {
		before = c;
		c = hello_name_byte[hello_u8(hello, last - i)];
		/* no label is empty, at the end neither */
		if (!c || (c == '.' && before == '.'))
			return 0;
		ret[i] = (__u8)c;
	}
	/* read once more, or the verifier goes on with each length apart */
	n = *(const volatile __u32 *)&hello->name_len;
	if (c == '.' || n > REEVE_NAME_MAX)
		return 0;
	ret[n] = '.';
	return n + 1;
}

#endif
