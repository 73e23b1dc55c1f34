// SPDX-License-Identifier: GPL-2.0-only
/* Characters, numbers and messages: the texts that come from outside, one byte wrong at a time. */
#include <string.h>

#include "../../user/base/macro.h"
#include "../../user/base/str.h"
#include "../../user/base/utf8.h"
#include "../test.h"

TEST("every character survives being written and read")
{
	for (uint32_t code = 0; code <= 0x10ffff; code++) {
		char bytes[UTF8_BYTES_MAX];
		uint32_t read = UINT32_MAX;
		size_t n = utf8_encode(code, bytes), got = utf8_decode(bytes, n, &read);
		bool surrogate = code >= 0xd800 && code <= 0xdfff;

		if (got == (surrogate ? 0 : n) && (surrogate || read == code))
			continue;
		EXPECT_EQ(read, code);
		EXPECT_EQ(got, n);
	}
}

TEST("what is no character is none, and is not read past its end")
{
	static const struct {
		const char *bytes;
		size_t n;
	} cases[] = {
		{ "", 0 },
		{ "\x80", 1 },
		{ "\xbf\x80", 2 },
		{ "\xc0\x80", 2 },
		{ "\xc1\xbf", 2 },
		{ "\xe0\x9f\xbf", 3 },
		{ "\xed\xa0\x80", 3 },
		{ "\xed\xbf\xbf", 3 },
		{ "\xf0\x8f\xbf\xbf", 4 },
		{ "\xf4\x90\x80\x80", 4 },
		{ "\xf8\x88\x80\x80\x80", 5 },
		{ "\xff", 1 },
		{ "\xc3", 1 },
		{ "\xe2\x82", 2 },
		{ "\xf0\x9f\x98", 3 },
		{ "\xc3(", 2 },
		{ "\xe2\x82(", 3 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *exact = malloc(cases[i].n ? cases[i].n : 1);
		uint32_t code = 7;

		memcpy(exact, cases[i].bytes, cases[i].n);
		EXPECT_EQ(utf8_decode(exact, cases[i].n, &code), 0);
		EXPECT_EQ(code, 7);
	}
}

TEST("a text is valid up to its first bad byte, and counted in characters")
{
	size_t at = 99;

	EXPECT_TRUE(utf8_is_valid("a\xc3\xa9\xf0\x9f\x98\x80", 7, &at));
	EXPECT_EQ(at, 99);
	EXPECT_FALSE(utf8_is_valid("a\xc3\xa9\xf0\x9f\x98", 6, &at));
	EXPECT_EQ(at, 3);
	EXPECT_EQ(utf8_count("a\xc3\xa9\xf0\x9f\x98\x80"), 3);
	EXPECT_EQ(utf8_count(""), 0);
}

TEST("a whole number has one spelling and a bound")
{
	static const char *const bad[] = {
		"",
		"-1",
		"+1",
		" 1",
		"1 ",
		"01",
		"00",
		"0x1",
		"1.0",
		"1e3",
		"18446744073709551616",
		"99999999999999999999999",
	};
	uint64_t value = 42;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_FALSE(str_to_u64(bad[i], UINT64_MAX, &value));
	EXPECT_FALSE(str_to_u64("11", 10, &value));
	EXPECT_FALSE(str_to_u64("7", 6, &value));
	EXPECT_EQ(value, 42);
	EXPECT_TRUE(str_to_u64("18446744073709551615", UINT64_MAX, &value));
	EXPECT_EQ(value, UINT64_MAX);
	EXPECT_TRUE(str_to_u64("0", 0, &value));
	EXPECT_EQ(value, 0);
	EXPECT_TRUE(str_to_u64("10", 10, &value));
	EXPECT_EQ(value, 10);
}

TEST("seconds have up to nine places and the same bound")
{
	static const char *const bad[] = {
		"", ".5", "1.", "1.0000000000", "-1", "1.5s", "1,5", "10.000000001", "11", "1..2",
	};
	uint64_t value = 42;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_FALSE(str_to_nano(bad[i], 10, &value));
	EXPECT_EQ(value, 42);
	EXPECT_TRUE(str_to_nano("0.5", 10, &value));
	EXPECT_EQ(value, 500000000);
	EXPECT_TRUE(str_to_nano("9.999999999", 10, &value));
	EXPECT_EQ(value, 9999999999);
	EXPECT_TRUE(str_to_nano("10.0", 10, &value));
	EXPECT_EQ(value, 10000000000);
	EXPECT_FALSE(str_to_nano("18446744074", UINT64_MAX, &value));
	EXPECT_TRUE(str_to_nano("18446744072.999999999", UINT64_MAX, &value));
	EXPECT_EQ(value, 18446744072999999999ull);
}

TEST("a number of bytes has at most one unit, and is never more than the most")
{
	static const char *const bad[] = {
		"",    "K",   "1T", "1k",  "1KB", "1.5G", "-1M",
		"01M", "1 M", "M1", "1MM", "5K",  "4097", "18014398509481985K"
	};
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = { { "0", 0 },     { "0G", 0 },    { "4096", 4096 },
		     { "4K", 4096 }, { "1K", 1024 }, { "1", 1 } };
	uint64_t value = 42;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_FALSE(str_to_bytes(bad[i], 4096, &value));
	EXPECT_EQ(value, 42);
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		EXPECT_TRUE(str_to_bytes(good[i].text, 4096, &value));
		EXPECT_EQ(value, good[i].value);
	}
	EXPECT_TRUE(str_to_bytes("512M", UINT64_MAX, &value));
	EXPECT_EQ(value, 536870912);
	EXPECT_TRUE(str_to_bytes("17179869183G", UINT64_MAX, &value));
	EXPECT_EQ(value, 17179869183ull << 30);
	EXPECT_FALSE(str_to_bytes("17179869184G", UINT64_MAX, &value));
	EXPECT_FALSE(str_to_bytes("36028797018963968K", UINT64_MAX, &value));
}

static void expect_shown(const char *bytes, size_t n, size_t size, const char *want)
{
	_cleanup_free_ char *shown = malloc(size);

	str_show(bytes, n, shown, size);
	EXPECT_STREQ(shown, want);
}

TEST("what goes into a message can do nothing to a terminal, and ends")
{
	expect_shown("", 0, 8, "");
	expect_shown("abc", 3, 64, "abc");
	expect_shown("\x1b[2J\n\0\x7f\xc3\xa9", 9, 64, "\\x1b[2J\\x0a\\x00\\x7f\\xc3\\xa9");
	expect_shown("abcdefgh", 8, 8, "abcd...");
	expect_shown("ab\x01", 3, 8, "ab...");
	expect_shown("\x01\x01", 2, 8, "\\x01...");
}
