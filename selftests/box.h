/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One sandbox in the hands of a test: everything that spawn_start wants, made for real, below a parent
 * cgroup of the test program's own. In place of the policy, the program of box_deny.h
 * denies every connect, which is what the start-up proof asks for.
 *
 * box_make() once a test; then box_start, box_end or the shorter ways of box_run.h. BOX_TEARDOWN goes into
 * TEARDOWN: it knows the cgroup by the pid of the test program.
 */
#ifndef REEVE_SELFTESTS_BOX_H
#define REEVE_SELFTESTS_BOX_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/stat.h>

#include "../user/base/macro.h"
#include "../user/kernel/cgroup.h"
#include "../user/kernel/hostroot.h"
#include "../user/kernel/input.h"
#include "../user/kernel/netns.h"
#include "../user/kernel/spawn.h"
#include "../user/kernel/userns.h"
#include "box_deny.h"
#include "test.h"

#define BOX_INPUTS 4
#define BOX_SLOT (REEVE_SLOTS_MAX - 1)
#define BOX_TEXT_SIZE 65536
#define BOX_EMPTY_NS (5 * NSEC_PER_SEC)

struct box {
	int mount_fd, parent_fd, cgroup_fd, userns_fd, netns_fd, out_fd;
	char out[PATH_MAX]; /* the output directory, as the host names it */
	struct spec_input inputs[BOX_INPUTS];
	struct plan_input plan_inputs[BOX_INPUTS];
	int input_fds[BOX_INPUTS];
	size_t n_inputs;
	struct plan plan;
	const struct sock_fprog *seccomp; /* NULL: one that permits all */
	const char *fail_step;
	int pipes[2][2]; /* of standard output and standard error */
	struct spawn spawn;
	struct fault fault;
	struct spawn_exit end;
	char text[2][BOX_TEXT_SIZE];
};

static struct box box = { .out_fd = -1, .spawn = SPAWN_INIT, .pipes = { { -1, -1 }, { -1, -1 } } };

static char box_parent[64];

/* A test and its teardown are two children of one program: its pid names the cgroup. */
__attribute__((constructor)) static void box_name(void)
{
	snprintf(box_parent, sizeof(box_parent), "reeve-test-%d", getpid());
}

static inline void box_make_cgroups(bool guarded)
{
	uint64_t id;

	ASSERT_OK(cgroup_mount_open(&box.mount_fd, &box.fault));
	ASSERT_OK(cgroup_parent_open(box.mount_fd, box_parent, true, &box.parent_fd, &id, &box.fault));
	ASSERT_OK(cgroup_create(box.parent_fd, "request", &box.cgroup_fd, &id));
	if (!guarded)
		return;
	ASSERT_OK(box_deny(box.parent_fd, BPF_CGROUP_INET4_CONNECT));
	ASSERT_OK(box_deny(box.parent_fd, BPF_CGROUP_INET6_CONNECT));
}

static inline void box_make(bool guarded)
{
	const char *dir = getenv("TMPDIR");

	box_make_cgroups(guarded);
	ASSERT_OK(userns_make(REEVE_UID_BASE + BOX_SLOT * REEVE_UIDS_PER_SLOT, REEVE_UIDS_PER_SLOT,
			      &box.userns_fd));
	ASSERT_OK(netns_make(&box.netns_fd, &box.fault));
	snprintf(box.out, sizeof(box.out), "%s/out-XXXXXX", dir ? dir : "/tmp");
	ASSERT_NOT_NULL(mkdtemp(box.out));
	ASSERT_OK(chmod(box.out, 01777));
	box.out_fd = open(box.out, O_PATH | O_DIRECTORY | O_CLOEXEC);
	ASSERT_GE(box.out_fd, 3);
}

#endif
