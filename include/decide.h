/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What class an address is of, and whether a session may exchange packets with it: one text for BPF and
 * for user space, pure.
 *
 * IPv4 is a deny list. IPv6 denies by default: 2000::/3 minus exceptions is allowed. An address that
 * embeds IPv4 and is translated on its way is decoded and judged by the IPv4 table; an embedding that
 * cannot be decoded is denied whole.
 */
#ifndef REEVE_DECIDE_H
#define REEVE_DECIDE_H

#include "policy.h"
#include "prefixes.h"
#include "reason.h"

#define DECIDE_MAPPED_LO 0x0000ffff00000000ull /* ::ffff:0:0/96, RFC 4291 2.5.5.2 */
#define DECIDE_NAT64_HI 0x0064ff9b00000000ull  /* 64:ff9b::/96, RFC 6052 */

/* An IPv6 address, or an IPv4 one as v4-mapped, in host byte order. */
struct decide_addr {
	__u64 hi;
	__u64 lo;
};

#define DECIDE_V4_NET(a, b, c, d)                                                                  \
	((__u32)(a) << 24 | (__u32)(b) << 16 | (__u32)(c) << 8 | (__u32)(d))

static inline struct decide_addr decide_from_v4(__u32 host_order)
{
	struct decide_addr addr = { 0, DECIDE_MAPPED_LO | host_order };

	return addr;
}

static inline int decide_is_mapped(const struct decide_addr *addr)
{
	return addr->hi == 0 && addr->lo >> 32 == DECIDE_MAPPED_LO >> 32;
}

static inline int decide_is_nat64(const struct decide_addr *addr)
{
	return addr->hi == DECIDE_NAT64_HI && addr->lo >> 32 == 0;
}

/* The class of an IPv4 address in host byte order; REASON_OK for a public one. */
static inline enum reason decide_class_v4(__u32 addr)
{
#define X(a, b, c, d, len, NAME)                                                                   \
	if ((addr ^ DECIDE_V4_NET(a, b, c, d)) >> (32 - (len)) == 0)                               \
		return REASON_##NAME;
	DECIDE_V4(X)
#undef X
	return REASON_OK;
}

/* Whether @addr lies in the prefix; @len is a constant, so that one comparison is left of it. */
#define DECIDE_V6_IN(addr, net_hi, net_lo, len)                                                    \
	((len) == 0 || ((len) <= 64 ? ((addr)->hi ^ (net_hi)) >> ((64 - (len)) & 63) == 0          \
				    : (addr)->hi == (net_hi) &&                                    \
					      ((addr)->lo ^ (net_lo)) >> ((128 - (len)) & 63) == 0))

static inline enum reason decide_class_v6(const struct decide_addr *addr)
{
#define X(net_hi, net_lo, len, NAME)                                                               \
	if (DECIDE_V6_IN(addr, net_hi##ull, net_lo##ull, len))                                     \
		return REASON_##NAME;
	DECIDE_V6(X)
#undef X
	return REASON_RESERVED;
}

/*
 * The class of an address, decoding the two embeddings that are translated on the way. A NAT64 form of
 * 127.0.0.0/8 is the translator's loopback, never the session's own.
 */
static inline enum reason decide_class(const struct decide_addr *addr)
{
	enum reason class;

	if (decide_is_mapped(addr))
		return decide_class_v4((__u32)addr->lo);
	if (!decide_is_nat64(addr))
		return decide_class_v6(addr);
	class = decide_class_v4((__u32)addr->lo);
	return class == REASON_LOOPBACK ? REASON_TRANSITION : class;
}

static inline int decide_is_loopback(const struct decide_addr *addr)
{
	return decide_class(addr) == REASON_LOOPBACK;
}

/* The address that decides: the embedded IPv4 one as v4-mapped, else the address itself. */
static inline struct decide_addr decide_decode(const struct decide_addr *addr)
{
	return decide_is_nat64(addr) ? decide_from_v4((__u32)addr->lo) : *addr;
}

/*
 * Whether a session with @policy may exchange packets with an address of @class. Loopback is its own:
 * a session owns its network namespace.
 */
static inline enum reason decide_peer(const struct policy *policy, enum reason class)
{
	if (class == REASON_LOOPBACK)
		return REASON_OK;
	if (class != REASON_OK)
		return class;
	return policy->egress == POLICY_EGRESS_PUBLIC ||
			       policy->egress == POLICY_EGRESS_PACKAGE_MANAGERS
		       ? REASON_OK
		       : REASON_EGRESS_NONE;
}

#endif
