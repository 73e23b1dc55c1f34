// SPDX-License-Identifier: GPL-2.0-only
/*
 * The layout of the ledger, its one home: a list of steps, each of which makes the next version of
 * the file out of the one before. A step that was released is never changed; a new column is a new
 * step. The file says in user_version how many steps it has seen, and in application_id whose file
 * it is.
 *
 * The steps that a file lacks are done in one transaction, so a file is of one version or of
 * another, whenever the power fails. A file of a later version is refused: writing to it by old
 * rules would lose what was added.
 *
 * Every column is NOT NULL without a default: a column that a program forgets to write is an error,
 * not a zero.
 */
#include "ledger_sql.h"

#define APPLICATION_ID 0x72656576 /* "reev" */

static const char *const steps[] = {
	"CREATE TABLE ledger ("
	"	one INTEGER PRIMARY KEY CHECK (one = 1),"
	"	boot_id TEXT NOT NULL,"
	"	positions INTEGER NOT NULL," /* given out so far */
	"	events INTEGER NOT NULL"     /* numbered so far */
	") STRICT;"
	"INSERT INTO ledger VALUES (1, '', 0, 0);"

	"CREATE TABLE sessions ("
	"	id TEXT NOT NULL PRIMARY KEY,"
	"	task_id TEXT NOT NULL, task_title TEXT NOT NULL, owner TEXT NOT NULL,"
	"	state TEXT NOT NULL, queue TEXT NOT NULL, revision INTEGER NOT NULL,"
	"	time_box_minutes INTEGER NOT NULL, step_budget INTEGER NOT NULL,"
	"	cap_money_cents INTEGER NOT NULL, cap_minutes INTEGER NOT NULL,"
	"	clock TEXT NOT NULL,"
	"	cpu_second_ucents INTEGER NOT NULL, wall_minute_ucents INTEGER NOT NULL,"
	"	step_ucents INTEGER NOT NULL, request_ucents INTEGER NOT NULL,"
	"	egress_gib_ucents INTEGER NOT NULL,"
	"	egress TEXT NOT NULL,"
	"	cpu_ns INTEGER NOT NULL, wall_ns INTEGER NOT NULL,"
	"	money_ucents INTEGER NOT NULL, charged_ucents INTEGER NOT NULL,"
	"	reserved_ucents INTEGER NOT NULL, steps INTEGER NOT NULL,"
	"	bytes_out INTEGER NOT NULL, bytes_in INTEGER NOT NULL,"
	"	armed INTEGER NOT NULL, created_at_ms INTEGER NOT NULL,"
	"	armed_at_ms INTEGER NOT NULL, started_at_ms INTEGER NOT NULL,"
	"	ended_at_ms INTEGER NOT NULL, wiped_at_ms INTEGER NOT NULL,"
	"	site_slug TEXT NOT NULL, site_expires_at_ms INTEGER NOT NULL,"
	"	site_kept INTEGER NOT NULL"
	") STRICT, WITHOUT ROWID;"

	"CREATE TABLE requests ("
	"	id TEXT NOT NULL PRIMARY KEY,"
	"	session_id TEXT NOT NULL REFERENCES sessions (id),"
	"	state TEXT NOT NULL, open INTEGER NOT NULL, position INTEGER NOT NULL,"
	"	time_box_ns INTEGER NOT NULL, step_budget INTEGER NOT NULL,"
	"	submitted_at_ms INTEGER NOT NULL, started_at_ms INTEGER NOT NULL,"
	"	finished_at_ms INTEGER NOT NULL,"
	"	outcome TEXT NOT NULL, exit_code INTEGER NOT NULL, signal INTEGER NOT NULL,"
	"	cpu_ns INTEGER NOT NULL, wall_ns INTEGER NOT NULL, money_ucents INTEGER NOT NULL,"
	"	steps INTEGER NOT NULL, bytes_out INTEGER NOT NULL, bytes_in INTEGER NOT NULL,"
	"	events_lost INTEGER NOT NULL, denials BLOB NOT NULL, output_name TEXT NOT NULL,"
	"	fault_code TEXT NOT NULL, fault_field TEXT NOT NULL, fault_reason TEXT NOT NULL,"
	"	fault_remedy TEXT NOT NULL,"
	"	UNIQUE (session_id, position)"
	") STRICT, WITHOUT ROWID;"

	"CREATE TABLE specs ("
	"	request_id TEXT NOT NULL PRIMARY KEY REFERENCES requests (id),"
	"	spec BLOB NOT NULL"
	") STRICT;"

	"CREATE TABLE denials ("
	"	request_id TEXT NOT NULL PRIMARY KEY REFERENCES requests (id),"
	"	events_since_ns INTEGER NOT NULL, has_names INTEGER NOT NULL,"
	"	questions INTEGER NOT NULL, asked INTEGER NOT NULL, addresses INTEGER NOT NULL,"
	"	names_denied INTEGER NOT NULL, names_long INTEGER NOT NULL,"
	"	addresses_denied INTEGER NOT NULL, failed INTEGER NOT NULL,"
	"	limited INTEGER NOT NULL, malformed INTEGER NOT NULL, truncated INTEGER NOT NULL"
	") STRICT, WITHOUT ROWID;"

	"CREATE TABLE denied_events ("
	"	request_id TEXT NOT NULL REFERENCES requests (id), ordinal INTEGER NOT NULL,"
	"	time_ns INTEGER NOT NULL, cgroup INTEGER NOT NULL, generation INTEGER NOT NULL,"
	"	reason TEXT NOT NULL, hook TEXT NOT NULL, pid INTEGER NOT NULL,"
	"	family INTEGER NOT NULL, port INTEGER NOT NULL, given BLOB NOT NULL,"
	"	decoded BLOB NOT NULL, protocol INTEGER NOT NULL, comm TEXT NOT NULL,"
	"	PRIMARY KEY (request_id, ordinal)"
	") STRICT, WITHOUT ROWID;"

	"CREATE TABLE denied_names ("
	"	request_id TEXT NOT NULL REFERENCES requests (id), ordinal INTEGER NOT NULL,"
	"	time_ns INTEGER NOT NULL, reason TEXT NOT NULL, name TEXT NOT NULL,"
	"	address TEXT NOT NULL,"
	"	PRIMARY KEY (request_id, ordinal)"
	") STRICT, WITHOUT ROWID;"

	"CREATE TABLE meters ("
	"	session_id TEXT NOT NULL PRIMARY KEY REFERENCES sessions (id),"
	"	cpu_ns INTEGER NOT NULL, bytes_out INTEGER NOT NULL, bytes_in INTEGER NOT NULL"
	") STRICT, WITHOUT ROWID;"

	"CREATE TABLE charges ("
	"	session_id TEXT NOT NULL REFERENCES sessions (id), id TEXT NOT NULL,"
	"	money_ucents INTEGER NOT NULL, steps INTEGER NOT NULL, note TEXT NOT NULL,"
	"	at_ms INTEGER NOT NULL, reserved INTEGER NOT NULL,"
	"	was_reserved INTEGER NOT NULL, reserved_ucents INTEGER NOT NULL,"
	"	reserved_steps INTEGER NOT NULL,"
	"	PRIMARY KEY (session_id, id)"
	") STRICT, WITHOUT ROWID;"

	"CREATE TABLE replies ("
	"	key TEXT NOT NULL PRIMARY KEY, digest BLOB NOT NULL, at_ms INTEGER NOT NULL,"
	"	status INTEGER NOT NULL, body BLOB NOT NULL"
	") STRICT;"
	"CREATE INDEX replies_by_age ON replies (at_ms);"

	"CREATE TABLE events ("
	"	seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, session_id TEXT NOT NULL,"
	"	type TEXT NOT NULL, body BLOB NOT NULL"
	") STRICT;"
	"CREATE INDEX events_by_session ON events (session_id, seq);",
};

int schema_damaged(const char *path, const char *what, struct fault *ret_fault)
{
	return fault_set(
		ret_fault, FAULT_HOST, path,
		"Stop reeve and keep a copy of the file and of its -wal beside it; restore a "
		"backup, try `sqlite3 FILE .recover`, or move both away to begin without sessions.",
		"the ledger is damaged: %s", what);
}

static int run(sqlite3 *db, const char *text)
{
	int r = sqlite3_exec(db, text, NULL, NULL, NULL);

	return r == SQLITE_OK ? 0 : sql_errno(db, r);
}

/* The number that a query gives, whose one row has one column. */
static int ask(sqlite3 *db, const char *text, sqlite3_int64 *ret)
{
	sqlite3_stmt *statement = NULL;
	int r = sqlite3_prepare_v2(db, text, -1, &statement, NULL);

	if (r == SQLITE_OK)
		r = sqlite3_step(statement);
	if (r == SQLITE_ROW)
		*ret = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return r == SQLITE_ROW ? 0 : sql_errno(db, r);
}

/* Reads the version of a file that is ours, or 0 of an empty one. */
static int read_version(sqlite3 *db, const char *path, sqlite3_int64 *ret, struct fault *ret_fault)
{
	sqlite3_int64 application = 0, tables = 0, version = 0;
	/* of one moment: another process may be making it */
	int r = run(db, "SAVEPOINT look");

	if (r)
		return r;
	r = ask(db, "PRAGMA application_id", &application);
	if (r == 0)
		r = ask(db, "PRAGMA user_version", &version);
	if (r == 0)
		r = ask(db, "SELECT count(*) FROM sqlite_schema", &tables);
	run(db, "RELEASE look");
	if (r)
		return r;
	if (application != (tables ? APPLICATION_ID : 0))
		return fault_set(ret_fault, FAULT_HOST, path, "Move the file away.",
				 "the file in the ledger's place is another program's database");
	if (version > (sqlite3_int64)ARRAY_SIZE(steps))
		return fault_set(
			ret_fault, FAULT_HOST, path,
			"Run the newer reeve, or move the file away to begin without sessions.",
			"the ledger was written by a newer reeve: layout %lld, this one knows %zu",
			(long long)version, ARRAY_SIZE(steps));
	*ret = version;
	return 0;
}

static int do_steps(sqlite3 *db, size_t from)
{
	char mark[96];
	int r = 0;

	for (size_t i = from; i < ARRAY_SIZE(steps) && r == 0; i++)
		r = run(db, steps[i]);
	snprintf(mark, sizeof(mark), "PRAGMA application_id = %d; PRAGMA user_version = %zu",
		 APPLICATION_ID, ARRAY_SIZE(steps));
	return r ? r : run(db, mark);
}

int schema_judge(sqlite3 *db, const char *path, struct fault *ret_fault)
{
	sqlite3_int64 version;

	return read_version(db, path, &version, ret_fault);
}

int schema_bring_up(sqlite3 *db, const char *path, struct fault *ret_fault)
{
	sqlite3_int64 version = 0;
	int r = read_version(db, path, &version, ret_fault);

	if (r || version == (sqlite3_int64)ARRAY_SIZE(steps))
		return r;
	r = run(db, "BEGIN IMMEDIATE");
	if (r)
		return r;
	/* another process may have been faster */
	r = read_version(db, path, &version, ret_fault);
	if (r == 0 && version < (sqlite3_int64)ARRAY_SIZE(steps))
		r = do_steps(db, (size_t)version);
	if (r == 0)
		r = run(db, "COMMIT");
	if (r)
		run(db, "ROLLBACK");
	return r;
}
