// SPDX-License-Identifier: GPL-2.0-only
/*
 * The way back of dns_redirect(): who asked 192.0.2.1 is told that 192.0.2.1 answered. Clients that ask
 * without connecting compare the two, and drop what comes from elsewhere. These hooks decide nothing, and
 * the kernel takes no answer but "go on" from them.
 */
#include "dns.bpf.h"

static __always_inline int dns_restore(struct bpf_sock_addr *ctx, int family)
{
	struct decide_addr from, resolver;
	struct dns_given *given;

	if (bpf_ntohs(ctx->user_port) != POLICY_RESOLVER_PORT)
		return ALLOW;
	from = ctx_addr(ctx, family);
	resolver = dns_resolver(&from);
	if (from.hi != resolver.hi || from.lo != resolver.lo)
		return ALLOW;
	given = bpf_sk_storage_get(&dns_sockets, ctx->sk, NULL, 0);
	if (!given)
		return ALLOW;
	from.hi = given->hi;
	from.lo = given->lo;
	ctx_addr_set(ctx, family, &from);
	return ALLOW;
}

SEC("cgroup/recvmsg4")
int reeve_recvmsg4(struct bpf_sock_addr *ctx)
{
	return dns_restore(ctx, AF_INET);
}

SEC("cgroup/recvmsg6")
int reeve_recvmsg6(struct bpf_sock_addr *ctx)
{
	return dns_restore(ctx, AF_INET6);
}

SEC("cgroup/getpeername4")
int reeve_peername4(struct bpf_sock_addr *ctx)
{
	return dns_restore(ctx, AF_INET);
}

SEC("cgroup/getpeername6")
int reeve_peername6(struct bpf_sock_addr *ctx)
{
	return dns_restore(ctx, AF_INET6);
}
