// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wipes, against what hostile hands leave in a workspace: each is proved, or fails and names what is left.
 */
#include "../hand_end.h"

#include <dirent.h>
#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include "../../user/engine/wipe.h"
#include "../../user/kernel/guard_rules.h"

TEARDOWN
{
	hand_place();
	umount2(hand.state, MNT_DETACH);
	hand_remove();
}

/* Memory in place of the disk, for what makes many files. */
static void memory_open(void)
{
	hand_open();
	ASSERT_OK(mount("none", hand.state, "tmpfs", 0, NULL));
	hand_session();
}

static int work_open(void)
{
	char path[1024];
	int fd;

	snprintf(path, sizeof(path), "%s/sessions/%s/work", hand.state, hand.session.id);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ASSERT_GE(fd, 0);
	return fd;
}

/* Runs a shell's script in the work directory, as the host's root. */
__attribute__((format(printf, 1, 2))) static void host_sh(const char *fmt, ...)
{
	char script[2048], command[4096];
	va_list args;

	va_start(args, fmt);
	vsnprintf(script, sizeof(script), fmt, args);
	va_end(args);
	snprintf(command, sizeof(command), "cd %s/sessions/%s/work && %s", hand.state,
		 hand.session.id, script);
	fflush(stdout);
	ASSERT_EQ(system(command), 0);
}

static unsigned int entries(const char *below)
{
	char path[1024];
	unsigned int n = 0;
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/sessions/%s/%s", hand.state, hand.session.id, below);
	dir = opendir(path);
	ASSERT_NOT_NULL(dir);
	while ((entry = readdir(dir)))
		n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(dir);
	return n;
}

static void expect_wiped(void)
{
	struct fault fault = {};

	if (wipe_perform(&hand.session, hand.state, false, &fault))
		printf("%s: %s\n", fault.field, fault.reason);
	EXPECT_EQ(fault.code, FAULT_NONE);
	EXPECT_EQ(entries(""), 2);
	EXPECT_EQ(entries("work"), 0);
	EXPECT_EQ(entries("site"), 0);
	ASSERT_OK(session_reload(&hand.session));
	EXPECT_EQ(hand.session.policy.state, POLICY_WIPED);
}

TEST("what a command leaves is gone after a wipe, and its session works again", .seconds = 40)
{
	hand_open();
	hand_session();
	hand_run("mkdir -p a/b/c && echo x >a/b/c/f; chmod 0 a/b/c/f a/b/c; chmod 500 a; ln -s /etc l; "
		 "ln -s ../../../../../etc up; ln -s . dot; mkfifo p; echo h >h; ln h h2; chown 1000:1000 h; "
		 "printf 1 >\"$(printf '\\377\\376\\n\\001')\"; printf 1 >'-rf'; printf 1 >' '; "
		 "mkdir \"$(printf 'd\\200')\"; echo 1 >\"$(printf 'd\\200/\\201')\"; echo s >/site/s");
	EXPECT_EQ(hand.end.result.exit_code, 0);
	EXPECT_GE(entries("work"), 10);
	expect_wiped();
	hand_run("ls -A; echo again >a; cat a");
	EXPECT_STREQ(hand_output(), "again\n");
}

TEST("a hundred thousand files go", .seconds = 60)
{
	char name[32];
	int fd;

	memory_open();
	fd = work_open();
	for (unsigned int i = 0; i < 100000; i++) {
		snprintf(name, sizeof(name), "%s%u", i % 1000 ? "f" : "d", i);
		ASSERT_OK(i % 1000 ? mknodat(fd, name, S_IFREG | 0600, 0) : mkdirat(fd, name, 0700));
	}
	close(fd);
	expect_wiped();
}

/* A chain of directories, each with a file, as deep as @depth. */
static void chain_make(int fd, unsigned int depth)
{
	for (unsigned int i = 0; i < depth; i++) {
		int next;

		ASSERT_OK(mkdirat(fd, "deep", 0700));
		next = openat(fd, "deep", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		ASSERT_GE(next, 0);
		close(fd);
		fd = next;
		ASSERT_OK(mknodat(fd, "f", S_IFREG | 0600, 0));
	}
	close(fd);
}

TEST("a tree that is deeper than any path is long goes", .seconds = 60)
{
	memory_open();
	chain_make(work_open(), 20000);
	expect_wiped();
}

TEST("immutable and append-only files and directories go")
{
	hand_open();
	hand_session();
	host_sh("mkdir -p d/e/f && touch i a d/e/f/x d/y");
	if (system("cd \"$TMPDIR\" && touch flags && chattr +i flags 2>/dev/null && chattr -i flags"))
		SKIP("no chattr here");
	host_sh("chattr +i i && chattr +a a && chattr +i d/e/f/x && chattr +i d/e/f && chattr +a d/e && "
		"chattr +a d && chattr +i . ");
	expect_wiped();
}

TEST("mounts in the workspace are taken off, and what they show stays")
{
	const char *tmp = getenv("TMPDIR");

	hand_open();
	hand_session();
	host_sh("mkdir -p m/n t && touch f && mkdir -p %s/shown && echo precious >%s/shown/p", tmp,
		tmp);
	host_sh("mount --bind %s/shown m/n && mount --bind %s/shown m/n && mount -t tmpfs none t && "
		"touch t/x && mount --bind %s/shown/p f && mount --bind %s/shown .",
		tmp, tmp, tmp, tmp);
	expect_wiped();
	EXPECT_STREQ(hand_read("%s/shown/p", tmp), "precious\n");
	EXPECT_NE(system("grep -q hand-state/sessions /proc/self/mountinfo"), 0);
}

TEST("what cannot be removed makes the wipe fail, and is named; once it can, the wipe is proved")
{
	struct fault fault = {};
	char path[1024];

	memory_open();
	host_sh("mkdir -p sub && echo x >sub/stays && echo x >goes");
	snprintf(path, sizeof(path), "%s", hand.state);
	ASSERT_OK(mount(NULL, path, NULL, MS_REMOUNT | MS_RDONLY, NULL));
	EXPECT_EQ(wipe_perform(&hand.session, hand.state, false, &fault), FAULT_E_SET);
	EXPECT_EQ(fault.code, FAULT_WIPE);
	printf("%s: %s\n", fault.field, fault.reason);
	EXPECT_HAS(fault.reason, "Read-only file system");
	ASSERT_OK(session_reload(&hand.session));
	EXPECT_EQ(hand.session.policy.state, POLICY_WIPED);
	ASSERT_OK(mount(NULL, path, NULL, MS_REMOUNT, NULL));
	expect_wiped();
}

/* Without the power to take the flag off, an immutable file stays. */
static void immutable_power_drop(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	ASSERT_OK(syscall(SYS_capget, &header, data));
	data[0].effective &= ~(1u << CAP_LINUX_IMMUTABLE);
	ASSERT_OK(syscall(SYS_capset, &header, data));
}

TEST("a file that stays is named by its path, and all others go")
{
	struct fault fault = {};
	char command[600];
	int status;
	pid_t pid;

	hand_open();
	hand_session();
	if (system("cd \"$TMPDIR\" && touch flags && chattr +i flags 2>/dev/null && chattr -i flags"))
		SKIP("no chattr here");
	host_sh("mkdir -p sub/sub2/sub3 && echo x >sub/sub2/stays && chattr +i sub/sub2/stays && "
		"echo x >sub/other && echo x >a");
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		immutable_power_drop();
		EXPECT_EQ(wipe_perform(&hand.session, hand.state, false, &fault), FAULT_E_SET);
		printf("%s: %s\n", fault.field, fault.reason);
		EXPECT_EQ(fault.code, FAULT_WIPE);
		EXPECT_HAS(fault.reason, "/wiped/");
		EXPECT_HAS(fault.reason, "/stays is left: Operation not permitted");
		exit(0);
	}
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	snprintf(command, sizeof(command), "test $(find %s/sessions -type f | wc -l) = 1",
		 hand.state);
	EXPECT_EQ(system(command), 0);
	expect_wiped();
}

TEST("processes that are left in the session's cgroups are killed, and the cgroups removed")
{
	int below;
	uint64_t id;
	pid_t pid;

	hand_open();
	hand_session();
	ASSERT_OK(session_wake(&hand.session));
	ASSERT_OK(cgroup_create(hand.session.cgroup_fd, "left", &below, &id));
	/* a stranger of the host's, put there by hand */
	pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	dprintf(openat(below, "cgroup.procs", O_WRONLY | O_CLOEXEC), "%d", pid);
	EXPECT_EQ(session_check_clear(&hand.session, &hand.end.fault), FAULT_E_SET);
	EXPECT_HAS(hand.end.fault.reason, "a process is left");
	close(below);
	expect_wiped();
	EXPECT_EQ(waitpid(pid, NULL, 0), pid);
}

TEST("a wiper that is killed anywhere on its way is followed by one that ends its work",
     .seconds = 120)
{
	memory_open();
	for (unsigned int i = 0; i < 40; i++) {
		pid_t pid;
		int fd = work_open();

		for (unsigned int j = 0; j < 300; j++) {
			char name[32];

			snprintf(name, sizeof(name), "f%u", j);
			ASSERT_OK(mknodat(fd, name, S_IFREG | 0600, 0));
		}
		chain_make(fd, 60);
		pid = fork();
		if (pid == 0) {
			struct fault fault = {};

			_exit(wipe_perform(&hand.session, hand.state, i % 2, &fault));
		}
		usleep(i * 150);
		kill(pid, SIGKILL);
		ASSERT_EQ(waitpid(pid, NULL, 0), pid);
		expect_wiped();
	}
}

struct waited {
	unsigned int done;
	struct fault fault;
};

static void wipe_done(const struct fault *fault, void *arg)
{
	struct waited *waited = arg;

	waited->done++;
	if (fault)
		waited->fault = *fault;
}

TEST("a wipe runs beside its starter's loop, and the last one of a session leaves no directory")
{
	struct wipe_args args = { .session = &hand.session,
				  .state_dir = hand.state,
				  .done = wipe_done };
	struct waited waited = {};
	struct fault fault = {};
	struct policy policy;
	struct wipe *wipe;
	unsigned int slot;

	hand_open();
	hand_session();
	args.arg = &waited;
	hand_run("echo x >a; mkdir b");
	ASSERT_OK(wipe_start(hand.base, &args, &wipe));
	ASSERT_OK(guard_session_policy(&hand.engine.guard, hand.session.cgroup_id, &policy));
	EXPECT_EQ(policy.state, POLICY_WIPED);
	hand.ended = false;
	hand_wait(&waited.done, 1);
	EXPECT_EQ(waited.fault.code, FAULT_NONE);
	wipe_free(wipe);
	EXPECT_EQ(entries("work"), 0);
	EXPECT_EQ(hand_run("echo y >a")->exit_code, 0);
	args.final = true;
	ASSERT_OK(wipe_start(hand.base, &args, &wipe));
	hand.ended = false;
	hand_wait(&waited.done, 2);
	EXPECT_EQ(waited.fault.code, FAULT_NONE);
	wipe_free(wipe);
	EXPECT_EQ(workspace_slot(hand.state, hand.session.id, &slot), -ENOENT);
	EXPECT_OK(session_close(&hand.session, &fault));
	EXPECT_EQ(waitpid(-1, NULL, WNOHANG), -1);
}

TEST("a wipe of a session with a network leaves no device, address or connection, and keeps the rules")
{
	const struct host_prefix rule = { 120, { [10] = 0xff, 0xff, 9, 9, 9, 0 } };
	const uint8_t address[16] = { [10] = 0xff, 0xff, 9, 9, 9, 9 };
	struct host_prefix found;
	enum reason reason;
	const char *map;

	hand_open();
	hand_session();
	ASSERT_OK(guard_prefix_put(&hand.engine.guard, hand.session.cgroup_id, &rule,
				   REASON_OPERATOR));
	ASSERT_OK(guard_address_put(&hand.engine.guard, hand.session.cgroup_id, address,
				    POLICY_PORT_TLS, ~0ull));
	ASSERT_OK(system(
		"ip link add rv3998 type veth peer name peer3998 && ip link set rv3998 group 1919247734"));
	EXPECT_OK(guard_request_left(&hand.engine.guard, hand.session.cgroup_id, &map));
	EXPECT_STREQ(map, "addresses");
	expect_wiped();
	EXPECT_OK(guard_request_left(&hand.engine.guard, hand.session.cgroup_id, &map));
	EXPECT_NULL(map);
	EXPECT_NE(system("ip link show rv3998 >/dev/null 2>&1"), 0);
	EXPECT_OK(guard_prefix_next(&hand.engine.guard, hand.session.cgroup_id, NULL, &found,
				    &reason));
	EXPECT_EQ(reason, REASON_OPERATOR);
}
