/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The types of the maps; maps.bpf.c defines them. All are pinned by name under <pin dir>/maps.
 */
#ifndef REEVE_MAPS_BPF_H
#define REEVE_MAPS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "policy.h"
#include "usage.h"

/* session's cgroup id -> what it may do; written by user space alone */
struct policies_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, REEVE_SESSIONS_MAX);
	__type(key, __u64);
	__type(value, struct policy);
};

/* session's cgroup id -> what it used; key 0: cgroups without a session */
struct usages_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, REEVE_SESSIONS_MAX + 1);
	__type(key, __u64);
	__type(value, struct usage);
};

struct event_ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, REEVE_EVENTS_BYTES);
};

/*
 * policy.ring -> the ring that the session's owner reads. A pool and not an entry a session: every
 * change of a map of maps waits for an RCU grace period, some 20 ms.
 */
struct events_map {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, REEVE_RINGS_MAX);
	__type(key, __u32);
	__array(values, struct event_ring);
};

/* what the host, its operator and the sessions' owners say of addresses, beyond the built-in table */
struct prefixes_map {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, REEVE_PREFIXES_MAX);
	__type(key, struct policy_prefix);
	__type(value, enum reason);
};

/* addresses that allowed names have; a trie, so that one session's can be walked */
struct addresses_map {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, REEVE_ADDRESSES_MAX);
	__type(key, struct policy_prefix);
	__type(value, struct policy_address);
};

/* allowed names -> enum policy_port bits */
struct names_map {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, REEVE_NAMES_MAX);
	__type(key, struct policy_name);
	__type(value, __u32);
};

/* ifindex of a session's device on the host -> the session's cgroup id */
struct netdevs_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, REEVE_SLOTS_MAX);
	__type(key, __u32);
	__type(value, __u64);
};

struct host_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct host);
};

/* The name server that the owner of a socket asked, while the socket is turned to the session's own. */
struct dns_given {
	__u64 hi, lo;
};

/* Lives and goes with the socket. */
struct dns_sockets_map {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct dns_given);
};

extern struct policies_map policies SEC(".maps");
extern struct usages_map usages SEC(".maps");
extern struct events_map events SEC(".maps");
extern struct prefixes_map prefixes SEC(".maps");
extern struct addresses_map addresses SEC(".maps");
extern struct names_map names SEC(".maps");
extern struct netdevs_map netdevs SEC(".maps");
extern struct host_map host SEC(".maps");
extern struct dns_sockets_map dns_sockets SEC(".maps");

#endif
