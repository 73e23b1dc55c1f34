// SPDX-License-Identifier: GPL-2.0-only
/*
 * The built-in program in this kernel: each refusal beside the same call without the filter, and
 * what sandboxed software needs beside each refusal.
 *
 * The arguments are such that the kernel itself refuses the call (a bad address, descriptor, flag
 * or magic number) before it does anything: the tests may run as root. An unprivileged run gets
 * EPERM with and without the filter from some calls; that they are refused by the program is
 * kernel_seccomp.c's.
 */
#include "../test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#include "../../user/kernel/seccomp.h"

#define BAD ((long)1)
#define NO_FD (-1L)
#define NO_DIR "/proc/self/none/x"
#define HIGH(value) (1L << 32 | (value))

struct call {
	const char *name;
	long args[6];
	int error;
};

/* CLONE_FS with CLONE_NEWNS, and CLONE_THREAD alone, are nonsense to the kernel. */
static const struct call refused[] = {
	{ "clone3", { BAD, 88 }, ENOSYS },
	{ "clone", { CLONE_NEWNS | CLONE_FS }, EPERM },
	{ "clone", { CLONE_NEWUSER | CLONE_FS }, EPERM },
	{ "clone", { CLONE_NEWPID | CLONE_THREAD }, EPERM },
	{ "clone", { HIGH(CLONE_NEWNET | CLONE_THREAD) }, EPERM },
	{ "clone", { CLONE_NEWUTS | CLONE_THREAD }, EPERM },
	{ "clone", { CLONE_NEWIPC | CLONE_THREAD }, EPERM },
	{ "clone", { CLONE_NEWCGROUP | CLONE_THREAD }, EPERM },
	{ "unshare", { CLONE_NEWNS | 1 }, EPERM },
	{ "unshare", { CLONE_NEWUSER | 1 }, EPERM },
	{ "unshare", { CLONE_NEWPID | 1 }, EPERM },
	{ "unshare", { CLONE_NEWNET | 1 }, EPERM },
	{ "unshare", { CLONE_NEWUTS | 1 }, EPERM },
	{ "unshare", { CLONE_NEWIPC | 1 }, EPERM },
	{ "unshare", { CLONE_NEWCGROUP | 1 }, EPERM },
	{ "unshare", { CLONE_NEWTIME | 1 }, EPERM },
	{ "setns", { NO_FD, 0 }, EPERM },
	{ "mount", { BAD, BAD, BAD, 0, 0 }, EPERM },
	{ "umount2", { BAD, ~0L }, EPERM },
	{ "open_tree", { NO_FD, BAD, ~0L }, EPERM },
	{ "open_tree_attr", { NO_FD, BAD, ~0L, BAD, 0 }, EPERM },
	{ "move_mount", { NO_FD, BAD, NO_FD, BAD, ~0L }, EPERM },
	{ "fsopen", { BAD, ~0L }, EPERM },
	{ "fsconfig", { NO_FD, ~0L, 0, 0, 0 }, EPERM },
	{ "fsmount", { NO_FD, ~0L, ~0L }, EPERM },
	{ "fspick", { NO_FD, BAD, ~0L }, EPERM },
	{ "mount_setattr", { NO_FD, BAD, ~0L, BAD, 0 }, EPERM },
	{ "chroot", { BAD }, EPERM },
	{ "pivot_root", { BAD, BAD }, EPERM },
	{ "statmount", { BAD, BAD, 0, ~0L }, ENOSYS },
	{ "listmount", { BAD, BAD, 0, ~0L }, ENOSYS },
	{ "listns", { BAD, BAD, 0, ~0L }, ENOSYS },
	{ "ptrace", { 0x7fff, NO_FD }, EPERM },
	{ "process_vm_readv", { NO_FD, BAD, 1, BAD, 1, ~0L }, EPERM },
	{ "process_vm_writev", { NO_FD, BAD, 1, BAD, 1, ~0L }, EPERM },
	{ "process_madvise", { NO_FD, BAD, 1, 0, ~0L }, EPERM },
	{ "pidfd_open", { NO_FD, 0 }, EPERM },
	{ "pidfd_getfd", { NO_FD, NO_FD, ~0L }, EPERM },
	{ "kcmp", { NO_FD, NO_FD, 0, 0, 0 }, EPERM },
	{ "bpf", { 0x7fff, BAD, 8 }, EPERM },
	{ "perf_event_open", { BAD, 0, NO_FD, NO_FD, 0 }, EPERM },
	{ "userfaultfd", { ~0L }, EPERM },
	{ "io_uring_setup", { 0, BAD }, EPERM },
	{ "io_uring_enter", { NO_FD, 0, 0, ~0L, 0, 0 }, EPERM },
	{ "io_uring_register", { NO_FD, ~0L, 0, 0 }, EPERM },
	{ "add_key", { BAD, BAD, 0, 0, 0 }, EPERM },
	{ "request_key", { BAD, BAD, 0, 0 }, EPERM },
	{ "keyctl", { 0x7fff }, EPERM },
	{ "ioctl", { NO_FD, TIOCSTI, BAD }, EPERM },
	{ "ioctl", { NO_FD, HIGH(TIOCSTI), BAD }, EPERM },
	{ "ioctl", { NO_FD, TIOCLINUX, BAD }, EPERM },
	{ "ioctl", { NO_FD, TIOCSETD, BAD }, EPERM },
	{ "create_module", { BAD }, EPERM },
	{ "init_module", { BAD, 0, BAD }, EPERM },
	{ "finit_module", { NO_FD, BAD, ~0L }, EPERM },
	{ "delete_module", { BAD, 0 }, EPERM },
	{ "get_kernel_syms", { BAD }, EPERM },
	{ "query_module", { BAD }, EPERM },
	{ "kexec_load", { 0, 0, BAD, ~0L }, EPERM },
	{ "kexec_file_load", { NO_FD, NO_FD, 0, BAD, ~0L }, EPERM },
	{ "reboot", { 0, 0, 0, 0 }, EPERM },
	{ "settimeofday", { BAD, BAD }, EPERM },
	{ "adjtimex", { BAD }, EPERM },
	{ "clock_settime", { 0x7fff, BAD }, EPERM },
	{ "clock_adjtime", { 0, BAD }, EPERM },
	{ "swapon", { BAD, ~0L }, EPERM },
	{ "swapoff", { BAD }, EPERM },
	{ "quotactl", { 0, BAD, 0, 0 }, EPERM },
	{ "quotactl_fd", { NO_FD, 0, 0, 0 }, EPERM },
	{ "acct", { BAD }, EPERM },
	{ "syslog", { 0x7fff, 0, 0 }, EPERM },
	{ "sethostname", { BAD, NO_FD }, EPERM },
	{ "setdomainname", { BAD, NO_FD }, EPERM },
	{ "iopl", { 7 }, EPERM },
	{ "ioperm", { ~0L, ~0L, 1 }, EPERM },
	{ "personality", { PER_LINUX32 }, EPERM },
	{ "personality", { HIGH(ADDR_NO_RANDOMIZE) }, EPERM },
	{ "setrlimit", { RLIMIT_CORE, BAD }, EPERM },
	{ "prlimit64", { 0, RLIMIT_CORE, BAD, 0 }, EPERM },
	{ "prlimit64", { 0, HIGH(RLIMIT_CORE), BAD, 0 }, EPERM },
	{ "name_to_handle_at", { NO_FD, BAD, BAD, BAD, ~0L }, EPERM },
	{ "open_by_handle_at", { NO_FD, BAD, 0 }, EPERM },
	{ "fanotify_init", { ~0L, 0 }, EPERM },
	{ "fanotify_mark", { NO_FD, ~0L, 0, NO_FD, BAD }, EPERM },
	{ "mknod", { (long)NO_DIR, S_IFCHR | 0600, 0x103 }, EPERM },
	{ "mknod", { (long)NO_DIR, S_IFBLK | 0600, 0x103 }, EPERM },
	{ "mknodat", { AT_FDCWD, (long)NO_DIR, S_IFCHR | 0600, 0x103 }, EPERM },
	{ "mknodat", { AT_FDCWD, (long)NO_DIR, HIGH(S_IFBLK | 0600), 0x103 }, EPERM },
	{ "socket", { AF_UNIX, SOCK_RAW, 0 }, EPROTONOSUPPORT },
	{ "socket", { AF_INET, SOCK_RAW, IPPROTO_TCP }, EPROTONOSUPPORT },
	{ "socket", { AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW }, EPROTONOSUPPORT },
	{ "socket", { AF_INET6, SOCK_RAW, IPPROTO_ICMPV6 }, EPROTONOSUPPORT },
	{ "socket", { AF_INET, SOCK_DGRAM, IPPROTO_ICMP }, EPROTONOSUPPORT },
	{ "socket", { AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE }, EPROTONOSUPPORT },
	{ "socket", { AF_INET, SOCK_STREAM, IPPROTO_MPTCP }, EPROTONOSUPPORT },
	{ "socket", { AF_INET, SOCK_STREAM, IPPROTO_SCTP }, EPROTONOSUPPORT },
	{ "socket", { AF_INET, SOCK_SEQPACKET, IPPROTO_SCTP }, EPROTONOSUPPORT },
	{ "socket", { HIGH(AF_INET6), SOCK_STREAM, IPPROTO_SCTP }, EPROTONOSUPPORT },
	{ "socket", { AF_NETLINK, SOCK_RAW, NETLINK_AUDIT }, EAFNOSUPPORT },
	{ "socket", { AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER }, EAFNOSUPPORT },
	{ "socket", { AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT }, EAFNOSUPPORT },
	{ "socket", { AF_PACKET, SOCK_RAW, 0 }, EAFNOSUPPORT },
	{ "socket", { AF_VSOCK, SOCK_STREAM, 0 }, EAFNOSUPPORT },
	{ "socket", { AF_ALG, SOCK_SEQPACKET, 0 }, EAFNOSUPPORT },
	{ "socket", { AF_XDP, SOCK_RAW, 0 }, EAFNOSUPPORT },
	{ "socket", { AF_RDS, SOCK_SEQPACKET, 0 }, EAFNOSUPPORT },
	{ "socket", { AF_TIPC, SOCK_STREAM, 0 }, EAFNOSUPPORT },
	{ "socket", { AF_KEY, SOCK_RAW, 2 }, EAFNOSUPPORT },
	{ "socketpair", { AF_TIPC, SOCK_STREAM, 0, BAD }, EAFNOSUPPORT },
	{ "socketpair", { AF_INET, SOCK_STREAM, 0, BAD }, EAFNOSUPPORT },
};

/* The neighbours of refusals that have one: the filter changes nothing for these. */
static const struct call passed[] = {
	{ "unshare", { CLONE_FS | CLONE_FILES | CLONE_SYSVSEM }, 0 },
	{ "ioctl", { NO_FD, TIOCGWINSZ, BAD }, 0 },
	{ "ioctl", { NO_FD, TCGETS, BAD }, 0 },
	{ "ioctl", { NO_FD, FIONREAD, BAD }, 0 },
	{ "personality", { 0xffffffff }, 0 },
	{ "personality", { HIGH(0xffffffff) }, 0 },
	{ "personality", { PER_LINUX }, 0 },
	{ "setrlimit", { RLIMIT_NOFILE, BAD }, EFAULT },
	{ "prlimit64", { 0, RLIMIT_NOFILE, BAD, 0 }, EFAULT },
	{ "prlimit64", { 0, RLIMIT_CORE, 0, 0 }, 0 },
	{ "mknod", { (long)NO_DIR, S_IFIFO | 0600, 0 }, 0 },
	{ "mknod", { (long)NO_DIR, S_IFREG | 0600, 0 }, 0 },
	{ "mknodat", { AT_FDCWD, (long)NO_DIR, S_IFIFO | 0600, 0 }, 0 },
	{ "mknodat", { AT_FDCWD, (long)NO_DIR, S_IFSOCK | 0600, 0 }, 0 },
	{ "socket", { AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0 }, 0 },
	{ "socket", { AF_UNIX, SOCK_DGRAM, 0 }, 0 },
	{ "socket", { AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0 }, 0 },
	{ "socket", { AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0 }, 0 },
	{ "socket", { HIGH(AF_INET), HIGH(SOCK_STREAM), HIGH(IPPROTO_TCP) }, 0 },
	{ "socket", { AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0 }, 0 },
	{ "socket", { AF_INET, SOCK_DGRAM, IPPROTO_UDP }, 0 },
	{ "socket", { AF_INET6, SOCK_STREAM, 0 }, 0 },
	{ "socket", { AF_INET6, SOCK_STREAM, IPPROTO_TCP }, 0 },
	{ "socket", { AF_INET6, SOCK_DGRAM, 0 }, 0 },
	{ "socket", { AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK, IPPROTO_UDP }, 0 },
	{ "socket", { AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE }, 0 },
	{ "socket", { AF_NETLINK, SOCK_DGRAM, NETLINK_ROUTE }, 0 },
	{ "socketpair", { AF_UNIX, SOCK_STREAM, 0, BAD }, 0 },
	{ "socketpair", { AF_UNIX, SOCK_SEQPACKET, 0, BAD }, 0 },
	{ "statx", { AT_FDCWD, BAD, 0, 0, BAD }, 0 },
	{ "openat2", { AT_FDCWD, BAD, BAD, 0 }, 0 },
	{ "faccessat2", { AT_FDCWD, BAD, 0, ~0L }, 0 },
	{ "rseq", { BAD, 32, ~0L, 0 }, 0 },
	{ "membarrier", { 0x7fffffff, 0, 0 }, 0 },
	{ "futex_waitv", { 0, 0, 0, 0, 0 }, 0 },
	{ "epoll_pwait2", { NO_FD, BAD, 1, 0, 0 }, 0 },
	{ "landlock_restrict_self", { NO_FD, 0x7fff }, 0 },
	{ "pidfd_send_signal", { NO_FD, 0, 0, 0x7fff }, 0 },
	{ "close_range", { 2, 1, 0 }, 0 },
	{ "seccomp", { 0x7fff, 0, 0 }, 0 },
	{ "copy_file_range", { NO_FD, 0, NO_FD, 0, 1, 0 }, 0 },
	{ "splice", { NO_FD, 0, NO_FD, 0, 1, 0 }, 0 },
	{ "io_setup", { 1, BAD }, 0 },
	{ "shmget", { 0x5eec0de, 1, 0 }, 0 },
};

static bool filter_install(const struct sock_fprog *program)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program) == 0;
}

/* In a child, since some calls would end or change this process; the errno of the call, or 0. */
static int try_call(const struct call *call, bool filtered)
{
	int number = seccomp_number(call->name, SECCOMP_ARCH_NATIVE), status;
	const long *a = call->args;
	pid_t pid = fork();
	long r;

	if (pid == 0) {
		/* no_new_privs on both sides: some calls ask for it. */
		if (filtered ? !filter_install(seccomp_default())
			     : prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
			_exit(255);
		r = syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
		_exit(r < 0 ? errno : 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/*
 * Runs @body in a child with the filter, which ends without what a sanitizer does at exit: that
 * needs ptrace.
 */
static void run_filtered(void (*body)(void), const struct sock_fprog *program)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (!filter_install(program))
			_exit(255);
		body();
		_exit(0);
	}
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	ASSERT_EQ(status, 0);
}

TEST("each refused call fails with its errno, and most not so without the filter", .seconds = 60)
{
	size_t tried = 0, same = 0;

	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		if (seccomp_number(refused[i].name, SECCOMP_ARCH_NATIVE) < 0)
			continue;
		printf("%s %#lx %#lx %#lx\n", refused[i].name, refused[i].args[0],
		       refused[i].args[1], refused[i].args[2]);
		EXPECT_EQ(try_call(&refused[i], true), refused[i].error);
		tried++;
		same += try_call(&refused[i], false) == refused[i].error;
	}
	/* What the kernel lacks, or a container does not allow root either, is the same without. */
	if (geteuid() == 0)
		EXPECT_LT(same, tried / 2);
}

TEST("each neighbour of a refused call passes the filter", .seconds = 60)
{
	for (size_t i = 0; i < ARRAY_SIZE(passed); i++) {
		int number = seccomp_number(passed[i].name, SECCOMP_ARCH_NATIVE), with;

		if (number < 0)
			continue;
		printf("%s %#lx %#lx %#lx\n", passed[i].name, passed[i].args[0], passed[i].args[1],
		       passed[i].args[2]);
		with = try_call(&passed[i], true);
		EXPECT_EQ(with, try_call(&passed[i], false));
		EXPECT_NE(with, EPERM);
	}
}

TEST("every rule that refuses has its call here")
{
	const struct seccomp_plan *plan = seccomp_plan_default();

	for (size_t i = 0; i < plan->n_rules; i++) {
		bool here = false;

		for (size_t j = 0; j < ARRAY_SIZE(refused); j++)
			here |= strcmp(plan->rules[i].name, refused[j].name) == 0 &&
				(plan->rules[i].verdict.action == SECCOMP_ACTION_ALLOW ||
				 plan->rules[i].verdict.data == refused[j].error);
		printf("%s\n", plan->rules[i].name);
		EXPECT_TRUE(here);
	}
}

static void call_future(void)
{
	static const long numbers[] = { 423, 472, 999, 0x7fffffff, 0x40000027 };

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		EXPECT_EQ(syscall(numbers[i], 0, 0, 0), -1);
		EXPECT_EQ(errno, ENOSYS);
	}
}

TEST("a number of the future is ENOSYS")
{
	run_filtered(call_future, seccomp_default());
}

#ifdef __x86_64__
TEST("a 32-bit call kills the process")
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		long r = 20;

		if (!filter_install(seccomp_default()))
			_exit(255);
		/* getpid, in the table of 32-bit programs */
		__asm__ volatile("int $0x80" : "+a"(r) : : "memory", "r8", "r9", "r10", "r11");
		_exit(1);
	}
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	ASSERT_TRUE(WIFSIGNALED(status));
	/* A kernel without 32-bit calls has no such interrupt. */
	EXPECT_TRUE(WTERMSIG(status) == SIGSYS || WTERMSIG(status) == SIGSEGV);
}
#endif

static void *thread_main(void *arg)
{
	return (char *)arg + 1;
}

static void use_everything(void)
{
	pthread_t thread;
	void *result = NULL;
	int status, fds[2];
	pid_t pid;

	ASSERT_EQ(pthread_create(&thread, NULL, thread_main, NULL), 0);
	ASSERT_EQ(pthread_join(thread, &result), 0);
	EXPECT_TRUE(result == (char *)NULL + 1);
	pid = vfork();
	if (pid == 0)
		execl("/bin/true", "true", (char *)NULL);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(system("exit 7 | :; test $(echo a | cat) = a"), 0);
	EXPECT_EQ(pipe2(fds, O_CLOEXEC), 0);
	EXPECT_GE(epoll_create1(EPOLL_CLOEXEC), 0);
	EXPECT_GE(eventfd(0, EFD_CLOEXEC), 0);
	EXPECT_GE(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC), 0);
	EXPECT_GE(inotify_init1(IN_CLOEXEC), 0);
	EXPECT_GE(memfd_create("x", MFD_CLOEXEC), 0);
	EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	EXPECT_GE(syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0), 0);
}

TEST("processes, threads, pipes and what event loops are made of work under the filter")
{
	run_filtered(use_everything, seccomp_default());
}

static void restrict_further(void)
{
	struct sock_filter allow = { .code = BPF_RET | BPF_K, .k = SECCOMP_RET_ALLOW };
	struct sock_fprog program = { .len = 1, .filter = &allow };

	EXPECT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
	EXPECT_TRUE(filter_install(&program));
}

TEST("a sandboxed program can restrict itself further")
{
	run_filtered(restrict_further, seccomp_default());
}

static void miss_parent(void)
{
	EXPECT_EQ(syscall(SYS_getppid), -1);
	EXPECT_EQ(errno, EXDEV);
	EXPECT_EQ(system("test \"$(grep -c '^Seccomp:.*2' /proc/self/status)\" = 1"), 0);
}

TEST("a profile's program is taken by the kernel and outlives an exec")
{
	struct seccomp_rule rule = { .name = "getppid", .verdict = { SECCOMP_ACTION_ERRNO, EXDEV } };
	struct seccomp_plan plan = { .fallback = { SECCOMP_ACTION_ALLOW, 0 },
				     .architectures = 1u << SECCOMP_ARCH_NATIVE,
				     .rules = &rule,
				     .n_rules = 1 };
	_cleanup_seccomp_program_ struct sock_fprog program = { 0 };
	struct fault fault = { 0 };

	ASSERT_OK(seccomp_compile(&plan, SECCOMP_ARCH_NATIVE, &program, &fault));
	run_filtered(miss_parent, &program);
}
