/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What runs in a session made by hand: prog/burn.c, and the look at its account afterwards.
 */
#ifndef REEVE_METER_BURN_H
#define REEVE_METER_BURN_H

#include <stdlib.h>

#include "meter_desk.h"

#define DESK_WAIT_NS (45 * NSEC_PER_SEC)

static inline _Noreturn void burn_exec(const char *words)
{
	char copy[128], path[4096], *rest = copy, *argv[DESK_ARGS_MAX + 1] = { path };
	const char *prog = getenv("PROG");

	snprintf(copy, sizeof(copy), "%s", words);
	snprintf(path, sizeof(path), "%s/burn", prog ? prog : "build/prog");
	for (int i = 1; i < DESK_ARGS_MAX && rest; i++)
		argv[i] = strsep(&rest, " ");
	execv(path, argv);
	perror(path);
	_exit(127);
}

/* Starts burn with these words in the cgroup. */
static inline pid_t burn_start(int cgroup_fd, const char *words)
{
	pid_t pid = desk_fork(cgroup_fd);

	if (pid == 0)
		burn_exec(words);
	return pid;
}

static inline void nap_ms(unsigned int ms)
{
	struct timespec nap = { ms / 1000, ms % 1000 * 1000000l };

	while (nanosleep(&nap, &nap) && errno == EINTR)
		continue;
}

static inline void desk_usage(const struct desk *desk, struct usage *ret)
{
	ASSERT_OK(guard_session_usage(desk->guard, desk->id, ret));
}

/* Waits until nothing runs in the session; the last span of a dying task comes a little behind its end. */
static inline void desk_wait(const struct desk *desk, struct usage *ret, uint64_t *ret_stat_ns)
{
	uint64_t before, now = 0;

	ASSERT_OK(cgroup_wait_empty(desk->fd, DESK_WAIT_NS));
	while (waitpid(-1, NULL, WNOHANG) > 0)
		continue;
	do {
		before = now;
		nap_ms(10);
		ASSERT_OK(cgroup_read_cpu_ns(desk->fd, &now));
	} while (now != before);
	desk_usage(desk, ret);
	*ret_stat_ns = now;
}

/* Within 0.1 % or 100 µs of the kernel's own account, whichever is more. */
static inline bool desk_agrees(uint64_t meter_ns, uint64_t stat_ns)
{
	uint64_t off = meter_ns > stat_ns ? meter_ns - stat_ns : stat_ns - meter_ns;
	uint64_t allowed = stat_ns / 1000 > 100000 ? stat_ns / 1000 : 100000;

	printf("meter %llu ns, cpu.stat %llu ns, %llu apart\n", (unsigned long long)meter_ns,
	       (unsigned long long)stat_ns, (unsigned long long)off);
	return off <= allowed;
}

static inline void desk_close(struct desk *desk)
{
	EXPECT_OK(guard_session_remove(desk->guard, desk->id));
	close(desk->request_fd);
	close(desk->fd);
}

/* For TEARDOWN: nothing of any session is left, whatever became of the test. */
static inline void desk_remove_all(void)
{
	_cleanup_fd_ int mount_fd = -1, parent_fd = -1;
	struct fault fault = {};
	char name[32];
	uint64_t id;

	desk_parent_name(name);
	if (desk_parent(false, &parent_fd, &id) == 0) {
		EXPECT_OK(cgroup_kill(parent_fd));
		EXPECT_OK(cgroup_wait_empty(parent_fd, DESK_WAIT_NS));
	}
	EXPECT_OK(guard_remove(DESK_PIN_DIR, &fault));
	EXPECT_OK(cgroup_mount_open(&mount_fd, &fault));
	EXPECT_OK(cgroup_remove(mount_fd, name));
}

#endif
