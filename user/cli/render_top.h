/* SPDX-License-Identifier: GPL-2.0-only */
/* One picture of all sessions, and the bars in it. */
#ifndef REEVE_RENDER_TOP_H
#define REEVE_RENDER_TOP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../../include/limits.h"

struct top_row {
	char id[REEVE_SESSION_ID_SIZE], state[16], queue[16]; /* why it is closed, or "" */
	char title[512];				      /* as it came */
	uint64_t queued, denied;
	uint64_t money_ucents, money_cap_ucents, time_ns, time_cap_ns;
	uint64_t cpu_ns;
	double processors; /* at work since the last picture; negative where there was none */
};

struct top_view {
	struct top_row *rows;
	size_t n_rows;
	size_t n_left;	  /* sessions that there was no room for */
	unsigned columns; /* of the terminal, or 0 */
};

/*
 * A bar of @width places for @part of @whole: "[####....]". It is full only when all is spent, and empty only when nothing
 * is. @ret has @width + 3 bytes.
 */
void render_bar(uint64_t part, uint64_t whole, unsigned int width, char *ret);

void render_top(FILE *to, const struct top_view *view);

#endif
