// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order is the promise: the slot is marked before anything exists under it, it records the cgroup's id
 * before the kernel gets an entry for it, and the policy comes last and closed. So whatever dies in between
 * leaves what a sweep, or the ledger's owner, finds again; and nothing can run in a session before a request
 * opens it: the meter kills what does.
 *
 * Removing goes the other way round, in recover.c: processes, policy, device, cgroup, slot.
 */
#include "session.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>

#include "../../include/account.h"
#include "../base/clock.h"
#include "../kernel/cgroup.h"
#include "../kernel/guard_rules.h"
#include "../kernel/veth.h"
#include "../model/plan.h"
#include "recover.h"

#define EMPTY_TIMEOUT_NS (10 * NSEC_PER_SEC)

static int cgroup_make(struct session *session, struct fault *ret_fault)
{
	int r = cgroup_create(session->engine->parent_fd, session->id, &session->cgroup_fd,
			      &session->cgroup_id);

	if (!r)
		r = slot_set_cgroup(&session->slot, session->id, session->cgroup_id);
	if (!r)
		r = cgroup_set_max_depth(session->cgroup_fd, REEVE_CGROUP_DEPTH_MAX);
	if (r < 0)
		return fault_set_errno(ret_fault, FAULT_HOST, "--parent",
				       "give a cgroup that root may fill", -r,
				       "the cgroup of session %s cannot be made", session->id);
	return r;
}

int session_make(const struct engine *engine, const char *id, struct slot *slot,
		 const struct policy *policy, struct session *ret, struct fault *ret_fault)
{
	int r;

	ret->engine = engine;
	snprintf(ret->id, sizeof(ret->id), "%s", id);
	ret->slot = *slot;
	*slot = (struct slot)SLOT_INIT;
	ret->policy = *policy;
	ret->policy.state = POLICY_CLOSED;
	ret->policy.generation = 1;
	ret->policy.ring = ret->slot.number;
	ret->made = true;
	r = cgroup_make(ret, ret_fault);
	if (r)
		return r;
	r = guard_session_add(&engine->guard, ret->cgroup_id, &ret->policy);
	if (r)
		return fault_set_errno(ret_fault, FAULT_ENFORCEMENT, "policies",
				       "look at the maps with \"bpftool map show\"", -r,
				       "the kernel takes no policy for session %s", id);
	return 0;
}

static int run_dir_lock(const struct engine *engine, int *ret_lock, struct fault *ret_fault)
{
	int r = engine_lock(engine->run_fd, ret_lock);

	if (r == -ESTALE)
		return fault_set(ret_fault, FAULT_BUSY, "--run-dir", "start the daemon again",
				 "%s was removed", engine->config->run_dir);
	return r;
}

int session_open(const struct engine *engine, const char *id, unsigned int slot,
		 const struct policy *policy, struct session *ret, struct fault *ret_fault)
{
	struct session session = SESSION_INIT;
	struct slot taken = SLOT_INIT;
	_cleanup_fd_ int lock = -1;
	struct fault ignored = {};
	int r = run_dir_lock(engine, &lock, ret_fault);

	if (!r)
		r = slot_take_kept(engine, id, slot, &taken, ret_fault);
	if (r)
		return r;
	r = session_make(engine, id, &taken, policy, &session, ret_fault);
	fd_close(&lock);
	if (r) {
		session_close(&session, &ignored);
		return r;
	}
	session_rest(&session);
	*ret = session;
	return 0;
}

struct kept_walk {
	int (*fn)(const struct slot_record *record, unsigned int slot, void *arg);
	void *arg;
};

static int slot_visit(unsigned int number, int fd, bool alive, void *arg)
{
	const struct kept_walk *walk = arg;
	struct slot_record record;
	int r = alive ? slot_read(fd, &record) : 0;

	return r || !alive || !record.kept ? r : walk->fn(&record, number, walk->arg);
}

int session_each_kept(const struct engine *engine,
		      int (*fn)(const struct slot_record *record, unsigned int slot, void *arg),
		      void *arg)
{
	struct kept_walk walk = { fn, arg };

	return slot_each(engine->slots_fd, slot_visit, &walk);
}

int session_adopt(const struct engine *engine, const struct slot_record *record, unsigned int slot,
		  struct session *ret)
{
	struct session session = SESSION_INIT;
	uint64_t id;
	int r = cgroup_open(engine->parent_fd, record->session_id, &session.cgroup_fd, &id);

	session.engine = engine;
	snprintf(session.id, sizeof(session.id), "%s", record->session_id);
	session.slot = (struct slot){ .number = slot, .fd = -1, .kept = true };
	session.cgroup_id = record->cgroup_id;
	session.made = true;
	/* the number of a cgroup is never given twice: another one is another boot's record */
	if (!r && id != record->cgroup_id)
		r = -ENOENT;
	if (!r)
		r = session_reload(&session);
	session_rest(&session);
	if (!r)
		*ret = session;
	return r;
}

/* The slot's record goes last: until then it says what there is to remove. */
int session_discard(const struct engine *engine, const struct slot_record *record,
		    unsigned int slot, struct fault *ret_fault)
{
	struct slot kept = SLOT_INIT;
	_cleanup_fd_ int lock = -1;
	int r = run_dir_lock(engine, &lock, ret_fault);

	if (!r)
		r = recover_session(engine, record, slot, ret_fault);
	if (!r)
		r = slot_open_kept(engine, record->session_id, slot, &kept);
	if (r)
		return r == -ENOENT ? 0 : r;
	slot_release(&kept);
	return 0;
}

int session_reload(struct session *session)
{
	return guard_session_policy(&session->engine->guard, session->cgroup_id, &session->policy);
}

int session_set_state(struct session *session, enum policy_state state)
{
	session->policy.state = state;
	session->policy.generation++;
	return guard_session_update(&session->engine->guard, session->cgroup_id, &session->policy);
}

int session_set_budget(struct session *session, const struct session_budget *budget)
{
	session->policy.cpu_cap_ns = budget->cpu_cap_ns;
	session->policy.money_cap_ucents = budget->money_cap_ucents;
	session->policy.money_settled_ucents = budget->money_settled_ucents;
	session->policy.wall_settled_ns = budget->wall_settled_ns;
	session->wall_cap_ns = budget->wall_cap_ns;
	return session_set_state(session, session->policy.state);
}

int session_usage(const struct session *session, struct usage *ret)
{
	return guard_session_usage(&session->engine->guard, session->cgroup_id, ret);
}

bool session_must_stop(const struct session *session, enum reason *ret_reason)
{
	struct usage usage;
	enum reason reason;

	/* an account that cannot be read is the kernel's to keep */
	if (session_usage(session, &usage))
		return false;
	reason = account_state(&session->policy, &usage, clock_monotonic_ns());
	*ret_reason = reason;
	return reason_stops(reason);
}

int session_wake(struct session *session)
{
	uint64_t id;

	if (session->cgroup_fd >= 0)
		return 0;
	return cgroup_open(session->engine->parent_fd, session->id, &session->cgroup_fd, &id);
}

void session_rest(struct session *session)
{
	fd_close(&session->cgroup_fd);
	fd_close(&session->slot.fd);
}

int session_kill(struct session *session)
{
	int r = session_wake(session);

	if (!r)
		r = cgroup_kill(session->cgroup_fd);
	return r ? r : cgroup_wait_empty(session->cgroup_fd, EMPTY_TIMEOUT_NS);
}

static int fault_left(struct fault *ret_fault, const struct session *session, int err,
		      const char *what)
{
	return fault_set_errno(ret_fault, FAULT_CLEANUP, session->id,
			       "look at the cgroup named after the session, then try again", -err,
			       "%s is left", what);
}

/* Most sessions have no device, and hearing that by netlink costs more than all the rest. */
static bool device_is_there(const struct session *session, char ret_name[PLAN_IFNAME_SIZE])
{
	plan_ifname(session->slot.number, ret_name);
	return if_nametoindex(ret_name) != 0 || errno != ENODEV;
}

static int name_is(const char *host_ifname, unsigned int ifindex, void *arg)
{
	(void)ifindex;
	return strcmp(host_ifname, arg) == 0;
}

int session_clear(struct session *session, struct fault *ret_fault)
{
	char ifname[PLAN_IFNAME_SIZE];
	int r = session_kill(session);

	if (r)
		return fault_left(ret_fault, session, r, "a process");
	r = guard_request_remove(&session->engine->guard, session->cgroup_id);
	if (r)
		return fault_left(ret_fault, session, r, "a map entry");
	r = device_is_there(session, ifname) ? veth_remove(ifname) : 0;
	if (r)
		return fault_left(ret_fault, session, r, ifname);
	r = cgroup_remove_below(session->cgroup_fd);
	return r ? fault_left(ret_fault, session, r, "a cgroup") : 0;
}

int session_reclaim(struct session *session, struct fault *ret_fault)
{
	uint64_t now = clock_monotonic_ns();
	struct policy *policy = &session->policy;
	int r = session_reload(session);

	if (!r && policy->running_since_ns)
		policy->wall_settled_ns += now - policy->running_since_ns;
	policy->running_since_ns = 0;
	if (!r)
		r = session_set_state(session,
				      policy->state == POLICY_WIPED ? POLICY_WIPED : POLICY_CLOSED);
	return r ? r : session_clear(session, ret_fault);
}

int session_check_clear(struct session *session, struct fault *ret_fault)
{
	char ifname[PLAN_IFNAME_SIZE];
	const char *map = NULL;
	bool below = false;
	int r = session_wake(session);

	if (!r)
		r = cgroup_wait_empty(session->cgroup_fd, 0);
	if (r)
		return fault_left(ret_fault, session, r, "a process");
	r = cgroup_has_below(session->cgroup_fd, &below);
	if (r || below)
		return fault_left(ret_fault, session, r ? r : -ENOTEMPTY, "a cgroup");
	r = guard_request_left(&session->engine->guard, session->cgroup_id, &map);
	if (r || map)
		return fault_left(ret_fault, session, r ? r : -ENOTEMPTY, map ? map : "a map entry");
	/* a device of that name that is not ours is nobody's left-over */
	r = device_is_there(session, ifname) ? veth_each(name_is, ifname) : 0;
	return r ? fault_left(ret_fault, session, r < 0 ? r : -EEXIST, ifname) : 0;
}

/* A sweep may come in between of a session that is not kept, and finds its lock held. */
int session_close(struct session *session, struct fault *ret_fault)
{
	struct slot_record record = { .cgroup_id = session->cgroup_id };
	int r = 0;

	if (session->made) {
		snprintf(record.session_id, sizeof(record.session_id), "%s", session->id);
		r = session->slot.kept ? session_discard(session->engine, &record,
							 session->slot.number, ret_fault)
				       : recover_session(session->engine, &record,
							 session->slot.number, ret_fault);
	}
	fd_close(&session->cgroup_fd);
	if (session->made && !r && !session->slot.kept)
		slot_release(&session->slot);
	else
		slot_abandon(&session->slot);
	session->made = session->made && r;
	return r;
}
