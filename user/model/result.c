// SPDX-License-Identifier: GPL-2.0-only
/*
 * The result of a request is filled from two sources that may disagree: the counters, which are
 * exact, and the events, of which some may have been lost. So counts come from the counters alone,
 * and the events only illustrate them. The result owns nothing.
 */
#include "result.h"

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
