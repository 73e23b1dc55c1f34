// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a hostile command tries against its sandbox: each row is one attempt, and a line "NAME: ok", or
 * "NAME: " and the error, tells what came of it. Attempts are made one a process, so that one that
 * succeeds does not change the ground for the next.
 *
 *	attack        all attempts
 *	attack NAME   one of them
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int mount_tmpfs(void)
{
	return mount("tmpfs", "/tmp", "tmpfs", 0, NULL);
}

static int mount_bind(void)
{
	return mount("/usr", "/tmp", NULL, MS_BIND, NULL);
}

static int mount_proc(void)
{
	return mount("proc", "/tmp", "proc", 0, NULL);
}

static int remount_writable(void)
{
	return mount(NULL, "/usr", NULL, MS_REMOUNT | MS_BIND, NULL);
}

static int remount_root(void)
{
	return mount(NULL, "/", NULL, MS_REMOUNT, NULL);
}

static int unmask(void)
{
	return umount2("/proc/keys", MNT_DETACH);
}

static int unmount_proc_sys(void)
{
	return umount2("/proc/sys", MNT_DETACH);
}

static int tree_of_usr(void)
{
	return (int)syscall(SYS_open_tree, AT_FDCWD, "/usr", 1);
}

static int fsopen_tmpfs(void)
{
	return (int)syscall(SYS_fsopen, "tmpfs", 0);
}

static int setattr_writable(void)
{
	struct mount_attr attr = { .attr_clr = MOUNT_ATTR_RDONLY };

	return (int)syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &attr, sizeof(attr));
}

static int pivot(void)
{
	return (int)syscall(SYS_pivot_root, "/tmp", "/tmp");
}

static int change_root(void)
{
	return chroot("/tmp");
}

static int new_user_namespace(void)
{
	return unshare(CLONE_NEWUSER);
}

static int clone_user_namespace(void)
{
	long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		_exit(0);
	return (int)pid;
}

static int new_mount_namespace(void)
{
	return unshare(CLONE_NEWNS);
}

static int new_network_namespace(void)
{
	return unshare(CLONE_NEWNET);
}

static int new_pid_namespace(void)
{
	return unshare(CLONE_NEWPID);
}

static int join_init_mounts(void)
{
	int fd = open("/proc/1/ns/mnt", O_RDONLY);

	return fd < 0 ? fd : setns(fd, 0);
}

static int rejoin_own_mounts(void)
{
	int fd = open("/proc/self/ns/mnt", O_RDONLY);

	return fd < 0 ? fd : setns(fd, 0);
}

static int make_disk_node(void)
{
	return mknod("/tmp/disk", S_IFBLK | 0666, makedev(8, 0));
}

static int make_memory_node(void)
{
	return mknod("/tmp/mem", S_IFCHR | 0666, makedev(1, 1));
}

static int make_null_node(void)
{
	return mknod("/tmp/null", S_IFCHR | 0666, makedev(1, 3));
}

static int trace_init(void)
{
	return (int)ptrace(PTRACE_SEIZE, 1, NULL, NULL);
}

static int read_init_memory(void)
{
	return open("/proc/1/mem", O_RDONLY);
}

static int see_init_root(void)
{
	return open("/proc/1/root/etc", O_RDONLY);
}

static int take_init_descriptor(void)
{
	int fd = (int)syscall(SYS_pidfd_open, 1, 0);

	return fd < 0 ? fd : (int)syscall(SYS_pidfd_getfd, fd, 3, 0);
}

static int open_by_handle(void)
{
	struct {
		struct file_handle handle;
		char bytes[128];
	} h = { .handle.handle_bytes = sizeof(h.bytes) };
	int mount_id, fd = open("/usr", O_RDONLY);

	if (name_to_handle_at(AT_FDCWD, "/usr/bin", &h.handle, &mount_id, 0) < 0)
		return -1;
	return open_by_handle_at(fd, &h.handle, O_RDONLY);
}

static int set_host_name(void)
{
	return sethostname("mine", 4);
}

static int set_clock(void)
{
	struct timeval now;

	gettimeofday(&now, NULL);
	return settimeofday(&now, NULL);
}

static int raise_core_limit(void)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	return setrlimit(RLIMIT_CORE, &limit);
}

static int gain_capability(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data) < 0)
		return -1;
	data[0].effective |= 1u << CAP_SYS_ADMIN;
	data[0].permitted |= 1u << CAP_SYS_ADMIN;
	return (int)syscall(SYS_capset, &header, data);
}

static int regain_privileges(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0);
}

static int find_host_key(void)
{
	return (int)syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING, "user",
			    "reeve-test", 0);
}

static int write_sysctl(void)
{
	return open("/proc/sys/kernel/hostname", O_WRONLY);
}

static int write_sysrq(void)
{
	/* Masked: the device takes it and nothing comes of it; elsewhere it may not be opened. */
	struct stat st;

	if (stat("/proc/sysrq-trigger", &st) < 0)
		return -1;
	errno = ENODEV;
	return st.st_rdev == makedev(1, 3) ? -1 : 0;
}

static int write_system(void)
{
	return open("/usr/bin/reeve-test", O_WRONLY | O_CREAT, 0755);
}

static int write_etc(void)
{
	return open("/etc/reeve-test", O_WRONLY | O_CREAT, 0644);
}

static int write_root(void)
{
	return mkdir("/reeve-test", 0755);
}

static int write_device_directory(void)
{
	return symlink("/tmp", "/dev/reeve-test");
}

static int change_device_times(void)
{
	return utimensat(AT_FDCWD, "/dev/null", NULL, 0);
}

static int replace_passwd(void)
{
	return rename("/etc/group", "/etc/passwd");
}

static int read_shadow(void)
{
	return open("/etc/shadow", O_RDONLY);
}

static int read_host_home(void)
{
	return open("/home", O_RDONLY);
}

static int leave_by_dots(void)
{
	int fd = open("/", O_PATH | O_DIRECTORY);

	return openat(fd, "../../../../home", O_RDONLY);
}

static int kill_init(void)
{
	kill(1, SIGKILL);
	kill(1, SIGTERM);
	usleep(20000);
	errno = EPERM;
	return -1;
}

static const struct attempt {
	const char *name;
	int (*run)(void);
} attempts[] = {
#define ATTEMPT(name)                                                                              \
	{                                                                                          \
#name, name                                                                        \
	}
	ATTEMPT(mount_tmpfs),
	ATTEMPT(mount_bind),
	ATTEMPT(mount_proc),
	ATTEMPT(remount_writable),
	ATTEMPT(remount_root),
	ATTEMPT(unmask),
	ATTEMPT(unmount_proc_sys),
	ATTEMPT(tree_of_usr),
	ATTEMPT(fsopen_tmpfs),
	ATTEMPT(setattr_writable),
	ATTEMPT(pivot),
	ATTEMPT(change_root),
	ATTEMPT(new_user_namespace),
	ATTEMPT(clone_user_namespace),
	ATTEMPT(new_mount_namespace),
	ATTEMPT(new_network_namespace),
	ATTEMPT(new_pid_namespace),
	ATTEMPT(join_init_mounts),
	ATTEMPT(rejoin_own_mounts),
	ATTEMPT(make_disk_node),
	ATTEMPT(make_memory_node),
	ATTEMPT(make_null_node),
	ATTEMPT(trace_init),
	ATTEMPT(read_init_memory),
	ATTEMPT(see_init_root),
	ATTEMPT(take_init_descriptor),
	ATTEMPT(open_by_handle),
	ATTEMPT(set_host_name),
	ATTEMPT(set_clock),
	ATTEMPT(raise_core_limit),
	ATTEMPT(gain_capability),
	ATTEMPT(regain_privileges),
	ATTEMPT(find_host_key),
	ATTEMPT(write_sysctl),
	ATTEMPT(write_sysrq),
	ATTEMPT(write_system),
	ATTEMPT(write_etc),
	ATTEMPT(write_root),
	ATTEMPT(write_device_directory),
	ATTEMPT(change_device_times),
	ATTEMPT(replace_passwd),
	ATTEMPT(read_shadow),
	ATTEMPT(read_host_home),
	ATTEMPT(leave_by_dots),
	ATTEMPT(kill_init),
};

static void attempt(const struct attempt *a)
{
	pid_t pid = fork();

	if (pid == 0) {
		errno = 0;
		if (a->run() >= 0)
			printf("%s: ok\n", a->name);
		else
			printf("%s: %s\n", a->name, strerrorname_np(errno));
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++)
		if (argc < 2 || strcmp(argv[1], attempts[i].name) == 0)
			attempt(&attempts[i]);
	return 0;
}
