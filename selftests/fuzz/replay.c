// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stands in for libFuzzer's main in make check: feeds a fuzzer every input that is kept for it in
 * selftests/fuzz/corpus/NAME, where a found crash becomes a regression test. The harness' own child
 * takes the crash; the last file named in its log is the culprit.
 */
#include "../test.h"

#include <errno.h>
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Inputs are given in a block of exactly their size, so that a read past the end is seen. */
static void feed(const char *dir, const char *name)
{
	char path[512];
	uint8_t *data;
	long size;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	printf("%s\n", path);
	f = fopen(path, "rb");
	ASSERT_NOT_NULL(f);
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	rewind(f);
	data = malloc((size_t)size);
	EXPECT_EQ(fread(data, 1, (size_t)size, f), size);
	fclose(f);
	LLVMFuzzerTestOneInput(data, (size_t)size);
	free(data);
}

TEST("every kept input is survived", .seconds = 120)
{
	struct dirent *entry;
	char dir[256];
	int n = 0;
	DIR *d;

	snprintf(dir, sizeof(dir), "selftests/fuzz/corpus/%s", program_invocation_short_name);
	d = opendir(dir);
	ASSERT_NOT_NULL(d);
	while ((entry = readdir(d)))
		if (entry->d_name[0] != '.') {
			feed(dir, entry->d_name);
			n++;
		}
	closedir(d);
	EXPECT_GT(n, 0);
}
