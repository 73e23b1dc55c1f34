/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hands that start and hold keepers, in place of a daemon: an engine at a place of the test's own, one kept
 * session with a workspace, its requests, and the channel. What a keeper records is written to a file.
 * hand_make.h, hand_link.h and hand_look.h have the rest; hand_remove() of hand_end.h goes into TEARDOWN.
 */
#ifndef REEVE_SELFTESTS_HAND_H
#define REEVE_SELFTESTS_HAND_H

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "../user/engine/facts.h"
#include "../user/engine/keeper.h"
#include "../user/engine/rules.h"
#include "test.h"

#define HAND_PINS "/sys/fs/bpf/hand"
#define HAND_WAIT_MS 15000
#define HAND_STATIC __attribute__((unused)) static

static struct hand {
	char parent[64], run_dir[300], out[300], state[300], record[300];
	struct engine_config config;
	struct config rules;
	struct engine engine;
	struct session session;
	struct facts facts;
	struct plan plan;
	struct session_budget budget;
	uint64_t box_ns;
	struct rate_card rates;
	enum spec_egress egress;
	bool open;
	uint64_t step_budget;
	struct event_base *base;
	struct keeper_link *link;
	struct keeper_note note, answer; /* the last ones */
	struct keeper_end end;
	unsigned int notes, taken, refused, steps_ended, silent;
	bool ended, lost;
	pid_t keeper;
} hand;

HAND_STATIC void hand_place(void)
{
	const char *tmp = getenv("TMPDIR");

	tmp = tmp ? tmp : "/tmp";
	snprintf(hand.parent, sizeof(hand.parent), "reeve-hand-%d", getppid());
	snprintf(hand.run_dir, sizeof(hand.run_dir), "%s/hand-run", tmp);
	snprintf(hand.out, sizeof(hand.out), "%s/hand-out", tmp);
	snprintf(hand.state, sizeof(hand.state), "%s/hand-state", tmp);
	snprintf(hand.record, sizeof(hand.record), "%s/hand-record", tmp);
	hand.config = (struct engine_config){ hand.parent, HAND_PINS, hand.run_dir, hand.out, NULL };
	hand.engine = (struct engine)ENGINE_INIT;
	hand.session = (struct session)SESSION_INIT;
	hand.budget = (struct session_budget){ POLICY_UNLIMITED, POLICY_UNLIMITED, POLICY_UNLIMITED,
					       0, 0 };
	hand.box_ns = 60 * NSEC_PER_SEC;
	hand.step_budget = 100;
}

/* Opens the engine, and what a keeper needs of the place. */
HAND_STATIC void hand_open(void)
{
	struct fault fault = {};
	unsigned int swept;
	int lock;

	hand_place();
	/* who loses its starter is seen here */
	ASSERT_OK(prctl(PR_SET_CHILD_SUBREAPER, 1));
	if (engine_open(&hand.config, &hand.engine, &swept, &fault) > 0)
		printf("%s: %s\n", fault.field, fault.reason);
	ASSERT_GE(hand.engine.run_fd, 0);
	ASSERT_OK(engine_lock(hand.engine.run_fd, &lock));
	ASSERT_OK(rules_apply(&hand.engine, &hand.rules, &fault));
	close(lock);
	hand.base = event_base_new();
	ASSERT_TRUE(mkdir(hand.state, 0700) == 0 || errno == EEXIST);
}

#endif
