/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a session may use a peer for, once decide.h knows the class of its address: the operator's prefixes
 * and the ports and protocols of an egress mode. One text for BPF and for user space, pure.
 */
#ifndef REEVE_EGRESS_H
#define REEVE_EGRESS_H

#include "decide.h"

#define EGRESS_TCP 6
#define EGRESS_PORT_DNS 53
#define EGRESS_PORT_DNS_TLS 853 /* RFC 7858, RFC 9250 */
#define EGRESS_PORT_TLS 443
#define EGRESS_PORT_HTTP 80

/* Translators' prefixes of this length are looked through, of another one denied: RFC 6052, 2.2. */
#define EGRESS_NAT64_BITS 96

/* No entry of the map "prefixes" has the address. */
#define EGRESS_NO_RULE (-1)

/*
 * Set in the mark of a packet to an address that the table denies and a prefix allows: the filter behind the
 * host's own translations has the table only.
 */
#define EGRESS_MARK_ALLOWED 0x00200000

/* What is done with a peer. */
struct egress_use {
	__u32 protocol;
	__u16 port; /* the peer's */
	__u8 opens; /* a connection begins: the address must be known */
	__u8 sends; /* 0: connect() of a datagram socket, by which resolvers sort addresses */
};

/* Classes that an operator may allow a part of: addresses that some network gives to a host. */
static inline int egress_may_allow(enum reason class)
{
	switch (class) {
	case REASON_PRIVATE:
	case REASON_SHARED:
	case REASON_LINK_LOCAL:
	case REASON_CLOUD:
	case REASON_PROTOCOL:
	case REASON_DOCUMENTATION:
	case REASON_BENCHMARK:
		return 1;
	default:
		return 0;
	}
}

/* The class of an address for which "prefixes" has @rule: an enum reason, or EGRESS_NO_RULE. */
static inline enum reason egress_class(enum reason class, int rule)
{
	if (rule == REASON_OK)
		return egress_may_allow(class) ? REASON_OK : class;
	return class != REASON_OK || rule == EGRESS_NO_RULE ? class : (enum reason)rule;
}

/* Whether a translator of the operator's makes IPv4 of @addr; *ret is that, as v4-mapped. */
static inline int egress_translated(const struct host *host, const struct decide_addr *addr,
				    struct decide_addr *ret)
{
	/* an unused prefix is all zeros */
	if (!addr->hi)
		return 0;
	for (int i = 0; i < REEVE_CONFIG_NAT64_MAX; i++) {
		if (addr->hi != host->nat64[i][0] || (addr->lo ^ host->nat64[i][1]) >> 32)
			continue;
		*ret = decide_from_v4((__u32)addr->lo);
		return 1;
	}
	return 0;
}

/*
 * egress_class() for what such a translator makes of an address. A private one stays denied though a prefix
 * allows it: which host has it on the translator's other side nobody here knows.
 */
static inline enum reason egress_class_translated(enum reason class, int rule)
{
	class = egress_class(class, rule == REASON_OK ? EGRESS_NO_RULE : rule);
	return class == REASON_LOOPBACK ? REASON_TRANSITION : class;
}

static inline __u32 egress_port(__u16 port)
{
	return port == EGRESS_PORT_TLS	  ? POLICY_PORT_TLS
	       : port == EGRESS_PORT_HTTP ? POLICY_PORT_HTTP
					  : 0;
}

/*
 * Whether @egress has room for @use of a peer that decide_peer() let pass and that is not loopback. @ports
 * are those that the address is known for: none when no allowed name has it.
 */
static inline enum reason egress_use(enum policy_egress egress, const struct egress_use *use,
				     __u32 ports)
{
	__u32 port = egress_port(use->port);

	if (use->port == EGRESS_PORT_DNS_TLS)
		return REASON_DNS;
	if (egress != POLICY_EGRESS_PACKAGE_MANAGERS)
		return REASON_OK;
	if (use->port == EGRESS_PORT_DNS)
		return REASON_DNS;
	if (use->sends && (use->protocol != EGRESS_TCP || !port))
		return REASON_PORT;
	if (!use->opens)
		return REASON_OK;
	if (!ports)
		return REASON_ADDRESS_UNKNOWN;
	return use->sends && !(ports & port) ? REASON_PORT : REASON_OK;
}

#endif
