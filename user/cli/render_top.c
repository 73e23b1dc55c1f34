// SPDX-License-Identifier: GPL-2.0-only
/*
 * The picture of "reeve top". A row has one line, whatever the title: what a terminal would obey is written out and the line is
 * cut at the terminal's edge.
 */
#include "render_top.h"

#include <inttypes.h>
#include <string.h>

#include "../base/macro.h"
#include "text_show.h"

#define BAR_MAX 10
#define LINE_SIZE 512
#define COLUMNS_DEFAULT 160
#define TITLE_MIN 8

/* What a picture of some width has room for. The beginning of an id is enough for the commands. */
static const struct layout {
	size_t columns; /* at least */
	int id;
	unsigned int bar;
	bool whole; /* with the caps, the queue's reason and the seconds of CPU time */
} layouts[] = {
	{ 150, REEVE_SESSION_ID_LEN, BAR_MAX, true },
	{ 0, 16, 5, false },
};

void render_bar(uint64_t part, uint64_t whole, unsigned int width, char *ret)
{
	unsigned int full = part ? width : 0;

	if (part < whole) {
		full = (unsigned int)((double)part / (double)whole * width);
		full = full >= width ? width - 1 : full;
		full = part && !full ? 1 : full;
	}
	*ret++ = '[';
	memset(ret, '#', full);
	memset(ret + full, '.', width - full);
	strcpy(ret + width, "]");
}

static void processors_text(const struct top_row *row, char *ret, size_t size)
{
	if (row->processors < 0)
		snprintf(ret, size, "-");
	else
		snprintf(ret, size, "%.0f%%", row->processors * 100);
}

static size_t whole_print(const struct top_row *row, const char *money, const char *minutes,
			  const char *processors, char *ret, size_t size)
{
	return (size_t)snprintf(ret, size,
				"%-30s %-8s %5" PRIu64
				" %-11s %s %9.2f/%-7.0f %s %7.1f/%-5.0f %9.2f %5s %6" PRIu64 " ",
				row->id, row->state, row->queued, row->queue[0] ? row->queue : "open",
				money, (double)row->money_ucents / REEVE_UCENTS_PER_CENT,
				(double)row->money_cap_ucents / REEVE_UCENTS_PER_CENT, minutes,
				(double)row->time_ns / NSEC_PER_SEC / 60,
				(double)row->time_cap_ns / NSEC_PER_SEC / 60,
				(double)row->cpu_ns / NSEC_PER_SEC, processors, row->denied);
}

static void row_print(FILE *to, const struct top_row *row, const struct layout *layout, size_t columns)
{
	char money[BAR_MAX + 3], minutes[BAR_MAX + 3], text[LINE_SIZE], title[LINE_SIZE];
	char processors[16];
	size_t n;

	render_bar(row->money_ucents, row->money_cap_ucents, layout->bar, money);
	render_bar(row->time_ns, row->time_cap_ns, layout->bar, minutes);
	processors_text(row, processors, sizeof(processors));
	if (layout->whole)
		n = whole_print(row, money, minutes, processors, text, sizeof(text));
	else
		n = (size_t)snprintf(text, sizeof(text),
				     "%-*.*s %-8s %4" PRIu64 " %s %8.2f %s %6.1f %5s %6" PRIu64 " ",
				     layout->id, layout->id, row->id, row->state, row->queued,
				     money, (double)row->money_ucents / REEVE_UCENTS_PER_CENT,
				     minutes, (double)row->time_ns / NSEC_PER_SEC / 60, processors,
				     row->denied);
	text_show(row->title, columns > n + TITLE_MIN ? columns - n : TITLE_MIN, title,
		  sizeof(title));
	fprintf(to, "%s%s", text, title);
}

static void head_print(FILE *to, const struct layout *layout)
{
	if (layout->whole)
		fprintf(to, "%-30s %-8s %5s %-11s %-12s %9s/%-7s %-12s %7s/%-5s %9s %5s %6s %s",
			"SESSION", "STATE", "WAIT", "QUEUE", "MONEY", "cents", "cap", "TIME",
			"minutes", "cap", "CPU s", "CPU", "DENIED", "TASK");
	else
		fprintf(to, "%-*s %-8s %4s %-7s %8s %-7s %6s %5s %6s %s", layout->id, "SESSION",
			"STATE", "WAIT", "MONEY", "cents", "TIME", "min", "CPU", "DENIED", "TASK");
}

/* Ends a line: on a terminal what an earlier picture had there goes. */
static void line_end(FILE *to, const struct top_view *view)
{
	fputs(view->columns ? "\033[K\n" : "\n", to);
}

void render_top(FILE *to, const struct top_view *view)
{
	size_t columns = view->columns ? view->columns : COLUMNS_DEFAULT;
	const struct layout *layout = layouts;

	while (columns < layout->columns)
		layout++;
	head_print(to, layout);
	line_end(to, view);
	for (size_t i = 0; i < view->n_rows; i++) {
		row_print(to, &view->rows[i], layout, columns);
		line_end(to, view);
	}
	if (view->n_left) {
		fprintf(to, "and %zu more", view->n_left);
		line_end(to, view);
	}
}
