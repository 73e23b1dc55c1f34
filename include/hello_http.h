/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The Host of an HTTP/1 request's head: RFC 9112, of which only the unambiguous part is taken. A target
 * that is no path, a folded line, a bare CR or LF, a second Host, a Host with anything but a name and a
 * port end in HELLO_MALFORMED. A machine of two tables, one step a byte, for BPF and for user space.
 */
#ifndef REEVE_HELLO_HTTP_H
#define REEVE_HELLO_HTTP_H

#include "hello.h"

#define HELLO_HTTP_MAX 1024

/* clang-format off */
/* A byte's class: the letters of "HTTP/1." and "host", in both cases, and what the grammar tells apart. */
#define HC(letter) ((letter) & 31)
enum {
	HC_TALLY = 0, HC_NAME = HC('a'), HC_SPACE = HC('b'), HC_COLON = HC('c'), HC_DOT = HC('d'),
	HC_SLASH = HC('f'), HC_H = HC('h'), HC_TAB = HC('i'), HC_ONE = HC('j'), HC_TOKEN = HC('k'),
	HC_LF = HC('l'), HC_DIGIT = HC('n'), HC_O = HC('o'), HC_P = HC('p'), HC_CR = HC('r'),
	HC_S = HC('s'), HC_T = HC('t'), HC_TEXT = HC('v'), HC_CONTROL = HC('x'), HC_CLASSES = 32,
};

/*
 * By 32 bytes a row: controls, signs and digits, capital letters, small ones, and what is no ASCII. No zero
 * is behind them, or the linker of BPF objects would take them for a string that can be merged.
 */
static const char hello_http_class[256] = "xxxxxxxxxilxxrxxxxxxxxxxxxxxxxxx"
				       "bkvkkkkkvvkkvadfnjnnnnnnnncvvvvv"
				       "vaaaaaaahaaaaaaopaastaaaaaavvvka"
				       "kaaaaaaahaaaaaaopaastaaaaaavkvkx"
				       "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv"
				       "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv"
				       "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv"
				       "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv";

/*
 * What was read so far; the next byte of a class that a row does not name leads to HS_BAD. No byte is of the
 * class HC_TALLY: there stands what is counted in the state.
 */
enum {
	HS_BAD, HS_BEGIN, HS_METHOD, HS_TARGET, HS_PATH, HS_H, HS_HT, HS_HTT, HS_HTTP, HS_SLASH,
	HS_MAJOR, HS_DOT, HS_MINOR, HS_VERSION, HS_LINE_END, HS_LINE, HS_FIELD, HS_VALUE, HS_NAME_H,
	HS_NAME_HO, HS_NAME_HOS, HS_NAME_HOST, HS_HOST_COLON, HS_HOST_BEGIN, HS_HOST, HS_PORT,
	HS_HOST_END, HS_LAST, HS_END, HS_BODY, HS_STATES = 32,
};

#define HS_HOSTNAME(to)                                                                            \
	[HC_DOT] = to, [HC_ONE] = to, [HC_DIGIT] = to, [HC_H] = to, [HC_T] = to, [HC_P] = to,      \
	[HC_O] = to, [HC_S] = to, [HC_NAME] = to
#define HS_TOKEN(to) HS_HOSTNAME(to), [HC_TOKEN] = to
#define HS_VISIBLE(to) HS_TOKEN(to), [HC_COLON] = to, [HC_SLASH] = to, [HC_TEXT] = to
/* A field's name that may be "host", and where each of its letters and a colon lead to. */
#define HS_SPELL(h, o, s, t, colon)                                                                \
	[HC_H] = h, [HC_O] = o, [HC_S] = s, [HC_T] = t, [HC_COLON] = colon, [HC_DOT] = HS_FIELD,   \
	[HC_ONE] = HS_FIELD, [HC_DIGIT] = HS_FIELD, [HC_P] = HS_FIELD, [HC_NAME] = HS_FIELD,       \
	[HC_TOKEN] = HS_FIELD
#define HS_BLANK(to) [HC_SPACE] = to, [HC_TAB] = to
#define HS_ANY(to) HS_VISIBLE(to), HS_BLANK(to), [HC_CONTROL] = to, [HC_CR] = to, [HC_LF] = to

static const __u8 hello_http_next[HS_STATES][HC_CLASSES] = {
	[HS_BEGIN] = { HS_TOKEN(HS_METHOD) },
	[HS_METHOD] = { HS_TOKEN(HS_METHOD), [HC_SPACE] = HS_TARGET },
	[HS_TARGET] = { [HC_SLASH] = HS_PATH },
	[HS_PATH] = { HS_VISIBLE(HS_PATH), [HC_SPACE] = HS_H },
	[HS_H] = { [HC_H] = HS_HT },
	[HS_HT] = { [HC_T] = HS_HTT },
	[HS_HTT] = { [HC_T] = HS_HTTP },
	[HS_HTTP] = { [HC_P] = HS_SLASH },
	[HS_SLASH] = { [HC_SLASH] = HS_MAJOR },
	[HS_MAJOR] = { [HC_ONE] = HS_DOT },
	[HS_DOT] = { [HC_DOT] = HS_MINOR },
	[HS_MINOR] = { [HC_ONE] = HS_VERSION, [HC_DIGIT] = HS_VERSION },
	[HS_VERSION] = { [HC_CR] = HS_LINE_END },
	[HS_LINE_END] = { [HC_LF] = HS_LINE },
	[HS_LINE] = { HS_SPELL(HS_NAME_H, HS_FIELD, HS_FIELD, HS_FIELD, HS_BAD), [HC_CR] = HS_LAST },
	[HS_NAME_H] = { HS_SPELL(HS_FIELD, HS_NAME_HO, HS_FIELD, HS_FIELD, HS_VALUE) },
	[HS_NAME_HO] = { HS_SPELL(HS_FIELD, HS_FIELD, HS_NAME_HOS, HS_FIELD, HS_VALUE) },
	[HS_NAME_HOS] = { HS_SPELL(HS_FIELD, HS_FIELD, HS_FIELD, HS_NAME_HOST, HS_VALUE) },
	[HS_NAME_HOST] = { HS_SPELL(HS_FIELD, HS_FIELD, HS_FIELD, HS_FIELD, HS_HOST_COLON) },
	[HS_FIELD] = { HS_TOKEN(HS_FIELD), [HC_COLON] = HS_VALUE },
	[HS_VALUE] = { HS_VISIBLE(HS_VALUE), HS_BLANK(HS_VALUE), [HC_CR] = HS_LINE_END },
	[HS_HOST_COLON] = { HS_BLANK(HS_HOST_BEGIN), HS_HOSTNAME(HS_HOST), [HC_CR] = HS_LINE_END,
			    [HC_TALLY] = HELLO_HOST_FIELD },
	[HS_HOST_BEGIN] = { HS_BLANK(HS_HOST_BEGIN), HS_HOSTNAME(HS_HOST), [HC_CR] = HS_LINE_END },
	[HS_HOST] = { HS_HOSTNAME(HS_HOST), [HC_COLON] = HS_PORT, HS_BLANK(HS_HOST_END),
		      [HC_CR] = HS_LINE_END, [HC_TALLY] = HELLO_NAME_BYTE },
	[HS_PORT] = { [HC_ONE] = HS_PORT, [HC_DIGIT] = HS_PORT, HS_BLANK(HS_HOST_END),
		      [HC_CR] = HS_LINE_END },
	[HS_HOST_END] = { HS_BLANK(HS_HOST_END), [HC_CR] = HS_LINE_END },
	[HS_LAST] = { [HC_LF] = HS_END },
	[HS_END] = { HS_ANY(HS_BODY), [HC_TALLY] = HELLO_LAST_BYTE },
	[HS_BODY] = { HS_ANY(HS_BODY) },
};

/* clang-format on */

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
	if (state != HS_END && state != HS_BODY)
		return HELLO_SHORT;
	hello->end = hello->seen[HELLO_LAST_BYTE] + 1;
	hello->name_len = hello->tally[HELLO_NAME_BYTE];
	hello->name_at = hello->seen[HELLO_NAME_BYTE] + 1 - hello->name_len;
	return hello->name_len ? HELLO_NAMED : HELLO_NAMELESS;
}

#endif
