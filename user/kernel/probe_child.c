// SPDX-License-Identifier: GPL-2.0-only
/*
 * A child as a sandbox is started: by one clone3, in its cgroup from its first instruction, held by a
 * descriptor. No process of it is left when the function returns, however it ended.
 *
 * What the child found is its exit code: every errno fits.
 */
#include "probe_child.h"

#include <errno.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/macro.h"

#define EXIT_MAX 255

static _Noreturn void child_run(const struct probe_child *child)
{
	int r = prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 ? -errno : 0;

	if (!r && child->netns_fd >= 0 && setns(child->netns_fd, CLONE_NEWNET) < 0)
		r = -errno;
	if (!r)
		r = child->fn(child->arg);
	_exit(-r > EXIT_MAX ? EIO : -r);
}

/* Returns 1 when the process is dead, 0 when the time is over, or -errno. */
static int wait_dead(int pidfd)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };
	int r;

	do
		r = poll(&p, 1, PROBE_CHILD_TIMEOUT_MS);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : r;
}

int probe_child_run(const struct probe_child *child, struct probe_child_end *ret)
{
	_cleanup_fd_ int pidfd = -1;
	struct clone_args clone = {
		.flags = child->namespaces | CLONE_PIDFD | CLONE_CLEAR_SIGHAND |
			 (child->cgroup_fd >= 0 ? CLONE_INTO_CGROUP : 0),
		.pidfd = (uint64_t)(uintptr_t)&pidfd,
		.exit_signal = SIGCHLD,
		.cgroup = child->cgroup_fd >= 0 ? (uint64_t)child->cgroup_fd : 0,
	};
	struct probe_child_end end = {};
	siginfo_t info;
	long pid = syscall(SYS_clone3, &clone, sizeof(clone));
	int r;

	if (pid == 0)
		child_run(child);
	if (pid < 0)
		return -errno;
	end.late = wait_dead(pidfd) != 1;
	if (end.late)
		syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
	do
		r = waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED);
	while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	if (info.si_code == CLD_EXITED)
		end.result = -info.si_status;
	else
		end.signal = info.si_status;
	*ret = end;
	return 0;
}
