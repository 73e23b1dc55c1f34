// SPDX-License-Identifier: GPL-2.0-only
/* Bars and the picture that they are in. */
#include "../../user/cli/render_top.h"

#include <string.h>

#include "../../user/base/macro.h"
#include "../test.h"

TEST("a bar is full only when all is spent, and empty only when nothing is")
{
	static const struct {
		uint64_t part, whole;
		const char *bar;
	} cases[] = {
		{ 0, 100, "[..........]" },	   { 1, 1000000, "[#.........]" },
		{ 10, 100, "[#.........]" },	   { 55, 100, "[#####.....]" },
		{ 99, 100, "[#########.]" },	   { UINT64_MAX - 1, UINT64_MAX, "[#########.]" },
		{ 100, 100, "[##########]" },	   { 250, 100, "[##########]" },
		{ 0, 0, "[..........]" },	   { 1, 0, "[##########]" },
		{ 0, UINT64_MAX, "[..........]" },
	};
	char bar[13];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		render_bar(cases[i].part, cases[i].whole, 10, bar);
		EXPECT_STREQ(bar, cases[i].bar);
	}
}

TEST("a bar never falls while more is spent")
{
	unsigned int before = 0;
	char bar[23];

	for (uint64_t part = 0; part <= 1000; part++) {
		unsigned int full = 0;

		render_bar(part, 1000, 20, bar);
		ASSERT_EQ(strlen(bar), 22);
		for (const char *c = bar; *c; c++)
			full += *c == '#';
		EXPECT_GE(full, before);
		before = full;
	}
	EXPECT_EQ(before, 20);
}

static void picture(const struct top_view *view, char *ret, size_t size)
{
	FILE *to = fmemopen(ret, size, "w");

	ASSERT_NOT_NULL(to);
	render_top(to, view);
	fclose(to);
}

TEST("a picture has a line for each session, with its spend, its queue and its title made harmless")
{
	struct top_row rows[] = {
		{ .id = "sbs_01KBDRJ0G0A1B2C3D4E5F6G7H8",
		  .state = "running",
		  .title = "a\033[2Jb\nc",
		  .queued = 3,
		  .denied = 12,
		  .money_ucents = 1500000,
		  .money_cap_ucents = 3000000,
		  .time_ns = 90 * NSEC_PER_SEC,
		  .time_cap_ns = 600 * NSEC_PER_SEC,
		  .cpu_ns = 90 * NSEC_PER_SEC,
		  .processors = 1.5 },
		{ .id = "sbs_01KBDRJ0G0A1B2C3D4E5F6G7H9",
		  .state = "paused",
		  .queue = "cap_money",
		  .title = "b",
		  .processors = -1 },
	};
	struct top_view view = { rows, 2, 7, 0 };
	char text[4096];

	picture(&view, text, sizeof(text));
	EXPECT_HAS(
		text,
		"sbs_01KBDRJ0G0A1B2C3D4E5F6G7H8 running      3 open        [#####.....]      1.50/3");
	EXPECT_HAS(text, "[#.........]     1.5/10        90.00  150%     12 a\\x1b[2Jb\\x0ac\n");
	EXPECT_HAS(text, "cap_money");
	EXPECT_HAS(text, "\nand 7 more\n");
	EXPECT_HAS_NOT(text, "\033");
}

TEST("on a terminal no line is longer than it is wide where the title can be cut")
{
	struct top_row row = { .id = "sbs_01KBDRJ0G0A1B2C3D4E5F6G7H8", .state = "running" };
	struct top_view view = { &row, 1, 0, 200 };
	char text[4096], *line;

	memset(row.title, 'x', sizeof(row.title) - 1);
	picture(&view, text, sizeof(text));
	line = strchr(text, '\n') + 1;
	EXPECT_EQ(strstr(line, "\033[K") - line, 200);
	EXPECT_HAS(line, "x...\033[K\n");
}

TEST("a narrow terminal has the bars, the spend and the beginnings of ids")
{
	struct top_row row = { .id = "sbs_01KBDRJ0G0A1B2C3D4E5F6G7H8",
			       .state = "running",
			       .title = "a task",
			       .money_ucents = 1500000,
			       .money_cap_ucents = 3000000,
			       .processors = 0.5 };
	struct top_view view = { &row, 1, 0, 90 };
	char text[4096];

	picture(&view, text, sizeof(text));
	EXPECT_HAS(
		text,
		"sbs_01KBDRJ0G0A1 running     0 [##...]     1.50 [.....]    0.0   50%      0 a task");
}
