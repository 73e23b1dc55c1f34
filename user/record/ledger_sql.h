/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of the ledger share: queries that are prepared once a handle, one reading of
 * SQLite's results, and transactions of which nothing is kept once a part of them failed.
 */
#ifndef REEVE_LEDGER_SQL_H
#define REEVE_LEDGER_SQL_H

#include <stdbool.h>

#include "ledger.h"
#include "ledger_row.h"

enum sql_id {
	SQL_BEGIN,
	SQL_COMMIT,
	SQL_ROLLBACK,
	SQL_GET_BOOT,
	SQL_SET_BOOT,
	SQL_NEXT_POSITION,
	SQL_PUT_DESK,
	SQL_GET_DESK,
	SQL_NEXT_DESK,
	SQL_PUT_REQUEST,
	SQL_GET_REQUEST,
	SQL_NEXT_REQUEST,
	SQL_PUT_SPEC,
	SQL_GET_SPEC,
	SQL_PUT_DENIALS,
	SQL_GET_DENIALS,
	SQL_DROP_DENIED_EVENTS,
	SQL_ADD_DENIED_EVENT,
	SQL_GET_DENIED_EVENTS,
	SQL_DROP_DENIED_NAMES,
	SQL_ADD_DENIED_NAME,
	SQL_GET_DENIED_NAMES,
	SQL_PUT_CHARGE,
	SQL_GET_CHARGE,
	SQL_NEXT_CHARGE,
	SQL_PUT_METER,
	SQL_GET_METER,
	SQL_ADD_REPLY,
	SQL_GET_REPLY,
	SQL_FORGET_REPLIES,
	SQL_NEXT_SEQ,
	SQL_ADD_EVENT,
	SQL_NEXT_EVENT,
	SQL_NEXT_SESSION_EVENT,
	SQL_EVENT_RANGE,
	SQL_FORGET_EVENTS,
	SQL_ID_COUNT,
};

enum sql_form {
	SQL_PLAIN,  /* the text alone */
	SQL_SELECT, /* every column of the table, then the text */
	SQL_INSERT, /* a row */
	SQL_PUT,    /* a row, in the place of one with an equal key */
};

struct sql_query {
	enum sql_id id;
	enum sql_form form;
	const struct sql_table *table; /* of all forms but SQL_PLAIN */
	const char *text;
};

struct ledger {
	sqlite3 *db;
	bool begun; /* between begin and commit or rollback, whatever became of SQLite's own */
	int failed; /* -errno of the transaction's first failure, or 0 */
	sqlite3_stmt *statements[SQL_ID_COUNT];
};

/* The negative errno of a result; -EUCLEAN is a damaged file. */
int sql_errno(sqlite3 *db, int result);

/* Remembers a failure for the transaction that it happened in, if any. Returns @err. */
int sql_fail(struct ledger *ledger, int err);

/* The statement, ready for its parameters; _cleanup_statement_ puts it back. */
int sql_read(struct ledger *ledger, const struct sql_query *query, sqlite3_stmt **ret);
void sql_done(sqlite3_stmt **statement);
#define _cleanup_statement_ _cleanup_(sql_done)

/* From ?1 on: t const char *, u uint64_t, b const void * and size_t; none of it is copied. */
int sql_bind(struct ledger *ledger, sqlite3_stmt *statement, const char *kinds, ...);

#define SQL_ROW_READ 1
/* Returns SQL_ROW_READ, 0 at the end, or -errno. */
int sql_step(struct ledger *ledger, sqlite3_stmt *statement);

/* A copy of a BLOB of the row, with a zero behind it, to be freed. Returns 0 or -ENOMEM. */
int sql_copy(struct ledger *ledger, sqlite3_stmt *statement, int column, char **ret, size_t *ret_n);

/* Runs a statement that changes something, with parameters as of sql_bind(). */
int sql_change(struct ledger *ledger, const struct sql_query *query, const char *kinds, ...);
/* The same for one that gives back a number. */
int sql_count(struct ledger *ledger, const struct sql_query *query, uint64_t *ret);
/* Runs an SQL_INSERT or SQL_PUT with the values of @row. */
int sql_write_row(struct ledger *ledger, const struct sql_query *query, const void *row);
/*
 * One row of an SQL_SELECT whose parameters are @kinds, into a struct of its table. Returns 0,
 * LEDGER_E_NONE or -errno.
 */
int sql_read_row(struct ledger *ledger, const struct sql_query *query, void *ret, const char *kinds,
		 ...);

/* Whether the file is ours or empty, and not of a newer program. Writes nothing. */
int schema_judge(sqlite3 *db, const char *path, struct fault *ret_fault);
/* Brings the open file's layout up to date. Returns 0, -errno or FAULT_E_SET. */
int schema_bring_up(sqlite3 *db, const char *path, struct fault *ret_fault);
/* Fills the fault of a damaged ledger. */
int schema_damaged(const char *path, const char *what, struct fault *ret_fault);

#endif
