// SPDX-License-Identifier: GPL-2.0-only
/*
 * What holds inside the sandbox. Programs that run there state facts and try to get out; the same is
 * looked at from the host. The seccomp filter permits everything unless a test says otherwise, so that
 * what holds here holds by namespaces, ownership and capabilities alone.
 */
#include "../box_run.h"

#include <linux/keyctl.h>
#include <pty.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../../user/kernel/seccomp.h"

#define UID_BASE (REEVE_UID_BASE + BOX_SLOT * REEVE_UIDS_PER_SLOT)

static const char *facts(void)
{
	static const char *const argv[] = { "/in/facts", NULL };

	box_make(true);
	box_add_prog("facts");
	return box_exec(argv);
}

TEST("the command has exactly the capabilities that uid 0 needs for files and ids, and can gain none")
{
	const char *text = facts();

	EXPECT_HAS(text, "CapPrm:\t00000000000000fb\n");
	EXPECT_HAS(text, "CapEff:\t00000000000000fb\n");
	EXPECT_HAS(text, "CapBnd:\t00000000000000fb\n");
	EXPECT_HAS(text, "CapInh:\t0000000000000000\n");
	EXPECT_HAS(text, "CapAmb:\t0000000000000000\n");
	EXPECT_HAS(text, "NoNewPrivs:\t1\n");
	EXPECT_HAS(text, "Seccomp:\t2\n");
}

TEST("uid and gid are 0 inside without any other group, and the session's range outside")
{
	struct stat st;
	char path[PATH_MAX + 8];

	box_make(true);
	EXPECT_HAS(box_sh("grep -E '^(Uid|Gid|Groups)' /proc/self/status; touch mine"),
		   "Uid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nGroups:\t \n");
	snprintf(path, sizeof(path), "%s/mine", box.out);
	ASSERT_OK(stat(path, &st));
	EXPECT_EQ(st.st_uid, UID_BASE);
	EXPECT_EQ(st.st_gid, UID_BASE);
}

TEST("only the three standard streams come in, and standard input is at end of file")
{
	int secret[2];
	const char *text;

	ASSERT_OK(pipe(secret));
	ASSERT_EQ(write(secret[1], "secret", 6), 6);
	ASSERT_EQ(dup2(secret[0], 0), 0);
	ASSERT_EQ(dup2(secret[0], 500), 500);
	text = facts();
	EXPECT_HAS(text, "descriptors: 0 1 2\n");
	EXPECT_HAS(text, "stdin: 0\n");
}

TEST("the host's terminal is out of reach")
{
	int terminal;

	if (forkpty(&terminal, NULL, NULL, NULL) != 0) {
		char text[4096];
		int status;

		while (read(terminal, text, sizeof(text)) > 0)
			continue;
		ASSERT_GT(wait(&status), 0);
		ASSERT_EQ(status, 0);
		return;
	}
	ASSERT_GE(open("/dev/tty", O_RDWR | O_CLOEXEC), 0);
	EXPECT_HAS(facts(), "tty: ENXIO\nmask: 022\ncwd: /out\nsession: 1\n");
}

TEST("every namespace is the sandbox's own")
{
	static const char *const names[] = { "cgroup", "ipc", "mnt", "net", "pid", "user", "uts" };
	const char *text = facts();

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char path[64], link[64], line[80];
		ssize_t n;

		snprintf(line, sizeof(line), "namespace: %s:[", names[i]);
		EXPECT_HAS(text, line);
		snprintf(path, sizeof(path), "/proc/self/ns/%s", names[i]);
		n = readlink(path, link, sizeof(link) - 1);
		ASSERT_GT(n, 0);
		link[n] = '\0';
		EXPECT_HAS_NOT(text, link);
	}
}

TEST("names of the host, its cgroup and its processes are unknown inside")
{
	const char *text = facts();

	EXPECT_HAS(text, "\ncgroup: 0::/\n");
	EXPECT_HAS(text, "\nhost: reeve\ndomain: (none)\n");
	EXPECT_HAS(text, "\ninit: ENOENT\n");
	EXPECT_STREQ(box_sh("echo /proc/[0-9]*"), "/proc/2\n");
}

/* The first of the two that libc keeps for itself, and therefore does not set. */
static void libc_signal_ignore(void)
{
	struct {
		void *handler;
		unsigned long flags;
		void *restorer;
		uint64_t mask;
	} ignore = { .handler = (void *)SIG_IGN };

	EXPECT_OK(syscall(SYS_rt_sigaction, 32, &ignore, NULL, sizeof(ignore.mask)));
}

TEST("modes, directory, signals and core limit do not depend on who starts the sandbox")
{
	const char *text;

	umask(0);
	setrlimit(RLIMIT_NICE, &(struct rlimit){ 0, 5 });
	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	libc_signal_ignore();
	text = facts();
	EXPECT_HAS(text, "\nmask: 022\n");
	EXPECT_HAS(text, "\ncwd: /out\n");
	EXPECT_HAS(text, "\nSigIgn:\t0000000000000000\n");
	EXPECT_HAS(text, "\nSigBlk:\t0000000000000000\n");
	EXPECT_HAS(text, "\ncore: 1 1\nrtprio: 0 0\nnice: 0 0\n");
}

TEST("the environment is the plan's and nothing else")
{
	const char *at;
	size_t n = 0;

	setenv("SECRET", "of the host", 1);
	at = facts();
	EXPECT_HAS_NOT(at, "SECRET");
	while ((at = strstr(at, "\nenv: "))) {
		size_t len = strcspn(at + 6, "\n");

		ASSERT_NOT_NULL(box.plan.envp[n]);
		EXPECT_EQ(len, strlen(box.plan.envp[n]));
		EXPECT_MEMEQ(at + 6, box.plan.envp[n], len);
		n++;
		at++;
	}
	EXPECT_NULL(box.plan.envp[n]);
}

/* Each attempt and what it must come to; a name that the program does not know is a failure as well. */
static const struct {
	const char *line;
} outcomes[] = {
	{ "mount_tmpfs: EPERM" },
	{ "mount_bind: EPERM" },
	{ "mount_proc: EPERM" },
	{ "remount_writable: EPERM" },
	{ "remount_root: EPERM" },
	{ "unmask: EPERM" },
	{ "unmount_proc_sys: EPERM" },
	{ "tree_of_usr: EPERM" },
	{ "fsopen_tmpfs: EPERM" },
	{ "setattr_writable: EPERM" },
	{ "pivot: EPERM" },
	{ "change_root: EPERM" },
	{ "new_user_namespace: ENOSPC" },
	{ "clone_user_namespace: ENOSPC" },
	{ "new_mount_namespace: EPERM" },
	{ "new_network_namespace: EPERM" },
	{ "new_pid_namespace: EPERM" },
	{ "join_init_mounts: ENOENT" },
	{ "rejoin_own_mounts: EPERM" },
	{ "make_disk_node: EPERM" },
	{ "make_memory_node: EPERM" },
	{ "make_null_node: EPERM" },
	{ "trace_init: EPERM" },
	{ "read_init_memory: ENOENT" },
	{ "see_init_root: ENOENT" },
	{ "take_init_descriptor: EPERM" },
	{ "open_by_handle: EPERM" },
	{ "set_host_name: EPERM" },
	{ "set_clock: EPERM" },
	{ "raise_core_limit: EPERM" },
	{ "gain_capability: EPERM" },
	{ "regain_privileges: EINVAL" },
	{ "find_host_key: ENOKEY" },
	{ "write_sysctl: E" },
	{ "write_sysrq: E" },
	{ "write_system: EROFS" },
	{ "write_etc: EROFS" },
	{ "write_root: EROFS" },
	{ "write_device_directory: EROFS" },
	{ "change_device_times: EROFS" },
	{ "replace_passwd: EROFS" },
	{ "read_shadow: ENOENT" },
	{ "read_host_home: ENOENT" },
	{ "leave_by_dots: ENOENT" },
	{ "kill_init: EPERM" },
};

static const char *attack(void)
{
	static const char *const argv[] = { "/in/attack", NULL };

	/* What the sandbox's session keyring must not lead to; the host's has it. */
	ASSERT_GE(syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL), 0);
	ASSERT_GE(syscall(SYS_add_key, "user", "reeve-test", "x", 1, KEY_SPEC_SESSION_KEYRING), 0);
	ASSERT_GE(syscall(SYS_keyctl, KEYCTL_SETPERM,
			  syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING, "user",
				  "reeve-test", 0),
			  0x3f3f3f3f),
		  0);
	box_make(true);
	box_add_prog("attack");
	return box_exec(argv);
}

TEST("no attempt on the sandbox succeeds, also under a seccomp profile that permits everything")
{
	const char *text = attack();
	size_t lines = 0;

	for (size_t i = 0; i < ARRAY_SIZE(outcomes); i++)
		EXPECT_HAS(text, outcomes[i].line);
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	EXPECT_EQ(lines, ARRAY_SIZE(outcomes));
	EXPECT_EQ(box.end.exit_code, 0);
}

TEST("no attempt on the sandbox succeeds under the default profile")
{
	const char *text;

	box.seccomp = seccomp_default();
	text = attack();
	EXPECT_HAS_NOT(text, ": ok\n");
	EXPECT_HAS(text, "kill_init: EPERM\n");
	EXPECT_EQ(box.end.exit_code, 0);
}

TEST("the root shows what was planned and nothing else of the host")
{
	box_make(true);
	EXPECT_STREQ(box_sh("cd /; for d in *; do [ -L $d ] || echo $d; done"),
		     "dev\netc\nin\nout\nproc\nroot\nrun\nsys\ntmp\nusr\nvar\n");
	EXPECT_STREQ(
		box_sh("ls -A /sys /root /run /in /proc/acpi 2>/dev/null | grep -v :$ | tr -d '\\n'"),
		"");
	EXPECT_STREQ(box_sh("ls /dev"), "fd\nfull\nnull\nptmx\npts\nrandom\nshm\nstderr\nstdin\n"
					"stdout\ntty\nurandom\nzero\n");
	EXPECT_STREQ(box_sh("cd /etc; cat shadow gshadow machine-id ssh/* sudoers fstab 2>/dev/null"),
		     "");
}

TEST("every mount is nosuid, and writable only where it was planned")
{
	const char *text, *line;
	int writable = 0;

	box_make(true);
	text = box_sh("cut -d' ' -f5,6 /proc/self/mountinfo");
	for (line = text; *line; line = strchr(line, '\n') + 1) {
		char target[256], flags[256];

		ASSERT_EQ(sscanf(line, "%255s %255s", target, flags), 2);
		EXPECT_HAS(flags, "nosuid");
		if (strncmp(target, "/dev/", 5) != 0 && strncmp(target, "/proc/", 6) != 0)
			EXPECT_HAS(flags, "nodev");
		if (strcmp(target, "/") == 0)
			EXPECT_EQ(strncmp(flags, "ro,", 3), 0);
		if (strncmp(flags, "rw", 2) != 0)
			continue;
		writable++;
		EXPECT_HAS("/out /tmp /root /run /dev/shm /dev/pts /proc ", target);
	}
	EXPECT_EQ(writable, 7);
	EXPECT_HAS(text, "\n/proc/sys ro,");
	EXPECT_HAS(text, "\n/proc/irq ro,");
}

TEST("what leaks the host in /proc is a null device or is not there")
{
	box_make(true);
	EXPECT_STREQ(
		box_sh("cd /proc; for f in kallsyms kcore key-users keys kmsg sched_debug "
		       "sysrq-trigger timer_list; do [ ! -e $f ] || [ \"$(stat -c %t:%T $f)\" = 1:3 ] "
		       "|| echo $f; done; [ -z \"$(ls -A acpi scsi 2>/dev/null | grep -v :)\" ] || echo full"),
		"");
	EXPECT_HAS(box_sh("head -1 /proc/meminfo; cat /proc/sys/kernel/ostype"), "MemTotal:");
	EXPECT_HAS(box.text[0], "Linux");
}

TEST("devices, terminals, scratch space and standard streams work")
{
	box_make(true);
	EXPECT_STREQ(
		box_sh("set -e; echo x >/dev/null; head -c 3 /dev/zero | wc -c; "
		       "head -c 8 /dev/urandom | wc -c; echo out >/dev/stdout; echo err >/dev/stderr; "
		       "for d in /tmp /root /run /dev/shm /out /var/tmp; do echo $d >$d/f; cat $d/f; done; "
		       "script -qec 'test -t 0 && echo terminal' /tmp/log | tr -d '\\r'"),
		"3\n8\nout\n/tmp\n/root\n/run\n/dev/shm\n/out\n/var/tmp\nterminal\n");
	EXPECT_STREQ(box.text[1], "err\n");
	EXPECT_NE(strlen(box_sh("echo x >/dev/full || echo full")), 0);
}

TEST("uid 0 inside may own files to other ids, become one and end its processes")
{
	box_make(true);
	EXPECT_STREQ(box_sh("set -e; cd /tmp; touch a; chown 1000:1000 a; chmod 600 a; echo b >>a; "
			    "stat -c %u:%g a; setpriv --reuid 65534 --regid 65534 --clear-groups "
			    "sh -c 'id -u; cat a 2>/dev/null || echo refused; : >told; exec sleep 100' & "
			    "until [ -e told ]; do sleep 0.01; done; kill $!; wait $! || echo $?"),
		     "1000:1000\n65534\nrefused\n143\n");
}

TEST("logs of the host in /out can be neither removed nor replaced nor written from inside")
{
	char path[PATH_MAX + 16], text[8] = "";
	int fd;

	box_make(true);
	snprintf(path, sizeof(path), "%s/stdout.log", box.out);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0644);
	ASSERT_EQ(write(fd, "log", 3), 3);
	EXPECT_STREQ(box_sh("echo x >own; cat stdout.log; "
			    "rm -f stdout.log 2>/dev/null || echo rm; mv own stdout.log 2>/dev/null || echo mv; "
			    "ln -sf /etc/passwd stdout.log 2>/dev/null || echo ln; "
			    "(echo x >>stdout.log) 2>/dev/null || echo append; "
			    "chmod 666 stdout.log 2>/dev/null || echo chmod; "
			    "mv stdout.log other 2>/dev/null || echo away; "
			    "chown 0:0 . 2>/dev/null || echo chown; rm own && echo own"),
		     "logrm\nmv\nln\nappend\nchmod\naway\nchown\nown\n");
	EXPECT_EQ(pread(fd, text, sizeof(text), 0), 3);
	EXPECT_STREQ(text, "log");
}

TEST("mounts of the sandbox do not show on the host")
{
	char before[65536] = "", after[65536] = "";
	int fd;

	ASSERT_OK(unshare(CLONE_NEWNS));
	ASSERT_OK(mount(NULL, "/", NULL, MS_REC | MS_SHARED, NULL));
	box_make(true);
	fd = open("/proc/self/mountinfo", O_RDONLY);
	ASSERT_GT(read(fd, before, sizeof(before) - 1), 0);
	box_sh("true");
	fd = open("/proc/self/mountinfo", O_RDONLY);
	ASSERT_GT(read(fd, after, sizeof(after) - 1), 0);
	EXPECT_STREQ(before, after);
}

TEARDOWN
{
	BOX_TEARDOWN;
}
