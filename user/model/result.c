// SPDX-License-Identifier: GPL-2.0-only
/*
 * The result of a request is filled from two sources that may disagree: the counters, which are
 * exact, and the events, of which some may have been lost. So counts come from the counters alone,
 * and the events only illustrate them. The result owns nothing.
 */
#include "result.h"

#include <arpa/inet.h>
#include <endian.h>

static const char *const outcomes[] = {
#define X(NAME, name) [RUN_##NAME] = #name,
	RUN_OUTCOMES(X)
#undef X
};

const char *run_outcome_name(enum run_outcome outcome)
{
	return outcomes[outcome];
}

void run_result_set_usage(struct run_result *result, const struct usage *usage)
{
#define X(NAME, name, errno_, stops, text)                                                         \
	result->denials[REASON_##NAME - 1].count = usage->denials.name;
	REASONS(X)
#undef X
	result->cpu_ns = usage->cpu_ns;
	result->bytes_out = usage->bytes_out;
	result->bytes_in = usage->bytes_in;
	result->events_lost = usage->events_lost;
}

void run_result_note_event(struct run_result *result, const struct event *event)
{
	struct run_denials *denials;

	if (event->reason <= REASON_OK || event->reason >= REASON_COUNT)
		return;
	denials = &result->denials[event->reason - 1];
	if (denials->n_first < REEVE_DENIALS_FIRST)
		denials->first[denials->n_first++] = *event;
}

void run_result_note_name(struct run_result *result, enum reason reason, const char *name,
			  const struct decide_addr *addr, uint64_t now_ns)
{
	struct run_names *names = &result->names;
	struct run_name *first = &names->first[names->n_first];
	uint64_t be[2];

	if (names->n_first == REEVE_DENIALS_FIRST)
		return;
	names->n_first++;
	first->time_ns = now_ns;
	first->reason = reason;
	snprintf(first->name, sizeof(first->name), "%s", name);
	if (!addr)
		return;
	be[0] = htobe64(addr->hi);
	be[1] = htobe64(addr->lo);
	if (decide_is_mapped(addr))
		inet_ntop(AF_INET, (const char *)be + 12, first->address, sizeof(first->address));
	else
		inet_ntop(AF_INET6, be, first->address, sizeof(first->address));
}
