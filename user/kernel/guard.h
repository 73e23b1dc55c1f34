/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF programs, maps and links of one parent cgroup: loaded, attached and pinned once, found again by
 * every later run, replaced by nobody. The directory on bpffs, root's alone (0700), is the boundary: who
 * can open a pin can change the policy.
 *
 *     <pin dir>/progs/<program>   links/<program>   maps/<map>
 */
#ifndef REEVE_GUARD_H
#define REEVE_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "../../include/decide.h"
#include "../../include/policy.h"
#include "../../include/usage.h"
#include "../base/fault.h"

enum guard_map {
	GUARD_POLICIES,
	GUARD_USAGES,
	GUARD_EVENTS,
	GUARD_PREFIXES,
	GUARD_ADDRESSES,
	GUARD_NAMES,
	GUARD_FLOWS,
	GUARD_HALF_FLOWS,
	GUARD_READINGS,
	GUARD_NETDEVS,
	GUARD_HOST,
	GUARD_DNS_SOCKETS,
	GUARD_MAP_COUNT,
};

/* Where a guard belongs; every field is the caller's and only read. */
struct guard_place {
	const char *pin_dir; /* on a bpffs; made when missing */
	int parent_fd;	     /* the parent cgroup */
	uint64_t parent_id;
	unsigned int parent_level;
	uint64_t netns; /* inode of the network namespace that plays the host */
};

struct guard {
	int maps[GUARD_MAP_COUNT];
	int link_out_fd, link_in_fd; /* programs for a session's network device */
	bool unix_hooks;	     /* this kernel has connect_unix and sendmsg_unix */
	struct host host;
};

#define GUARD_INIT                                                                                 \
	{                                                                                          \
		.maps = { [0 ... GUARD_MAP_COUNT - 1] = -1 }, .link_out_fd = -1, .link_in_fd = -1  \
	}

/*
 * Opens what is pinned at @place, or loads, attaches and pins it when nothing is there. The caller holds
 * the lock of the run directory. FAULT_E_SET: no bpffs, a kernel that lacks a must, pins of another build,
 * cgroup or network namespace, or a link that is gone.
 */
int guard_open(const struct guard_place *place, struct guard *ret, struct fault *ret_fault);
void guard_close(struct guard *guard);
#define _cleanup_guard_ _cleanup_(guard_close)

/* Removes every pin below @pin_dir, links first; 0 also when there is none. */
int guard_remove(const char *pin_dir, struct fault *ret_fault);

/* Whether @pin_dir lies on a bpffs, there or yet to be made. Returns 0, -ENOMEM or FAULT_E_SET. */
int guard_check_pin_dir(const char *pin_dir, struct fault *ret_fault);

/* Whether anything is pinned at @pin_dir. */
bool guard_exists(const char *pin_dir);

/* Id of the cgroup that the programs pinned at @pin_dir were attached to. Returns 0 or -errno. */
int guard_parent_id(const char *pin_dir, uint64_t *ret);

/* What is attached and pinned: for doctor and the plan, ends with a NULL name. */
struct guard_hook {
	const char *program;
	const char *holds; /* which promise rests on it */
	bool optional;
};
extern const struct guard_hook guard_hooks[];

/* A session's entries ------------------------------------------------------------------------------- */

/*
 * Makes the usage, the marks of its rules and last the policy of the session with cgroup @id. -EEXIST when
 * the session has one. On failure nothing is left.
 */
int guard_session_add(const struct guard *guard, uint64_t id, const struct policy *policy);

/* Swaps the policy in place; -ENOENT when the session has none: it is never made here. */
int guard_session_update(const struct guard *guard, uint64_t id, const struct policy *policy);

int guard_session_usage(const struct guard *guard, uint64_t id, struct usage *ret);
int guard_session_policy(const struct guard *guard, uint64_t id, struct policy *ret);

/*
 * Policy first, so that the session is denied before anything else goes: its device, its rules and its
 * connections. 0 also when nothing was left.
 */
int guard_session_remove(const struct guard *guard, uint64_t id);

/* The id after @previous (0: the first) that has any entry, or -ENOENT. */
int guard_session_next(const struct guard *guard, uint64_t previous, uint64_t *ret);

/*
 * The ring of events at @index, made when nobody took it before. One reader at a time: the caller holds
 * the lock that goes with the index. What an earlier reader left in it carries other cgroup ids.
 */
int guard_ring_open(const struct guard *guard, uint32_t index, int *ret_fd);

/* Puts the filter on the host's end of a session's device and makes it the session's. */
int guard_link_add(const struct guard *guard, unsigned int ifindex, uint64_t id);

#endif
