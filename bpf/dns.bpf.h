/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whatever name server a session asks, its own resolver answers: what goes to port 53 anywhere outside is
 * turned to the resolver on the session's loopback, and the socket remembers the address that its owner
 * gave, so that answers seem to come from there. DNS inside TLS or QUIC has a port of its own and is denied.
 */
#ifndef REEVE_DNS_BPF_H
#define REEVE_DNS_BPF_H

#include "session.bpf.h"
#include "sockaddr.bpf.h"

#define DNS_PORT_TLS 853

/* The resolver's address for a socket of either family: an IPv4 address on an IPv6 socket stays one. */
static __always_inline struct decide_addr dns_resolver(const struct decide_addr *given)
{
	struct decide_addr loopback = { 0, 1 };

	return decide_is_mapped(given) ? decide_from_v4(POLICY_RESOLVER_V4) : loopback;
}

/*
 * For connect and sendmsg, before the peer is judged. @peer, at first the address given, becomes the
 * resolver's when the call is turned to it. Of each socket the last server that was asked is remembered.
 */
static __always_inline enum reason dns_redirect(struct bpf_sock_addr *ctx, int family,
						const struct session *session,
						const struct attempt *attempt,
						struct decide_addr *peer)
{
	struct dns_given *given;

	if (!session->policy || session->policy->egress == POLICY_EGRESS_NONE)
		return REASON_OK;
	if (attempt->port == DNS_PORT_TLS && !decide_is_loopback(&attempt->given))
		return REASON_DNS;
	if (attempt->port != POLICY_RESOLVER_PORT)
		return REASON_OK;
	if (decide_is_loopback(&attempt->given)) {
		/* a connected IPv6 socket sends to its IPv4 peer, the resolver, by this way */
		if (attempt->hook == EVENT_CONNECT || ctx->sk->state != BPF_TCP_ESTABLISHED)
			bpf_sk_storage_delete(&dns_sockets, ctx->sk);
		return REASON_OK;
	}
	given = bpf_sk_storage_get(&dns_sockets, ctx->sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);
	if (!given)
		return REASON_DNS;
	given->hi = attempt->given.hi;
	given->lo = attempt->given.lo;
	*peer = dns_resolver(&attempt->given);
	ctx_addr_set(ctx, family, peer);
	return REASON_OK;
}

#endif
