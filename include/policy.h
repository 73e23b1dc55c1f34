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

/* Key of the LPM map "host_prefixes": IPv4 as ::ffff:a.b.c.d/96+n. The value is an enum reason. */
struct host_prefix {
	__u32 prefixlen;
	__u8 addr[16];
};

/* The only element of the map "host": what the pinned programs were loaded for. */
struct host {
	__u64 build;	     /* hash of the BPF object */
	__u64 parent_cgroup; /* id of the cgroup that the links hang on */
	__u64 netns;	     /* inode of the network namespace that plays the host */
	__u32 session_level; /* level of a session's cgroup below the root */
	__u32 pad;
};

_Static_assert(sizeof(struct policy) == 32 + 8 + 8 + 6 * 8 + 24 + 8, "no padding in maps");
_Static_assert(sizeof(struct host_prefix) == 20, "no padding in maps");
_Static_assert(sizeof(struct host) == 32, "no padding in maps");

#endif
