// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ledger under what breaks off in the middle: writers that are killed, writers side by side,
 * children that were forked with a handle, files that cannot be written. What was acknowledged is
 * there, and nothing is there by half.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>

#include "../ledger_story.h"

static void must_end_well(pid_t pid)
{
	int status = -1;

	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
}

static _Noreturn void tell_on(unsigned int n, int ack_fd)
{
	struct ledger *ledger = ledger_here();

	for (;;) {
		ASSERT_OK(story_tell(ledger, ++n));
		ASSERT_EQ(write(ack_fd, &n, sizeof(n)), sizeof(n));
	}
}

/* Kills a writer after a while; returns the last chapter that it acknowledged. */
static unsigned int kill_writer(unsigned int told)
{
	struct timespec wait = { .tv_nsec = random() % 30000000 };
	unsigned int acked = told, n;
	int ends[2];
	pid_t pid;

	ASSERT_OK(pipe(ends));
	pid = fork();
	if (pid == 0)
		tell_on(told, ends[1]);
	close(ends[1]);
	nanosleep(&wait, NULL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	while (read(ends[0], &n, sizeof(n)) == sizeof(n))
		acked = n;
	close(ends[0]);
	return acked;
}

TEST("a writer is killed 200 times: all that it acknowledged is there, and nothing by half",
     .seconds = 60)
{
	unsigned int acked, told = 0;
	struct ledger *ledger;
	struct fault fault = {};

	mkdir(ledger_dir, 0700);
	srandom((unsigned int)getpid());
	for (unsigned int i = 0; i < 200; i++) {
		acked = kill_writer(told);
		ledger = ledger_here();
		told = story_chapters(ledger);
		EXPECT_GE(told, acked);
		EXPECT_LE(told, acked + 1);
		/*
		 * where the log is not folded back it grows, and later writers are killed while
		 * they do that
		 */
		if (i % 8 == 0)
			ledger_close(&ledger);
		else
			ASSERT_OK(ledger_close_inherited(&ledger));
	}
	printf("%u chapters\n", told);
	EXPECT_GT(told, 100);
	ledger = ledger_here();
	for (unsigned int i = 1; i <= told; i++)
		story_expect_chapter(ledger, i, true);
	EXPECT_OK(ledger_check(ledger, &fault));
	ledger_close(&ledger);
}

/* Counts up in one row, and says so in an event. */
static void count_up(struct ledger *ledger, unsigned int times)
{
	struct ledger_event event = { .type = "charge", .body = "", .n_body = 0 };
	struct desk desk;
	uint64_t seq;

	for (unsigned int i = 0; i < times; i++) {
		ASSERT_OK(ledger_begin(ledger));
		ASSERT_OK(ledger_get_desk(ledger, ledger_desk(1).id, &desk));
		desk.revision++;
		ASSERT_OK(ledger_put_desk(ledger, &desk));
		ASSERT_OK(ledger_add_event(ledger, &event, &seq));
		ASSERT_EQ(seq, desk.revision);
		ASSERT_OK(ledger_commit(ledger));
	}
}

static void expect_count(struct ledger *ledger, unsigned int n)
{
	struct fault fault = {};
	unsigned int seen = 0;
	struct desk desk;

	ASSERT_OK(ledger_get_desk(ledger, ledger_desk(1).id, &desk));
	EXPECT_EQ(desk.revision, n);
	EXPECT_OK(ledger_each_event(ledger, NULL, 0, 10000, story_count, &seen));
	EXPECT_EQ(seen, n);
	EXPECT_OK(ledger_check(ledger, &fault));
}

static pid_t fork_counter(unsigned int times)
{
	struct ledger *ledger;
	pid_t pid = fork();

	if (pid)
		return pid;
	ledger = ledger_here();
	count_up(ledger, times);
	ledger_close(&ledger);
	_exit(0);
}

TEST("processes that write at once lose none of their changes and share no number", .seconds = 60)
{
	struct ledger *ledger = ledger_here();
	pid_t pids[4];

	ledger_put_both(ledger);
	ledger_close(&ledger);
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
		pids[i] = fork_counter(50);
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
		must_end_well(pids[i]);
	ledger = ledger_here();
	expect_count(ledger, 200);
	ledger_close(&ledger);
}

TEST("processes that make the ledger at once make one")
{
	struct ledger *ledger;
	pid_t pids[8];

	mkdir(ledger_dir, 0700);
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++) {
		pids[i] = fork();
		if (pids[i])
			continue;
		ledger = ledger_here();
		ledger_put_both(ledger);
		_exit(0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
		must_end_well(pids[i]);
	ledger = ledger_here();
	expect_count(ledger, 0);
	ledger_close(&ledger);
}

static bool log_is_there(void)
{
	char path[300];

	snprintf(path, sizeof(path), "%s-wal", ledger_path);
	return access(path, F_OK) == 0;
}

static pid_t fork_keeper(struct ledger *inherited, unsigned int times)
{
	struct ledger *ledger;
	pid_t pid = fork();

	if (pid)
		return pid;
	ASSERT_OK(ledger_close_inherited(&inherited));
	ASSERT_NULL(inherited);
	ledger = ledger_here();
	count_up(ledger, times);
	ledger_close(&ledger);
	_exit(0);
}

TEST("children that were forked with the handle write with their own beside their parent",
     .seconds = 60)
{
	struct ledger *ledger = ledger_here();
	pid_t pids[3];

	ledger_put_both(ledger);
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
		pids[i] = fork_keeper(ledger, 40);
	count_up(ledger, 40);
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
		must_end_well(pids[i]);
	/*
	 * had they taken the parent's locks with them, the last of them would have removed the log
	 */
	EXPECT_TRUE(log_is_there());
	count_up(ledger, 1);
	expect_count(ledger, 161);
	ledger_close(&ledger);
	EXPECT_FALSE(log_is_there());
	ledger = ledger_here();
	expect_count(ledger, 161);
	ledger_close(&ledger);
}

TEST("a child goes on writing when the parent that it was forked from is dead", .seconds = 60)
{
	struct ledger *ledger = ledger_here();
	int ends[2];
	pid_t parent;
	char byte;

	ledger_put_both(ledger);
	ledger_close(&ledger);
	ASSERT_OK(pipe(ends));
	parent = fork();
	if (parent == 0) {
		ledger = ledger_here();
		count_up(ledger, 5);
		fork_keeper(ledger, 40);
		count_up(ledger, 5);
		raise(SIGKILL);
	}
	waitpid(parent, NULL, 0);
	/* the child ends with the last writing end */
	close(ends[1]);
	ASSERT_EQ(read(ends[0], &byte, 1), 0);
	ledger = ledger_here();
	expect_count(ledger, 50);
	ledger_close(&ledger);
}

TEST("a handle is not let go of in a child in the middle of a transaction")
{
	struct ledger *ledger = ledger_here();
	struct ledger *none = NULL;

	EXPECT_OK(ledger_close_inherited(&none));
	ASSERT_OK(ledger_begin(ledger));
	EXPECT_EQ(ledger_close_inherited(&ledger), -EBUSY);
	ASSERT_NOT_NULL(ledger);
	EXPECT_OK(ledger_commit(ledger));
	EXPECT_OK(ledger_close_inherited(&ledger));
}

static void fill_up(const char *path)
{
	static const char bytes[65536];
	FILE *f = fopen(path, "we");

	ASSERT_NOT_NULL(f);
	setvbuf(f, NULL, _IONBF, 0);
	while (fwrite(bytes, 1, sizeof(bytes), f) == sizeof(bytes))
		continue;
	fclose(f);
}

TEST("on a full file system changes fail whole, and go on when there is room again")
{
	static const char *const sizes[] = { "size=4m", "size=6m", "size=8m" };
	struct ledger *ledger;
	unsigned int n = 0;
	char filler[300];
	int r;

	mkdir(ledger_dir, 0700);
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", ledger_dir, "tmpfs", 0, "size=2m"))
		SKIP("needs a mount namespace");
	snprintf(filler, sizeof(filler), "%s/filler", ledger_dir);
	ledger = ledger_here();
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		ASSERT_OK(story_tell(ledger, ++n));
		while ((r = story_tell(ledger, n + 1)) == 0)
			n++;
		EXPECT_EQ(r, -ENOSPC);
		fill_up(filler);
		EXPECT_EQ(story_tell(ledger, n + 1), -ENOSPC);
		EXPECT_EQ(story_chapters(ledger), n);
		ASSERT_OK(unlink(filler));
		ASSERT_OK(mount(NULL, ledger_dir, NULL, MS_REMOUNT, sizes[i]));
		ASSERT_OK(story_tell(ledger, ++n));
		ledger_close(&ledger);
		ledger = ledger_here();
		EXPECT_EQ(story_chapters(ledger), n);
	}
	ledger_close(&ledger);
	EXPECT_OK(umount(ledger_dir));
}
