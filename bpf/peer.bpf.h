/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whom a session may speak to: the built-in table, what the host, its operator and the session's owner say
 * beyond it, and what the egress mode has room for.
 */
#ifndef REEVE_PEER_BPF_H
#define REEVE_PEER_BPF_H

#include "rule.bpf.h"

/* The ports that the address is known for; an operator's prefix vouches for it, whatever name it has. */
static __always_inline __u32 session_ports(struct policy_prefix *key, int rule)
{
	struct policy_address *address;

	if (rule == REASON_OK)
		return POLICY_PORT_TLS | POLICY_PORT_HTTP;
	address = bpf_map_lookup_elem(&addresses, key);
	return address && bpf_ktime_get_coarse_ns() < address->expires_ns ? address->ports : 0;
}

/*
 * May the session exchange packets with @addr: its state, the built-in table, prefixes; and for @use, NULL
 * for what comes in, the egress mode's ports and addresses. *ret_loopback: it may, for it is its own.
 */
static __always_inline enum reason session_peer(const struct session *session,
						const struct decide_addr *addr,
						const struct egress_use *use, int *ret_loopback)
{
	enum reason reason = session_state(session, bpf_ktime_get_coarse_ns()), class;
	struct decide_addr judged = *addr;
	struct policy_prefix key;
	int rule;

	*ret_loopback = 0;
	if (reason != REASON_OK)
		return reason;
	class = peer_class(&judged);
	*ret_loopback = class == REASON_LOOPBACK;
	if (class == REASON_LOOPBACK)
		return REASON_OK;
	judged = decide_decode(addr);
	session_prefix_key(&key, session->cgroup, &judged);
	rule = session_rule(session, &key);
	class = egress_class(class, rule);
	if (class == REASON_OK && judged.hi)
		class = session_translated(session, &judged);
	if (class != REASON_OK)
		return class;
	reason = decide_peer(session->policy, class);
	if (reason != REASON_OK || !use)
		return reason;
	return egress_use(session->policy->egress, use,
			  use->opens && session->policy->egress == POLICY_EGRESS_PACKAGE_MANAGERS
				  ? session_ports(&key, rule)
				  : 0);
}

/* The same for a packet that comes in; @knocks: it opens a connection, as only loopback may. */
static __always_inline enum reason session_packet_in(const struct session *session,
						     const struct decide_addr *peer, int knocks,
						     int *ret_loopback)
{
	enum reason reason = session_peer(session, peer, NULL, ret_loopback);

	return reason == REASON_OK && knocks && !*ret_loopback ? REASON_INBOUND : reason;
}

#endif
