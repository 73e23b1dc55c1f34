/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's side of a session: its slot, its cgroup, and its entries in the maps. It can be there without a
 * process in it and outlive those who made it; a request is made on top of it (request.h).
 *
 * Two kinds: a session of "reeve run" lives as long as its maker holds the slot's lock. A kept one is in the
 * ledger: only session_close() ends it, and a sweep or "reeve gc" never does. A kept session at rest holds no
 * descriptor.
 */
#ifndef REEVE_SESSION_H
#define REEVE_SESSION_H

#include "../base/fault.h"
#include "engine.h"
#include "slot.h"

struct session {
	const struct engine *engine;
	char id[REEVE_SESSION_ID_SIZE];
	struct slot slot;
	struct policy policy; /* as the kernel had it when this process wrote or read it last */
	uint64_t wall_cap_ns; /* of the wall time of its requests; POLICY_UNLIMITED for none */
	uint64_t cgroup_id;
	int cgroup_fd; /* -1 at rest */
	bool made;     /* something of it may exist in the kernel */
};

#define SESSION_INIT                                                                               \
	{                                                                                          \
		.slot = SLOT_INIT, .cgroup_fd = -1, .wall_cap_ns = POLICY_UNLIMITED,               \
	}

/*
 * Makes the session @id in @slot, which is taken over: its cgroup, its usage, and last its policy, closed.
 * Returns 0, -errno or FAULT_E_SET; session_close() then removes what there is.
 */
int session_make(const struct engine *engine, const char *id, struct slot *slot,
		 const struct policy *policy, struct session *ret, struct fault *ret_fault);

/*
 * A new kept session, under engine_lock, which is taken here. @slot is SLOT_ANY or the one that its files
 * belong to. On failure nothing is left.
 */
int session_open(const struct engine *engine, const char *id, unsigned int slot,
		 const struct policy *policy, struct session *ret, struct fault *ret_fault);

/* Calls @fn for each kept session that the kernel may have something of, until it returns non-zero. */
int session_each_kept(const struct engine *engine,
		      int (*fn)(const struct slot_record *record, unsigned int slot, void *arg),
		      void *arg);

/*
 * Takes over a kept session as the kernel has it. Returns 0, -errno, or -ENOENT when the kernel holds it not
 * or not whole, as after a reboot: session_discard() it, then session_open() it again in the same slot.
 */
int session_adopt(const struct engine *engine, const struct slot_record *record, unsigned int slot,
		  struct session *ret);
int session_discard(const struct engine *engine, const struct slot_record *record,
		    unsigned int slot, struct fault *ret_fault);

/*
 * While a request runs, whoever made it is the only writer of the policy; the copy of everybody else is old until
 * it is read again.
 */
int session_reload(struct session *session);
int session_set_state(struct session *session, enum policy_state state);

struct session_budget {
	uint64_t cpu_cap_ns; /* against the usage that the kernel holds; POLICY_UNLIMITED for none */
	uint64_t wall_cap_ns, money_cap_ucents;
	/* what is spent apart from usage: steps, requests that are over, charges, earlier boots; no reservation */
	uint64_t money_settled_ucents;
	uint64_t wall_settled_ns; /* of requests that are over */
};
int session_set_budget(struct session *session, const struct session_budget *budget);

int session_usage(const struct session *session, struct usage *ret);

/* Whether a cap or the deadline is reached, or the state forbids to run, and which. */
bool session_must_stop(const struct session *session, enum reason *ret_reason);

/* Opens the session's cgroup unless it is open; closing it puts the session to rest. */
int session_wake(struct session *session);
void session_rest(struct session *session);

/* Kills whatever runs in it, whoever started it, and waits. For when the maker of its request does not answer. */
int session_kill(struct session *session);

/*
 * Removes what requests left: processes, cgroups below, device, addresses, connections. Policy and rules
 * stay. FAULT_E_SET names what could not be removed.
 */
int session_clear(struct session *session, struct fault *ret_fault);

/*
 * The same behind a keeper that died: nothing is read of it but what the kernel has. The policy is closed, with
 * the wall time until now.
 */
int session_reclaim(struct session *session, struct fault *ret_fault);

/* Whether nothing of these is there. FAULT_E_SET names what is. */
int session_check_clear(struct session *session, struct fault *ret_fault);

/*
 * Removes all of the session and gives its slot back. FAULT_E_SET names what could not be removed; the
 * slot then stays recorded.
 */
int session_close(struct session *session, struct fault *ret_fault);

#endif
