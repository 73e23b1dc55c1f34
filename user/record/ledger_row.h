/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Columns that tie a member of a struct to its place in a table: one list for writing and for
 * reading.
 *
 * On disk a uint64_t is the int64_t of the same bits (POLICY_UNLIMITED is -1), so SQL neither sums
 * nor compares a column that may use the highest bit. An enum is its name, and an array of counters
 * a BLOB of 64-bit little-endian numbers: both outlive a change of order or number in the program.
 */
#ifndef REEVE_LEDGER_ROW_H
#define REEVE_LEDGER_ROW_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdio.h>

enum sql_kind {
	SQL_TEXT,   /* a char array with its zero */
	SQL_UINT,   /* unsigned, of 1 (bool), 2, 4 or 8 bytes */
	SQL_INT,    /* an int */
	SQL_ENUM,   /* one of names */
	SQL_COUNTS, /* an array of uint64_t; a shorter one of an older program is filled with 0 */
	SQL_BYTES,  /* an array of bytes, whole */
};

/* The names that documents have as well: there is one list of them, the model's. */
struct sql_names {
	const char *(*name)(unsigned int value); /* of an enum, which has an unsigned int's form */
	size_t n;
};

struct sql_column {
	const char *name;
	enum sql_kind kind;
	size_t offset, size;
	const struct sql_names *names;
};

#define SQL_COLUMN(kind_, type, name_, member, ...)                                                \
	{                                                                                          \
		.name = name_, .kind = kind_, .offset = offsetof(type, member),                    \
		.size = sizeof(((type *)NULL)->member), __VA_ARGS__                                \
	}

struct sql_table {
	const char *name;
	const struct sql_column *columns;
	size_t n_columns;
	size_t n_key; /* the first columns, which tell rows apart */
};

#define SQL_TABLE(name_, columns_, n_key_)                                                         \
	{                                                                                          \
		.name = name_, .columns = columns_, .n_columns = ARRAY_SIZE(columns_),             \
		.n_key = n_key_                                                                    \
	}

/* "a, b, c": all columns, and those of the key. */
void row_print_names(const struct sql_table *table, FILE *to);
void row_print_key(const struct sql_table *table, FILE *to);
/* "?1, ?2, ?3", as many as there are columns. */
void row_print_parameters(const struct sql_table *table, FILE *to);
/* "c = excluded.c": what an equal key's row gets. */
void row_print_updates(const struct sql_table *table, FILE *to);

/* Binds @row to the parameters from ?1 on, without a copy. Returns SQLite's result. */
int row_bind(sqlite3_stmt *statement, const struct sql_table *table, const void *row);

/*
 * Fills the members of *ret that have columns. A value that does not fit its member is -EUCLEAN,
 * *ret then half filled: its callers read into a row of their own.
 */
int row_read(sqlite3_stmt *statement, const struct sql_table *table, void *ret);

#endif
