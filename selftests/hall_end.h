/* SPDX-License-Identifier: GPL-2.0-only */
/* For TEARDOWN, and what must not be there. */
#ifndef REEVE_SELFTESTS_HALL_END_H
#define REEVE_SELFTESTS_HALL_END_H

#include "../user/engine/recover.h"
#include "hall_open.h"

/* No keeper has left its channel's name. */
HAND_STATIC void hand_no_channel(void)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/keepers", hand.run_dir);
	EXPECT_TRUE(rmdir(path) == 0 || errno == ENOENT);
}

static int hand_discard(const struct slot_record *record, unsigned int slot, void *arg)
{
	struct engine *engine = arg;
	struct fault fault = {};

	EXPECT_OK(session_discard(engine, record, slot, &fault));
	return 0;
}

/* For TEARDOWN: whatever became of the test, nothing of the place is left. */
HAND_STATIC void hand_remove(void)
{
	struct engine engine = ENGINE_INIT;
	struct fault ignored = {}, fault = {};
	struct recover_removed removed;
	char command[2000];
	unsigned int swept;

	hand_place();
	if (engine_open(&hand.config, &engine, &swept, &ignored) == 0) {
		EXPECT_OK(session_each_kept(&engine, hand_discard, &engine));
		snprintf(command, sizeof(command), "rm -rf %s/keepers", hand.run_dir);
		EXPECT_OK(system(command));
		engine_close(&engine);
	}
	if (recover_remove_all(&hand.config, &removed, &fault))
		printf("%s: %s\n", fault.field, fault.reason);
	EXPECT_EQ(fault.code, FAULT_NONE);
	snprintf(command, sizeof(command),
		 "chattr -R -i -a %s 2>/dev/null; umount -l %s/sessions/*/* %s/sessions/* 2>/dev/null; "
		 "rm -rf %s %s",
		 hand.state, hand.state, hand.state, hand.state, hand.out);
	EXPECT_OK(system(command));
	EXPECT_NE(access(hand.run_dir, F_OK), 0);
}

#endif
