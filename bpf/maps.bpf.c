// SPDX-License-Identifier: GPL-2.0-only
/*
 * The only definitions of the maps and of the constants that the loader sets. Hashes are not
 * preallocated: a session pays for its own entries only.
 */
#include "maps.bpf.h"

struct policies_map policies SEC(".maps");
struct usages_map usages SEC(".maps");
struct events_map events SEC(".maps");
struct host_prefixes_map host_prefixes SEC(".maps");
struct netdevs_map netdevs SEC(".maps");
struct host_map host SEC(".maps");

/* level of a session's cgroup below the root of the hierarchy: the parent's and one */
const volatile __u32 session_level = 0;

char LICENSE[] SEC("license") = "GPL";
