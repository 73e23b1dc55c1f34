// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ledger's file: whose it may be, which layouts are read, what damage is told; transactions;
 * numbers.
 */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/wait.h>

#include "../ledger.h"

static void refuse(const char *reason, const char *remedy)
{
	struct ledger *ledger = NULL;
	struct fault fault = {};

	EXPECT_EQ(ledger_open(ledger_path, &ledger, &fault), FAULT_E_SET);
	EXPECT_NULL(ledger);
	EXPECT_HAS(fault.field, ledger_path);
	EXPECT_HAS(fault.reason, reason);
	EXPECT_HAS(fault.remedy, remedy);
}

static void expect_mode(const char *suffix)
{
	char path[300];
	struct stat st;

	snprintf(path, sizeof(path), "%s%s", ledger_path, suffix);
	ASSERT_OK(stat(path, &st));
	EXPECT_EQ(st.st_mode, S_IFREG | 0600);
}

TEST("the file and what stands beside it are readable by their owner alone, whatever the umask")
{
	struct ledger *ledger;

	umask(0);
	ledger = ledger_here();
	ledger_put_both(ledger);
	expect_mode("");
	expect_mode("-wal");
	expect_mode("-shm");
	ledger_close(&ledger);
	umask(0177);
	ledger = ledger_here();
	ledger_put_both(ledger);
	expect_mode("-wal");
	ledger_close(&ledger);
	EXPECT_NULL(ledger);
	ledger_close(&ledger);
}

TEST("a link, a special file or a file of others in the ledger's place is refused")
{
	char other[300];
	_cleanup_fd_ int fd = -1;

	mkdir(ledger_dir, 0700);
	snprintf(other, sizeof(other), "%s/other", ledger_dir);
	ASSERT_OK(symlink(other, ledger_path));
	refuse("a link", "Move it away");
	EXPECT_EQ(access(other, F_OK), -1);
	fd = open(other, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	refuse("a link", "Move it away");
	ASSERT_OK(unlink(ledger_path));
	ASSERT_OK(link(other, ledger_path));
	refuse("a link", "Move it away");
	ASSERT_OK(unlink(ledger_path));
	ASSERT_OK(mkfifo(ledger_path, 0600));
	refuse("a special file", "Move it away");
	ASSERT_OK(unlink(ledger_path));
	ASSERT_OK(mkdir(ledger_path, 0600));
	refuse("a special file", "Move it away");
	ASSERT_OK(rmdir(ledger_path));
	ASSERT_OK(rename(other, ledger_path));
	ASSERT_OK(chmod(ledger_path, 0640));
	refuse("mode 0640", "chmod 0600");
}

TEST("links among the directories on the way to it are followed")
{
	char link_path[300], through[310];
	struct ledger *ledger;
	struct fault fault = {};

	mkdir(ledger_dir, 0700);
	snprintf(link_path, sizeof(link_path), "%s/here", ledger_dir);
	snprintf(through, sizeof(through), "%s/ledger", link_path);
	ASSERT_OK(symlink(ledger_dir, link_path));
	ledger = ledger_open_at(through);
	ledger_put_both(ledger);
	ledger_close(&ledger);
	EXPECT_OK(access(ledger_path, F_OK));
	ASSERT_OK(chdir(ledger_dir));
	ledger = ledger_open_at("ledger");
	ledger_close(&ledger);
	EXPECT_EQ(ledger_open("nowhere/ledger", &ledger, &fault), -ENOENT);
}

static void alter(const char *text)
{
	sqlite3 *db = NULL;

	ASSERT_OK(sqlite3_open(ledger_path, &db));
	ASSERT_OK(sqlite3_exec(db, text, NULL, NULL, NULL));
	sqlite3_close(db);
}

/* As `refuse`, and not a byte of the file is another afterwards. */
static void refuse_untouched(const char *reason, const char *remedy)
{
	static char before[64 * 4096], after[64 * 4096];
	_cleanup_fd_ int fd = open(ledger_path, O_RDONLY | O_CLOEXEC);
	ssize_t n = pread(fd, before, sizeof(before), 0);

	ASSERT_GT(n, 0);
	refuse(reason, remedy);
	ASSERT_EQ(pread(fd, after, sizeof(after), 0), n);
	EXPECT_MEMEQ(before, after, (size_t)n);
}

TEST("a layout of a newer program is refused, and its file untouched")
{
	struct ledger *ledger = ledger_here();

	ledger_put_both(ledger);
	ledger_close(&ledger);
	alter("PRAGMA user_version = 1000");
	refuse_untouched("layout 1000", "Run the newer reeve");
	alter("PRAGMA user_version = 1000000000");
	refuse_untouched("a newer reeve", "Run the newer reeve");
}

TEST("another program's database is refused, and its file untouched")
{
	struct ledger *ledger = ledger_here();

	ledger_close(&ledger);
	alter("PRAGMA application_id = 7");
	refuse_untouched("another program's", "Move the file away");
	ASSERT_OK(unlink(ledger_path));
	alter("CREATE TABLE a (b)");
	ASSERT_OK(chmod(ledger_path, 0600));
	refuse_untouched("another program's", "Move the file away");
	alter("INSERT INTO a VALUES (1)");
}

static void overwrite(off_t from, off_t to)
{
	_cleanup_fd_ int fd = open(ledger_path, O_WRONLY | O_CLOEXEC);
	char garbage[512];

	memset(garbage, 0x5a, sizeof(garbage));
	for (; from < to; from += (off_t)sizeof(garbage))
		ASSERT_EQ(pwrite(fd, garbage, sizeof(garbage), from), sizeof(garbage));
}

TEST("a file that is no database, or no longer one, is told as damaged with what to do")
{
	struct ledger *ledger = ledger_here();

	ledger_put_both(ledger);
	ledger_close(&ledger);
	ASSERT_OK(truncate(ledger_path, 5000));
	refuse("damaged", "restore a backup");
	overwrite(0, 4096);
	refuse("damaged", "restore a backup");
}

TEST("damage in the middle of the file is found by reading all of it")
{
	struct ledger *ledger = ledger_here();
	struct fault fault = {};
	struct desk got;
	int r = 0;

	ASSERT_OK(ledger_begin(ledger));
	for (unsigned int i = 0; i < 1000; i++) {
		struct desk desk = ledger_desk(i);

		ASSERT_OK(ledger_put_desk(ledger, &desk));
	}
	ASSERT_OK(ledger_commit(ledger));
	EXPECT_OK(ledger_check(ledger, &fault));
	ledger_close(&ledger);
	overwrite(30 * 4096, 40 * 4096);
	ledger = ledger_here();
	EXPECT_EQ(ledger_check(ledger, &fault), FAULT_E_SET);
	EXPECT_HAS(fault.field, ledger_path);
	EXPECT_HAS(fault.reason, "damaged");
	for (unsigned int i = 0; i < 1000 && r >= 0; i++)
		r = ledger_get_desk(ledger, ledger_desk(i).id, &got);
	EXPECT_EQ(r, -EUCLEAN);
	ledger_close(&ledger);
}

TEST("what is not committed is seen by nobody else, and gone when it is rolled back")
{
	_cleanup_ledger_ struct ledger *ledger = ledger_here(), *other = ledger_here();
	struct desk desk = ledger_desk(1), got;

	ASSERT_OK(ledger_begin(ledger));
	EXPECT_OK(ledger_put_desk(ledger, &desk));
	EXPECT_OK(ledger_get_desk(ledger, desk.id, &got));
	EXPECT_EQ(ledger_get_desk(other, desk.id, &got), LEDGER_E_NONE);
	ledger_rollback(ledger);
	EXPECT_EQ(ledger_get_desk(ledger, desk.id, &got), LEDGER_E_NONE);
	ASSERT_OK(ledger_begin(ledger));
	EXPECT_OK(ledger_put_desk(ledger, &desk));
	EXPECT_OK(ledger_commit(ledger));
	EXPECT_OK(ledger_get_desk(other, desk.id, &got));
}

TEST("a handle that is closed in a transaction has not written")
{
	struct ledger *ledger = ledger_here();
	struct desk desk = ledger_desk(1), got;

	ASSERT_OK(ledger_begin(ledger));
	EXPECT_OK(ledger_put_desk(ledger, &desk));
	ledger_close(&ledger);
	ledger = ledger_here();
	EXPECT_EQ(ledger_get_desk(ledger, desk.id, &got), LEDGER_E_NONE);
	ledger_close(&ledger);
}

TEST("nothing is written outside a transaction, and none is begun or ended twice")
{
	_cleanup_ledger_ struct ledger *ledger = ledger_here();
	struct desk desk = ledger_desk(1);
	uint64_t position = 7;

	EXPECT_EQ(ledger_put_desk(ledger, &desk), -EINVAL);
	EXPECT_EQ(ledger_next_position(ledger, &position), -EINVAL);
	EXPECT_EQ(position, 7);
	EXPECT_EQ(ledger_commit(ledger), -EINVAL);
	ledger_rollback(ledger);
	ASSERT_OK(ledger_begin(ledger));
	EXPECT_EQ(ledger_begin(ledger), -EINVAL);
	EXPECT_OK(ledger_put_desk(ledger, &desk));
	EXPECT_OK(ledger_commit(ledger));
	EXPECT_EQ(ledger_commit(ledger), -EINVAL);
}

TEST("a second writer waits for the first, and says that it is busy after five seconds")
{
	_cleanup_ledger_ struct ledger *ledger = ledger_here();
	int ready[2], done[2];
	char byte = 0;

	ASSERT_OK(pipe(ready));
	ASSERT_OK(pipe(done));
	if (fork() == 0) {
		struct ledger *own;

		ASSERT_OK(ledger_close_inherited(&ledger));
		own = ledger_here();
		ASSERT_OK(ledger_begin(own));
		ASSERT_EQ(write(ready[1], "", 1), 1);
		ASSERT_EQ(read(done[0], &byte, 1), 1);
		ASSERT_OK(ledger_commit(own));
		ledger_close(&own);
		_exit(0);
	}
	ASSERT_EQ(read(ready[0], &byte, 1), 1);
	EXPECT_EQ(ledger_begin(ledger), -EBUSY);
	EXPECT_EQ(ledger_commit(ledger), -EINVAL);
	ASSERT_EQ(write(done[1], "", 1), 1);
	EXPECT_OK(ledger_begin(ledger));
	EXPECT_OK(ledger_commit(ledger));
	wait(NULL);
}

TEST("the boot is remembered once it was set")
{
	struct ledger *ledger = ledger_here();
	char boot[40] = "unchanged";

	EXPECT_EQ(ledger_boot(ledger, boot), LEDGER_E_NONE);
	EXPECT_STREQ(boot, "unchanged");
	ASSERT_OK(ledger_begin(ledger));
	EXPECT_OK(ledger_set_boot(ledger, "01234567-89ab-cdef-0123-456789abcdef"));
	ASSERT_OK(ledger_commit(ledger));
	ledger_close(&ledger);
	ledger = ledger_here();
	EXPECT_OK(ledger_boot(ledger, boot));
	EXPECT_STREQ(boot, "01234567-89ab-cdef-0123-456789abcdef");
	ledger_close(&ledger);
}

TEST("positions rise by one, across a rollback and a new handle")
{
	struct ledger *ledger = ledger_here();
	uint64_t position = 0;

	ASSERT_OK(ledger_begin(ledger));
	EXPECT_OK(ledger_next_position(ledger, &position));
	EXPECT_EQ(position, 1);
	EXPECT_OK(ledger_next_position(ledger, &position));
	EXPECT_EQ(position, 2);
	ASSERT_OK(ledger_commit(ledger));
	ASSERT_OK(ledger_begin(ledger));
	EXPECT_OK(ledger_next_position(ledger, &position));
	EXPECT_EQ(position, 3);
	ledger_rollback(ledger);
	ledger_close(&ledger);
	ledger = ledger_here();
	ASSERT_OK(ledger_begin(ledger));
	EXPECT_OK(ledger_next_position(ledger, &position));
	EXPECT_EQ(position, 3);
	ASSERT_OK(ledger_commit(ledger));
	ledger_close(&ledger);
}
