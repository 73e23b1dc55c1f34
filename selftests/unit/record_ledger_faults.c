// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ledger where calls of the kernel fail: each in turn that one change makes, once or from then
 * on. A failure is told, leaves the ledger as it was, and the same change succeeds when the calls
 * do again.
 */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "../ledger_story.h"

/* The call that fails, counted from 1; 0: none. From there on all do, or that one alone. */
static unsigned int fail_at, calls;
static bool fail_on;
static int fail_errno;
static unsigned int syncs;

static bool fails(void)
{
	if (!fail_at)
		return false;
	calls++;
	if (calls != fail_at && !(fail_on && calls > fail_at))
		return false;
	errno = fail_errno;
	return true;
}

/* SQLite's own table has no place for this one; the program's comes before libc's. */
int fdatasync(int fd)
{
	syncs++;
	return fails() ? -1 : (int)syscall(SYS_fdatasync, fd);
}

static ssize_t failing_pwrite(int fd, const void *bytes, size_t n, off_t at)
{
	return fails() ? -1 : pwrite(fd, bytes, n, at);
}

static int failing_ftruncate(int fd, off_t size)
{
	return fails() ? -1 : ftruncate(fd, size);
}

static void *failing_mmap(void *at, size_t n, int protection, int flags, int fd, off_t from)
{
	return fails() ? MAP_FAILED : mmap(at, n, protection, flags, fd, from);
}

static int failing_open(const char *path, int flags, int mode)
{
	return fails() ? -1 : open(path, flags, mode);
}

static const struct {
	const char *name;
	sqlite3_syscall_ptr call;
} replaced[] = {
	{ "open", (sqlite3_syscall_ptr)failing_open },
	{ "pwrite", (sqlite3_syscall_ptr)failing_pwrite },
	{ "pwrite64", (sqlite3_syscall_ptr)failing_pwrite },
	{ "ftruncate", (sqlite3_syscall_ptr)failing_ftruncate },
	{ "mmap", (sqlite3_syscall_ptr)failing_mmap },
};

static void replace_calls(void)
{
	sqlite3_vfs *vfs;

	ASSERT_OK(sqlite3_initialize());
	vfs = sqlite3_vfs_find(NULL);
	for (size_t i = 0; i < ARRAY_SIZE(replaced); i++)
		if (vfs->xGetSystemCall(vfs, replaced[i].name))
			ASSERT_OK(vfs->xSetSystemCall(vfs, replaced[i].name, replaced[i].call));
}

static void fail_from(unsigned int at)
{
	fail_at = at;
	calls = 0;
}

static void remove_all(void)
{
	char command[900];

	snprintf(command, sizeof(command), "rm -f '%s' '%s-wal' '%s-shm'", ledger_path, ledger_path,
		 ledger_path);
	ASSERT_OK(system(command));
}

/*
 * One change with its @at-th call failing, and again with none; returns whether there was such a
 * call.
 */
static bool change_failing(struct ledger **ledger, unsigned int at)
{
	unsigned int told = story_chapters(*ledger);
	int r;

	fail_from(at);
	r = story_tell(*ledger, told + 1);
	fail_at = 0;
	EXPECT_LE(r, 0);
	if (r && fail_errno == ENOSPC)
		EXPECT_TRUE(r == -ENOSPC || r == -EIO);
	told += r == 0;
	EXPECT_EQ(story_chapters(*ledger), told);
	if (at % 4 == 0) {
		ledger_close(ledger);
		*ledger = ledger_here();
		EXPECT_EQ(story_chapters(*ledger), told);
	}
	EXPECT_OK(story_tell(*ledger, told + 1));
	EXPECT_EQ(story_chapters(*ledger), told + 1);
	return calls >= at;
}

static void change_failing_everywhere(int err, bool on)
{
	struct ledger *ledger = ledger_here();
	unsigned int at = 1;

	replace_calls();
	fail_errno = err;
	fail_on = on;
	ASSERT_OK(story_tell(ledger, 1));
	while (change_failing(&ledger, at))
		at++;
	printf("%u calls\n", at - 1);
	EXPECT_GT(at, 10);
	ledger_close(&ledger);
}

TEST("each call that a change makes fails for lack of room, then all: it is made whole or not at all")
{
	change_failing_everywhere(ENOSPC, true);
}

TEST("each call that a change makes fails once: it is made whole or not at all")
{
	change_failing_everywhere(EIO, false);
}

static bool open_failing(unsigned int at)
{
	struct ledger *ledger = NULL;
	struct fault fault = {};
	int r;

	remove_all();
	fail_from(at);
	r = ledger_open(ledger_path, &ledger, &fault);
	fail_at = 0;
	EXPECT_EQ(ledger != NULL, r == 0);
	EXPECT_LE(r, 0);
	ledger_close(&ledger);
	ledger = ledger_here();
	ASSERT_OK(story_tell(ledger, 1));
	EXPECT_EQ(story_chapters(ledger), 1);
	ledger_close(&ledger);
	return calls >= at;
}

TEST("each call that makes a new ledger fails: it is made the next time", .seconds = 60)
{
	unsigned int at = 1;

	mkdir(ledger_dir, 0700);
	replace_calls();
	fail_errno = EIO;
	while (open_failing(at))
		at++;
	printf("%u calls\n", at - 1);
	EXPECT_GT(at, 10);
}

static sqlite3_mem_methods memory;

static void *failing_malloc(int n)
{
	return fails() ? NULL : memory.xMalloc(n);
}

static void *failing_realloc(void *old, int n)
{
	return fails() ? NULL : memory.xRealloc(old, n);
}

TEST("each allocation that a change makes fails: it is made whole or not at all", .seconds = 60)
{
	sqlite3_mem_methods failing;
	struct ledger *ledger;
	unsigned int at = 1;

	ASSERT_OK(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory));
	failing = memory;
	failing.xMalloc = failing_malloc;
	failing.xRealloc = failing_realloc;
	ASSERT_OK(sqlite3_config(SQLITE_CONFIG_MALLOC, &failing));
	ledger = ledger_here();
	fail_errno = ENOMEM;
	/* a handle's first change prepares its statements */
	while (change_failing(&ledger, at)) {
		ledger_close(&ledger);
		ledger = ledger_here();
		at += 7;
	}
	printf("%u allocations\n", at - 1);
	EXPECT_GT(at, 100);
	ledger_close(&ledger);
}

TEST("a commit has reached the disk before it returns")
{
	struct ledger *ledger = ledger_here();

	for (unsigned int i = 1; i <= 10; i++) {
		syncs = 0;
		ASSERT_OK(ledger_begin(ledger));
		ASSERT_OK(story_rows(ledger, i));
		EXPECT_EQ(syncs, 0);
		ASSERT_OK(ledger_commit(ledger));
		EXPECT_GT(syncs, 0);
	}
	ledger_close(&ledger);
}
