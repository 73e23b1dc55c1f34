// SPDX-License-Identifier: GPL-2.0-only
/*
 * Making follows the promise that no byte of the command runs before all holds: the policy goes to the
 * state "proof", the device gets its filter before it is up, and the sandbox is started. The sandbox's own
 * connects must then have failed and must stand in the kernel's counter, each of them: that proves the
 * hooks, the lookup by cgroup and the entry at once. Only then the policy is opened.
 *
 * Freezing asks the kernel for the freeze before it changes the policy, thawing the other way round: the
 * meter kills what runs in a paused session without being bound for the freezer.
 *
 * The session's account goes on over its requests; what one of them used is the difference to what it found.
 */
#include "request.h"

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

#define EMPTY_TIMEOUT_NS (10 * NSEC_PER_SEC)
/* Who sleeps in the kernel without being to wake stops when it wakes, and uses no CPU time until then. */
#define FROZEN_TIMEOUT_NS NSEC_PER_SEC
/* The kernel's deadline is behind user space's TERM and KILL, which are the gentler way. */
#define DEADLINE_GRACE_NS ((REEVE_TERM_GRACE_MS + 500ull) * NSEC_PER_MSEC)

struct policy request_policy(const struct plan *plan)
{
	struct policy policy = plan->policy;

	/* the prices of the request come with the request */
	policy.money_settled_ucents = 0;
	return policy;
}

static int policy_write(struct request *request)
{
	return session_set_state(request->session, request->session->policy.state);
}

static int cgroup_make(struct request *request, struct fault *ret_fault)
{
	const struct plan *plan = request->plan;
	struct session *session = request->session;
	unsigned int controllers = cgroup_limits_controllers(&plan->limits);
	uint64_t id;
	int r = session_wake(session);

	if (!r && controllers)
		r = cgroup_enable_controllers(session->engine->parent_fd, controllers);
	if (!r && controllers)
		r = cgroup_enable_controllers(session->cgroup_fd, controllers);
	if (!r)
		r = cgroup_create(session->cgroup_fd, plan->request_id, &request->cgroup_fd, &id);
	if (!r && controllers)
		r = cgroup_write_limits(request->cgroup_fd, &plan->limits, ret_fault);
	if (r < 0)
		return fault_set_errno(ret_fault, FAULT_HOST, "--parent",
				       "give a cgroup that root may fill", -r,
				       "the cgroup of request %s cannot be made", plan->request_id);
	return r;
}

/* What the account shows before the request; its own prices are then added. */
static int account_begin(struct request *request)
{
	struct policy *policy = &request->session->policy;
	int r = session_usage(request->session, &request->before);

	if (r)
		return r;
	policy->running_since_ns = 0;
	request->settled_ucents = policy->money_settled_ucents;
	request->wall_before_ns = policy->wall_settled_ns;
	request->money_before_ucents =
		account_money_ucents(policy, &request->before, 0) - policy->money_settled_ucents;
	request->own_ucents = request->plan->rates.request_ucents;
	if (!request->open) {
		request->steps = 1;
		request->own_ucents += request->plan->rates.step_ucents;
	}
	policy->money_settled_ucents += request->own_ucents;
	return 0;
}

static int entry_prove(struct request *request, struct fault *ret_fault)
{
	struct session *session = request->session;
	int r = guard_ring_open(&session->engine->guard, session->policy.ring, &request->ring_fd);

	if (!r)
		r = account_begin(request);
	session->policy.egress = request->plan->policy.egress;
	if (!r)
		r = session_set_state(session, POLICY_PROOF);
	if (r)
		return fault_set_errno(ret_fault, FAULT_ENFORCEMENT, "policies",
				       "look at the maps with \"bpftool map show\"", -r,
				       "the kernel takes no policy for session %s", session->id);
	return 0;
}

/* The filter is on the device before the device is up, the host's own addresses before both. */
static int link_make(struct request *request, struct fault *ret_fault)
{
	const struct session *session = request->session;
	const struct guard *guard = &session->engine->guard;
	enum nft_state nft;
	unsigned int ifindex;
	int r = hostnet_require_forwarding(ret_fault);

	if (!r)
		r = hostwatch_sync(guard, session->engine->rules);
	if (!r)
		r = nft_check(&nft);
	if (!r && nft != NFT_WHOLE)
		r = nft_make(ret_fault);
	if (!r)
		r = conntrack_forget(&request->plan->network, ret_fault);
	if (!r)
		r = veth_make(&request->plan->network, request->netns_fd, &ifindex, ret_fault);
	if (!r)
		r = guard_link_add(guard, ifindex, session->cgroup_id);
	if (!r)
		r = veth_up(ifindex);
	if (r < 0)
		return fault_set_errno(ret_fault, FAULT_ENFORCEMENT, "network",
				       "run \"reeve doctor\": it names what is missing", -r,
				       "the link of session %s cannot be made", session->id);
	return r;
}

static int namespaces_make(struct request *request, struct fault *ret_fault)
{
	const struct plan *plan = request->plan;
	int r = userns_make(plan->uid_base, plan->uid_count, &request->userns_fd);

	if (r)
		return fault_set_errno(ret_fault, FAULT_HOST, "user namespace",
				       "see user.max_user_namespaces and the host's policy", -r,
				       "the session's user namespace cannot be made");
	r = netns_make(&request->netns_fd, ret_fault);
	if (!r && plan->policy.egress == POLICY_EGRESS_PACKAGE_MANAGERS)
		r = netns_whole_greetings(request->netns_fd, ret_fault);
	if (!r && plan->network.veth)
		r = link_make(request, ret_fault);
	return r;
}

static int proof_check(struct request *request, struct fault *ret_fault)
{
	struct usage usage;
	uint64_t counted;
	int r = session_usage(request->session, &usage);

	if (r)
		return r;
	counted = usage.denials.proof - request->before.denials.proof;
	if (counted >= PROOF_CONNECTS)
		return 0;
	return fault_set(ret_fault, FAULT_ENFORCEMENT, "proof",
			 "run \"reeve doctor\"; reeve must run in the cgroup namespace of the host",
			 "the kernel counted %llu of %d denied connects under session %s",
			 (unsigned long long)counted, PROOF_CONNECTS, request->session->id);
}

static int sandbox_start(struct request *request, const struct request_files *files,
			 struct fault *ret_fault)
{
	struct spawn_args args = {
		.plan = request->plan,
		.cgroup_fd = request->cgroup_fd,
		.userns_fd = request->userns_fd,
		.netns_fd = request->netns_fd,
		.input_fds = files->input_fds,
		.n_inputs = files->n_inputs,
		.out_fd = files->out_fd,
		.work_fd = files->work_fd,
		.site_fd = files->site_fd,
		.stdout_fd = files->stdout_fd,
		.stderr_fd = files->stderr_fd,
		.seccomp = files->seccomp,
		.open = files->open,
	};
	int r = spawn_start(&args, &request->spawn, ret_fault);

	if (r < 0)
		return fault_set_errno(ret_fault, FAULT_START, "sandbox",
				       "run \"reeve doctor\": it names what is missing", -r,
				       "the sandbox of session %s cannot be started",
				       request->session->id);
	return r;
}

int request_make(struct session *session, const struct plan *plan,
		 const struct request_files *files, struct request *ret, struct fault *ret_fault)
{
	int r;

	ret->session = session;
	ret->plan = plan;
	ret->open = files->open;
	ret->box_left_ns = plan->time_box_ns;
	ret->made = true;
	r = cgroup_make(ret, ret_fault);
	if (!r)
		r = entry_prove(ret, ret_fault);
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

/* The end of the time box or of the session's wall time, whichever comes first. */
static uint64_t deadline(const struct request *request, uint64_t now)
{
	const struct session *session = request->session;
	uint64_t settled = session->policy.wall_settled_ns, box, wall;

	box = now + request->box_left_ns + DEADLINE_GRACE_NS;
	if (session->wall_cap_ns == POLICY_UNLIMITED)
		return box;
	wall = now + (session->wall_cap_ns > settled ? session->wall_cap_ns - settled : 0);
	return wall < box ? wall : box;
}

static int policy_open(struct request *request)
{
	struct policy *policy = &request->session->policy;
	uint64_t now = clock_monotonic_ns();

	policy->running_since_ns = now;
	policy->deadline_ns = deadline(request, now);
	return session_set_state(request->session, POLICY_OPEN);
}

/* The wall time until now is settled, and no more of it goes by. */
static void clocks_stop(struct request *request)
{
	struct policy *policy = &request->session->policy;
	uint64_t ran = policy->running_since_ns ? clock_monotonic_ns() - policy->running_since_ns : 0;

	policy->wall_settled_ns += ran;
	policy->running_since_ns = 0;
	policy->deadline_ns = POLICY_UNLIMITED;
	request->box_left_ns -= ran < request->box_left_ns ? ran : request->box_left_ns;
}

int request_go(struct request *request, struct fault *ret_fault)
{
	enum reason reason;
	int r = policy_open(request);

	/* the kernel kills only what runs: a command that may not start is not let run to see that */
	if (!r && !session_must_stop(request->session, &reason))
		r = spawn_go(&request->spawn);
	if (r)
		return fault_set_errno(ret_fault, FAULT_START, "go", "look at the kernel's log", -r,
				       "session %s cannot be opened", request->session->id);
	request->started = true;
	return 0;
}

int request_freeze(struct request *request)
{
	int r = cgroup_freeze(request->cgroup_fd, true);

	if (r)
		return r;
	request->frozen = true;
	clocks_stop(request);
	r = session_set_state(request->session, POLICY_PAUSED);
	if (!r)
		r = cgroup_wait_frozen(request->cgroup_fd, FROZEN_TIMEOUT_NS);
	return r == -ETIMEDOUT ? 0 : r;
}

int request_thaw(struct request *request)
{
	int r = policy_open(request);

	if (!r)
		r = cgroup_freeze(request->cgroup_fd, false);
	if (!r)
		request->frozen = false;
	return r;
}

/* Puts @steps more, or less, into what the request costs by itself. */
static int steps_pay(struct request *request, int steps)
{
	const uint64_t price = request->plan->rates.step_ucents;

	request->steps += (uint64_t)steps;
	if (!price)
		return 0;
	request->own_ucents += (uint64_t)steps * price;
	request->session->policy.money_settled_ucents = request->settled_ucents + request->own_ucents;
	return policy_write(request);
}

int request_step(struct request *request, const char *args, size_t n, size_t n_args)
{
	enum reason reason;
	int r = spawn_check_step(args, n, n_args);

	if (!r)
		r = steps_pay(request, 1);
	if (r)
		return r;
	if (session_must_stop(request->session, &reason))
		return REQUEST_E_CAPPED;
	r = spawn_step(&request->spawn, (uint32_t)request->steps, args, n, n_args);
	if (r)
		steps_pay(request, -1);
	return r;
}

int request_set_budget(struct request *request, const struct session_budget *budget)
{
	struct session *session = request->session;
	struct policy *policy = &session->policy;

	request->settled_ucents = budget->money_settled_ucents;
	policy->cpu_cap_ns = budget->cpu_cap_ns;
	policy->money_cap_ucents = budget->money_cap_ucents;
	policy->money_settled_ucents = request->settled_ucents + request->own_ucents;
	session->wall_cap_ns = budget->wall_cap_ns;
	if (request->started && !request->frozen) {
		clocks_stop(request);
		return policy_open(request);
	}
	return policy_write(request);
}

bool request_wall_is_spent(const struct request *request)
{
	const struct session *session = request->session;
	const struct policy *policy = &session->policy;
	uint64_t ran = policy->running_since_ns ? clock_monotonic_ns() - policy->running_since_ns : 0;

	return policy->wall_settled_ns + ran >= session->wall_cap_ns;
}

static void usage_subtract(struct usage *usage, const struct usage *before)
{
	usage->cpu_ns -= before->cpu_ns;
	usage->bytes_out -= before->bytes_out;
	usage->bytes_in -= before->bytes_in;
	usage->events_lost -= before->events_lost;
#define X(NAME, name, errno_, stops, text) usage->denials.name -= before->denials.name;
	REASONS(X)
#undef X
}

int request_spend(const struct request *request, struct request_spend *ret)
{
	const struct policy *policy = &request->session->policy;
	uint64_t now = clock_monotonic_ns();
	struct usage usage;
	int r = session_usage(request->session, &usage);

	if (r)
		return r;
	ret->money_ucents = account_money_ucents(policy, &usage, now) - request->settled_ucents -
			    request->money_before_ucents;
	usage_subtract(&usage, &request->before);
	ret->cpu_ns = usage.cpu_ns;
	ret->bytes_out = usage.bytes_out;
	ret->bytes_in = usage.bytes_in;
	ret->steps = request->steps;
	ret->wall_ns = policy->wall_settled_ns - request->wall_before_ns;
	if (policy->running_since_ns)
		ret->wall_ns += now - policy->running_since_ns;
	return 0;
}

int request_kill(struct request *request)
{
	int r;

	if (request->cgroup_fd < 0)
		return 0;
	r = cgroup_kill(request->cgroup_fd);
	return r ? r : cgroup_wait_empty(request->cgroup_fd, EMPTY_TIMEOUT_NS);
}

int request_settle(struct request *request, enum policy_state state, struct usage *ret)
{
	int r;

	clocks_stop(request);
	r = session_set_state(request->session, state);
	if (!r)
		r = session_usage(request->session, ret);
	if (!r)
		usage_subtract(ret, &request->before);
	return r;
}

void request_release(struct request *request)
{
	if (request->made) {
		/* init's zombie would keep the cgroup populated: kill, reap, then remove */
		request_kill(request);
		spawn_deinit(&request->spawn);
		dnssock_close(&request->dns);
	}
	fd_close(&request->cgroup_fd);
	fd_close(&request->userns_fd);
	fd_close(&request->netns_fd);
	fd_close(&request->ring_fd);
	request->made = false;
}

int request_end(struct request *request, struct fault *ret_fault)
{
	struct session *session = request->session;

	if (!request->made)
		return 0;
	request_release(request);
	/* a start that failed on the way left the policy at its proof */
	if (session->policy.state == POLICY_PROOF || session->policy.state == POLICY_OPEN)
		session_set_state(session, POLICY_CLOSED);
	return session_clear(session, ret_fault);
}
