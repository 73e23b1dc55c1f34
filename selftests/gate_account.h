/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel wrote down of the sessions of gate.h: counters and events. */
#ifndef REEVE_SELFTESTS_GATE_ACCOUNT_H
#define REEVE_SELFTESTS_GATE_ACCOUNT_H

#include "gate.h"

#include "../user/kernel/events.h"

#define GATE_EVENTS 1024

static struct events *gate_ring;
static struct event gate_seen[GATE_EVENTS];
static size_t gate_n_seen;

static inline struct usage gate_usage_of(uint64_t id)
{
	struct usage usage;

	ASSERT_OK(guard_session_usage(&gate.guard, id, &usage));
	return usage;
}

static inline uint64_t gate_denials(uint64_t id, enum reason reason)
{
	struct usage usage = gate_usage_of(id);

	return ((const __u64 *)&usage.denials)[reason - 1];
}

static inline uint64_t gate_denials_all(uint64_t id)
{
	struct usage usage = gate_usage_of(id);
	uint64_t sum = 0;

	for (int i = 0; i < REASON_COUNT - 1; i++)
		sum += ((const __u64 *)&usage.denials)[i];
	return sum;
}

static inline void gate_event_seen(const struct event *event, void *arg)
{
	(void)arg;
	if (gate_n_seen < GATE_EVENTS)
		gate_seen[gate_n_seen++] = *event;
}

/* Reads what is in the session's ring behind what was read before. */
static inline void gate_drain(void)
{
	int fd;

	if (!gate_ring) {
		ASSERT_OK(guard_ring_open(&gate.guard, gate.policy.ring, &fd));
		ASSERT_OK(events_new(fd, gate_event_seen, NULL, &gate_ring));
		close(fd);
	}
	ASSERT_OK(events_drain(gate_ring));
}

#endif
