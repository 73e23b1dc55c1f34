// SPDX-License-Identifier: GPL-2.0-only
/*
 * The session's user namespace.
 *
 * Only a process can make one, and only its parent's credentials can map a range of ids into it. So a
 * child is cloned into a new namespace, forbids further user namespaces below, says so on a pipe, and
 * waits to be killed; the parent writes both maps, opens the namespace and kills the child. The namespace
 * then lives on in the descriptor alone.
 *
 * The child shares the parent's memory, for copying page tables is most of what a fork costs here. It has
 * a stack in the parent's frame, which outlives it, makes a few system calls with all signals blocked, so
 * that no handler runs in it, and touches nothing but its holder. errno is the parent's as well: the child
 * sets it only while the parent waits for its word.
 *
 * The bound on user namespaces is a second wall behind seccomp: without a namespace of its own nobody
 * inside gains a capability over a new mount or network namespace, also under a profile that allows
 * clone with every flag.
 */
#include "userns.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/macro.h"

#define STACK_SIZE (16 * 1024)

/* What the child reads while the parent runs: not written after the clone. */
struct holder {
	pid_t owner;
	int ready_fd; /* the child's errno goes here, 0 when it has done its part */
};

/*
 * What is counted in this namespace is counted for the host's root as well: without limits of its own one
 * session could use up what root and the other sessions need.
 */
static const struct {
	const char *file, *value;
} limits[] = {
	{ "/proc/sys/user/max_user_namespaces", "0" },
	{ "/proc/sys/user/max_inotify_instances", "32" },
	{ "/proc/sys/user/max_inotify_watches", "8192" },
};

static int limits_set(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		_cleanup_fd_ int fd = open(limits[i].file, O_WRONLY | O_CLOEXEC);
		size_t n = strlen(limits[i].value);

		if (fd < 0 || write(fd, limits[i].value, n) != (ssize_t)n)
			return errno;
	}
	return 0;
}

/* Killed in its frame: the sanitizer would take the parent's later use of that memory for a mistake. */
__attribute__((no_sanitize_address)) static int holder_main(void *arg)
{
	const struct holder *h = arg;
	int err = prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 ? errno : limits_set();

	/* The owner may have died before the signal was asked for. */
	if (write(h->ready_fd, &err, sizeof(err)) != sizeof(err) || getppid() != h->owner)
		return 1;
	for (;;)
		pause();
}

static void holder_end(pid_t *pid)
{
	if (*pid < 0)
		return;
	kill(*pid, SIGKILL);
	waitpid(*pid, NULL, __WALL);
}

/*
 * A user namespace takes its maxima of these from the soft limits of who makes it, and holds all ids in it
 * together to them (kernel commit 21d1c5e386bc).
 */
static const struct {
	__rlimit_resource_t resource;
	rlim_t soft;
} namespace_limits[] = {
	{ RLIMIT_SIGPENDING, 4096 },
	{ RLIMIT_MSGQUEUE, 64 * 1024 },
};

static int soft_limits_read(struct rlimit ret[ARRAY_SIZE(namespace_limits)])
{
	for (size_t i = 0; i < ARRAY_SIZE(namespace_limits); i++)
		if (getrlimit(namespace_limits[i].resource, &ret[i]) < 0)
			return -errno;
	return 0;
}

static int soft_limits_lower(const struct rlimit before[ARRAY_SIZE(namespace_limits)])
{
	for (size_t i = 0; i < ARRAY_SIZE(namespace_limits); i++) {
		struct rlimit lower = before[i];

		if (lower.rlim_cur > namespace_limits[i].soft)
			lower.rlim_cur = namespace_limits[i].soft;
		if (setrlimit(namespace_limits[i].resource, &lower) < 0)
			return -errno;
	}
	return 0;
}

/* As many as possible; the first failure is told. */
static int soft_limits_restore(const struct rlimit before[ARRAY_SIZE(namespace_limits)])
{
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(namespace_limits); i++)
		if (setrlimit(namespace_limits[i].resource, &before[i]) < 0 && !r)
			r = -errno;
	return r;
}

/* A namespace with limits that were not lowered is none that a session gets. */
static int holder_start(struct holder *h, char stack[STACK_SIZE], pid_t *ret_pid)
{
	struct rlimit before[ARRAY_SIZE(namespace_limits)];
	sigset_t all, old;
	int r, restored;

	r = soft_limits_read(before);
	if (r)
		return r;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	r = soft_limits_lower(before);
	if (!r) {
		*ret_pid = clone(holder_main, stack + STACK_SIZE, CLONE_VM | CLONE_NEWUSER, h);
		r = *ret_pid < 0 ? -errno : 0;
	}
	restored = soft_limits_restore(before);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return r ? r : restored;
}

static int map_write(pid_t pid, const char *file, uint32_t base, uint32_t count)
{
	_cleanup_fd_ int fd = -1;
	char path[64], text[64];
	int n;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	n = snprintf(text, sizeof(text), "0 %u %u\n", base, count);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	return write(fd, text, (size_t)n) == n ? 0 : -errno;
}

static int holder_namespace_open(pid_t pid, int *ret_fd)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

int userns_make(uint32_t uid_base, uint32_t count, int *ret_fd)
{
	char stack[STACK_SIZE] __attribute__((aligned(16)));
	_cleanup_fd_ int ready_fd = -1, far_fd = -1;
	struct holder holder = { .owner = getpid() };
	_cleanup_(holder_end) pid_t pid = -1;
	int fds[2], err, r;
	ssize_t n;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	ready_fd = fds[0];
	far_fd = holder.ready_fd = fds[1];
	r = holder_start(&holder, stack, &pid);
	if (r)
		return r;
	fd_close(&far_fd);
	do
		n = read(ready_fd, &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	if (n != sizeof(err))
		return -ECHILD;
	if (err)
		return -err;
	r = map_write(pid, "uid_map", uid_base, count);
	if (r == 0)
		r = map_write(pid, "gid_map", uid_base, count);
	if (r == 0)
		r = holder_namespace_open(pid, ret_fd);
	return r;
}
