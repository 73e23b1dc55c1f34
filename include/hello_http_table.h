/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The grammar of an HTTP/1 request's head as a machine of two tables: RFC 9112, of which only the unambiguous
 * part is taken, and only requests that end with their head: GET and HEAD, without a field that announces a
 * body (any that begins with "Content-L" or "Transf"). hello_http.h runs it.
 */
#ifndef REEVE_HELLO_HTTP_TABLE_H
#define REEVE_HELLO_HTTP_TABLE_H

#include "hello.h"

/* clang-format off */
/* A byte's class: the letters of the words that the grammar knows, in both cases, and what it tells apart. */
#define HC(letter) ((letter) & 31)
enum {
	HC_TALLY = 0, HC_A = HC('a'), HC_SPACE = HC('b'), HC_C = HC('c'), HC_D = HC('d'), HC_E = HC('e'),
	HC_F = HC('f'), HC_G = HC('g'), HC_H = HC('h'), HC_TAB = HC('i'), HC_ONE = HC('j'), HC_TOKEN = HC('k'),
	HC_L = HC('l'), HC_NAME = HC('m'), HC_N = HC('n'), HC_O = HC('o'), HC_P = HC('p'), HC_DASH = HC('q'),
	HC_R = HC('r'), HC_S = HC('s'), HC_T = HC('t'), HC_LF = HC('u'), HC_TEXT = HC('v'),
	HC_COLON = HC('w'), HC_DIGIT = HC('x'), HC_DOT = HC('y'), HC_SLASH = HC('z'), HC_CR = HC('^'),
	HC_CONTROL = HC('_'), HC_CLASSES = 32,
};

/*
 * By 32 bytes a row: controls, signs and digits, capital letters, small ones, and what is no ASCII. No zero
 * is behind them, or the linker of BPF objects would take them for a string that can be merged.
 */
static const char hello_http_class[256] = "_________iu__^__________________"
				       "bkvkkkkkvvkkvqyzxjxxxxxxxxwvvvvv"
				       "vamcdefghmmmlmnopmrstmmmmmmvvvkm"
				       "kamcdefghmmmlmnopmrstmmmmmmvkvk_"
				       "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv"
				       "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv"
				       "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv"
				       "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv";

/*
 * What was read so far; the next byte of a class that a row does not name leads to HS_BAD. No byte is of the
 * class HC_TALLY: there stands what is counted in the state.
 */
enum {
	HS_BAD, HS_BEGIN, HS_G, HS_GE, HS_HEAD, HS_HEAD_E, HS_HEAD_A, HS_METHOD, HS_TARGET, HS_PATH, HS_H, HS_HT,
	HS_HTT, HS_HTTP, HS_SLASH, HS_MAJOR, HS_DOT, HS_MINOR, HS_VERSION, HS_LINE_END, HS_LINE, HS_FIELD,
	HS_VALUE, HS_NAME_H, HS_NAME_HO, HS_NAME_HOS, HS_NAME_HOST, HS_HOST_COLON, HS_HOST_BEGIN, HS_HOST,
	HS_PORT, HS_HOST_END, HS_C, HS_CO, HS_CON, HS_CONT, HS_CONTE, HS_CONTEN, HS_CONTENT, HS_CONTENT_DASH,
	HS_T, HS_TR, HS_TRA, HS_TRAN, HS_TRANS, HS_LAST, HS_END, HS_BEHIND, HS_STATES = 64,
};

#define HS_HOSTNAME(to)                                                                            \
	[HC_A] = to, [HC_C] = to, [HC_D] = to, [HC_E] = to, [HC_F] = to, [HC_G] = to, [HC_H] = to, \
	[HC_L] = to, [HC_N] = to, [HC_O] = to, [HC_P] = to, [HC_R] = to, [HC_S] = to, [HC_T] = to, \
	[HC_NAME] = to, [HC_DASH] = to, [HC_DOT] = to, [HC_ONE] = to, [HC_DIGIT] = to
#define HS_TOKEN(to) HS_HOSTNAME(to), [HC_TOKEN] = to
#define HS_VISIBLE(to) HS_TOKEN(to), [HC_COLON] = to, [HC_SLASH] = to, [HC_TEXT] = to
#define HS_BLANK(to) [HC_SPACE] = to, [HC_TAB] = to
#define HS_ANY(to) HS_VISIBLE(to), HS_BLANK(to), [HC_CONTROL] = to, [HC_CR] = to, [HC_LF] = to
/* A field's name: what may follow is any other name's, but for a letter of a word, which stands behind it. */
#define HS_NAME HS_TOKEN(HS_FIELD), [HC_COLON] = HS_VALUE

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static const __u8 hello_http_next[HS_STATES][HC_CLASSES] = {
	[HS_BEGIN] = { [HC_G] = HS_G, [HC_H] = HS_HEAD },
	[HS_G] = { [HC_E] = HS_GE },
	[HS_GE] = { [HC_T] = HS_METHOD },
	[HS_HEAD] = { [HC_E] = HS_HEAD_E },
	[HS_HEAD_E] = { [HC_A] = HS_HEAD_A },
	[HS_HEAD_A] = { [HC_D] = HS_METHOD },
	[HS_METHOD] = { [HC_SPACE] = HS_TARGET },
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
	[HS_LINE] = { HS_TOKEN(HS_FIELD), [HC_H] = HS_NAME_H, [HC_C] = HS_C, [HC_T] = HS_T,
		      [HC_CR] = HS_LAST },
	[HS_FIELD] = { HS_NAME },
	[HS_NAME_H] = { HS_NAME, [HC_O] = HS_NAME_HO },
	[HS_NAME_HO] = { HS_NAME, [HC_S] = HS_NAME_HOS },
	[HS_NAME_HOS] = { HS_NAME, [HC_T] = HS_NAME_HOST },
	[HS_NAME_HOST] = { HS_NAME, [HC_COLON] = HS_HOST_COLON },
	[HS_C] = { HS_NAME, [HC_O] = HS_CO },
	[HS_CO] = { HS_NAME, [HC_N] = HS_CON },
	[HS_CON] = { HS_NAME, [HC_T] = HS_CONT },
	[HS_CONT] = { HS_NAME, [HC_E] = HS_CONTE },
	[HS_CONTE] = { HS_NAME, [HC_N] = HS_CONTEN },
	[HS_CONTEN] = { HS_NAME, [HC_T] = HS_CONTENT },
	[HS_CONTENT] = { HS_NAME, [HC_DASH] = HS_CONTENT_DASH },
	[HS_CONTENT_DASH] = { HS_NAME, [HC_L] = HS_BAD },
	[HS_T] = { HS_NAME, [HC_R] = HS_TR },
	[HS_TR] = { HS_NAME, [HC_A] = HS_TRA },
	[HS_TRA] = { HS_NAME, [HC_N] = HS_TRAN },
	[HS_TRAN] = { HS_NAME, [HC_S] = HS_TRANS },
	[HS_TRANS] = { HS_NAME, [HC_F] = HS_BAD },
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
	[HS_END] = { HS_ANY(HS_BEHIND), [HC_TALLY] = HELLO_LAST_BYTE },
	[HS_BEHIND] = { HS_ANY(HS_BEHIND) },
};
#pragma GCC diagnostic pop
/* clang-format on */

#endif
