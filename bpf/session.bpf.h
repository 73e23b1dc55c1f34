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
#include "decide.h"

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

static __always_inline enum reason session_state(const struct session *session)
{
	if (!session->policy || !session->usage)
		return REASON_NO_SESSION;
	return account_state(session->policy, session->usage, bpf_ktime_get_ns());
}

/* May the session exchange packets with @addr: its state, the built-in table, the host's prefixes. */
static __always_inline enum reason session_peer(const struct session *session,
						const struct decide_addr *addr)
{
	enum reason reason = session_state(session);
	struct decide_addr judged;
	struct host_prefix key;
	enum reason *host;
	__u64 be;

	if (reason != REASON_OK)
		return reason;
	reason = decide_class(addr);
	if (reason != REASON_OK)
		return decide_peer(session->policy, reason);
	judged = decide_decode(addr);
	key.prefixlen = 128;
	be = bpf_cpu_to_be64(judged.hi);
	__builtin_memcpy(key.addr, &be, 8);
	be = bpf_cpu_to_be64(judged.lo);
	__builtin_memcpy(key.addr + 8, &be, 8);
	host = bpf_map_lookup_elem(&host_prefixes, &key);
	/* whatever its value is, an entry here can only deny */
	return host && *host != REASON_OK ? *host : decide_peer(session->policy, REASON_OK);
}

/* The same for a packet; @knocks: it comes in and opens a connection, as only loopback may. */
static __always_inline enum reason session_packet(const struct session *session,
						  const struct decide_addr *peer, int knocks)
{
	enum reason reason = session_peer(session, peer);

	if (reason == REASON_OK && knocks && !decide_is_loopback(peer))
		return REASON_INBOUND;
	return reason;
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
