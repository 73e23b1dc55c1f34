/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The real programs on a parent cgroup of the test's own, pinned in the test's own bpffs, and one session
 * below it. gate_remove() is for the TEARDOWN of a program that uses this: it finds everything by name.
 */
#ifndef REEVE_SELFTESTS_GATE_H
#define REEVE_SELFTESTS_GATE_H

#include "test.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

#include "../user/kernel/cgroup.h"
#include "../user/kernel/guard_rules.h"
#include "../user/kernel/netns.h"

#define GATE_PINS "/sys/fs/bpf/reeve"

struct gate {
	char parent[32];
	int mount_fd;
	struct guard_place place;
	struct guard guard;
	int session_fd;
	uint64_t id;	      /* of the session's cgroup */
	struct policy policy; /* as the kernel has it */
	struct fault fault;
};

static struct gate gate = { .mount_fd = -1, .guard = GUARD_INIT, .session_fd = -1 };

/* The same in each test and in the teardown. */
__attribute__((constructor)) static inline void gate_name(void)
{
	snprintf(gate.parent, sizeof(gate.parent), "reeve-gate-%d", getpid());
}

static inline void gate_place(void)
{
	gate.place.pin_dir = GATE_PINS;
	gate.place.parent_level = 1;
	ASSERT_OK(cgroup_mount_open(&gate.mount_fd, &gate.fault));
	ASSERT_OK(cgroup_parent_open(gate.mount_fd, gate.parent, true, &gate.place.parent_fd,
				     &gate.place.parent_id, &gate.fault));
	ASSERT_OK(netns_identity(&gate.place.netns));
}

static inline int gate_open(void)
{
	int r = guard_open(&gate.place, &gate.guard, &gate.fault);

	printf("%s\n", gate.fault.reason);
	return r;
}

static inline void gate_update(void)
{
	gate.policy.generation++;
	ASSERT_OK(guard_session_update(&gate.guard, gate.id, &gate.policy));
}

/* Everything, with a session that may do what egress "public" allows, without an end. */
static inline void gate_make(void)
{
	gate_place();
	ASSERT_OK(gate_open());
	ASSERT_OK(cgroup_create(gate.place.parent_fd, "session", &gate.session_fd, &gate.id));
	gate.policy = (struct policy){
		.session = "sbs_gate",
		.generation = 1,
		.state = POLICY_OPEN,
		.egress = POLICY_EGRESS_PUBLIC,
		.cpu_cap_ns = POLICY_UNLIMITED,
		.money_cap_ucents = POLICY_UNLIMITED,
		.deadline_ns = POLICY_UNLIMITED,
	};
	ASSERT_OK(guard_session_add(&gate.guard, gate.id, &gate.policy));
}

static inline void gate_enter(int cgroup_fd)
{
	_cleanup_fd_ int fd = openat(cgroup_fd, "cgroup.procs", O_WRONLY | O_CLOEXEC);

	ASSERT_EQ(write(fd, "0", 1), 1);
}

/* Runs @fn in a child inside @cgroup_fd; a failing check in it fails the test. Returns its exit code. */
static inline int gate_run_in(int cgroup_fd, void (*fn)(void *arg), void *arg)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		gate_enter(cgroup_fd);
		fn(arg);
		exit(0);
	}
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline void gate_remove(void)
{
	struct fault fault = {};
	int mount_fd, fd;
	uint64_t id;

	ASSERT_OK(cgroup_mount_open(&mount_fd, &fault));
	if (cgroup_parent_open(mount_fd, gate.parent, false, &fd, &id, &fault) == 0) {
		ASSERT_OK(cgroup_kill(fd));
		ASSERT_OK(cgroup_wait_empty(fd, 5 * NSEC_PER_SEC));
	}
	EXPECT_OK(guard_remove(GATE_PINS, &fault));
	EXPECT_OK(cgroup_remove(mount_fd, gate.parent));
}

#endif
