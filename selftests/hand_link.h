/* SPDX-License-Identifier: GPL-2.0-only */
/* The channel to the keeper of the request of hand.h. */
#ifndef REEVE_SELFTESTS_HAND_LINK_H
#define REEVE_SELFTESTS_HAND_LINK_H

#include <string.h>
#include <sys/wait.h>

#include "../user/base/clock.h"
#include "hand_make.h"

static void hand_noted(const struct keeper_note *note, void *arg)
{
	(void)arg;
	hand.note = *note;
	hand.notes++;
	if (note->kind == KEEPER_TAKEN || note->kind == KEEPER_REFUSED)
		hand.answer = *note;
	hand.taken += note->kind == KEEPER_TAKEN;
	hand.refused += note->kind == KEEPER_REFUSED;
	hand.steps_ended += note->kind == KEEPER_STEP_ENDED;
}

static void hand_ended(const struct keeper_end *end, void *arg)
{
	(void)arg;
	hand.end = *end;
	hand.ended = true;
	printf("%s, exit %d, signal %d, steps %llu: %s %s\n", run_outcome_name(end->result.outcome),
	       end->result.exit_code, end->result.signal, (unsigned long long)end->result.steps,
	       end->fault.field, end->fault.reason);
}

static void hand_lost(int err, void *arg)
{
	(void)arg;
	printf("lost: %s\n", strerror(-err));
	hand.lost = true;
}

static void hand_silent(void *arg)
{
	(void)arg;
	hand.silent++;
}

/* Serves the channel until @counter has reached @least, or the bound on waiting. */
HAND_STATIC void hand_wait(const unsigned int *counter, unsigned int least)
{
	const struct timeval pause = { .tv_usec = 20000 };
	uint64_t until = clock_monotonic_ns() + HAND_WAIT_MS * NSEC_PER_MSEC;

	while (*counter < least && !hand.ended && !hand.lost && clock_monotonic_ns() < until) {
		event_base_loopexit(hand.base, &pause);
		event_base_dispatch(hand.base);
	}
	ASSERT_TRUE(*counter >= least || hand.ended || hand.lost);
}

HAND_STATIC void hand_connect(const char *request_id)
{
	const struct keeper_link_args args = { hand_noted, hand_ended, hand_lost, hand_silent, NULL };

	hand.notes = hand.taken = hand.refused = hand.steps_ended = hand.silent = 0;
	hand.ended = hand.lost = false;
	ASSERT_OK(keeper_link_open(hand.base, hand.engine.run_fd, request_id, &args, &hand.link));
	hand_wait(&hand.notes, 1);
	if (!hand.ended)
		EXPECT_EQ(hand.note.kind, KEEPER_STATUS);
}

/* Gives the order and waits for its answer: 0 or what it was refused for. */
HAND_STATIC int hand_order(enum keeper_order_kind kind)
{
	struct keeper_order order = { .kind = kind, .budget = hand.budget };
	unsigned int answers = hand.taken + hand.refused;
	uint64_t number;

	ASSERT_OK(keeper_link_order(hand.link, &order, NULL, 0, &number));
	for (unsigned int before = hand.notes;
	     hand.taken + hand.refused == answers && !hand.ended && !hand.lost; before = hand.notes)
		hand_wait(&hand.notes, before + 1);
	return hand.answer.kind == KEEPER_REFUSED ? hand.answer.err : 0;
}

HAND_STATIC void hand_wait_end(void)
{
	uint64_t until = clock_monotonic_ns() + HAND_WAIT_MS * NSEC_PER_MSEC;

	while (!hand.ended && !hand.lost && clock_monotonic_ns() < until) {
		const struct timeval pause = { .tv_usec = 20000 };

		event_base_loopexit(hand.base, &pause);
		event_base_dispatch(hand.base);
	}
	ASSERT_TRUE(hand.ended || hand.lost);
	keeper_link_free(hand.link);
	hand.link = NULL;
	waitpid(hand.keeper, NULL, 0);
}

/* Runs a script to its end. */
HAND_STATIC const struct run_result *hand_run(const char *script)
{
	hand_start(script);
	hand_connect(hand.plan.request_id);
	hand_wait_end();
	ASSERT_TRUE(hand.ended);
	return &hand.end.result;
}

#endif
