/* SPDX-License-Identifier: GPL-2.0-only */
/* The address of a bpf_sock_addr, read and written; IPv4 as v4-mapped. */
#ifndef REEVE_SOCKADDR_BPF_H
#define REEVE_SOCKADDR_BPF_H

#include "report.bpf.h"

static __always_inline struct decide_addr ctx_addr(struct bpf_sock_addr *ctx, int family)
{
	struct decide_addr addr;

	if (family == AF_INET)
		return decide_from_v4(bpf_ntohl(ctx->user_ip4));
	addr.hi = (__u64)bpf_ntohl(ctx->user_ip6[0]) << 32 | bpf_ntohl(ctx->user_ip6[1]);
	addr.lo = (__u64)bpf_ntohl(ctx->user_ip6[2]) << 32 | bpf_ntohl(ctx->user_ip6[3]);
	return addr;
}

static __always_inline void ctx_addr_set(struct bpf_sock_addr *ctx, int family,
					 const struct decide_addr *addr)
{
	if (family == AF_INET) {
		ctx->user_ip4 = bpf_htonl((__u32)addr->lo);
		return;
	}
	ctx->user_ip6[0] = bpf_htonl((__u32)(addr->hi >> 32));
	ctx->user_ip6[1] = bpf_htonl((__u32)addr->hi);
	ctx->user_ip6[2] = bpf_htonl((__u32)(addr->lo >> 32));
	ctx->user_ip6[3] = bpf_htonl((__u32)addr->lo);
}

#endif
