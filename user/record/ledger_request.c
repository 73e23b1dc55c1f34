// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests: one row each, written whole, and beside it the order that it came with. No two of a
 * session have the same position. A walk asks for one row at a time, as that of the sessions.
 */
#include "ledger_sql.h"

static const struct sql_names states = { desk_request_state_name, DESK_REQUEST_FINISHED + 1 };
static const struct sql_names outcomes = { run_outcome_name, RUN_OUTCOME_COUNT };
static const struct sql_names faults = { fault_code_name, FAULT_INTERNAL + 1 };

#define TEXT(name, member) SQL_COLUMN(SQL_TEXT, struct desk_request, name, member)
#define UINT(name, member) SQL_COLUMN(SQL_UINT, struct desk_request, name, member)
#define INT(name, member) SQL_COLUMN(SQL_INT, struct desk_request, name, member)
#define ENUM(name, member, names_)                                                                 \
	SQL_COLUMN(SQL_ENUM, struct desk_request, name, member, .names = &names_)

static const struct sql_column columns[] = {
	TEXT("id", id),
	TEXT("session_id", session_id),
	ENUM("state", state, states),
	UINT("open", open),
	UINT("position", position),
	UINT("time_box_ns", time_box_ns),
	UINT("step_budget", step_budget),
	UINT("submitted_at_ms", submitted_at_ms),
	UINT("started_at_ms", started_at_ms),
	UINT("finished_at_ms", finished_at_ms),
	ENUM("outcome", outcome, outcomes),
	INT("exit_code", exit_code),
	INT("signal", signal),
	UINT("cpu_ns", cpu_ns),
	UINT("wall_ns", wall_ns),
	UINT("money_ucents", money_ucents),
	UINT("steps", steps),
	UINT("bytes_out", bytes_out),
	UINT("bytes_in", bytes_in),
	UINT("events_lost", events_lost),
	SQL_COLUMN(SQL_COUNTS, struct desk_request, "denials", denials),
	TEXT("output_name", output_name),
	ENUM("fault_code", fault.code, faults),
	TEXT("fault_field", fault.field),
	TEXT("fault_reason", fault.reason),
	TEXT("fault_remedy", fault.remedy),
};
static const struct sql_table requests = SQL_TABLE("requests", columns, 1);

int ledger_put_request(struct ledger *ledger, const struct desk_request *request)
{
	static const struct sql_query query = { SQL_PUT_REQUEST, SQL_PUT, &requests, NULL };

	return sql_write_row(ledger, &query, request);
}

int ledger_get_request(struct ledger *ledger, const char *id, struct desk_request *ret)
{
	static const struct sql_query query = { SQL_GET_REQUEST, SQL_SELECT, &requests,
						"WHERE id = ?1" };
	struct desk_request request = {};
	int r = sql_read_row(ledger, &query, &request, "t", id);

	if (r == 0)
		*ret = request;
	return r;
}

int ledger_each_request(struct ledger *ledger, const char *session_id,
			int (*fn)(const struct desk_request *request, void *arg), void *arg)
{
	static const struct sql_query query = {
		SQL_NEXT_REQUEST, SQL_SELECT, &requests,
		"WHERE session_id = ?1 AND position > ?2 ORDER BY position LIMIT 1"
	};
	struct desk_request request = {};
	uint64_t after = (uint64_t)-1; /* on disk before 0 */
	int r;

	for (;;) {
		r = sql_read_row(ledger, &query, &request, "tu", session_id, after);
		if (r)
			return r == LEDGER_E_NONE ? 0 : r;
		after = request.position;
		r = fn(&request, arg);
		if (r)
			return r;
	}
}

int ledger_next_position(struct ledger *ledger, uint64_t *ret)
{
	static const struct sql_query query = {
		SQL_NEXT_POSITION,
		.text = "UPDATE ledger SET positions = positions + 1 RETURNING positions"
	};

	return sql_count(ledger, &query, ret);
}

int ledger_put_spec(struct ledger *ledger, const char *request_id, const char *spec, size_t n)
{
	static const struct sql_query query = {
		SQL_PUT_SPEC, .text = "INSERT INTO specs (request_id, spec) VALUES (?1, ?2) "
				      "ON CONFLICT (request_id) DO UPDATE SET spec = excluded.spec"
	};

	return sql_change(ledger, &query, "tb", request_id, spec, n);
}

int ledger_get_spec(struct ledger *ledger, const char *request_id, char **ret_spec, size_t *ret_n)
{
	static const struct sql_query query = {
		SQL_GET_SPEC, .text = "SELECT spec FROM specs WHERE request_id = ?1"
	};
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	int r = sql_read(ledger, &query, &statement);

	if (r == 0)
		r = sql_bind(ledger, statement, "t", request_id);
	if (r == 0)
		r = sql_step(ledger, statement);
	if (r != SQL_ROW_READ)
		return r ? r : LEDGER_E_NONE;
	return sql_copy(ledger, statement, 0, ret_spec, ret_n);
}
