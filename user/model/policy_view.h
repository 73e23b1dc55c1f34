/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel holds of one live session, for people and as a document. */
#ifndef REEVE_POLICY_VIEW_H
#define REEVE_POLICY_VIEW_H

#include <stddef.h>

#include "../../include/usage.h"
#include "rule.h"

struct policy_view {
	char session_id[REEVE_SESSION_ID_SIZE];
	uint64_t cgroup_id;
	struct policy policy;
	struct usage usage;
	uint64_t now_ns;    /* CLOCK_MONOTONIC, when it was read */
	struct rule *rules; /* the session's own */
	size_t n_rules;
};

void policy_view_deinit(struct policy_view *view);
#define _cleanup_policy_view_ _cleanup_(policy_view_deinit)

/* Appends a copy. Returns 0 or -ENOMEM. */
int policy_view_add(struct policy_view *view, const struct rule *rule);

/* Why the kernel denies all to the session at this moment; REASON_OK while it may run. */
enum reason policy_view_stopped_by(const struct policy_view *view);

/* Until its deadline, at least 0; POLICY_UNLIMITED when there is none yet. */
uint64_t policy_view_time_left_ns(const struct policy_view *view);

uint64_t policy_view_money_ucents(const struct policy_view *view);

/* NULL when there is no such state or mode. */
const char *policy_state_name(enum policy_state state);
const char *policy_egress_name(enum policy_egress egress);

#endif
