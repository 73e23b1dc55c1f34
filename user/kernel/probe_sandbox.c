// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each part of the kernel that the isolation table rests on, used by itself, so that a lacking one is
 * named and not only the step that failed for it. Mounts are made over /sys, which every host has, in a
 * mount namespace that ends with the child.
 */
#include "probe_sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../base/macro.h"
#include "seccomp.h"

#define STAGE "/sys"
#define BPF_NO_COMMAND 0xffffu

static int make_private(void)
{
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ? -errno : 0;
}

static int try_namespaces(void *arg)
{
	(void)arg;
	return unshare(CLONE_NEWCGROUP) < 0 ? -errno : 0;
}

static int try_mount_api(void *arg)
{
	struct mount_attr set = { .attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID };
	_cleanup_fd_ int tree = -1;
	int r = make_private();

	(void)arg;
	if (r)
		return r;
	tree = open_tree(AT_FDCWD, "/", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (tree < 0 || mount_setattr(tree, "", AT_EMPTY_PATH, &set, sizeof(set)) < 0 ||
	    move_mount(tree, "", AT_FDCWD, STAGE, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return -errno;
	return 0;
}

/* As an input directory is shown: one layer of the host's and an empty one. */
static int try_overlay(void *arg)
{
	int r = make_private();

	(void)arg;
	if (!r && mount("tmpfs", STAGE, "tmpfs", 0, "mode=700") < 0)
		r = -errno;
	if (!r && (mkdir(STAGE "/empty", 0700) < 0 || mkdir(STAGE "/shown", 0700) < 0))
		r = -errno;
	if (!r && mount("overlay", STAGE "/shown", "overlay", MS_RDONLY | MS_NOSUID | MS_NODEV,
			"lowerdir=/usr:" STAGE "/empty,redirect_dir=nofollow,metacopy=off") < 0)
		r = -errno;
	return r;
}

static int try_procfs(void *arg)
{
	int r = make_private();

	(void)arg;
	if (!r &&
	    mount("proc", STAGE, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "hidepid=ptraceable") < 0)
		r = -errno;
	return r;
}

/* A call that only a filter answers with EPERM: the kernel knows no such command. */
static int try_seccomp(void *arg)
{
	union bpf_attr attr = {};

	(void)arg;
	if (syscall(SYS_bpf, BPF_NO_COMMAND, &attr, sizeof(attr)) == 0 || errno != EINVAL)
		return -errno;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, seccomp_default()) < 0)
		return -errno;
	if (syscall(SYS_bpf, BPF_NO_COMMAND, &attr, sizeof(attr)) == 0 || errno != EPERM)
		return -ENOTRECOVERABLE;
	return 0;
}

static int try_pidfd(void *arg)
{
	_cleanup_fd_ int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	(void)arg;
	return fd < 0 || syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0) < 0 ? -errno : 0;
}

#define NEWER "run a kernel of 6.1 or later"

const struct probe_part probe_parts[PROBE_PART_COUNT] = {
	[PROBE_PART_NAMESPACES] = { CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS,
				    try_namespaces,
				    "mount, pid, ipc, uts and cgroup namespaces were made",
				    "run a kernel with all namespaces; see /proc/sys/user/max_*_namespaces" },
	[PROBE_PART_MOUNT_API] = { CLONE_NEWNS, try_mount_api,
				   "a mount was cloned, made read-only and placed by descriptor",
				   NEWER },
	[PROBE_PART_OVERLAY] = { CLONE_NEWNS, try_overlay,
				 "an overlay of a directory of the host was mounted",
				 "load the module overlay (CONFIG_OVERLAY_FS); until then requests with "
				 "directories are refused" },
	[PROBE_PART_PROCFS] = { CLONE_NEWNS | CLONE_NEWPID, try_procfs,
				"a new procfs with hidepid was mounted",
				"run reeve where procfs may be mounted: no container that masks /proc" },
	[PROBE_PART_SECCOMP] = { 0, try_seccomp, "the default filter was installed and refused a call",
				 "run a kernel with CONFIG_SECCOMP_FILTER" },
	[PROBE_PART_PIDFD] = { 0, try_pidfd, "a process was signalled by descriptor", NEWER },
};

int probe_idmapped_mount(const char *path, int userns_fd, bool *ret)
{
	struct mount_attr set = {
		.attr_set = MOUNT_ATTR_IDMAP,
		.userns_fd = (uint64_t)userns_fd,
	};
	_cleanup_fd_ int tree = open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);

	if (tree < 0)
		return -errno;
	*ret = mount_setattr(tree, "", AT_EMPTY_PATH, &set, sizeof(set)) == 0;
	return *ret || errno == EINVAL ? 0 : -errno;
}

int probe_spin(void *arg)
{
	const uint64_t *limit_ns = arg;
	struct timespec used;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	while (!limit_ns ||
	       (uint64_t)used.tv_sec * NSEC_PER_SEC + (uint64_t)used.tv_nsec < *limit_ns);
	return 0;
}
