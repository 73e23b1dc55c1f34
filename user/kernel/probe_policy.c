// SPDX-License-Identifier: GPL-2.0-only
/*
 * One child tries the acts of the table, one after the other, and writes down for each what the kernel
 * answered and by how much the counter of the reason rose: an errno alone could come from elsewhere.
 *
 * It holds the maps and moves its own session from state to state, as its owner would.
 */
#include "probe_policy.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "probe_acts.h"
#include "probe_child.h"
#include "probe_net.h"

enum reason probe_act_reason(enum probe_act act)
{
	return probe_acts[act].reason;
}

bool probe_act_holds(enum probe_act act, const struct probe_outcome *outcome)
{
	enum reason reason = probe_acts[act].reason;

	if (reason == REASON_OK)
		return outcome->err == 0;
	return outcome->err == reason_errno(reason) && outcome->counted == 1;
}

static int state_enter(struct acting *a, enum policy_state state)
{
	if (a->policy.state == state)
		return 0;
	a->policy.state = state;
	a->policy.generation++;
	return guard_session_update(a->stage->guard, a->stage->session, &a->policy);
}

static int counter_read(const struct acting *a, enum reason reason, uint64_t *ret)
{
	struct usage usage;
	int r = guard_session_usage(a->stage->guard, a->stage->session, &usage);

	if (!r)
		*ret = reason == REASON_OK ? 0 : ((const __u64 *)&usage.denials)[reason - 1];
	return r;
}

static int act_try(struct acting *a, enum probe_act act)
{
	uint64_t before, after;
	int r = state_enter(a, probe_acts[act].state), err;

	r = r ? r : counter_read(a, probe_acts[act].reason, &before);
	if (r)
		return r;
	err = -probe_acts[act].run(a);
	r = counter_read(a, probe_acts[act].reason, &after);
	if (!r)
		a->outcomes[act] = (struct probe_outcome){ .err = err, .counted = after - before };
	return r;
}

static int acts_try(void *arg)
{
	struct acting *a = arg;
	int r = state_enter(a, POLICY_OPEN);

	r = r ? r : probe_acts_prepare(a);
	for (unsigned int act = 0; !r && act < PROBE_ACT_COUNT; act++)
		r = act_try(a, act);
	return r;
}

int probe_policy(const struct probe_stage *stage, const struct policy *policy,
		 struct probe_outcome ret[PROBE_ACT_COUNT], struct fault *ret_fault)
{
	const size_t size = PROBE_ACT_COUNT * sizeof(*ret);
	_cleanup_(dnssock_close) struct dnssock resolver = DNSSOCK_INIT;
	_cleanup_fd_ int outside_fd = -1;
	struct acting a = { .stage = stage, .policy = *policy, .resolver = &resolver };
	struct probe_child child = {
		.cgroup_fd = stage->cgroup_fd,
		.netns_fd = stage->netns_fd,
		.namespaces = CLONE_NEWNS,
		.fn = acts_try,
		.arg = &a,
	};
	struct probe_child_end end;
	int r = probe_socket(stage->netns_fd, 0, &outside_fd);

	if (!r)
		r = probe_setting(stage->netns_fd, "/proc/sys/net/ipv4/ping_group_range", "0 0");
	if (!r)
		r = dnssock_open(stage->netns_fd, &resolver, ret_fault);
	if (r)
		return r;
	a.outside_fd = outside_fd;
	a.outcomes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (a.outcomes == MAP_FAILED)
		return -errno;
	r = probe_child_run(&child, &end);
	if (!r)
		r = probe_child_errno(&end);
	if (!r)
		memcpy(ret, a.outcomes, size);
	munmap(a.outcomes, size);
	return r;
}
