// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session's entries as they were read, and what follows from them: with the functions by which the
 * kernel itself judges, at the time of the reading. Numbers out of a map are looked up, never trusted as
 * indexes: an operator may have written them.
 */
#include "policy_view.h"

#include <errno.h>
#include <stdlib.h>

#include "../../include/account.h"

static const char *const states[] = {
	[POLICY_CLOSED] = "closed", [POLICY_PROOF] = "proof", [POLICY_OPEN] = "open",
	[POLICY_PAUSED] = "paused", [POLICY_WIPED] = "wiped",
};

static const char *const egress_modes[] = {
	[POLICY_EGRESS_NONE] = "none",
	[POLICY_EGRESS_PUBLIC] = "public",
	[POLICY_EGRESS_PACKAGE_MANAGERS] = "package-managers",
};

const char *policy_state_name(enum policy_state state)
{
	return (unsigned int)state < ARRAY_SIZE(states) ? states[state] : NULL;
}

const char *policy_egress_name(enum policy_egress egress)
{
	return (unsigned int)egress < ARRAY_SIZE(egress_modes) ? egress_modes[egress] : NULL;
}

void policy_view_deinit(struct policy_view *view)
{
	free(view->rules);
	*view = (struct policy_view){};
}

int policy_view_add(struct policy_view *view, const struct rule *rule)
{
	struct rule *rules = reallocarray(view->rules, view->n_rules + 1, sizeof(*rules));

	if (!rules)
		return -ENOMEM;
	view->rules = rules;
	rules[view->n_rules++] = *rule;
	return 0;
}

enum reason policy_view_stopped_by(const struct policy_view *view)
{
	return account_state(&view->policy, &view->usage, view->now_ns);
}

uint64_t policy_view_time_left_ns(const struct policy_view *view)
{
	uint64_t deadline_ns = view->policy.deadline_ns;

	if (deadline_ns == POLICY_UNLIMITED)
		return POLICY_UNLIMITED;
	return deadline_ns > view->now_ns ? deadline_ns - view->now_ns : 0;
}

uint64_t policy_view_money_ucents(const struct policy_view *view)
{
	return account_money_ucents(&view->policy, &view->usage, view->now_ns);
}
