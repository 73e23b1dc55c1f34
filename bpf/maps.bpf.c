// SPDX-License-Identifier: GPL-2.0-only
/*
 * The only definitions of the maps and of the constants that the loader sets. Hashes are not
 * preallocated, but for the flows': a session pays for its own entries only.
 */
#include "flow_maps.bpf.h"

struct policies_map policies SEC(".maps");
struct usages_map usages SEC(".maps");
struct events_map events SEC(".maps");
struct prefixes_map prefixes SEC(".maps");
struct addresses_map addresses SEC(".maps");
struct names_map names SEC(".maps");
struct flows_map flows SEC(".maps");
struct half_flows_map half_flows SEC(".maps");
struct readings_map readings SEC(".maps");
struct netdevs_map netdevs SEC(".maps");
struct host_map host SEC(".maps");
struct dns_sockets_map dns_sockets SEC(".maps");

/* level of a session's cgroup below the root of the hierarchy: the parent's and one */
const volatile __u32 session_level = 0;

/* what nobody in a sandbox knows: key of the sums of hellos */
const volatile __u64 flow_secret = 0;

char LICENSE[] SEC("license") = "GPL";
