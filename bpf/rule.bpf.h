/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is said of an address: by the built-in table, and in the map "prefixes" by the host, its operator and
 * the session's owner.
 */
#ifndef REEVE_RULE_BPF_H
#define REEVE_RULE_BPF_H

#include "session.bpf.h"

#include "egress.h"

/*
 * A global function, weak as each object has it: the verifier walks its table once, and goes on with any
 * class instead of with each.
 */
__weak __noinline int peer_class(struct decide_addr *addr)
{
	return addr ? decide_class(addr) : REASON_RESERVED;
}

/* The key of an address in the LPM maps of @cgroup. */
static __always_inline void session_prefix_key(struct policy_prefix *key, __u64 cgroup,
					       const struct decide_addr *addr)
{
	__u64 hi = bpf_cpu_to_be64(addr->hi), lo = bpf_cpu_to_be64(addr->lo);

	key->prefixlen = POLICY_OWNER_BITS + 128;
	key->cgroup = cgroup;
	__builtin_memcpy(key->addr, &hi, 8);
	__builtin_memcpy(key->addr + 8, &lo, 8);
}

/* What an operator wrote may be any number, and then denies. */
static __always_inline int prefix_rule(const enum reason *rule)
{
	return (__u32)*rule < REASON_COUNT ? (int)*rule : REASON_OPERATOR;
}

/* What "prefixes" says of an address: the session's own entry decides before those of all. */
static __always_inline int session_rule(const struct session *session, struct policy_prefix *key)
{
	enum reason *own = bpf_map_lookup_elem(&prefixes, key), *all;

	key->cgroup = 0;
	all = bpf_map_lookup_elem(&prefixes, key);
	key->cgroup = session->cgroup;
	/* the host's own addresses are nobody's to allow */
	if (own && !(all && *all == REASON_HOST_ADDRESS))
		return prefix_rule(own);
	return all ? prefix_rule(all) : EGRESS_NO_RULE;
}

/* Turns the address into what a translator of the operator's makes of it; 0 when there is none. */
__weak __noinline int peer_translate(struct decide_addr *addr)
{
	__u32 zero = 0;
	struct host *record = addr ? bpf_map_lookup_elem(&host, &zero) : NULL;

	return record ? egress_translated(record, addr, addr) : 0;
}

/*
 * An address of a translator has to pass by itself, and then as the one that it stands for. Not inlined: what
 * it needs of the stack is then not there beside the reading of a connection's name.
 */
static __noinline int session_translated(const struct session *session, struct decide_addr *addr)
{
	struct decide_addr inside = *addr;
	struct policy_prefix key;

	if (!peer_translate(&inside))
		return REASON_OK;
	session_prefix_key(&key, session->cgroup, &inside);
	return egress_class_translated(peer_class(&inside), session_rule(session, &key));
}

#endif
