/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose session is this, may it act, and what is written down when it may not. Every hook looks its
 * session up by the ancestor cgroup at session_level: a cgroup below a session belongs to it, a cgroup
 * without an entry is denied.
 */
#ifndef REEVE_SESSION_BPF_H
#define REEVE_SESSION_BPF_H

#include "report.bpf.h"

#include "account.h"

#define ALLOW 1
#define DENY 0

extern const volatile __u32 session_level;

static __always_inline void session_find(struct session *session, __u64 cgroup)
{
	__u64 none = 0;

	session->cgroup = cgroup;
	session->policy = bpf_map_lookup_elem(&policies, &session->cgroup);
	session->usage = bpf_map_lookup_elem(&usages, session->policy ? &session->cgroup : &none);
}

static __always_inline void session_of_current(struct session *session)
{
	session_find(session, bpf_get_current_ancestor_cgroup_id(session_level));
}

/*
 * Hooks give the time of the last tick, which is cheaper to ask for than all else that they do: a deadline
 * holds to a tick there, and exactly at the meter.
 */
static __always_inline enum reason session_state(const struct session *session, __u64 now_ns)
{
	if (!session->policy || !session->usage)
		return REASON_NO_SESSION;
	return account_state(session->policy, session->usage, now_ns);
}

/*
 * What a hook returns for @reason, after counting and reporting a no. @process says whether current is
 * who sends: true in system calls, false for packets.
 */
static __always_inline int verdict(struct session *session, struct attempt *attempt,
				   enum reason reason, int process)
{
	if (reason == REASON_OK)
		return ALLOW;
	session_count(session, reason);
	session_report(session, attempt, reason, process);
	return DENY;
}

/* The same for a hook of a system call, whose caller sees the reason's errno. */
static __always_inline int verdict_call(struct session *session, struct attempt *attempt,
					enum reason reason)
{
	if (verdict(session, attempt, reason, 1) == ALLOW)
		return ALLOW;
	bpf_set_retval(-reason_errno(reason));
	return DENY;
}

#endif
