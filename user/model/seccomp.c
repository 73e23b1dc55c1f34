// SPDX-License-Identifier: GPL-2.0-only
/*
 * The built-in system call rules, and the names of what rules are made of.
 *
 * The default permits: what stops a sandbox is its namespaces, its lack of privilege and the hooks.
 * The rules close what those leave open: calls that reach other processes or kernel code that no
 * namespace confines, and socket families that no hook sees. A new call is not trusted because it
 * is new: a number that this table's author did not know is ENOSYS, and programs fall back as on an
 * older kernel. To take new ones in, decide about each, then raise NEWEST.
 *
 * EPERM says "not here". ENOSYS is for calls that programs try first and replace when the kernel
 * lacks them. socket() answers as include/reason.h does for the same refusals.
 *
 * A comparison sees 64 bits, the kernel of an int argument the lower 32: hence masks everywhere, or
 * 1 << 32 | TIOCSTI would be another request to the filter and the same to the kernel.
 */
#include "seccomp.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "../base/macro.h"

/* rseq_slice_yield, the last call that has a number as this is written. */
#define NEWEST 471

#define INT 0xffffffffull
#define TYPE (INT & ~(uint64_t)(SOCK_NONBLOCK | SOCK_CLOEXEC))
/* Takes AF_INET and AF_INET6, 2 and 10, as one. */
#define INET_FAMILY (INT & ~8ull)
#define READ_PERSONALITY INT

#define NAMESPACES                                                                                 \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |             \
	 CLONE_NEWPID | CLONE_NEWNET)

#define ARG(arg_, mask_, value_)                                                                   \
	{                                                                                          \
		.arg = (arg_), .op = SECCOMP_OP_MASKED_EQ, .mask = (mask_), .value = (value_)      \
	}
#define IF(...)                                                                                    \
	.n_compares = sizeof((struct seccomp_compare[]){ __VA_ARGS__ }) /                          \
		      sizeof(struct seccomp_compare),                                              \
	.compares = { __VA_ARGS__ }
#define FAIL(name_, errno_, ...)                                                                   \
	{                                                                                          \
		.name = (name_), .verdict = { SECCOMP_ACTION_ERRNO, (errno_) }, __VA_ARGS__        \
	}
#define DENY(name_, ...) FAIL(name_, EPERM, ##__VA_ARGS__)
#define ALLOW(name_, ...)                                                                          \
	{                                                                                          \
		.name = (name_), .verdict = { SECCOMP_ACTION_ALLOW, 0 }, __VA_ARGS__               \
	}

static const struct seccomp_rule rules[] = {
	/* Its flags lie in memory, where a filter cannot look; libc then uses clone. */
	FAIL("clone3", ENOSYS),
	/* The low byte of clone's flags is a signal, so that CLONE_NEWTIME is unshare's alone. */
	ALLOW("clone", IF(ARG(0, NAMESPACES, 0))),
	DENY("clone"),
	ALLOW("unshare", IF(ARG(0, NAMESPACES | CLONE_NEWTIME, 0))),
	DENY("unshare"),
	DENY("setns"),

	DENY("mount"),
	DENY("umount2"),
	DENY("open_tree"),
	DENY("open_tree_attr"),
	DENY("move_mount"),
	DENY("fsopen"),
	DENY("fsconfig"),
	DENY("fsmount"),
	DENY("fspick"),
	DENY("mount_setattr"),
	DENY("chroot"),
	DENY("pivot_root"),
	/* They tell of more than /proc/self/mountinfo does; libmount reads that without them. */
	FAIL("statmount", ENOSYS),
	FAIL("listmount", ENOSYS),
	FAIL("listns", ENOSYS),

	DENY("ptrace"),
	DENY("process_vm_readv"),
	DENY("process_vm_writev"),
	DENY("process_madvise"),
	DENY("pidfd_open"),
	/* A socket taken from another process was judged as that process's. */
	DENY("pidfd_getfd"),
	DENY("kcmp"),

	DENY("bpf"),
	DENY("perf_event_open"),
	DENY("userfaultfd"),
	/* A ring's operations pass no filter. */
	DENY("io_uring_setup"),
	DENY("io_uring_enter"),
	DENY("io_uring_register"),
	/* Keyrings know no namespace of ours, and request_key starts a program outside. */
	DENY("add_key"),
	DENY("request_key"),
	DENY("keyctl"),

	/* Typing into a terminal that others read. */
	DENY("ioctl", IF(ARG(1, INT, TIOCSTI))),
	DENY("ioctl", IF(ARG(1, INT, TIOCLINUX))),
	/* Loads the module of a line discipline. */
	DENY("ioctl", IF(ARG(1, INT, TIOCSETD))),

	DENY("create_module"),
	DENY("init_module"),
	DENY("finit_module"),
	DENY("delete_module"),
	DENY("get_kernel_syms"),
	DENY("query_module"),
	DENY("kexec_load"),
	DENY("kexec_file_load"),
	DENY("reboot"),
	DENY("settimeofday"),
	DENY("adjtimex"),
	DENY("clock_settime"),
	DENY("clock_adjtime"),
	DENY("swapon"),
	DENY("swapoff"),
	DENY("quotactl"),
	DENY("quotactl_fd"),
	DENY("acct"),
	DENY("syslog"),
	DENY("sethostname"),
	DENY("setdomainname"),
	DENY("iopl"),
	DENY("ioperm"),
	ALLOW("personality", IF(ARG(0, INT, READ_PERSONALITY))),
	ALLOW("personality", IF(ARG(0, INT, PER_LINUX))),
	DENY("personality"),

	/* A core limit of 1 byte keeps core_pattern's program away; one of 0 would start it on the host. */
	DENY("setrlimit", IF(ARG(0, INT, RLIMIT_CORE))),
	ALLOW("prlimit64", IF(ARG(2, ~0ull, 0))),
	DENY("prlimit64", IF(ARG(1, INT, RLIMIT_CORE))),

	/* A handle opens a file by its inode number, whatever is mounted where. */
	DENY("name_to_handle_at"),
	DENY("open_by_handle_at"),
	DENY("fanotify_init"),
	DENY("fanotify_mark"),
	DENY("mknod", IF(ARG(1, S_IFMT, S_IFCHR))),
	DENY("mknod", IF(ARG(1, S_IFMT, S_IFBLK))),
	DENY("mknodat", IF(ARG(2, S_IFMT, S_IFCHR))),
	DENY("mknodat", IF(ARG(2, S_IFMT, S_IFBLK))),

	ALLOW("socket", IF(ARG(0, INT, AF_UNIX), ARG(1, TYPE, SOCK_STREAM))),
	ALLOW("socket", IF(ARG(0, INT, AF_UNIX), ARG(1, TYPE, SOCK_DGRAM))),
	ALLOW("socket", IF(ARG(0, INT, AF_UNIX), ARG(1, TYPE, SOCK_SEQPACKET))),
	FAIL("socket", EPROTONOSUPPORT, IF(ARG(0, INT, AF_UNIX))),
	ALLOW("socket", IF(ARG(0, INET_FAMILY, AF_INET), ARG(1, TYPE, SOCK_STREAM), ARG(2, INT, 0))),
	ALLOW("socket",
	      IF(ARG(0, INET_FAMILY, AF_INET), ARG(1, TYPE, SOCK_STREAM), ARG(2, INT, IPPROTO_TCP))),
	ALLOW("socket", IF(ARG(0, INET_FAMILY, AF_INET), ARG(1, TYPE, SOCK_DGRAM), ARG(2, INT, 0))),
	ALLOW("socket",
	      IF(ARG(0, INET_FAMILY, AF_INET), ARG(1, TYPE, SOCK_DGRAM), ARG(2, INT, IPPROTO_UDP))),
	FAIL("socket", EPROTONOSUPPORT, IF(ARG(0, INET_FAMILY, AF_INET))),
	ALLOW("socket",
	      IF(ARG(0, INT, AF_NETLINK), ARG(1, TYPE, SOCK_RAW), ARG(2, INT, NETLINK_ROUTE))),
	ALLOW("socket",
	      IF(ARG(0, INT, AF_NETLINK), ARG(1, TYPE, SOCK_DGRAM), ARG(2, INT, NETLINK_ROUTE))),
	/* Other netlink as well: useradd gives up unless auditing is absent, and this says so. */
	FAIL("socket", EAFNOSUPPORT),
	ALLOW("socketpair", IF(ARG(0, INT, AF_UNIX))),
	FAIL("socketpair", EAFNOSUPPORT),
};

_Static_assert(AF_INET == 2 && AF_INET6 == 10, "INET_FAMILY takes both as one");

/* Holes in the tables are where architectures put calls of their own; the last are 335 and 336. */
static const struct seccomp_span known_x86_64[] = { { 0, 336 }, { 424, NEWEST } };
static const struct seccomp_span known_aarch64[] = { { 0, 243 }, { 260, 294 }, { 424, NEWEST } };

static const struct seccomp_plan default_plan = {
	.fallback = { SECCOMP_ACTION_ALLOW, 0 },
	.architectures = 1u << SECCOMP_ARCH_X86_64 | 1u << SECCOMP_ARCH_AARCH64,
	.rules = rules,
	.n_rules = ARRAY_SIZE(rules),
	.known = { [SECCOMP_ARCH_X86_64] = known_x86_64, [SECCOMP_ARCH_AARCH64] = known_aarch64 },
	.n_known = { [SECCOMP_ARCH_X86_64] = ARRAY_SIZE(known_x86_64),
		     [SECCOMP_ARCH_AARCH64] = ARRAY_SIZE(known_aarch64) },
};

const struct seccomp_plan *seccomp_plan_default(void)
{
	return &default_plan;
}

void seccomp_plan_deinit(struct seccomp_plan *plan)
{
	free(plan->owned);
	*plan = (struct seccomp_plan){ 0 };
}

static const struct {
	const char *name;
	bool takes_data, permits;
} actions[] = {
#define X(NAME, name, data, permits) { name, data, permits },
	SECCOMP_ACTIONS(X)
#undef X
};

const char *seccomp_action_name(enum seccomp_action action)
{
	return actions[action].name;
}

bool seccomp_action_takes_data(enum seccomp_action action)
{
	return actions[action].takes_data;
}

bool seccomp_action_permits(enum seccomp_action action)
{
	return actions[action].permits;
}

const char *seccomp_op_name(enum seccomp_op op)
{
	static const char *const names[] = {
#define X(NAME, name) name,
		SECCOMP_OPS(X)
#undef X
	};

	return names[op];
}

const char *seccomp_arch_name(enum seccomp_arch arch)
{
	static const char *const names[] = {
#define X(NAME, name) name,
		SECCOMP_ARCHS(X)
#undef X
	};

	return names[arch];
}
