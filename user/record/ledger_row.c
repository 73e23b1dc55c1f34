// SPDX-License-Identifier: GPL-2.0-only
/*
 * One column at a time between a struct and SQLite. The kind says how the member lies in memory,
 * the table in ledger_schema.c how it lies on disk; nothing else knows of either. The lists that
 * SQL needs are printed from the same columns, so that a statement, its parameters and its results
 * cannot get out of step.
 *
 * Values on disk are not trusted: each must fit its member, or the row is damaged.
 */
#include "ledger_row.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void print_names(const struct sql_column *columns, size_t n, FILE *to)
{
	for (size_t i = 0; i < n; i++)
		fprintf(to, "%s%s", i ? ", " : "", columns[i].name);
}

void row_print_names(const struct sql_table *table, FILE *to)
{
	print_names(table->columns, table->n_columns, to);
}

void row_print_key(const struct sql_table *table, FILE *to)
{
	print_names(table->columns, table->n_key, to);
}

void row_print_parameters(const struct sql_table *table, FILE *to)
{
	for (size_t i = 0; i < table->n_columns; i++)
		fprintf(to, "%s?%zu", i ? ", " : "", i + 1);
}

void row_print_updates(const struct sql_table *table, FILE *to)
{
	const struct sql_column *columns = table->columns;

	/*
	 * a key written again, even to what it was, makes SQLite look at the rows that refer to it
	 */
	for (size_t i = table->n_key; i < table->n_columns; i++)
		fprintf(to, "%s%s = excluded.%s", i > table->n_key ? ", " : "", columns[i].name,
			columns[i].name);
}

static uint64_t uint_load(const void *member, size_t size)
{
	switch (size) {
	case sizeof(uint8_t):
		return *(const uint8_t *)member;
	case sizeof(uint16_t):
		return *(const uint16_t *)member;
	case sizeof(uint32_t):
		return *(const uint32_t *)member;
	default:
		return *(const uint64_t *)member;
	}
}

static void uint_store(void *member, size_t size, uint64_t value)
{
	switch (size) {
	case sizeof(uint8_t):
		*(uint8_t *)member = (uint8_t)value;
		break;
	case sizeof(uint16_t):
		*(uint16_t *)member = (uint16_t)value;
		break;
	case sizeof(uint32_t):
		*(uint32_t *)member = (uint32_t)value;
		break;
	default:
		*(uint64_t *)member = value;
	}
}

/* The only member of one byte is a bool. */
static uint64_t uint_max(size_t size)
{
	if (size == sizeof(bool))
		return 1;
	return size == sizeof(uint64_t) ? UINT64_MAX : (1ull << (8 * size)) - 1;
}

static int bind_text(sqlite3_stmt *statement, int at, const char *text, size_t size)
{
	size_t n = strnlen(text, size);

	return n == size ? SQLITE_MISUSE
			 : sqlite3_bind_text(statement, at, text, (int)n, SQLITE_STATIC);
}

static int bind_enum(sqlite3_stmt *statement, int at, const struct sql_names *names, uint32_t value)
{
	if (value >= names->n)
		return SQLITE_MISUSE;
	return sqlite3_bind_text(statement, at, names->name(value), -1, SQLITE_STATIC);
}

static int bind_counts(sqlite3_stmt *statement, int at, const uint64_t *counts, size_t size)
{
	uint64_t *copy = malloc(size);

	if (!copy)
		return SQLITE_NOMEM;
	for (size_t i = 0; i < size / sizeof(*copy); i++)
		copy[i] = htole64(counts[i]);
	return sqlite3_bind_blob(statement, at, copy, (int)size, free);
}

static int bind_column(sqlite3_stmt *statement, int at, const struct sql_column *column,
		       const void *member)
{
	switch (column->kind) {
	case SQL_TEXT:
		return bind_text(statement, at, member, column->size);
	case SQL_UINT:
		return sqlite3_bind_int64(statement, at,
					  (sqlite3_int64)uint_load(member, column->size));
	case SQL_INT:
		return sqlite3_bind_int64(statement, at, *(const int *)member);
	case SQL_ENUM:
		return bind_enum(statement, at, column->names, *(const uint32_t *)member);
	case SQL_COUNTS:
		return bind_counts(statement, at, member, column->size);
	case SQL_BYTES:
		return sqlite3_bind_blob(statement, at, member, (int)column->size, SQLITE_STATIC);
	}
	return SQLITE_MISUSE;
}

int row_bind(sqlite3_stmt *statement, const struct sql_table *table, const void *row)
{
	int r = SQLITE_OK;

	for (size_t i = 0; i < table->n_columns && r == SQLITE_OK; i++)
		r = bind_column(statement, (int)i + 1, &table->columns[i],
				(const char *)row + table->columns[i].offset);
	return r;
}

static int read_text(sqlite3_stmt *statement, int at, char *ret, size_t size)
{
	const unsigned char *text = sqlite3_column_text(statement, at);
	size_t n = (size_t)sqlite3_column_bytes(statement, at);

	if (!text)
		return sqlite3_column_type(statement, at) == SQLITE_NULL ? -EUCLEAN : -ENOMEM;
	if (n >= size || memchr(text, 0, n))
		return -EUCLEAN;
	memcpy(ret, text, n);
	memset(ret + n, 0, size - n);
	return 0;
}

static int read_uint(sqlite3_stmt *statement, int at, void *ret, size_t size)
{
	uint64_t value = (uint64_t)sqlite3_column_int64(statement, at);

	if (value > uint_max(size))
		return -EUCLEAN;
	uint_store(ret, size, value);
	return 0;
}

static int read_int(sqlite3_stmt *statement, int at, int *ret)
{
	sqlite3_int64 value = sqlite3_column_int64(statement, at);

	if (value < INT32_MIN || value > INT32_MAX)
		return -EUCLEAN;
	*ret = (int)value;
	return 0;
}

static int read_enum(sqlite3_stmt *statement, int at, const struct sql_names *names, uint32_t *ret)
{
	const char *name = (const char *)sqlite3_column_text(statement, at);

	for (size_t i = 0; name && i < names->n; i++)
		if (strcmp(names->name((unsigned int)i), name) == 0) {
			*ret = (uint32_t)i;
			return 0;
		}
	return -EUCLEAN;
}

static int read_counts(sqlite3_stmt *statement, int at, uint64_t *ret, size_t size)
{
	const void *counts = sqlite3_column_blob(statement, at);
	size_t n = (size_t)sqlite3_column_bytes(statement, at);

	if (n > size || n % sizeof(*ret))
		return -EUCLEAN;
	memset(ret, 0, size);
	if (n)
		memcpy(ret, counts, n);
	for (size_t i = 0; i < n / sizeof(*ret); i++)
		ret[i] = le64toh(ret[i]);
	return 0;
}

static int read_bytes(sqlite3_stmt *statement, int at, void *ret, size_t size)
{
	const void *bytes = sqlite3_column_blob(statement, at);

	if (!bytes || (size_t)sqlite3_column_bytes(statement, at) != size)
		return -EUCLEAN;
	memcpy(ret, bytes, size);
	return 0;
}

static int read_column(sqlite3_stmt *statement, int at, const struct sql_column *column, void *ret)
{
	switch (column->kind) {
	case SQL_TEXT:
		return read_text(statement, at, ret, column->size);
	case SQL_UINT:
		return read_uint(statement, at, ret, column->size);
	case SQL_INT:
		return read_int(statement, at, ret);
	case SQL_ENUM:
		return read_enum(statement, at, column->names, ret);
	case SQL_COUNTS:
		return read_counts(statement, at, ret, column->size);
	case SQL_BYTES:
		return read_bytes(statement, at, ret, column->size);
	}
	return -EUCLEAN;
}

int row_read(sqlite3_stmt *statement, const struct sql_table *table, void *ret)
{
	int r = 0;

	for (size_t i = 0; i < table->n_columns && r == 0; i++)
		r = read_column(statement, (int)i, &table->columns[i],
				(char *)ret + table->columns[i].offset);
	return r;
}
