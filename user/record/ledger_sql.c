// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statements and transactions. A statement is prepared when it is first used and kept until the
 * handle is closed; between two uses it is reset, so that no read keeps the write-ahead log from
 * being folded back.
 *
 * SQLite rolls some failed transactions back by itself and goes on statement by statement, each
 * then committed alone. So the handle remembers that a transaction failed: nothing more is written
 * in it, and its commit returns the failure. A caller that overlooks an error cannot make half a
 * change durable.
 */
#include "ledger_sql.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

static const struct {
	int result, err;
} errnos[] = {
	{ SQLITE_PERM, EACCES },       { SQLITE_BUSY, EBUSY },	   { SQLITE_LOCKED, EBUSY },
	{ SQLITE_NOMEM, ENOMEM },      { SQLITE_READONLY, EROFS }, { SQLITE_CORRUPT, EUCLEAN },
	{ SQLITE_NOTADB, EUCLEAN },    { SQLITE_FULL, ENOSPC },	   { SQLITE_TOOBIG, E2BIG },
	{ SQLITE_CONSTRAINT, EINVAL }, { SQLITE_MISUSE, EINVAL },  { SQLITE_PROTOCOL, EBUSY },
};

int sql_errno(sqlite3 *db, int result)
{
	int primary = result & 0xff, err;

	for (size_t i = 0; i < ARRAY_SIZE(errnos); i++)
		if (errnos[i].result == primary)
			return -errnos[i].err;
	err = primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN ? sqlite3_system_errno(db) : 0;
	return err > 0 ? -err : -EIO;
}

int sql_fail(struct ledger *ledger, int err)
{
	if (ledger->begun && !ledger->failed)
		ledger->failed = err;
	return err;
}

/* The text is the caller's to free; NULL when there is no memory. */
static char *query_text(const struct sql_query *query)
{
	char *text = NULL;
	size_t n;
	FILE *to = open_memstream(&text, &n);

	if (!to)
		return NULL;
	if (query->form == SQL_SELECT) {
		fprintf(to, "SELECT ");
		row_print_names(query->table, to);
		fprintf(to, " FROM %s ", query->table->name);
	} else if (query->form != SQL_PLAIN) {
		fprintf(to, "INSERT INTO %s (", query->table->name);
		row_print_names(query->table, to);
		fprintf(to, ") VALUES (");
		row_print_parameters(query->table, to);
		fprintf(to, ")");
	}
	if (query->form == SQL_PUT) {
		fprintf(to, " ON CONFLICT (");
		row_print_key(query->table, to);
		fprintf(to, ") DO UPDATE SET ");
		row_print_updates(query->table, to);
	}
	fprintf(to, "%s", query->text ? query->text : "");
	if (fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}

int sql_read(struct ledger *ledger, const struct sql_query *query, sqlite3_stmt **ret)
{
	sqlite3_stmt **kept = &ledger->statements[query->id];
	_cleanup_free_ char *text = NULL;
	int r;

	if (!*kept) {
		text = query_text(query);
		if (!text)
			return sql_fail(ledger, -ENOMEM);
		r = sqlite3_prepare_v3(ledger->db, text, -1, SQLITE_PREPARE_PERSISTENT, kept, NULL);
		if (r != SQLITE_OK)
			return sql_fail(ledger, sql_errno(ledger->db, r));
	}
	*ret = *kept;
	return 0;
}

/* sql_read() for what changes something: -EINVAL outside a transaction, or the transaction's failure. */
static int sql_write(struct ledger *ledger, const struct sql_query *query, sqlite3_stmt **ret)
{
	if (!ledger->begun)
		return -EINVAL;
	return ledger->failed ? ledger->failed : sql_read(ledger, query, ret);
}

void sql_done(sqlite3_stmt **statement)
{
	if (!*statement)
		return;
	sqlite3_reset(*statement);
	sqlite3_clear_bindings(*statement);
	*statement = NULL;
}

static int bind_all(sqlite3_stmt *statement, const char *kinds, va_list args)
{
	int r = SQLITE_OK;

	for (int at = 1; *kinds && r == SQLITE_OK; kinds++, at++) {
		const void *bytes;
		size_t n;

		switch (*kinds) {
		case 't':
			r = sqlite3_bind_text(statement, at, va_arg(args, const char *), -1,
					      SQLITE_STATIC);
			break;
		case 'u':
			r = sqlite3_bind_int64(statement, at, (sqlite3_int64)va_arg(args, uint64_t));
			break;
		default:
			bytes = va_arg(args, const void *);
			n = va_arg(args, size_t);
			r = n ? sqlite3_bind_blob64(statement, at, bytes, n, SQLITE_STATIC)
			      : sqlite3_bind_zeroblob(statement, at, 0);
		}
	}
	return r;
}

int sql_bind(struct ledger *ledger, sqlite3_stmt *statement, const char *kinds, ...)
{
	va_list args;
	int r;

	va_start(args, kinds);
	r = bind_all(statement, kinds, args);
	va_end(args);
	return r == SQLITE_OK ? 0 : sql_fail(ledger, sql_errno(ledger->db, r));
}

int sql_step(struct ledger *ledger, sqlite3_stmt *statement)
{
	int r = sqlite3_step(statement);

	if (r == SQLITE_ROW)
		return SQL_ROW_READ;
	return r == SQLITE_DONE ? 0 : sql_fail(ledger, sql_errno(ledger->db, r));
}

int sql_copy(struct ledger *ledger, sqlite3_stmt *statement, int column, char **ret, size_t *ret_n)
{
	const void *bytes = sqlite3_column_blob(statement, column);
	size_t n = (size_t)sqlite3_column_bytes(statement, column);
	char *copy = malloc(n + 1);

	if (!copy)
		return sql_fail(ledger, -ENOMEM);
	if (n)
		memcpy(copy, bytes, n);
	copy[n] = 0;
	*ret = copy;
	*ret_n = n;
	return 0;
}

int sql_change(struct ledger *ledger, const struct sql_query *query, const char *kinds, ...)
{
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	int r = sql_write(ledger, query, &statement);
	va_list args;

	if (r)
		return r;
	va_start(args, kinds);
	r = bind_all(statement, kinds, args);
	va_end(args);
	if (r != SQLITE_OK)
		return sql_fail(ledger, sql_errno(ledger->db, r));
	return sql_step(ledger, statement);
}

int sql_count(struct ledger *ledger, const struct sql_query *query, uint64_t *ret)
{
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	uint64_t number;
	int r = sql_write(ledger, query, &statement);

	if (r == 0)
		r = sql_step(ledger, statement);
	if (r != SQL_ROW_READ)
		return r ? r : sql_fail(ledger, -EUCLEAN);
	number = (uint64_t)sqlite3_column_int64(statement, 0);
	/* the change behind RETURNING is whole only at the end */
	r = sql_step(ledger, statement);
	if (r == 0)
		*ret = number;
	return r;
}

int sql_write_row(struct ledger *ledger, const struct sql_query *query, const void *row)
{
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	int r = sql_write(ledger, query, &statement);

	if (r)
		return r;
	r = row_bind(statement, query->table, row);
	if (r != SQLITE_OK)
		return sql_fail(ledger, sql_errno(ledger->db, r));
	return sql_step(ledger, statement);
}

int sql_read_row(struct ledger *ledger, const struct sql_query *query, void *ret, const char *kinds,
		 ...)
{
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	int r = sql_read(ledger, query, &statement);
	va_list args;

	if (r)
		return r;
	va_start(args, kinds);
	r = bind_all(statement, kinds, args);
	va_end(args);
	if (r != SQLITE_OK)
		return sql_fail(ledger, sql_errno(ledger->db, r));
	r = sql_step(ledger, statement);
	if (r != SQL_ROW_READ)
		return r ? r : LEDGER_E_NONE;
	r = row_read(statement, query->table, ret);
	return r ? sql_fail(ledger, r) : 0;
}

static const struct sql_query begin = { SQL_BEGIN, .text = "BEGIN IMMEDIATE" };
static const struct sql_query commit = { SQL_COMMIT, .text = "COMMIT" };
static const struct sql_query rollback = { SQL_ROLLBACK, .text = "ROLLBACK" };

static int transact(struct ledger *ledger, const struct sql_query *query)
{
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	int r = sql_read(ledger, query, &statement);

	return r ? r : sql_step(ledger, statement);
}

int ledger_begin(struct ledger *ledger)
{
	sqlite3_stmt *way_out;
	int r;

	if (ledger->begun)
		return -EINVAL;
	/* going back must not need memory */
	r = sql_read(ledger, &rollback, &way_out);
	if (r == 0)
		r = transact(ledger, &begin);
	if (r)
		return r;
	ledger->begun = true;
	ledger->failed = 0;
	return 0;
}

int ledger_commit(struct ledger *ledger)
{
	int r = ledger->failed;

	if (!ledger->begun)
		return -EINVAL;
	if (r == 0)
		r = transact(ledger, &commit);
	if (r)
		ledger_rollback(ledger);
	ledger->begun = false;
	return r;
}

void ledger_rollback(struct ledger *ledger)
{
	/* SQLite may have rolled it back by itself already */
	if (ledger->begun && !sqlite3_get_autocommit(ledger->db))
		transact(ledger, &rollback);
	ledger->begun = false;
	ledger->failed = 0;
}
