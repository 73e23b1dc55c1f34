// SPDX-License-Identifier: GPL-2.0-only
/* Text of strangers on a terminal: nothing of it is obeyed, nothing is hidden, in a line and in a stream. */
#include "../../user/cli/text_show.h"

#include <string.h>

#include "../../user/base/macro.h"
#include "../test.h"

TEST("what a terminal would obey, or not show, is written out")
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{ "plain, Übung, 日本, 🙂", "plain, Übung, 日本, 🙂" },
		{ "\033[31mred", "\\x1b[31mred" },
		{ "a\nb\tc\rd", "a\\x0ab\\x09c\\x0dd" },
		{ "\x7f", "\\x7f" },
		{ "\xc2\x9b"
		  "31m",
		  "\\u{9b}31m" },
		{ "a\u202eb\u2066c\u200dd\ufeff", "a\\u{202e}b\\u{2066}c\\u{200d}d\\u{feff}" },
		{ "\xff\xc3(", "\\xff\\xc3(" },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },
		{ "\xf3\xa0\x81\x81", "\\u{e0041}" },
	};
	char shown[128];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		text_show(cases[i].text, 80, shown, sizeof(shown));
		EXPECT_STREQ(shown, cases[i].shown);
	}
}

TEST("a line is cut at its width, or where its room ends, and never within a character")
{
	char shown[128], small[8];

	text_show("0123456789", 10, shown, sizeof(shown));
	EXPECT_STREQ(shown, "0123456789");
	text_show("0123456789a", 10, shown, sizeof(shown));
	EXPECT_STREQ(shown, "0123456...");
	text_show("ÜÜÜÜÜÜÜÜÜÜÜ", 10, shown, sizeof(shown));
	EXPECT_STREQ(shown, "ÜÜÜÜÜÜÜ...");
	text_show("\033\033\033\033", 10, shown, sizeof(shown));
	EXPECT_STREQ(shown, "\\x1b...");
	text_show("0123456", 80, small, sizeof(small));
	EXPECT_STREQ(small, "0123456");
	text_show("01234567", 80, small, sizeof(small));
	EXPECT_STREQ(small, "0123...");
	text_show("", 80, small, sizeof(small));
	EXPECT_STREQ(small, "");
}

/* Shows @text in parts of @part bytes. */
static void stream_show(const char *text, size_t n, size_t part, char *ret)
{
	struct text_stream stream = {};
	size_t at = 0;

	for (size_t i = 0; i < n; i += part) {
		size_t len = n - i < part ? n - i : part;
		_cleanup_free_ char *exact = malloc(TEXT_SHOWN_SIZE(len));
		size_t shown = text_stream_show(&stream, text + i, len, exact);

		EXPECT_LE(shown, TEXT_SHOWN_SIZE(len));
		memcpy(ret + at, exact, shown);
		at += shown;
	}
	at += text_stream_show(&stream, "", 0, ret + at);
	ret[at] = 0;
}

TEST("a stream is shown the same, in whatever parts it comes")
{
	static const char text[] =
		"a\033[1mÜ日🙂\xff\xe6\x97-\xf0\x9f\x99\n\t\u202e\xc2\x9b\0z\xe6\x97";
	static const char want[] =
		"a\\x1b[1mÜ日🙂\\xff\\xe6\\x97-\\xf0\\x9f\\x99\n\t\\u{202e}\\u{9b}\\x00z\\xe6\\x97";
	char shown[512];

	for (size_t part = 1; part < sizeof(text); part++) {
		stream_show(text, sizeof(text) - 1, part, shown);
		EXPECT_STREQ(shown, want);
	}
}

TEST("of any bytes, only newlines, tabs and characters that are seen come out")
{
	char text[1024], shown[TEXT_SHOWN_SIZE(sizeof(text))];
	unsigned int seed = 1;

	for (size_t round = 0; round < 200; round++) {
		for (size_t i = 0; i < sizeof(text); i++) {
			seed = seed * 1103515245 + 12345;
			text[i] = (char)(seed >> 16);
		}
		stream_show(text, sizeof(text), 1 + round, shown);
		EXPECT_TRUE(utf8_is_valid(shown, strlen(shown), &(size_t){ 0 }));
		for (const char *c = shown; *c; c++)
			if ((unsigned char)*c < 0x20 && *c != '\n' && *c != '\t')
				EXPECT_EQ(*c, ' ');
	}
}
