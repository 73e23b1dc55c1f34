/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Control groups of version 2, by descriptor. Every cgroup is named below an open directory; nothing
 * here follows a symlink or leaves the cgroup2 mount.
 */
#ifndef REEVE_CGROUP_H
#define REEVE_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/fault.h"
#include "../model/plan.h"

enum cgroup_controller {
	CGROUP_MEMORY = 1 << 0,
	CGROUP_PIDS = 1 << 1,
	CGROUP_CPU = 1 << 2,
};

/* Opens the cgroup2 mount, found in /proc/self/mountinfo and checked by its magic number. */
int cgroup_mount_open(int *ret_fd, struct fault *ret_fault);

/*
 * Opens the parent of all sessions: @path below the mount, created where it is missing if @create.
 * Refuses the root itself (empty, "/", "..", id 1) and a path deeper than REEVE_PARENT_DEPTH_MAX.
 * Returns 0, -ENOENT (missing, not @create), or FAULT_E_SET.
 */
int cgroup_parent_open(int mount_fd, const char *path, bool create, int *ret_fd, uint64_t *ret_id,
		       struct fault *ret_fault);

/*
 * Removes the parent at @path where it is empty, and the cgroups above it that cgroup_parent_open() made, as far as
 * they are. Returns 0, also where something is used or gone, or -errno.
 */
int cgroup_parent_remove(int mount_fd, const char *path);

/* What the parent at @path can give to its children, or could if it was made now. */
int cgroup_parent_controllers(int mount_fd, const char *path, unsigned int *ret_mask,
			      struct fault *ret_fault);

/* One cgroup directly below @parent_fd. Both return 0 or -errno; create does not take an old one. */
int cgroup_create(int parent_fd, const char *name, int *ret_fd, uint64_t *ret_id);
int cgroup_open(int parent_fd, const char *name, int *ret_fd, uint64_t *ret_id);

/* The 64-bit id that BPF sees, and the way back from it; -ESTALE when that cgroup is gone. */
int cgroup_id(int fd, uint64_t *ret_id);
int cgroup_open_id(int mount_fd, uint64_t id, int *ret_fd);

/* How many levels may exist below this cgroup. */
int cgroup_set_max_depth(int fd, unsigned int depth);

/* Kills every process of the cgroup and of those below it, at once. */
int cgroup_kill(int fd);
int cgroup_freeze(int fd, bool freeze);

/* Waits until no process is left in the cgroup and below. Returns 0, -ETIMEDOUT or -errno. */
int cgroup_wait_empty(int fd, uint64_t timeout_ns);
/* The same until every process of it, which is to be frozen, stands still. */
int cgroup_wait_frozen(int fd, uint64_t timeout_ns);

/* CPU time of the cgroup and of all that ever ran below it; to the microsecond, as the kernel tells it. */
int cgroup_read_cpu_ns(int fd, uint64_t *ret_ns);

/* Whether the kernel killed for memory in the cgroup or below; false without the memory controller. */
bool cgroup_was_oom(int fd);

/* Removes @name and every cgroup below it, deepest first. 0 also when there is none; -EBUSY when used. */
int cgroup_remove(int parent_fd, const char *name);
/* Every cgroup below @fd, not @fd itself. */
int cgroup_remove_below(int fd);
/* Whether there is any. */
int cgroup_has_below(int fd, bool *ret);

/* Masks of enum cgroup_controller: what @fd can give to its children, and what it gives them. */
int cgroup_read_controllers(int fd, unsigned int *ret_mask);
int cgroup_read_given(int fd, unsigned int *ret_mask);

/* Gives the controllers of @mask to the children of @fd. */
int cgroup_enable_controllers(int fd, unsigned int mask);

/* The controllers that @limits needs, and the writing of its values into the cgroup that they bind. */
unsigned int cgroup_limits_controllers(const struct plan_limits *limits);
int cgroup_write_limits(int fd, const struct plan_limits *limits, struct fault *ret_fault);

#endif
