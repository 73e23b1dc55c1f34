// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cgroup and user namespace of a sandbox by themselves: paths that are refused, ids, kill, freeze,
 * the account of CPU time, limits, removal, and who is who in a range of ids.
 */
#include "../box_run.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../../user/base/clock.h"

static void expect_no_parent(const char *path)
{
	int fd = -1;
	uint64_t id;

	box.fault = (struct fault){ FAULT_NONE };
	EXPECT_EQ(cgroup_parent_open(box.mount_fd, path, true, &fd, &id, &box.fault), FAULT_E_SET);
	EXPECT_STREQ(box.fault.field, "--parent");
	EXPECT_HAS(box.fault.reason, path);
	EXPECT_EQ(fd, -1);
}

TEST("the root cgroup and what leaves the mount are no parent of sessions")
{
	ASSERT_OK(cgroup_mount_open(&box.mount_fd, &box.fault));
	expect_no_parent("");
	expect_no_parent("/");
	expect_no_parent("//");
	expect_no_parent(".");
	expect_no_parent("..");
	expect_no_parent("a/..");
	expect_no_parent("a/../..");
	expect_no_parent("1/2/3/4/5/6/7/8/9");
	EXPECT_EQ(faccessat(box.mount_fd, "1", F_OK, 0), -1);
}

TEST("a parent is made with all that is missing on its way, or reported as missing")
{
	char path[128];
	uint64_t first, second;
	int fd = -1;

	ASSERT_OK(cgroup_mount_open(&box.mount_fd, &box.fault));
	snprintf(path, sizeof(path), "/%s//below/", box_parent);
	EXPECT_EQ(cgroup_parent_open(box.mount_fd, path, false, &fd, &first, &box.fault), -ENOENT);
	ASSERT_OK(cgroup_parent_open(box.mount_fd, path, true, &fd, &first, &box.fault));
	EXPECT_OK(close(fd));
	ASSERT_OK(cgroup_parent_open(box.mount_fd, path, false, &fd, &second, &box.fault));
	EXPECT_EQ(first, second);
	EXPECT_GT(first, 1);
}

TEST("a parent that is not made yet can give what the cgroup above gives it")
{
	unsigned int given, would, has;
	char path[128];

	ASSERT_OK(cgroup_mount_open(&box.mount_fd, &box.fault));
	ASSERT_OK(cgroup_read_given(box.mount_fd, &given));
	ASSERT_OK(cgroup_parent_controllers(box.mount_fd, box_parent, &would, &box.fault));
	EXPECT_EQ(would, given);
	snprintf(path, sizeof(path), "%s/below", box_parent);
	ASSERT_OK(cgroup_parent_controllers(box.mount_fd, path, &would, &box.fault));
	EXPECT_EQ(would, 0);
	box_make_cgroups(false);
	ASSERT_OK(cgroup_parent_controllers(box.mount_fd, box_parent, &has, &box.fault));
	EXPECT_EQ(has, given);
	EXPECT_EQ(cgroup_parent_controllers(box.mount_fd, "/", &has, &box.fault), FAULT_E_SET);
}

TEST("a cgroup has the id that the kernel's file system gives it, and never an old one")
{
	uint64_t id, again;
	struct stat st;
	int fd, second;

	box_make_cgroups(false);
	ASSERT_OK(cgroup_create(box.parent_fd, "one", &fd, &id));
	ASSERT_OK(fstat(fd, &st));
	EXPECT_EQ(id, st.st_ino);
	EXPECT_EQ(cgroup_create(box.parent_fd, "one", &second, &again), -EEXIST);
	EXPECT_EQ(cgroup_open(box.parent_fd, "two", &second, &again), -ENOENT);
	EXPECT_EQ(cgroup_open(box.parent_fd, "../..", &second, &again), -EXDEV);
	ASSERT_OK(cgroup_open(box.parent_fd, "one", &second, &again));
	EXPECT_EQ(id, again);
	EXPECT_OK(cgroup_remove(box.parent_fd, "one"));
	ASSERT_OK(cgroup_create(box.parent_fd, "one", &fd, &again));
	EXPECT_GT(again, id);
	EXPECT_EQ(cgroup_id(open("/", O_RDONLY), &id), -EINVAL);
}

static pid_t spin_in(int cgroup_fd)
{
	int procs = openat(cgroup_fd, "cgroup.procs", O_WRONLY);
	pid_t pid = fork();

	if (pid == 0) {
		ASSERT_EQ(write(procs, "0", 1), 1);
		for (;;)
			continue;
	}
	close(procs);
	return pid;
}

static void wait_populated(int cgroup_fd)
{
	while (cgroup_wait_empty(cgroup_fd, 0) == 0)
		usleep(1000);
}

TEST("kill ends all processes below, and only then the cgroup is empty")
{
	uint64_t id, cpu;
	int below;

	box_make_cgroups(false);
	ASSERT_OK(cgroup_create(box.cgroup_fd, "below", &below, &id));
	spin_in(box.cgroup_fd);
	spin_in(below);
	wait_populated(below);
	usleep(50000);
	EXPECT_EQ(cgroup_wait_empty(box.cgroup_fd, 10 * NSEC_PER_MSEC), -ETIMEDOUT);
	EXPECT_EQ(cgroup_remove(box.parent_fd, "request"), -EBUSY);
	ASSERT_OK(cgroup_kill(box.cgroup_fd));
	EXPECT_OK(cgroup_wait_empty(box.cgroup_fd, BOX_EMPTY_NS));
	ASSERT_OK(cgroup_read_cpu_ns(box.cgroup_fd, &cpu));
	EXPECT_GT(cpu, 20 * NSEC_PER_MSEC);
	EXPECT_LT(cpu, 5 * NSEC_PER_SEC);
}

TEST("a frozen cgroup uses no CPU time, and goes on when thawed")
{
	uint64_t before, after;

	box_make_cgroups(false);
	spin_in(box.cgroup_fd);
	wait_populated(box.cgroup_fd);
	ASSERT_OK(cgroup_freeze(box.cgroup_fd, true));
	usleep(50000);
	ASSERT_OK(cgroup_read_cpu_ns(box.cgroup_fd, &before));
	usleep(50000);
	ASSERT_OK(cgroup_read_cpu_ns(box.cgroup_fd, &after));
	EXPECT_EQ(before, after);
	ASSERT_OK(cgroup_freeze(box.cgroup_fd, false));
	usleep(50000);
	ASSERT_OK(cgroup_read_cpu_ns(box.cgroup_fd, &after));
	EXPECT_GT(after, before);
}

TEST("removal takes everything below, and a cgroup that is not there is no error")
{
	uint64_t id;
	int fd, below;

	box_make_cgroups(false);
	ASSERT_OK(cgroup_create(box.cgroup_fd, "a", &fd, &id));
	ASSERT_OK(cgroup_create(fd, "b", &below, &id));
	ASSERT_OK(cgroup_create(fd, "c", &below, &id));
	ASSERT_OK(cgroup_create(below, "d", &below, &id));
	EXPECT_OK(cgroup_remove(box.parent_fd, "request"));
	EXPECT_EQ(faccessat(box.parent_fd, "request", F_OK, 0), -1);
	EXPECT_OK(cgroup_remove(box.parent_fd, "request"));
}

TEST("processes of a session cannot nest cgroups deeper than the meter walks")
{
	uint64_t id;
	int fd, depth = 0;

	box_make_cgroups(false);
	ASSERT_OK(cgroup_set_max_depth(box.cgroup_fd, 3));
	fd = box.cgroup_fd;
	while (cgroup_create(fd, "deeper", &fd, &id) == 0)
		depth++;
	EXPECT_EQ(depth, 3);
}

TEST("a limit whose controller is missing is a fault, and one that is there is written")
{
	const struct plan_limits limits = { .memory_bytes = 64 << 20, .pids = 10, .cpu_millis = 1500 };
	const struct plan_limits none = { 0 };
	unsigned int has, needs = cgroup_limits_controllers(&limits);
	char text[64] = "";
	uint64_t id;
	int fd;

	EXPECT_EQ(needs, CGROUP_MEMORY | CGROUP_PIDS | CGROUP_CPU);
	EXPECT_EQ(cgroup_limits_controllers(&none), 0);
	box_make_cgroups(false);
	EXPECT_OK(cgroup_write_limits(box.cgroup_fd, &none, &box.fault));
	ASSERT_OK(cgroup_read_controllers(box.mount_fd, &has));
	if ((has & needs) != needs) {
		EXPECT_EQ(cgroup_write_limits(box.cgroup_fd, &limits, &box.fault), FAULT_E_SET);
		EXPECT_EQ(box.fault.code, FAULT_LIMIT);
		SKIP("cgroup2 has not all of memory, pids and cpu here");
	}
	ASSERT_OK(cgroup_enable_controllers(box.mount_fd, needs));
	ASSERT_OK(cgroup_enable_controllers(box.parent_fd, needs));
	ASSERT_OK(cgroup_create(box.parent_fd, "limited", &fd, &id));
	ASSERT_OK(cgroup_write_limits(fd, &limits, &box.fault));
	ASSERT_GT(read(openat(fd, "cpu.max", O_RDONLY), text, sizeof(text) - 1), 0);
	EXPECT_STREQ(text, "150000 100000\n");
	ASSERT_GT(read(openat(fd, "memory.max", O_RDONLY), text, sizeof(text) - 1), 0);
	EXPECT_HAS(text, "67108864\n");
	if (faccessat(fd, "memory.swap.max", F_OK, 0) < 0)
		return;
	memset(text, 0, sizeof(text));
	ASSERT_GT(read(openat(fd, "memory.swap.max", O_RDONLY), text, sizeof(text) - 1), 0);
	EXPECT_STREQ(text, "0\n");
}

TEST("a user namespace maps the whole range, keeps no process, and takes no other inside")
{
	int fd, status;
	pid_t pid;

	ASSERT_OK(userns_make(0x70010000, 65536, &fd));
	EXPECT_EQ(waitpid(-1, NULL, WNOHANG), -1);
	pid = fork();
	if (pid == 0) {
		char map[128] = "";

		ASSERT_OK(setns(fd, CLONE_NEWUSER));
		ASSERT_GT(read(open("/proc/self/uid_map", O_RDONLY), map, sizeof(map) - 1), 0);
		EXPECT_HAS(map, " 0 1879113728      65536\n");
		ASSERT_GT(read(open("/proc/self/gid_map", O_RDONLY), map, sizeof(map) - 1), 0);
		EXPECT_HAS(map, " 0 1879113728      65536\n");
		EXPECT_EQ(unshare(CLONE_NEWUSER), -1);
		EXPECT_EQ(errno, ENOSPC);
		_exit(0);
	}
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
}

/* getrlimit() and setrlimit() of glibc are both prlimit64: with a new limit or without. */
static void limits_keep(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(filter), filter };

	ASSERT_OK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	ASSERT_OK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

TEST("no user namespace is made while the limits that it takes over cannot be lowered")
{
	int fd = -1;

	limits_keep();
	EXPECT_EQ(userns_make(0x70010000, 65536, &fd), -EPERM);
	EXPECT_EQ(fd, -1);
	EXPECT_EQ(waitpid(-1, NULL, WNOHANG), -1);
}

TEARDOWN
{
	BOX_TEARDOWN;
}
