// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opening and closing. The file is root's alone and is reached by its last name without following a
 * link. It is never opened here but to make it: closing any descriptor of a file drops all locks
 * that the process has on it, those of another handle too. A look at it goes through O_PATH, which
 * has no such effect.
 *
 * WAL, so that readers and the one writer do not wait for each other; synchronous=FULL, so that a
 * commit is on disk before it returns. The write-ahead log is folded back when it has grown to
 * WAL_PAGES.
 *
 * SQLite keeps the locks of a process in that process's memory. A fork copies the memory and not
 * the locks: ledger_close_inherited() says how a child gets rid of the copy.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/clock.h"
#include "ledger_sql.h"

#define BUSY_MS 5000
#define RETRY_US 2000
#define WAL_PAGES "1000"

static int make(const char *path)
{
	_cleanup_fd_ int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	return fd >= 0 || errno == EEXIST ? 0 : -errno;
}

static int inspect(const char *path, struct fault *ret_fault)
{
	_cleanup_fd_ int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1)
		return fault_set(
			ret_fault, FAULT_HOST, path, "Move it away.",
			"in the ledger's place is no file of its own, but a link or a special file");
	if (st.st_uid != geteuid() || (st.st_mode & 07777) != 0600)
		return fault_set(ret_fault, FAULT_HOST, path,
				 "Find out who changed it, then chown and chmod 0600 the file.",
				 "the ledger is of user %u and mode %04o, not of user %u and mode 0600",
				 st.st_uid, st.st_mode & 07777, geteuid());
	return 0;
}

/* SQLite follows no link at all: the directories' are resolved before, the last name's is not. */
static int real_path(const char *path, char **ret)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	_cleanup_free_ char *directory = NULL, *real = NULL;

	directory = slash ? strndup(path, slash > path ? (size_t)(slash - path) : 1) : strdup(".");
	if (!directory)
		return -ENOMEM;
	real = realpath(directory, NULL);
	if (!real)
		return -errno;
	return asprintf(ret, "%s/%s", strcmp(real, "/") ? real : "", name) < 0 ? -ENOMEM : 0;
}

static int set_up(sqlite3 *db)
{
	int r;

	sqlite3_busy_timeout(db, BUSY_MS);
	r = sqlite3_exec(db,
			 "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
			 "PRAGMA wal_autocheckpoint = " WAL_PAGES,
			 NULL, NULL, NULL);
	return r == SQLITE_OK ? 0 : sql_errno(db, r);
}

/*
 * Two that change the mode of a new file at once would wait for each other, so SQLite lets neither
 * wait.
 */
static int enter_wal(sqlite3 *db)
{
	uint64_t until = clock_monotonic_ns() + BUSY_MS * NSEC_PER_MSEC;
	int r;

	for (;;) {
		r = sqlite3_exec(db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
		if (r == SQLITE_OK)
			return 0;
		if ((r & 0xff) != SQLITE_BUSY || clock_monotonic_ns() > until)
			return sql_errno(db, r);
		usleep(RETRY_US);
	}
}

static int open_file(const char *path, struct ledger *ledger, struct fault *ret_fault)
{
	int r = make(path);

	if (r == 0)
		r = inspect(path, ret_fault);
	if (r)
		return r;
	r = sqlite3_open_v2(path, &ledger->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX, NULL);
	if (r != SQLITE_OK)
		return sql_errno(ledger->db, r);
	r = set_up(ledger->db);
	if (r == 0)
		r = schema_judge(ledger->db, path, ret_fault);
	if (r == 0)
		r = enter_wal(ledger->db);
	if (r == 0)
		r = schema_bring_up(ledger->db, path, ret_fault);
	return r == -EUCLEAN ? schema_damaged(path, sqlite3_errmsg(ledger->db), ret_fault) : r;
}

int ledger_open(const char *path, struct ledger **ret, struct fault *ret_fault)
{
	_cleanup_ledger_ struct ledger *ledger = calloc(1, sizeof(*ledger));
	_cleanup_free_ char *real = NULL;
	int r;

	if (!ledger)
		return -ENOMEM;
	r = real_path(path, &real);
	if (r == 0)
		r = open_file(real, ledger, ret_fault);
	if (r)
		return r;
	*ret = ledger;
	ledger = NULL;
	return 0;
}

void ledger_close(struct ledger **ledger)
{
	if (!*ledger)
		return;
	ledger_rollback(*ledger);
	for (size_t i = 0; i < SQL_ID_COUNT; i++)
		sqlite3_finalize((*ledger)->statements[i]);
	sqlite3_close((*ledger)->db);
	free(*ledger);
	*ledger = NULL;
}

int ledger_close_inherited(struct ledger **ledger)
{
	int r;

	if (!*ledger)
		return 0;
	if ((*ledger)->begun)
		return -EBUSY;
	/*
	 * with a checkpoint the child would write by the parent's view of the file, not holding its
	 * locks
	 */
	r = sqlite3_db_config((*ledger)->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	if (r != SQLITE_OK)
		return sql_errno((*ledger)->db, r);
	ledger_close(ledger);
	return 0;
}

int ledger_check(struct ledger *ledger, struct fault *ret_fault)
{
	const char *path = sqlite3_db_filename(ledger->db, "main"), *said;
	sqlite3_stmt *statement = NULL;
	int r = sqlite3_prepare_v2(ledger->db, "PRAGMA quick_check(1)", -1, &statement, NULL);

	if (r == SQLITE_OK)
		r = sqlite3_step(statement);
	said = r == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
	if (!said) {
		r = sql_errno(ledger->db, r);
		said = sqlite3_errmsg(ledger->db);
	} else {
		r = strcmp(said, "ok") ? -EUCLEAN : 0;
	}
	if (r == -EUCLEAN)
		r = schema_damaged(path, said, ret_fault);
	sqlite3_finalize(statement);
	return r;
}

static const struct sql_column boot_columns[] = { { "boot_id", SQL_TEXT, 0, 40, NULL } };
static const struct sql_table boots = SQL_TABLE("ledger", boot_columns, 0);

int ledger_boot(struct ledger *ledger, char ret[40])
{
	static const struct sql_query query = { SQL_GET_BOOT, SQL_SELECT, &boots,
						"WHERE boot_id <> ''" };

	return sql_read_row(ledger, &query, ret, "");
}

int ledger_set_boot(struct ledger *ledger, const char *boot_id)
{
	static const struct sql_query query = { SQL_SET_BOOT,
						.text = "UPDATE ledger SET boot_id = ?1" };

	return sql_change(ledger, &query, "t", boot_id);
}
