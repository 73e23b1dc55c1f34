/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session made by hand: a guard and a parent cgroup of the test program's own, entries in the maps, and
 * processes started into the session's cgroup. No sandbox and no engine: what stops here, the kernel has
 * stopped. For test programs alone, which are root in namespaces of their own.
 */
#ifndef REEVE_METER_DESK_H
#define REEVE_METER_DESK_H

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../include/account.h"
#include "../../user/base/clock.h"
#include "../../user/kernel/cgroup.h"
#include "../../user/kernel/guard.h"
#include "../test.h"

#define DESK_PIN_DIR "/sys/fs/bpf/desk"
#define DESK_ARGS_MAX 8

/* A session with its request's cgroup below it. */
struct desk {
	const struct guard *guard;
	struct policy policy;
	uint64_t id;
	int fd, request_fd;
};

/* The parent's name carries the test program's pid, which its tests and their teardown both know. */
static inline void desk_parent_name(char ret[32])
{
	snprintf(ret, 32, "reeve-desk-%d", getppid());
}

static inline int desk_parent(bool create, int *ret_fd, uint64_t *ret_id)
{
	_cleanup_fd_ int mount_fd = -1;
	struct fault fault = {};
	char name[32];
	int r = cgroup_mount_open(&mount_fd, &fault);

	desk_parent_name(name);
	if (!r)
		r = cgroup_parent_open(mount_fd, name, create, ret_fd, ret_id, &fault);
	if (r > 0)
		printf("%s: %s\n", fault.field, fault.reason);
	return r;
}

static inline void desk_guard_open(struct guard *ret)
{
	struct guard_place place = { .pin_dir = DESK_PIN_DIR, .parent_fd = -1, .parent_level = 1 };
	struct fault fault = {};

	ASSERT_OK(desk_parent(true, &place.parent_fd, &place.parent_id));
	if (guard_open(&place, ret, &fault))
		printf("%s: %s\n", fault.field, fault.reason);
	ASSERT_EQ(fault.code, FAULT_NONE);
	close(place.parent_fd);
}

/* A session that may run without end and send nothing. */
static inline void desk_open(const struct guard *guard, const char *name, struct desk *ret)
{
	int parent_fd, ring_fd;
	uint64_t id;

	*ret = (struct desk){ .guard = guard };
	ret->policy.state = POLICY_OPEN;
	ret->policy.generation = 1;
	ret->policy.cpu_cap_ns = ret->policy.money_cap_ucents = POLICY_UNLIMITED;
	ret->policy.deadline_ns = POLICY_UNLIMITED;
	ASSERT_OK(desk_parent(false, &parent_fd, &id));
	ASSERT_OK(cgroup_create(parent_fd, name, &ret->fd, &ret->id));
	ASSERT_OK(cgroup_set_max_depth(ret->fd, REEVE_CGROUP_DEPTH_MAX));
	ASSERT_OK(cgroup_create(ret->fd, "request", &ret->request_fd, &id));
	ASSERT_OK(guard_ring_open(guard, 0, &ring_fd));
	ASSERT_OK(guard_session_add(guard, ret->id, &ret->policy));
	close(ring_fd);
	close(parent_fd);
}

static inline void desk_change(struct desk *desk)
{
	desk->policy.generation++;
	ASSERT_OK(guard_session_update(desk->guard, desk->id, &desk->policy));
}

/* A child of the caller that is in the cgroup from its first instruction; 0 in the child, as fork(). */
static inline pid_t desk_fork(int cgroup_fd)
{
	struct clone_args args = { .flags = CLONE_INTO_CGROUP,
				   .exit_signal = SIGCHLD,
				   .cgroup = (uint64_t)cgroup_fd };
	long pid = syscall(SYS_clone3, &args, sizeof(args));

	ASSERT_GE(pid, 0);
	return (pid_t)pid;
}

#endif
