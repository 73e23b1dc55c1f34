// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reader of server names on the first segments of real clients and of made ones, kept with their
 * verdicts in selftests/vectors/hello: as they are, cut off after each byte, and with whatever may lie
 * behind them in the buffer, which must not matter.
 */
#include "../test.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/hello_http.h"
#include "../../include/hello_tls.h"

#define DIR "selftests/vectors/hello/"
#define SAMPLES_MAX 256

/* What is behind the bytes in the buffer is poisoned, where the sanitizer knows such a thing. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, n) ((void)(at), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(at, n) ((void)(at), (void)(n))
#endif

static const char *const verdicts[] = {
	[HELLO_NAMED] = "named",	 [HELLO_SHORT] = "short",
	[HELLO_SPLIT] = "split",	 [HELLO_FOREIGN] = "foreign",
	[HELLO_MALFORMED] = "malformed", [HELLO_NAMELESS] = "nameless",
	[HELLO_ENCRYPTED] = "encrypted", [HELLO_EARLY] = "early",
	[HELLO_RESUMED] = "resumed",
};

static struct sample {
	char name[64], verdict[16], host[256];
	bool tls;
	size_t behind, len;
	uint8_t bytes[8192];
} samples[SAMPLES_MAX];
static size_t n_samples;

static void sample_read(char *line)
{
	struct sample *sample = &samples[n_samples];
	char path[256], kind[8];
	FILE *file;

	ASSERT_EQ(sscanf(line, "%63s %7s %15s %255s %zu", sample->name, kind, sample->verdict,
			 sample->host, &sample->behind),
		  5);
	sample->tls = strcmp(kind, "tls") == 0;
	snprintf(path, sizeof(path), DIR "%s.bin", sample->name);
	file = fopen(path, "rb");
	ASSERT_NOT_NULL(file);
	sample->len = fread(sample->bytes, 1, sizeof(sample->bytes), file);
	fclose(file);
	ASSERT_LT(++n_samples, SAMPLES_MAX);
}

static void samples_read(void)
{
	char line[512];
	FILE *index = fopen(DIR "index", "r");

	ASSERT_NOT_NULL(index);
	while (fgets(line, sizeof(line), index))
		if (line[0] != '#')
			sample_read(line);
	fclose(index);
	ASSERT_GT(n_samples, 120);
}

static struct hello hello;

/* Reads the first @len bytes of the sample; the buffer behind them is @fill. */
static enum hello_verdict verdict_of(const struct sample *sample, size_t len, int fill)
{
	enum hello_verdict verdict;

	if (len > HELLO_BYTES_MAX)
		len = HELLO_BYTES_MAX;
	memset(&hello, 0, offsetof(struct hello, bytes));
	memset(hello.bytes, fill, sizeof(hello.bytes));
	memcpy(hello.bytes, sample->bytes, len);
	hello.len = (uint32_t)len;
	ASAN_POISON_MEMORY_REGION(hello.bytes + len, sizeof(hello.bytes) - len);
	verdict = sample->tls ? hello_tls(&hello) : hello_http(&hello);
	ASAN_UNPOISON_MEMORY_REGION(hello.bytes, sizeof(hello.bytes));
	return verdict;
}

/* The name in the hello as it would be looked up, turned round; "" for none. */
static const char *name_read(void)
{
	static char text[REEVE_NAME_MAX + 2];
	uint8_t key[REEVE_NAME_MAX + 2];
	uint32_t n = hello_name_key(&hello, key);

	memset(text, 0, sizeof(text));
	for (uint32_t i = 0; i + 1 < n; i++)
		text[i] = (char)key[n - 2 - i];
	return text;
}

static void sample_check(const struct sample *sample, int fill)
{
	enum hello_verdict verdict = verdict_of(sample, sample->len, fill);
	bool unusable = strcmp(sample->verdict, "unusable") == 0;

	printf("%s: %s\n", sample->name, verdicts[verdict]);
	EXPECT_STREQ(verdicts[verdict], unusable ? "named" : sample->verdict);
	if (verdict != HELLO_NAMED)
		return;
	EXPECT_STREQ(name_read(), unusable ? "" : sample->host);
	EXPECT_EQ(hello.end, sample->len - sample->behind);
}

TEST("each sample has the verdict and the name that are kept for it")
{
	samples_read();
	for (size_t i = 0; i < n_samples; i++)
		sample_check(&samples[i], 0);
}

TEST("what lies behind the bytes in the buffer changes no verdict and no name")
{
	samples_read();
	for (size_t i = 0; i < n_samples; i++) {
		sample_check(&samples[i], 0xff);
		sample_check(&samples[i], 'a');
	}
}

TEST("a hello that is cut off after any of its bytes is never named, and a good one is too short")
{
	samples_read();
	for (size_t i = 0; i < n_samples; i++) {
		const struct sample *sample = &samples[i];
		bool good = strcmp(sample->verdict, "named") == 0;

		for (size_t len = 0; len < sample->len - sample->behind; len++) {
			enum hello_verdict verdict = verdict_of(sample, len, 'a');

			if (verdict == HELLO_NAMED || (good && verdict != HELLO_SHORT)) {
				printf("%s, %zu bytes: %s\n", sample->name, len, verdicts[verdict]);
				EXPECT_TRUE(false);
			}
		}
	}
}

static struct hello *named(const char *name)
{
	memset(&hello, 0, sizeof(hello));
	hello.name_at = 100;
	hello.name_len = (uint32_t)strlen(name);
	memcpy(hello.bytes + 100, name, strlen(name));
	return &hello;
}

TEST("a name's key is its lower case from the end, with a dot behind, for names of up to 238 bytes")
{
	char longest[REEVE_NAME_MAX + 2];
	uint8_t key[REEVE_NAME_MAX + 2];

	ASSERT_EQ(hello_name_key(named("A-1_b.Example.ORG"), key), 18);
	EXPECT_MEMEQ(key, "gro.elpmaxe.b_1-a.", 18);
	memset(longest, 'x', sizeof(longest));
	longest[REEVE_NAME_MAX] = 0;
	EXPECT_EQ(hello_name_key(named(longest), key), REEVE_NAME_MAX + 1);
	EXPECT_EQ(key[REEVE_NAME_MAX], '.');
	longest[REEVE_NAME_MAX] = 'x';
	longest[REEVE_NAME_MAX + 1] = 0;
	EXPECT_EQ(hello_name_key(named(longest), key), 0);
	EXPECT_EQ(hello_name_key(named(""), key), 0);
}

TEST("of the 256 bytes only letters, digits, hyphen, underscore and dot can stand in a name")
{
	static const char good[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
	uint8_t key[REEVE_NAME_MAX + 2];

	for (int c = 0; c < 256; c++) {
		struct hello *h = named("aXb");

		h->bytes[101] = (uint8_t)c;
		EXPECT_EQ(hello_name_key(h, key) != 0, c && strchr(good, c));
	}
}
