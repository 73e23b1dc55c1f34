/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_EVENTS_H
#define REEVE_EVENTS_H

#include "../../include/usage.h"

/* The reader of one ring of events; one at a time for each ring. */
struct events;

/* @ring_fd is borrowed and may be closed afterwards. Returns 0 or -errno. */
int events_new(int ring_fd, void (*fn)(const struct event *event, void *arg), void *arg,
	       struct events **ret);
void events_free(struct events *events);

/* Readable when there may be events. */
int events_fd(const struct events *events);

/* Calls fn for each event that is there. Returns 0 or -errno. */
int events_drain(struct events *events);

#endif
