/* SPDX-License-Identifier: GPL-2.0-only */
/* Attempts to get namespaces of one's own, and new mounts of the file systems that lead to kernel objects. */
#ifndef REEVE_SELFTESTS_LIVE_WAYS_NAMESPACES_H
#define REEVE_SELFTESTS_LIVE_WAYS_NAMESPACES_H

#include <signal.h>
#include <sys/wait.h>

#include "local.h"

static inline int try_user_namespace(const struct target *t)
{
	(void)t;
	return unshare(CLONE_NEWUSER);
}

static inline int try_network_namespace(const struct target *t)
{
	(void)t;
	return unshare(CLONE_NEWNET);
}

/* A new mount of a file system, for a moment; -1 also where it shows nothing new. */
static inline int mount_see(const char *type)
{
	char path[64];
	int r = 0;

	if (mount(type, "/tmp", type, 0, NULL) < 0)
		return -1;
	/* of the cgroups only those of the session are no way out */
	snprintf(path, sizeof(path), "/tmp/%s", outside.name);
	if (strcmp(type, "cgroup2") == 0)
		r = access(path, F_OK);
	umount2("/tmp", MNT_DETACH);
	return r;
}

/* In namespaces of one's own, by their first process. */
static inline int mount_nested(const char *type)
{
	int status = 0, pid;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID) < 0)
		return -1;
	pid = (int)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (pid == 0)
		_exit(mount_see(type) == 0 ? 0 : errno);
	waitpid(pid, &status, 0);
	errno = WEXITSTATUS(status);
	return errno ? -1 : 0;
}

static inline int try_mount_cgroup(const struct target *t)
{
	(void)t;
	return mount_see("cgroup2") == 0 ? 0 : mount_nested("cgroup2");
}

static inline int try_mount_bpf(const struct target *t)
{
	(void)t;
	return mount_see("bpf") == 0 ? 0 : mount_nested("bpf");
}

static inline int try_mount_proc(const struct target *t)
{
	(void)t;
	return mount_see("proc");
}

static inline int try_mount_proc_nested(const struct target *t)
{
	(void)t;
	return mount_nested("proc");
}

#endif
