// SPDX-License-Identifier: GPL-2.0-only
/*
 * Making follows the promise that no byte of the command runs before all holds: the slot records the
 * cgroup, the kernel gets the usage and then a policy in the state "proof", the device gets its filter
 * before it is up, and the sandbox is started in it. The sandbox's own connects must then have failed
 * and must stand in the kernel's counter, each of them: that proves the hooks, the lookup by cgroup and
 * the entry at once. Only then the policy is opened.
 */
#include "session.h"

#include <errno.h>
#include <string.h>

#include "../../include/account.h"
#include "../base/clock.h"
#include "../kernel/cgroup.h"
#include "../kernel/conntrack.h"
#include "../kernel/hostnet.h"
#include "../kernel/netns.h"
#include "../kernel/nft.h"
#include "../kernel/proof.h"
#include "../kernel/userns.h"
#include "../kernel/veth.h"
#include "hostwatch.h"
#include "recover.h"

#define EMPTY_TIMEOUT_NS (10 * NSEC_PER_SEC)
/* The kernel's deadline is behind user space's TERM and KILL, which are the gentler way. */
#define DEADLINE_GRACE_NS ((REEVE_TERM_GRACE_MS + 500ull) * NSEC_PER_MSEC)

static int cgroups_make(struct session *session, struct fault *ret_fault)
{
	const struct plan *plan = session->plan;
	unsigned int controllers = cgroup_limits_controllers(&plan->limits);
	uint64_t request_id;
	int r = cgroup_create(session->engine->parent_fd, plan->session_id, &session->cgroup_fd,
			      &session->cgroup_id);

	if (!r)
		r = slot_set_cgroup(session->slot, plan->session_id, session->cgroup_id);
	if (!r)
		r = cgroup_set_max_depth(session->cgroup_fd, REEVE_CGROUP_DEPTH_MAX);
	if (!r && controllers)
		r = cgroup_enable_controllers(session->engine->parent_fd, controllers);
	if (!r && controllers)
		r = cgroup_enable_controllers(session->cgroup_fd, controllers);
	if (!r)
		r = cgroup_create(session->cgroup_fd, plan->request_id, &session->request_fd,
				  &request_id);
	if (!r && controllers)
		r = cgroup_write_limits(session->request_fd, &plan->limits, ret_fault);
	if (r < 0)
		return fault_set_errno(ret_fault, FAULT_HOST, "--parent",
				       "give a cgroup that root may fill", -r,
				       "the cgroups of session %s cannot be made", plan->session_id);
	return r;
}

static int entries_make(struct session *session, struct fault *ret_fault)
{
	const struct guard *guard = &session->engine->guard;
	int r = guard_ring_open(guard, session->plan->policy.ring, &session->ring_fd);

	session->policy = session->plan->policy;
	session->policy.state = POLICY_PROOF;
	session->policy.generation = 1;
	if (!r)
		r = guard_session_add(guard, session->cgroup_id, &session->policy);
	if (r)
		return fault_set_errno(ret_fault, FAULT_ENFORCEMENT, "policies",
				       "look at the maps with \"bpftool map show\"", -r,
				       "the kernel takes no policy for session %s",
				       session->plan->session_id);
	return 0;
}

/* The filter is on the device before the device is up, the host's own addresses before both. */
static int link_make(struct session *session, struct fault *ret_fault)
{
	enum nft_state nft;
	unsigned int ifindex;
	int r = hostnet_require_forwarding(ret_fault);

	if (!r)
		r = hostwatch_sync(&session->engine->guard, session->engine->rules);
	if (!r)
		r = nft_check(&nft);
	if (!r && nft != NFT_WHOLE)
		r = nft_make(ret_fault);
	if (!r)
		r = conntrack_forget(&session->plan->network, ret_fault);
	if (!r)
		r = veth_make(&session->plan->network, session->netns_fd, &ifindex, ret_fault);
	if (!r)
		r = guard_link_add(&session->engine->guard, ifindex, session->cgroup_id);
	if (!r)
		r = veth_up(ifindex);
	if (r < 0)
		return fault_set_errno(ret_fault, FAULT_ENFORCEMENT, "network",
				       "run \"reeve doctor\": it names what is missing", -r,
				       "the link of session %s cannot be made",
				       session->plan->session_id);
	return r;
}

static int namespaces_make(struct session *session, struct fault *ret_fault)
{
	const struct plan *plan = session->plan;
	int r = userns_make(plan->uid_base, plan->uid_count, &session->userns_fd);

	if (r)
		return fault_set_errno(ret_fault, FAULT_HOST, "user namespace",
				       "see user.max_user_namespaces and the host's policy", -r,
				       "the session's user namespace cannot be made");
	r = netns_make(&session->netns_fd, ret_fault);
	if (!r && plan->policy.egress == POLICY_EGRESS_PACKAGE_MANAGERS)
		r = netns_whole_greetings(session->netns_fd, ret_fault);
	if (!r && plan->network.veth)
		r = link_make(session, ret_fault);
	return r;
}

static int proof_check(struct session *session, struct fault *ret_fault)
{
	struct usage usage;
	int r = guard_session_usage(&session->engine->guard, session->cgroup_id, &usage);

	if (r)
		return r;
	if (usage.denials.proof >= PROOF_CONNECTS)
		return 0;
	return fault_set(ret_fault, FAULT_ENFORCEMENT, "proof",
			 "run \"reeve doctor\"; reeve must run in the cgroup namespace of the host",
			 "the kernel counted %llu of %d denied connects under session %s",
			 (unsigned long long)usage.denials.proof, PROOF_CONNECTS,
			 session->plan->session_id);
}

static int sandbox_start(struct session *session, const struct session_files *files,
			 struct fault *ret_fault)
{
	struct spawn_args args = {
		.plan = session->plan,
		.cgroup_fd = session->request_fd,
		.userns_fd = session->userns_fd,
		.netns_fd = session->netns_fd,
		.input_fds = files->input_fds,
		.n_inputs = files->n_inputs,
		.out_fd = files->out_fd,
		.stdout_fd = files->stdout_fd,
		.stderr_fd = files->stderr_fd,
		.seccomp = files->seccomp,
	};
	int r = spawn_start(&args, &session->spawn, ret_fault);

	if (r < 0)
		return fault_set_errno(ret_fault, FAULT_START, "sandbox",
				       "run \"reeve doctor\": it names what is missing", -r,
				       "the sandbox of session %s cannot be started",
				       session->plan->session_id);
	return r;
}

int session_make(const struct engine *engine, const struct plan *plan, struct slot *slot,
		 const struct session_files *files, struct session *ret, struct fault *ret_fault)
{
	int r;

	ret->engine = engine;
	ret->plan = plan;
	ret->slot = slot;
	ret->made = true;
	r = cgroups_make(ret, ret_fault);
	if (!r)
		r = entries_make(ret, ret_fault);
	if (!r)
		r = namespaces_make(ret, ret_fault);
	/* before anything of the sandbox runs, or its command could stand in the resolver's place */
	if (!r && plan->network.veth)
		r = dnssock_open(ret->netns_fd, &ret->dns, ret_fault);
	if (!r)
		r = sandbox_start(ret, files, ret_fault);
	if (!r)
		r = proof_check(ret, ret_fault);
	return r;
}

bool session_must_stop(const struct session *session, enum reason *ret_reason)
{
	struct usage usage;
	enum reason reason;

	/* an account that cannot be read is the kernel's to keep */
	if (guard_session_usage(&session->engine->guard, session->cgroup_id, &usage))
		return false;
	reason = account_state(&session->policy, &usage, clock_monotonic_ns());
	*ret_reason = reason;
	return reason_stops(reason);
}

int session_go(struct session *session, struct fault *ret_fault)
{
	uint64_t now = clock_monotonic_ns();
	enum reason reason;
	int r;

	session->policy.state = POLICY_OPEN;
	session->policy.generation++;
	session->policy.running_since_ns = now;
	session->policy.deadline_ns = now + session->plan->time_box_ns + DEADLINE_GRACE_NS;
	r = guard_session_update(&session->engine->guard, session->cgroup_id, &session->policy);
	/* the kernel kills only what runs: a command that may not start is not let run to see that */
	if (!r && !session_must_stop(session, &reason))
		r = spawn_go(&session->spawn);
	if (r)
		return fault_set_errno(ret_fault, FAULT_START, "go", "look at the kernel's log", -r,
				       "session %s cannot be opened", session->plan->session_id);
	session->started = true;
	return 0;
}

int session_kill(struct session *session)
{
	int r;

	if (session->request_fd < 0)
		return 0;
	r = cgroup_kill(session->request_fd);
	return r ? r : cgroup_wait_empty(session->request_fd, EMPTY_TIMEOUT_NS);
}

int session_settle(struct session *session, struct usage *ret)
{
	uint64_t now = clock_monotonic_ns();
	struct policy *policy = &session->policy;
	int r;

	if (policy->running_since_ns)
		policy->wall_settled_ns += now - policy->running_since_ns;
	policy->running_since_ns = 0;
	policy->state = POLICY_CLOSED;
	policy->generation++;
	r = guard_session_update(&session->engine->guard, session->cgroup_id, policy);
	return r ? r : guard_session_usage(&session->engine->guard, session->cgroup_id, ret);
}

int session_end(struct session *session, struct fault *ret_fault)
{
	struct slot_record record = { .cgroup_id = session->cgroup_id };
	int r = 0;

	if (session->made) {
		/* init's zombie would keep the cgroup populated: kill, reap, then remove */
		session_kill(session);
		spawn_deinit(&session->spawn);
		dnssock_close(&session->dns);
		snprintf(record.session_id, sizeof(record.session_id), "%s",
			 session->plan->session_id);
		r = recover_session(session->engine, &record, session->slot->number, ret_fault);
	}
	fd_close(&session->cgroup_fd);
	fd_close(&session->request_fd);
	fd_close(&session->userns_fd);
	fd_close(&session->netns_fd);
	fd_close(&session->ring_fd);
	if (session->made && r)
		slot_abandon(session->slot);
	else if (session->made)
		slot_release(session->slot);
	session->made = false;
	return r;
}
