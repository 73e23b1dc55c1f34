/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening a hall, and giving it time. */
#ifndef REEVE_SELFTESTS_HALL_OPEN_H
#define REEVE_SELFTESTS_HALL_OPEN_H

#include <errno.h>
#include <sys/prctl.h>

#include "hall.h"

HAND_STATIC int hand_try_open(void)
{
	hand.args = (struct hall_args){
		.config = &hand.config,
		.rules = &hand.rules,
		.state_dir = hand.state,
		.describe = hand_describe,
		.notify = hand_notify,
		.read_spec = hand_read_spec,
		.now_ms = hand_now_ms,
		.boot_id = hand.boot_id,
	};
	hand.fault = (struct fault){};
	if (!hand.base)
		hand.base = event_base_new();
	return hall_open(hand.base, &hand.args, &hand.hall, &hand.fault);
}

/* Opens the hall, or opens it again. */
HAND_STATIC void hand_open(void)
{
	int r;

	hand_place();
	/* who loses its starter is seen here */
	ASSERT_OK(prctl(PR_SET_CHILD_SUBREAPER, 1));
	r = hand_try_open();
	if (r)
		printf("hall_open: %d, %s: %s\n", r, hand.fault.field, hand.fault.reason);
	ASSERT_OK(r);
}

HAND_STATIC void hand_turn(unsigned int ms)
{
	const struct timeval pause = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };

	event_base_loopexit(hand.base, &pause);
	event_base_dispatch(hand.base);
}

/* Serves the hall until @condition, or the bound on waiting. */
#define HAND_WAIT(condition)                                                                       \
	do {                                                                                       \
		uint64_t until_ = clock_monotonic_ns() + HAND_WAIT_MS * NSEC_PER_MSEC;             \
		while (!(condition) && clock_monotonic_ns() < until_)                              \
			hand_turn(10);                                                             \
		ASSERT_TRUE(condition);                                                            \
	} while (0)

#endif
