/* SPDX-License-Identifier: GPL-2.0-only */
/* The session of hand.h, and requests in it. */
#ifndef REEVE_SELFTESTS_HAND_MAKE_H
#define REEVE_SELFTESTS_HAND_MAKE_H

#include "../user/engine/workspace.h"
#include "../user/kernel/cgroup.h"
#include "../user/kernel/seccomp.h"
#include "hand.h"

static inline void hand_spec(struct spec *spec, const char *script)
{
	const char *const argv[] = { "/bin/sh", "-c", script };
	struct fault fault = {};

	spec_init(spec);
	ASSERT_OK(spec_set_argv(spec, argv, ARRAY_SIZE(argv), &fault));
	spec->egress = hand.egress;
	spec->time_box_ns = hand.box_ns;
	spec->rates = hand.rates;
}

/* A plan of a shell's script for the session. */
HAND_STATIC void hand_plan(const char *script)
{
	_cleanup_spec_ struct spec spec;
	unsigned int controllers;
	struct fault fault = {};
	char id[REEVE_SESSION_ID_SIZE];

	plan_deinit(&hand.plan);
	hand_spec(&spec, script);
	snprintf(id, sizeof(id), "%s", hand.session.made ? hand.session.id : "");
	ASSERT_OK(facts_name(&hand.facts));
	if (*id)
		snprintf(hand.facts.session_id, sizeof(hand.facts.session_id), "%s", id);
	ASSERT_OK(cgroup_read_controllers(hand.engine.parent_fd, &controllers));
	ASSERT_OK(facts_read(&spec, controllers, hand.session.slot.number, &hand.facts, &fault));
	hand.facts.host.has_workspace = true;
	ASSERT_OK(plan_make(&spec, &hand.facts.host, NULL, 0, &hand.plan, &fault));
}

/* A new kept session, with a workspace. */
HAND_STATIC void hand_session(void)
{
	struct fault fault = {};
	struct policy policy;

	hand_plan("true");
	policy = request_policy(&hand.plan);
	if (session_open(&hand.engine, hand.plan.session_id, SLOT_ANY, &policy, &hand.session, &fault))
		printf("%s: %s\n", fault.field, fault.reason);
	ASSERT_TRUE(hand.session.made);
	ASSERT_OK(workspace_make(hand.state, hand.session.id, hand.session.slot.number, &fault));
}

static int hand_first(const struct slot_record *record, unsigned int slot, void *arg)
{
	(void)arg;
	ASSERT_OK(session_adopt(&hand.engine, record, slot, &hand.session));
	return 1;
}

/* The session that is there, as who comes back finds it. */
HAND_STATIC void hand_adopt(void)
{
	hand.session = (struct session)SESSION_INIT;
	ASSERT_EQ(session_each_kept(&hand.engine, hand_first, NULL), 1);
}

static void hand_record(const struct keeper_report *report, void *arg)
{
	FILE *f = fopen(hand.record, "we");

	(void)arg;
	fprintf(f, "%s %d %d started=%d steps=%llu %s\n", run_outcome_name(report->result->outcome),
		report->result->exit_code, report->result->signal, report->started,
		(unsigned long long)report->result->steps, report->fault->reason);
	fclose(f);
}

static void hand_checkpoint(const struct request_spend *spend, void *arg)
{
	(void)spend;
	(void)arg;
}

/* What a script of an earlier request said or was told is forgotten. */
static void hand_forget(const char *name)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/sessions/%s/%s/%s", hand.state, hand.session.id, "work",
		 name);
	unlink(path);
}

HAND_STATIC void hand_start(const char *script)
{
	struct keeper_args args = {
		.session = &hand.session,
		.plan = &hand.plan,
		.budget = &hand.budget,
		.state_dir = hand.state,
		.seccomp = seccomp_default(),
		.open = hand.open,
		.step_budget = hand.step_budget,
		.ended = hand_record,
		.checkpoint = hand_checkpoint,
	};
	struct fault fault = {};

	hand_plan(script);
	unlink(hand.record);
	hand_forget("up");
	hand_forget("go");
	ASSERT_OK(keeper_start(&args, &hand.keeper, &fault));
}

#endif
