/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters in the text format of Prometheus, version 0.0.4. */
#ifndef REEVE_METRICS_H
#define REEVE_METRICS_H

#include <stdint.h>

#include "http.h"

struct hall;

#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"
#define METRICS_METHODS_MAX 64
#define METRICS_TYPES_MAX 32

struct metrics {
	/* replies, by method and the first digit of the status; the last row is of what is no method */
	uint64_t replies[METRICS_METHODS_MAX + 1][6];
	struct {
		char type[40];
		uint64_t n;
	} events[METRICS_TYPES_MAX];
};

void metrics_note_reply(struct metrics *metrics, const struct exchange *exchange);
void metrics_note_event(struct metrics *metrics, const char *type);

struct metrics_view {
	const struct metrics *metrics;
	struct hall *hall;
	const struct http_counts *http;
	unsigned int subscribers;
};

/* *ret is freed by the caller. Returns 0 or -errno. */
int metrics_print(const struct metrics_view *view, char **ret, size_t *ret_n);

#endif
