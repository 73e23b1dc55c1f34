/* SPDX-License-Identifier: GPL-2.0-only */
/* Running commands in the sandbox of box.h, and taking it down. */
#ifndef REEVE_SELFTESTS_BOX_RUN_H
#define REEVE_SELFTESTS_BOX_RUN_H

#include <poll.h>

#include "box_plan.h"

/* Starts a command as far as spawn_start does; the result of that. */
static inline int box_start(const char *const *argv)
{
	static struct sock_filter allow = { .code = BPF_RET | BPF_K, .k = SECCOMP_RET_ALLOW };
	static const struct sock_fprog allow_all = { 1, &allow };
	struct spawn_args args = {
		.plan = &box.plan,
		.cgroup_fd = box.cgroup_fd,
		.userns_fd = box.userns_fd,
		.netns_fd = box.netns_fd,
		.input_fds = box.input_fds,
		.n_inputs = box.n_inputs,
		.out_fd = box.out_fd,
		.seccomp = box.seccomp ? box.seccomp : &allow_all,
		.fail_step = box.fail_step,
	};
	int r;

	plan_deinit(&box.plan);
	ASSERT_OK(box_plan(argv));
	for (int i = 0; i < 2; i++)
		ASSERT_OK(pipe2(box.pipes[i], O_CLOEXEC));
	args.stdout_fd = box.pipes[0][1];
	args.stderr_fd = box.pipes[1][1];
	r = spawn_start(&args, &box.spawn, &box.fault);
	if (r > 0)
		printf("%s: %s\n", box.fault.field, box.fault.reason);
	for (int i = 0; i < 2; i++)
		fd_close(&box.pipes[i][1]);
	return r;
}

/* Reads both pipes to their ends, which come with the death of the last process inside. */
static inline void box_read(void)
{
	size_t len[2] = { 0, 0 };

	for (int open = 2; open > 0;) {
		struct pollfd p[] = { { box.pipes[0][0], POLLIN, 0 }, { box.pipes[1][0], POLLIN, 0 } };

		ASSERT_GE(poll(p, 2, -1), 1);
		for (int i = 0; i < 2; i++) {
			ssize_t n;

			if (!p[i].revents)
				continue;
			n = read(p[i].fd, box.text[i] + len[i], BOX_TEXT_SIZE - 1 - len[i]);
			len[i] += n > 0 ? (size_t)n : 0;
			if (n > 0)
				continue;
			fd_close(&box.pipes[i][0]);
			open--;
		}
	}
	box.text[0][len[0]] = box.text[1][len[1]] = '\0';
}

/* Runs the started command to its end; its standard output. */
static inline const char *box_finish(void)
{
	ASSERT_OK(spawn_go(&box.spawn));
	box_read();
	ASSERT_OK(spawn_read_exit(&box.spawn, &box.end));
	ASSERT_OK(spawn_reap(&box.spawn));
	spawn_deinit(&box.spawn);
	printf("exit %d, signal %d\n%s%s", box.end.exit_code, box.end.signal, box.text[0],
	       box.text[1]);
	return box.text[0];
}

/* The standard output of a command, or of a shell's script. */
static inline const char *box_exec(const char *const *argv)
{
	memset(box.text, 0, sizeof(box.text));
	ASSERT_OK(box_start(argv));
	return box_finish();
}

static inline const char *box_sh(const char *script)
{
	const char *const argv[] = { "sh", "-c", script, NULL };

	return box_exec(argv);
}

#define BOX_TEARDOWN                                                                               \
	do {                                                                                       \
		uint64_t id_;                                                                      \
                                                                                                   \
		ASSERT_OK(cgroup_mount_open(&box.mount_fd, &box.fault));                           \
		if (cgroup_open(box.mount_fd, box_parent, &box.parent_fd, &id_) < 0)               \
			break;                                                                     \
		EXPECT_OK(cgroup_kill(box.parent_fd));                                             \
		EXPECT_OK(cgroup_wait_empty(box.parent_fd, BOX_EMPTY_NS));                         \
		EXPECT_OK(cgroup_remove(box.mount_fd, box_parent));                                \
	} while (0)

#endif
