// SPDX-License-Identifier: GPL-2.0-only
/*
 * The end of a request's account. The kernel may have stopped the session without a word from its event, and
 * so may somebody who did not wait for this process to answer: the counters and the policy know. A command
 * that ended by itself at that moment has an exit code of its own, which stays the outcome.
 */
#include <errno.h>
#include <signal.h>

#include "../../include/account.h"
#include "../base/clock.h"
#include "../kernel/cgroup.h"
#include "../kernel/events.h"
#include "life_dns.h"
#include "life_parts.h"

enum run_outcome life_outcome(const struct life *life, enum reason reason)
{
	switch (reason) {
	case REASON_DEADLINE:
		return request_wall_is_spent(life->request) ? RUN_CAPPED : RUN_TIMED_OUT;
	case REASON_CAP_CPU:
	case REASON_CAP_MONEY:
		return RUN_CAPPED;
	case REASON_WIPED:
		return RUN_WIPED;
	default:
		return RUN_INTERRUPTED;
	}
}

static bool reason_is_limit(enum reason reason)
{
	return reason == REASON_CAP_CPU || reason == REASON_CAP_MONEY || reason == REASON_DEADLINE;
}

/* Who killed it, where nobody here did. */
static void outcome_find(struct life *life, const struct policy *open, const struct policy *kernel,
			 const struct usage *usage, enum reason reached)
{
	if (life->stopping || life->exit.signal != SIGKILL)
		return;
	if (kernel->state == POLICY_WIPED)
		life->result->outcome = RUN_WIPED;
	/* a pause stops too, and has a generation that a stranger's change may have as well */
	else if (kernel->generation != open->generation ||
		 (kernel->state == POLICY_PAUSED && reached == REASON_OK))
		life->result->outcome = RUN_INTERRUPTED;
	else if (usage->stopped_generation >= life->opened_generation)
		/* a cap that was raised as it was reached is none any more */
		life->result->outcome = reached == REASON_OK ? RUN_CAPPED
							     : life_outcome(life, reached);
}

static void outcome_settle(struct life *life, const struct policy *open,
			   const struct policy *kernel, const struct usage *usage, uint64_t now)
{
	struct policy running = *open;
	struct run_result *result = life->result;
	struct usage total = *usage;
	enum reason reason;

	/* what a pause hides is whether a cap was reached */
	running.state = POLICY_OPEN;
	total.cpu_ns += life->request->before.cpu_ns;
	total.bytes_out += life->request->before.bytes_out;
	reason = account_state(&running, &total, now);
	result->cap.reached = reason_is_limit(reason) ? reason : REASON_OK;
	outcome_find(life, open, kernel, usage, reason);
	if (result->outcome == RUN_TIMED_OUT && result->cap.reached == REASON_OK)
		result->cap.reached = REASON_DEADLINE;
	if (result->signal == SIGKILL && result->outcome == RUN_EXITED &&
	    cgroup_was_oom(life->request->cgroup_fd))
		result->outcome = RUN_OOM;
}

static int result_account(struct life *life, const struct usage *usage)
{
	struct run_result *result = life->result;
	struct request_spend spend;
	int r = request_spend(life->request, &spend);

	if (r)
		return r;
	result->exit_code = life->exit.exit_code;
	result->signal = life->exit.signal;
	result->steps = spend.steps;
	run_result_set_usage(result, usage);
	result->denials[REASON_PROOF - 1].count = 0;
	life_dns_settle(life->dns);
	result->wall_ns = spend.wall_ns;
	result->money_ucents = spend.money_ucents;
	return 0;
}

int life_settle(struct life *life)
{
	struct request *request = life->request;
	struct policy open = request->session->policy, kernel;
	struct usage usage;
	uint64_t now;
	int r = request_kill(request);

	now = clock_monotonic_ns();
	if (!r)
		r = guard_session_policy(&request->session->engine->guard,
					 request->session->cgroup_id, &kernel);
	if (!r)
		r = request_settle(request,
				   kernel.state == POLICY_WIPED ? POLICY_WIPED : POLICY_CLOSED,
				   &usage);
	if (!r)
		r = events_drain(life->events);
	if (!r)
		r = result_account(life, &usage);
	if (r)
		return r;
	outcome_settle(life, &open, &kernel, &usage, now);
	return life->error;
}
