/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What must be known of the host's network, in the calling thread's network namespace. Only looks.
 */
#ifndef REEVE_HOSTNET_H
#define REEVE_HOSTNET_H

#include <netinet/in.h>
#include <stdbool.h>

#include "../../include/policy.h"
#include "../base/fault.h"

/*
 * Picks from a fixed list the /16 and the /64 that no route or address of the host overlaps,
 * sessions' own links aside. Routes shorter than /8 (IPv4) and /16 (IPv6) are defaults in this
 * sense and overlap nothing. Returns 0, -errno or FAULT_E_SET.
 */
int hostnet_pick_pools(struct in_addr *ret_v4, struct in6_addr *ret_v6, struct fault *ret_fault);

enum hostnet_kind {
	HOSTNET_LOCAL,
	HOSTNET_BROADCAST,
	HOSTNET_ANYCAST,
};

/*
 * Calls @fn for each of the host's own prefixes that the built-in address table would let pass: routes
 * of the types local, broadcast and anycast in every routing table, so public addresses of the host;
 * private ones need no entry, the table denies them. The prefix is ready for guard_prefix_put(). A
 * result of @fn other than 0 ends the walk and is returned; else 0 or -errno.
 */
int hostnet_each_own(int (*fn)(enum hostnet_kind kind, const struct host_prefix *prefix, void *arg),
		     void *arg);

/*
 * A descriptor (CLOEXEC, non-blocking) that is readable when an address or route of the host
 * changed. Open it before the first hostnet_each_own(), or a change in between is lost. Returns 0
 * or -errno.
 */
int hostnet_watch_open(int *ret_fd);

/*
 * Empties it; *ret_changed tells to walk anew: something that hostnet_each_own() would report came
 * or went, or the kernel had to drop a message. Returns 0 or -errno.
 */
int hostnet_watch_drain(int fd, bool *ret_changed);

/* Whether the host forwards packets, and whether it has a default route to forward them to. */
struct hostnet_forwarding {
	bool v4, v6;
	bool default_v4, default_v6;
};

int hostnet_forwarding(struct hostnet_forwarding *ret);

/*
 * Returns 0, -errno, or FAULT_E_SET that names the sysctl and the remedy: each family with a
 * default route must be forwarded, and IPv4 when neither has one. Nothing is changed.
 */
int hostnet_require_forwarding(struct fault *ret_fault);

#endif
