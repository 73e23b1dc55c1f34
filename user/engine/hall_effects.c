// SPDX-License-Identifier: GPL-2.0-only
/*
 * What follows from a change once it is durable. Each effect can be performed again: who comes back after a crash
 * in between compares where the session stands with what its request does, and performs what is missing.
 *
 * What only tightens may have been done before.
 */
#include "hall_parts.h"

enum run_outcome effects_outcome(enum desk_event event)
{
	switch (event) {
	case DESK_EVENT_CAP:
	case DESK_EVENT_CHANGE_CAP:
		return RUN_CAPPED;
	case DESK_EVENT_WIPE:
		return RUN_WIPED;
	case DESK_EVENT_END:
		return RUN_CANCELLED;
	default:
		return RUN_INTERRUPTED;
	}
}

void effects_perform(struct hall_session *s, unsigned int effects, enum run_outcome outcome)
{
	if (effects & DESK_DO_KILL && s->run)
		run_stop(s, outcome);
	else if (effects & DESK_DO_FREEZE && s->run)
		run_freeze(s);
	if (effects & DESK_DO_BUDGET)
		account_write(s);
	if (effects & DESK_DO_THAW && s->run)
		run_thaw(s);
	if (effects & DESK_DO_START && s->run)
		run_start(s);
	if (effects & (DESK_DO_WIPE | DESK_DO_END)) {
		s->wipe_wanted = true;
		wipe_go_on(s);
	}
	if (effects & DESK_DO_DISPATCH)
		effects_dispatch(s);
}

int effects_give(struct hall_session *s, enum desk_event event, struct fault *ret_fault)
{
	_cleanup_step_ struct hall_step step = {};
	int r = step_begin(s, &step, ret_fault);

	if (!r)
		r = step_event(&step, event, ret_fault);
	if (!r && !step.effects && step.desk.revision == s->desk.revision)
		return 0;
	if (!r)
		r = step_commit(&step, NULL, ret_fault);
	if (!r)
		effects_perform(s, step.effects, effects_outcome(event));
	return r;
}

/* What keeps it from starting now is given again by what takes that away. */
void effects_dispatch(struct hall_session *s)
{
	struct fault fault = {};

	if (!s->run && s->n_queue)
		effects_give(s, DESK_EVENT_DISPATCH, &fault);
}
