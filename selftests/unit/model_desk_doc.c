// SPDX-License-Identifier: GPL-2.0-only
/*
 * The README's table of a session's life is the code's, row by row. When they differ the rows are printed
 * as the README should have them, to be put there.
 */
#include <fcntl.h>

#include "../../user/base/io.h"
#include "../desk_made.h"

#define HEAD                                                                                       \
	"| event | where | if | then | changes | the engine is told to |\n| --- | --- | --- | --- | --- | --- |\n"

typedef const char *name_fn(unsigned int bit);

static const char *nth_event(unsigned int bit)
{
	return desk_event_name((enum desk_event)bit);
}

static const char *nth_place(unsigned int bit)
{
	return desk_place_name((enum desk_place)bit);
}

static const char *nth_act(unsigned int bit)
{
	return desk_act_text((enum desk_act_bit)bit);
}

static const char *nth_effect(unsigned int bit)
{
	return desk_effect_name((enum desk_effect)(1u << bit));
}

static void list(FILE *out, unsigned int bits, const char *between, name_fn *name)
{
	const char *comma = "";

	for (unsigned int bit = 0; bits >> bit; bit++) {
		if (!(bits & 1u << bit))
			continue;
		fprintf(out, "%s%s", comma, name(bit));
		comma = between;
	}
}

static void places(FILE *out, unsigned int from)
{
	unsigned int all = (1u << DESK_PLACE_COUNT) - 1;
	unsigned int live = all & ~(1u << DESK_AT_ENDING | 1u << DESK_AT_ENDED);

	if (from == live)
		fputs("live", out);
	else if (__builtin_popcount(from) > 4)
		fputs("elsewhere", out);
	else
		list(out, from, ", ", nth_place);
}

static void row(FILE *out, const struct desk_row *row)
{
	fputs("| ", out);
	list(out, row->events, ", ", nth_event);
	fputs(" | ", out);
	places(out, row->from);
	fprintf(out, " | %s | ", desk_condition_text(row->when));
	if (row->refusal)
		fprintf(out, "refused: `%s`", fault_code_name(row->refusal));
	else
		fputs(row->to == DESK_STAYS ? "same" : desk_place_name(row->to), out);
	fputs(" | ", out);
	list(out, row->acts & ~(unsigned int)DESK_ACT_SHOW, "; ", nth_act);
	fputs(" | ", out);
	list(out, row->effects, ", ", nth_effect);
	fputs(" |\n", out);
}

static char *table(void)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	ASSERT_NOT_NULL(out);
	fputs(HEAD, out);
	for (size_t i = 0; i < desk_n_rows; i++)
		row(out, &desk_rows[i]);
	fclose(out);
	return text;
}

TEST("the README has the table of a session's life")
{
	_cleanup_fd_ int fd = open("README.md", O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *readme = NULL, *want = table();
	size_t n;

	ASSERT_OK(io_read_all(fd, 1024 * 1024, &readme, &n));
	if (!strstr(readme, want))
		printf("%s", want);
	EXPECT_TRUE(strstr(readme, want));
}
