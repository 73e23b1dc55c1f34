// SPDX-License-Identifier: GPL-2.0-only
/*
 * The isolation table: every step between clone3 and the command, in order, once. A step that fails ends
 * the start and names itself; none is optional. What a step guards and how its failure is mended is in
 * its row, and nowhere else.
 *
 * The order is forced by power. Mounts, host name and network belong to the host's user namespace, so
 * they are set up while this process still is the host's root; joining the session's user namespace
 * gives that up for good, and hands out a full set of capabilities inside, which is cut down right after.
 * Changing ids clears the parent-death signal, so it is set behind that. The proof comes last but for
 * seccomp: it is made by the process as the command will be.
 *
 * The ids of the plan are those of the host; uid 0 below means the sandbox's own.
 */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../base/macro.h"
#include "init.h"
#include "mount.h"
#include "proof.h"

#define KEPT_MAX (5 + CHILD_OWN_COUNT + REEVE_INPUTS_MAX)

static size_t kept_collect(const struct child *c, int ret[KEPT_MAX])
{
	const int fixed[] = { c->status_fd,
			      c->go_fd,
			      c->owner_fd,
			      c->userns_fd,
			      c->netns_fd,
			      c->own_trees[CHILD_OUT],
			      c->own_trees[CHILD_WORK],
			      c->own_trees[CHILD_SITE] };
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(fixed) + c->n_inputs; i++) {
		int fd = i < ARRAY_SIZE(fixed) ? fixed[i] : c->input_trees[i - ARRAY_SIZE(fixed)];
		size_t at;

		if (fd < 0)
			continue;
		at = n++;
		for (; at > 0 && ret[at - 1] > fd; at--)
			ret[at] = ret[at - 1];
		ret[at] = fd;
	}
	return n;
}

static int step_descriptors(struct child *c)
{
	int kept[KEPT_MAX];
	size_t n = kept_collect(c, kept);
	unsigned int from = 3;

	if (dup2(c->stdout_fd, STDOUT_FILENO) < 0 || dup2(c->stderr_fd, STDERR_FILENO) < 0)
		return -errno;
	for (size_t i = 0; i < n; i++) {
		unsigned int fd = (unsigned int)kept[i];

		if (fd > from && close_range(from, fd - 1, 0) < 0)
			return -errno;
		from = fd + 1;
	}
	return close_range(from, ~0u, 0) < 0 ? -errno : 0;
}

static int step_terminal(struct child *c)
{
	(void)c;
	return setsid() < 0 ? -errno : 0;
}

/* Not a flag of clone3: the namespace's root is the caller's cgroup, and there still the parent's. */
static int step_cgroup_namespace(struct child *c)
{
	(void)c;
	return unshare(CLONE_NEWCGROUP) < 0 ? -errno : 0;
}

static int step_network_namespace(struct child *c)
{
	if (setns(c->netns_fd, CLONE_NEWNET) < 0)
		return -errno;
	fd_close(&c->netns_fd);
	return 0;
}

static int step_host_name(struct child *c)
{
	const char *name = c->plan->hostname;

	if (sethostname(name, strlen(name)) < 0 || setdomainname("(none)", 6) < 0)
		return -errno;
	return 0;
}

/* '|' for a program behind a pipe, '@' for a socket, else anything; -errno when it cannot be read. */
static int core_pattern_kind(void)
{
	_cleanup_fd_ int fd = open("/proc/sys/kernel/core_pattern", O_RDONLY | O_CLOEXEC);
	char first = '\0';

	if (fd < 0 || read(fd, &first, 1) < 0)
		return -errno;
	return first;
}

/*
 * A core limit of 0 keeps a core file away but not a program behind a pipe, which the kernel runs on the
 * host; a limit of 1 byte keeps away both. Nothing keeps away a socket. Real-time and raised priorities
 * that the host's users may have are not the sandbox's.
 */
static int step_resource_limits(struct child *c)
{
	const struct rlimit none = { 0, 0 }, byte = { 1, 1 };
	struct rlimit core;
	int kind = core_pattern_kind();

	(void)c;
	if (kind < 0 || getrlimit(RLIMIT_CORE, &core) < 0)
		return kind < 0 ? kind : -errno;
	if (kind == '@' || (kind == '|' && core.rlim_max == 0))
		return -EPERM;
	if (setrlimit(RLIMIT_CORE, core.rlim_max ? &byte : &none) < 0 ||
	    setrlimit(RLIMIT_RTPRIO, &none) < 0 || setrlimit(RLIMIT_NICE, &none) < 0)
		return -errno;
	return 0;
}

static int step_mode_mask(struct child *c)
{
	(void)c;
	umask(022);
	return 0;
}

/* A pipe changes owner, so that /dev/stdout can be opened again inside; nothing else is taken. */
static int pipe_hand_over(int fd, uid_t owner)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISFIFO(st.st_mode))
		return -ENOSTR;
	return fchown(fd, owner, owner) < 0 ? -errno : 0;
}

/* Standard input is at end of file, by the sandbox's own checked device. */
static int step_standard_streams(struct child *c)
{
	_cleanup_fd_ int fd = open("/dev/null", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISCHR(st.st_mode) || st.st_rdev != makedev(1, 3))
		return -ENODEV;
	if (dup2(fd, STDIN_FILENO) < 0)
		return -errno;
	r = pipe_hand_over(STDOUT_FILENO, c->plan->uid_base);
	return r < 0 ? r : pipe_hand_over(STDERR_FILENO, c->plan->uid_base);
}

static int step_user_namespace(struct child *c)
{
	if (setns(c->userns_fd, CLONE_NEWUSER) < 0)
		return -errno;
	fd_close(&c->userns_fd);
	return 0;
}

/*
 * Raw calls: glibc's own would look for the threads that this process is a copy of. The change makes a
 * process undumpable, unless fs.suid_dumpable says otherwise: init is never to be traced or read.
 */
static int step_ids(struct child *c)
{
	(void)c;
	if (syscall(SYS_setgroups, 0, NULL) < 0 || syscall(SYS_setresgid, 0, 0, 0) < 0 ||
	    syscall(SYS_setresuid, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0)
		return -errno;
	return 0;
}

static int bounding_set_cut(uint64_t kept)
{
	for (unsigned int cap = 0; prctl(PR_CAPBSET_READ, cap) >= 0; cap++) {
		if (cap < 64 && kept >> cap & 1)
			continue;
		if (prctl(PR_CAPBSET_DROP, cap) < 0)
			return -errno;
	}
	return 0;
}

static int step_capabilities(struct child *c)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const uint32_t low = (uint32_t)c->plan->capabilities;
	const uint32_t high = (uint32_t)(c->plan->capabilities >> 32);
	struct __user_cap_data_struct data[] = {
		{ .effective = low, .permitted = low },
		{ .effective = high, .permitted = high },
	};
	int r = bounding_set_cut(c->plan->capabilities);

	if (r < 0)
		return r;
	if (syscall(SYS_capset, &header, data) < 0 ||
	    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return -errno;
	return 0;
}

/* A kernel without keyrings has none to shut off. */
static int step_keyring(struct child *c)
{
	(void)c;
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS)
		return -errno;
	return 0;
}

/*
 * The owner may have died before the signal was asked for. Nothing else would tell: the parent of a pid
 * namespace's init has no number in it.
 */
static int step_owner(struct child *c)
{
	struct pollfd owner = { .fd = c->owner_fd, .events = POLLIN };

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || poll(&owner, 1, 0) < 0)
		return -errno;
	if (owner.revents)
		return -EOWNERDEAD;
	fd_close(&c->owner_fd);
	return 0;
}

static int step_no_new_privileges(struct child *c)
{
	(void)c;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0;
}

static int step_working_directory(struct child *c)
{
	return chdir(c->plan->cwd) < 0 ? -errno : 0;
}

static int step_proof(struct child *c)
{
	(void)c;
	return proof_denied();
}

static int step_seccomp(struct child *c)
{
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, c->seccomp) < 0 ? -errno : 0;
}

#define AS_ROOT "run reeve as root of the host, with CAP_SYS_ADMIN"
#define KERNEL "run \"reeve doctor\": the kernel lacks what the sandbox rests on"

static const struct child_step steps[] = {
	{ "descriptors", step_descriptors, "no open file or socket of the host comes along", KERNEL },
	{ "terminal", step_terminal, "no controlling terminal of the host", KERNEL },
	{ "mode mask", step_mode_mask, "files get the modes that were planned", KERNEL },
	{ "cgroup namespace", step_cgroup_namespace, "the host's cgroup paths stay unknown", AS_ROOT },
	{ "network namespace", step_network_namespace, "only the session's own network", AS_ROOT },
	{ "host name", step_host_name, "the host's name stays unknown", AS_ROOT },
	{ "resource limits", step_resource_limits,
	  "no crash runs a program on the host, no priority over the host",
	  "start reeve with a hard core limit of 1 byte or more (ulimit -Hc), and take a socket (@) out of "
	  "/proc/sys/kernel/core_pattern" },
	{ "propagation", mount_make_private, "mounts are not shared with the host", AS_ROOT },
	{ "root", mount_root, "a root of its own",
	  "check that /sys is mounted and that an input directory lies on a local file system" },
	{ "system", mount_system, "the host's system directories, read-only and nothing else of it",
	  "a path of the host changed since it was planned: start the request again" },
	{ "devices", mount_devices, "a minimal /dev",
	  "check that the host's /dev has null, zero, full, random, urandom and tty as the kernel numbers "
	  "them" },
	{ "proc", mount_proc, "only its own processes, kernel settings read-only, leaks masked",
	  "check that the host's /dev/null is the device 1:3 and that procfs may be mounted here" },
	{ "inputs", mount_inputs, "inputs read-only, without the host's sockets and pipes",
	  "give directories of a local file system that overlayfs takes as a layer, or copy them there" },
	{ "output", mount_output, "only its own directories are writable on the host",
	  "check the output root, and the state directory that has the workspace" },
	{ "scratch", mount_scratch, "bounded temporary directories of its own", KERNEL },
	{ "pivot", mount_pivot, "the host's root is gone",
	  "do not run reeve from an initramfs: it cannot leave that root" },
	{ "sealed root", mount_seal_root, "the root is read-only", KERNEL },
	{ "standard streams", step_standard_streams,
	  "input at end of file, output through pipes only", KERNEL },
	{ "user namespace", step_user_namespace, "no id and no capability of the host", AS_ROOT },
	{ "ids", step_ids, "uid 0 inside is an unprivileged id outside, init cannot be traced",
	  KERNEL },
	{ "capabilities", step_capabilities, "only what uid 0 needs for files and ids", KERNEL },
	{ "keyring", step_keyring, "no key of the host's session",
	  "raise /proc/sys/kernel/keys/maxkeys, or free keys of the session's id" },
	{ "owner", step_owner, "the sandbox dies with the process that started it",
	  "start the request again" },
	{ "working directory", step_working_directory, "the command starts in a directory of its own",
	  "check the modes of the output directory, 1777, and of the workspace, 0755" },
	{ "no new privileges", step_no_new_privileges, "no program gains a privilege", KERNEL },
	{ "proof", step_proof, "the network policy denies, here and now",
	  "run \"reeve doctor\": the policy is not attached to the parent cgroup" },
	{ "seccomp", step_seccomp, "only the system calls of the profile",
	  "run \"reeve doctor\", or give a smaller seccomp profile" },
};

const struct child_step *child_steps(size_t *ret_n)
{
	*ret_n = ARRAY_SIZE(steps);
	return steps;
}

static int step_perform(struct child *c, const struct child_step *step)
{
	if (c->fail_step && strcmp(c->fail_step, step->name) == 0)
		return -ECANCELED;
	return step->run(c);
}

_Noreturn void child_main(struct child *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		int r = step_perform(c, &steps[i]);
		struct child_report report = { CHILD_REPORT_STEP_FAILED, (int32_t)i, -r, 0 };

		if (r == 0)
			continue;
		if (write(c->status_fd, &report, sizeof(report)) < 0)
			_exit(2);
		_exit(1);
	}
	init_main(c);
}
