// SPDX-License-Identifier: GPL-2.0-only
/*
 * connect(), sendmsg() and bind() with an address: the fast, typed no. The address is judged as the
 * kernel will use it: an IPv4 address on an IPv6 socket arrives here as v4-mapped, or at the IPv4 hook.
 */
#include "dns.bpf.h"
#include "peer.bpf.h"
#include <linux/in.h>

static __always_inline struct attempt ctx_attempt(struct bpf_sock_addr *ctx, int family,
						  enum event_hook hook)
{
	struct attempt attempt = {
		.hook = hook,
		.family = family,
		.port = bpf_ntohs(ctx->user_port),
		.protocol = ctx->protocol,
		.given = ctx_addr(ctx, family),
	};

	return attempt;
}

static __always_inline int peer_verdict(struct bpf_sock_addr *ctx, int family, enum event_hook hook)
{
	struct attempt attempt = ctx_attempt(ctx, family, hook);
	struct decide_addr peer = attempt.given;
	struct egress_use use = {
		.protocol = ctx->protocol,
		.port = attempt.port,
		.opens = 1,
		.sends = hook == EVENT_SENDMSG || ctx->protocol == IPPROTO_TCP,
	};
	struct session session;
	enum reason reason;
	int loopback;

	session_of_current(&session);
	reason = dns_redirect(ctx, family, &session, &attempt, &peer);
	if (reason == REASON_OK)
		reason = session_peer(&session, &peer, &use, &loopback);
	return verdict_call(&session, &attempt, reason);
}

SEC("cgroup/connect4")
int reeve_connect4(struct bpf_sock_addr *ctx)
{
	return peer_verdict(ctx, AF_INET, EVENT_CONNECT);
}

SEC("cgroup/connect6")
int reeve_connect6(struct bpf_sock_addr *ctx)
{
	return peer_verdict(ctx, AF_INET6, EVENT_CONNECT);
}

SEC("cgroup/sendmsg4")
int reeve_sendmsg4(struct bpf_sock_addr *ctx)
{
	return peer_verdict(ctx, AF_INET, EVENT_SENDMSG);
}

SEC("cgroup/sendmsg6")
int reeve_sendmsg6(struct bpf_sock_addr *ctx)
{
	return peer_verdict(ctx, AF_INET6, EVENT_SENDMSG);
}

/* A server may listen on loopback or on any address; what comes from outside is dropped as a packet. */
static __always_inline int bind_verdict(struct bpf_sock_addr *ctx, int family)
{
	struct attempt attempt = ctx_attempt(ctx, family, EVENT_BIND);
	struct session session;
	enum reason reason, class;

	session_of_current(&session);
	reason = session_state(&session, bpf_ktime_get_coarse_ns());
	class = peer_class(&attempt.given);
	if (reason == REASON_OK && class != REASON_LOOPBACK && class != REASON_THIS_HOST)
		reason = REASON_BIND;
	return verdict_call(&session, &attempt, reason);
}

SEC("cgroup/bind4")
int reeve_bind4(struct bpf_sock_addr *ctx)
{
	return bind_verdict(ctx, AF_INET);
}

SEC("cgroup/bind6")
int reeve_bind6(struct bpf_sock_addr *ctx)
{
	return bind_verdict(ctx, AF_INET6);
}
