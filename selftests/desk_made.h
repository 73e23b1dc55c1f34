/* SPDX-License-Identifier: GPL-2.0-only */
/* Sessions for tests: one that stands where the test wants it, and what holds of every session. */
#ifndef REEVE_SELFTESTS_DESK_MADE_H
#define REEVE_SELFTESTS_DESK_MADE_H

#include <string.h>

#include "../user/model/desk_account.h"
#include "../user/model/desk_table.h"
#include "test.h"

#define DESK_MADE_AT_MS 1796112000000ull

/* 10 dollars and 60 minutes, nothing spent. */
static inline struct desk desk_made(enum desk_place place)
{
	static const enum desk_state states[] = {
		[DESK_AT_IDLE] = DESK_IDLE,	  [DESK_AT_ARMED] = DESK_ARMED,
		[DESK_AT_RUNNING] = DESK_RUNNING, [DESK_AT_PAUSED] = DESK_PAUSED,
		[DESK_AT_WIPING] = DESK_PAUSED,	  [DESK_AT_WIPED] = DESK_WIPED,
		[DESK_AT_ENDING] = DESK_PAUSED,	  [DESK_AT_ENDED] = DESK_ENDED,
	};
	struct desk desk = {
		.id = "sbs_01KBDRJ0G0A1B2C3D4E5F6G7H8",
		.task_id = "nightly",
		.task_title = "Nightly build",
		.owner = "usr_01KBDRJ0G0A1B2C3D4E5F6G7H8",
		.state = states[place],
		.revision = 7,
		.time_box_minutes = 10,
		.step_budget = 40,
		.cap = { .money_cents = 1000, .minutes = 60 },
		.egress = SPEC_EGRESS_PUBLIC,
		.created_at_ms = DESK_MADE_AT_MS,
	};

	desk.armed = place == DESK_AT_ARMED || place == DESK_AT_RUNNING || place == DESK_AT_PAUSED;
	desk.armed_at_ms = desk.armed ? DESK_MADE_AT_MS + 1000 : 0;
	if (place != DESK_AT_IDLE && place != DESK_AT_ARMED)
		desk.started_at_ms = DESK_MADE_AT_MS + 2000;
	if (place == DESK_AT_WIPED || place == DESK_AT_ENDED)
		desk.wiped_at_ms = DESK_MADE_AT_MS + 3000;
	if (place == DESK_AT_ENDING || place == DESK_AT_ENDED)
		desk.queue = DESK_QUEUE_ENDED;
	if (place == DESK_AT_ENDED)
		desk.ended_at_ms = DESK_MADE_AT_MS + 4000;
	return desk;
}

/* What holds of a session after every step, and of its spend since @before. */
static inline void desk_expect_invariants(const struct desk *desk, const struct desk *before)
{
	if (desk->state == DESK_IDLE)
		EXPECT_TRUE(!desk->armed && !desk->armed_at_ms && !desk->started_at_ms &&
			    !desk->wiped_at_ms && !desk->ended_at_ms);
	if (desk->state == DESK_RUNNING)
		EXPECT_TRUE(desk->armed && desk->started_at_ms && desk->queue == DESK_QUEUE_OPEN);
	if (desk->state == DESK_ARMED)
		EXPECT_TRUE(desk->armed && desk->queue == DESK_QUEUE_OPEN);
	if (desk->state == DESK_WIPED)
		EXPECT_TRUE(desk->wiped_at_ms && !desk->armed);
	EXPECT_EQ(desk->state == DESK_ENDED, desk->ended_at_ms != 0);
	EXPECT_EQ(desk->armed, desk->armed_at_ms != 0);
	EXPECT_GE(desk->revision, before->revision);
	EXPECT_GE(desk->spend.money_ucents, before->spend.money_ucents);
	EXPECT_GE(desk->spend.cpu_ns, before->spend.cpu_ns);
	EXPECT_GE(desk->spend.wall_ns, before->spend.wall_ns);
	EXPECT_GE(desk->spend.steps, before->spend.steps);
}

#endif
