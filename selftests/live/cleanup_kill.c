// SPDX-License-Identifier: GPL-2.0-only
/*
 * reeve is killed at a random moment, again and again: while it loads, while it makes a session, while the
 * command runs. After each of them the next run, or "reeve gc", must work and leave nothing of what was:
 * no process, cgroup, map entry, device, mount or slot. Output directories are the caller's and stay.
 *
 * This test is the reaper of all that reeve leaves behind, so that a process that outlives it is seen.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "../../include/limits.h"
#include "../../user/base/clock.h"
#include "../../user/base/macro.h"
#include "../../user/kernel/cgroup.h"
#include "../test.h"

#define PIN_DIR "/sys/fs/bpf/killed"
#define ARGS_MAX 24

static char parent[64], run_dir[512], out_root[512], said_path[512];

static void place_set(void)
{
	const char *tmp = getenv("TMPDIR");

	tmp = tmp ? tmp : "/tmp";
	snprintf(parent, sizeof(parent), "reeve-killed-%d", getppid());
	snprintf(run_dir, sizeof(run_dir), "%s/killed-run", tmp);
	snprintf(out_root, sizeof(out_root), "%s/killed-out", tmp);
	snprintf(said_path, sizeof(said_path), "%s/killed-said", tmp);
}

/* Starts "reeve @words" with the place's options; what it says goes to a file. */
static pid_t reeve_start(const char *words)
{
	const char *path = getenv("REEVE");
	char copy[512], *rest = copy, *argv[ARGS_MAX] = {};
	char *const place[] = { (char *)"--parent",	 parent,
				(char *)"--pin-dir",	 (char *)PIN_DIR,
				(char *)"--run-dir",	 run_dir,
				(char *)"--output-root", out_root };
	posix_spawn_file_actions_t actions;
	size_t n = 0;
	pid_t pid;

	snprintf(copy, sizeof(copy), "%s", words);
	argv[n++] = (char *)path;
	argv[n++] = strsep(&rest, " ");
	for (size_t i = 0; i < ARRAY_SIZE(place); i++)
		argv[n++] = place[i];
	while (rest && n < ARGS_MAX - 1)
		argv[n++] = strsep(&rest, " ");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 2, said_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ASSERT_OK(posix_spawn(&pid, path, &actions, NULL, argv, environ));
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}

static int reeve(const char *words)
{
	int status;

	ASSERT_GT(waitpid(reeve_start(words), &status, 0), 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static bool reeve_said(const char *part)
{
	char text[4096] = "";
	int fd = open(said_path, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	close(fd);
	text[n > 0 ? n : 0] = '\0';
	if (strstr(text, part))
		return true;
	printf("%s", text);
	return false;
}

/* Whoever lost its parent is this process's child: within two seconds there must be none. */
static unsigned int children_left(void)
{
	uint64_t until = clock_monotonic_ns() + 2 * NSEC_PER_SEC;
	pid_t pid;

	do {
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			continue;
		if (pid < 0)
			return 0;
		usleep(500);
	} while (clock_monotonic_ns() < until);
	return 1;
}

static unsigned int entries_left(const char *map)
{
	char path[128], key[32] = {}, next[32] = {};
	unsigned int n = 0;
	uint64_t id;
	int fd;

	snprintf(path, sizeof(path), PIN_DIR "/maps/%s", map);
	fd = bpf_obj_get(path);
	if (fd < 0)
		return errno == ENOENT ? 0 : 1000;
	for (void *from = NULL; bpf_map_get_next_key(fd, from, next) == 0; from = key) {
		memcpy(key, next, sizeof(key));
		memcpy(&id, key, sizeof(id));
		/* what was denied to nobody's cgroups is counted under 0 */
		n += id != 0;
	}
	close(fd);
	return n;
}

static unsigned int cgroups_left(void)
{
	_cleanup_fd_ int mount_fd = -1, fd = -1;
	struct fault fault = {};
	unsigned int n = 0;
	struct dirent *entry;
	uint64_t id;
	DIR *dir;

	ASSERT_OK(cgroup_mount_open(&mount_fd, &fault));
	if (cgroup_parent_open(mount_fd, parent, false, &fd, &id, &fault))
		return 0;
	dir = fdopendir(dup(fd));
	while ((entry = readdir(dir)))
		n += strncmp(entry->d_name, "sbs_", 4) == 0;
	closedir(dir);
	return n;
}

static unsigned int slots_left(void)
{
	char path[600];
	struct dirent *entry;
	unsigned int n = 0;
	struct stat st;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/slots", run_dir);
	dir = opendir(path);
	if (!dir)
		return 0;
	while ((entry = readdir(dir)))
		n += entry->d_type == DT_REG && fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 &&
		     st.st_size > 0;
	closedir(dir);
	return n;
}

static unsigned int links_left(void)
{
	struct if_nameindex *all = if_nameindex();
	unsigned int n = 0;

	for (struct if_nameindex *i = all; i && i->if_name; i++)
		n += strcmp(i->if_name, "lo") != 0;
	if_freenameindex(all);
	return n;
}

static unsigned int mounts(void)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	unsigned int n = 0;
	int c;

	while ((c = fgetc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return n;
}

static void expect_nothing_left(unsigned int mounts_before)
{
	EXPECT_EQ(children_left(), 0);
	EXPECT_EQ(cgroups_left(), 0);
	EXPECT_EQ(entries_left("policies"), 0);
	EXPECT_EQ(entries_left("usages"), 0);
	EXPECT_EQ(entries_left("netdevs"), 0);
	EXPECT_EQ(slots_left(), 0);
	EXPECT_EQ(links_left(), 0);
	EXPECT_EQ(mounts(), mounts_before);
}

static uint64_t random_ns(uint64_t from_us, uint64_t to_us)
{
	return (from_us + (uint64_t)random() % (to_us - from_us)) * 1000;
}

static void kill_after(pid_t pid, uint64_t ns)
{
	struct timespec nap = { (time_t)(ns / NSEC_PER_SEC), (long)(ns % NSEC_PER_SEC) };

	nanosleep(&nap, NULL);
	kill(pid, SIGKILL);
	ASSERT_EQ(waitpid(pid, NULL, 0), pid);
}

/* Sanitizers make every run slow: fewer of them do. */
static unsigned int fewer(unsigned int times)
{
	const char *sanitized = getenv("SANITIZED");

	return sanitized && *sanitized ? times / 5 : times;
}

/* Kills @times runs; every other time a run cleans up behind them, else gc. Returns how often it had to. */
static unsigned int kill_runs(const char *words, unsigned int times, uint64_t from_us, uint64_t to_us)
{
	static const char *const next[] = { "gc", "run -- /bin/true" };
	unsigned int before = mounts(), had_to = 0;

	for (unsigned int i = 0; i < times; i++) {
		uint64_t ns = random_ns(from_us, to_us);
		bool left;

		kill_after(reeve_start(words), ns);
		left = slots_left() > 0;
		had_to += left;
		if (reeve(next[i % 2]) != 0 || (left && !reeve_said("removed what 1 killed run"))) {
			printf("killed after %.1f ms; then %s\n", (double)ns / NSEC_PER_MSEC,
			       next[i % 2]);
			EXPECT_TRUE(reeve_said("no fault"));
		}
		expect_nothing_left(before);
	}
	printf("%u of %u left something to remove\n", had_to, times);
	return had_to;
}

static void begin(void)
{
	place_set();
	ASSERT_OK(prctl(PR_SET_CHILD_SUBREAPER, 1));
	srandom((unsigned int)getpid());
}

TEARDOWN
{
	char line[2048];

	place_set();
	EXPECT_EQ(reeve("gc --all"), 0);
	snprintf(line, sizeof(line), "rm -rf %s %s", out_root, said_path);
	EXPECT_OK(system(line));
	EXPECT_NE(access(run_dir, F_OK), 0);
	EXPECT_NE(access(PIN_DIR, F_OK), 0);
	EXPECT_NE(access(PIN_DIR "-loading", F_OK), 0);
}

TEST("two hundred runs are killed as they start and run: the next one clears up", .seconds = 60)
{
	begin();
	ASSERT_EQ(reeve("run -- /bin/true"), 0);
	EXPECT_GE(kill_runs("run -- /bin/sleep 5", fewer(200), 200, 30000), 5);
}

TEST("so do a hundred with a network of their own", .seconds = 60)
{
	int fd = open("/proc/sys/net/ipv4/ip_forward", O_WRONLY | O_CLOEXEC);

	begin();
	ASSERT_EQ(write(fd, "1", 1), 1);
	ASSERT_EQ(reeve("run --egress public -- /bin/true"), 0);
	EXPECT_GE(kill_runs("run --egress public -- /bin/sleep 5", fewer(100), 200, 60000), 5);
}

TEST("so do fifty that end by themselves at about that moment", .seconds = 40)
{
	begin();
	ASSERT_EQ(reeve("run -- /bin/true"), 0);
	kill_runs("run -- /bin/true", fewer(50), 2000, 15000);
}

TEST("runs that are killed while they load the programs are followed by one that works", .seconds = 60)
{
	unsigned int before = mounts();

	begin();
	for (unsigned int i = 0; i < fewer(25); i++) {
		kill_after(reeve_start("run -- /bin/sleep 5"), random_ns(1000, 200000));
		if (reeve("run -- /bin/true") != 0)
			EXPECT_TRUE(reeve_said("no fault"));
		expect_nothing_left(before);
		EXPECT_EQ(reeve("gc --all"), 0);
		EXPECT_NE(access(PIN_DIR, F_OK), 0);
		EXPECT_NE(access(run_dir, F_OK), 0);
	}
}

TEST("gc that is killed is followed by one that ends its work", .seconds = 60)
{
	unsigned int before = mounts();

	begin();
	for (unsigned int i = 0; i < fewer(25); i++) {
		ASSERT_EQ(reeve("run -- /bin/true"), 0);
		kill_after(reeve_start(i % 2 ? "gc --all" : "gc"), random_ns(100, 20000));
		if (i % 3 == 0)
			EXPECT_EQ(reeve("run -- /bin/true"), 0);
		EXPECT_EQ(reeve("gc --all"), 0);
		EXPECT_NE(access(PIN_DIR, F_OK), 0);
		expect_nothing_left(before);
	}
}
