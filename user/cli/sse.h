/* SPDX-License-Identifier: GPL-2.0-only */
/* Server-sent events out of a stream of bytes that comes in any parts. */
#ifndef REEVE_SSE_H
#define REEVE_SSE_H

#include <stddef.h>
#include <stdint.h>

struct sse_event {
	uint64_t id;	  /* the last one that was said */
	const char *type; /* "" for none */
	const char *data; /* with a zero behind it; "" for none: then only the id was said */
	size_t n_data;
};

/* Begins as all zeros. */
struct sse {
	char *line, *data;
	size_t n_line, n_data;
	char type[64];
	uint64_t id;
};
void sse_deinit(struct sse *sse);
#define _cleanup_sse_ _cleanup_(sse_deinit)

/* Drops what was read of an event that did not come whole, for a stream that begins anew. */
void sse_reset(struct sse *sse);

/*
 * Gives @fn each event that is whole, until it returns what is not 0, which is returned. -ENOMEM also for a line or an event
 * that is too long to be one.
 */
int sse_feed(struct sse *sse, const char *bytes, size_t n,
	     int (*fn)(const struct sse_event *event, void *arg), void *arg);

#endif
