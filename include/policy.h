/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What user space writes and BPF reads. One entry a session in the map "policies", keyed by the id of
 * the session's cgroup (u64). No entry means no: every hook denies. A zeroed entry denies as well.
 *
 * Written whole, in place (bpf_map_update_elem on an existing key swaps the element), never deleted and
 * put back; deleted first at teardown.
 */
#ifndef REEVE_POLICY_H
#define REEVE_POLICY_H

#include <linux/types.h>
#include "limits.h"

#define POLICY_UNLIMITED (~0ull)

/* Where a session's resolver stands on the session's own loopback: 127.0.0.53 and ::1. */
#define POLICY_RESOLVER_V4 0x7f000035u
#define POLICY_RESOLVER_PORT 53

enum policy_state {
	POLICY_CLOSED, /* before Go, and after the end */
	POLICY_PROOF,  /* while the sandbox starts: every connect is denied and counted as proof */
	POLICY_OPEN,
	POLICY_PAUSED,
	POLICY_WIPED,
};

enum policy_egress {
	POLICY_EGRESS_NONE,
	POLICY_EGRESS_PUBLIC,
	POLICY_EGRESS_PACKAGE_MANAGERS, /* TCP to servers whose name is allowed */
};

/* The ports that a name or an address may be open at, as bits. */
enum policy_port {
	POLICY_PORT_TLS = 1,  /* 443 */
	POLICY_PORT_HTTP = 2, /* 80 */
};

/* Micro-cents for one unit; each at most REEVE_RATE_UCENTS_MAX. */
struct policy_rates {
	__u64 cpu_second_ucents;
	__u64 wall_minute_ucents;
	__u64 egress_gib_ucents;
};

struct policy {
	char session[REEVE_SESSION_ID_SIZE];
	__u64 generation; /* rises at every change; an event of an older one is stale */
	enum policy_state state;
	enum policy_egress egress;
	__u64 cpu_cap_ns; /* POLICY_UNLIMITED, or the session's CPU time at which it stops */
	__u64 money_cap_ucents;
	__u64 money_settled_ucents; /* steps, requests and charges so far */
	__u64 wall_settled_ns;	    /* wall time of earlier requests */
	__u64 running_since_ns;	    /* CLOCK_MONOTONIC; 0 while nothing runs */
	__u64 deadline_ns;	    /* CLOCK_MONOTONIC; POLICY_UNLIMITED for none */
	struct policy_rates rates;
	__u32 ring; /* index in the map "events" of the ring that the session's owner reads */
	__u32 pad;
};

/* A prefix of addresses: IPv4 as ::ffff:a.b.c.d/96+n. */
struct host_prefix {
	__u32 prefixlen;
	__u8 addr[16];
};

/*
 * Keys of the LPM maps. Each begins with the session's cgroup id, 0 for every session, and prefixlen counts
 * these POLICY_OWNER_BITS too; a session's own entries decide before those of every session. The first key
 * of an owner, all zeros behind the id, matches nothing and marks where a walk of its entries begins.
 *
 *	prefixes    prefix  -> enum reason; REASON_OK: allowed, though the table calls it private
 *	addresses   address -> struct policy_address
 *	names       name    -> __u32, enum policy_port bits; 0: denied
 */
#define POLICY_OWNER_BITS 64

struct policy_prefix {
	__u32 prefixlen;
	__u64 cgroup;
	__u8 addr[16];
} __attribute__((packed, aligned(4)));

/*
 * The name from its end, "gro.elpmaxe.", so that a domain's name is a prefix of its hosts' names. A name
 * looked up, and a rule for one name alone, ends in a zero behind the dot; a rule for all of a domain does not.
 */
struct policy_name {
	__u32 prefixlen;
	__u64 cgroup;
	__u8 name[REEVE_NAME_MAX + 2];
} __attribute__((packed, aligned(4)));

struct policy_address {
	__u64 expires_ns; /* CLOCK_MONOTONIC; for new connections only */
	__u32 ports;	  /* enum policy_port bits */
	__u32 pad;
};

/* The only element of the map "host": what the pinned programs were loaded for, and by which rules for all. */
struct host {
	__u64 build;	     /* hash of the BPF object */
	__u64 parent_cgroup; /* id of the cgroup that the links hang on */
	__u64 netns;	     /* inode of the network namespace that plays the host */
	__u64 rules;	     /* digest of the configuration that the maps hold; 0: of none */
	__u32 session_level; /* level of a session's cgroup below the root */
	__u32 pad;
	__u64 nat64[REEVE_CONFIG_NAT64_MAX][2]; /* operator's /96 prefixes, host byte order; 0: none */
};

_Static_assert(sizeof(struct policy) == 32 + 8 + 8 + 6 * 8 + 24 + 8, "no padding in maps");
_Static_assert(sizeof(struct policy_prefix) == 4 + 8 + 16, "no padding in maps");
_Static_assert(sizeof(struct policy_name) == 4 + 8 + 240, "no padding in maps");
_Static_assert(sizeof(struct policy_address) == 16, "no padding in maps");
_Static_assert(sizeof(struct host) == 40 + 16 * REEVE_CONFIG_NAT64_MAX, "no padding in maps");

#endif
