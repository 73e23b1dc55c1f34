// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a request is told while it runs. An order that the kernel does not take ends the request: it never
 * goes on under a policy that nobody meant. The first outcome stays, whatever follows.
 */
#include <errno.h>
#include <event2/event.h>

#include "life_parts.h"

/* Nothing of it may run as it is. */
static int life_fail(struct life *life, int err)
{
	fault_set_errno(life->fault, FAULT_ENFORCEMENT, "policies",
			"run \"reeve doctor\"; look at who changes the session's cgroup or its entry",
			-err, "the kernel does not take the policy of session %s",
			life->request->session->id);
	life_stop(life, RUN_INTERRUPTED, false);
	return err;
}

int life_freeze(struct life *life)
{
	int r;

	if (life->ended || life->request->frozen)
		return 0;
	if (life->stopping) {
		life_kill(life);
		return 0;
	}
	event_del(life->timers[LIFE_TIME_BOX]);
	r = request_freeze(life->request);
	return r ? life_fail(life, r) : 0;
}

int life_thaw(struct life *life)
{
	int r;

	if (life->ended || life->stopping || !life->request->frozen)
		return 0;
	r = request_thaw(life->request);
	if (!r)
		r = life_timers_set(life);
	return r ? life_fail(life, r) : 0;
}

int life_set_budget(struct life *life, const struct session_budget *budget)
{
	int r;

	if (life->ended || life->stopping)
		return 0;
	r = request_set_budget(life->request, budget);
	if (!r && !life->request->frozen)
		r = life_timers_set(life);
	if (r)
		return life_fail(life, r);
	life_check_caps(life);
	return 0;
}

int life_step(struct life *life, const char *args, size_t n, size_t n_args)
{
	int r;

	if (!life->request->open)
		return LIFE_E_NOT_OPEN;
	if (life->ended || life->stopping)
		return LIFE_E_ENDING;
	if (life->request->frozen)
		return LIFE_E_FROZEN;
	if (life->request->steps >= life->args->step_budget) {
		life_stop(life, RUN_STEP_LIMITED, true);
		return LIFE_E_STEP_LIMITED;
	}
	if (life->running == REEVE_STEPS_RUNNING_MAX)
		return -EAGAIN;
	r = request_step(life->request, args, n, n_args);
	life->running += !r;
	if (r != REQUEST_E_CAPPED)
		return r;
	life_check_caps(life);
	return LIFE_E_ENDING;
}

int life_finish(struct life *life)
{
	int r;

	if (!life->request->open)
		return LIFE_E_NOT_OPEN;
	if (life->ended || life->stopping)
		return LIFE_E_ENDING;
	if (life->request->frozen)
		return LIFE_E_FROZEN;
	r = spawn_finish(&life->request->spawn);
	if (r)
		return r;
	/* what it still runs goes with it, and changes nothing of how it ended */
	life->stopping = true;
	return 0;
}
