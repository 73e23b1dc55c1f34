/* SPDX-License-Identifier: GPL-2.0-only */
/* For TEARDOWN: whatever became of the test, nothing of the place of hand.h is left. */
#ifndef REEVE_SELFTESTS_HAND_END_H
#define REEVE_SELFTESTS_HAND_END_H

#include "../user/engine/recover.h"
#include "hand_look.h"

static int hand_discard(const struct slot_record *record, unsigned int slot, void *arg)
{
	struct fault fault = {};

	(void)arg;
	EXPECT_OK(session_discard(&hand.engine, record, slot, &fault));
	return 0;
}

HAND_STATIC void hand_remove(void)
{
	struct recover_removed removed;
	char command[2000];
	struct fault fault = {};
	unsigned int swept;

	hand_place();
	if (engine_open(&hand.config, &hand.engine, &swept, &fault) == 0) {
		EXPECT_OK(session_each_kept(&hand.engine, hand_discard, NULL));
		engine_close(&hand.engine);
	}
	if (recover_remove_all(&hand.config, &removed, &fault))
		printf("%s: %s\n", fault.field, fault.reason);
	EXPECT_EQ(fault.code, FAULT_NONE);
	snprintf(command, sizeof(command), "chattr -R -i -a %s 2>/dev/null; rm -rf %s %s %s",
		 hand.state, hand.state, hand.out, hand.record);
	EXPECT_OK(system(command));
	EXPECT_NE(access(hand.run_dir, F_OK), 0);
}

#endif
