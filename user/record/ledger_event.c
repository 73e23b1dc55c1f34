// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events, numbered from 1. The last number is kept beside them and rises in the transaction that
 * adds the event: a transaction that is rolled back gives its numbers back, and one number is given
 * to one event, also when all earlier ones are forgotten. Numbers stay below 2^63.
 */
#include "ledger_sql.h"

#include <errno.h>

#define TEXT(name, member) SQL_COLUMN(SQL_TEXT, struct ledger_event, name, member)
#define UINT(name, member) SQL_COLUMN(SQL_UINT, struct ledger_event, name, member)

static const struct sql_column columns[] = {
	UINT("seq", seq),
	UINT("at_ms", at_ms),
	TEXT("session_id", session_id),
	TEXT("type", type),
};
static const struct sql_table events = SQL_TABLE("events", columns, 1);

int ledger_add_event(struct ledger *ledger, const struct ledger_event *event, uint64_t *ret_seq)
{
	static const struct sql_query next = {
		SQL_NEXT_SEQ, .text = "UPDATE ledger SET events = events + 1 RETURNING events"
	};
	static const struct sql_query add = {
		SQL_ADD_EVENT, .text = "INSERT INTO events (seq, at_ms, session_id, type, body) "
				       "VALUES (?1, ?2, ?3, ?4, ?5)"
	};
	uint64_t seq;
	int r = sql_count(ledger, &next, &seq);

	if (r == 0)
		r = sql_change(ledger, &add, "uuttb", seq, event->at_ms, event->session_id,
			       event->type, event->body, event->n_body);
	if (r == 0)
		*ret_seq = seq;
	return r;
}

/* Gives @body to free. Returns 0, LEDGER_E_NONE or -errno. */
static int next_event(struct ledger *ledger, const char *session_id, uint64_t after,
		      struct ledger_event *ret, char **ret_body)
{
	static const struct sql_query of_all = {
		SQL_NEXT_EVENT, .text = "SELECT seq, at_ms, session_id, type, body FROM events "
					"WHERE seq > ?1 ORDER BY seq LIMIT 1"
	};
	static const struct sql_query of_one = {
		SQL_NEXT_SESSION_EVENT,
		.text = "SELECT seq, at_ms, session_id, type, body FROM events "
			"WHERE seq > ?1 AND session_id = ?2 ORDER BY seq LIMIT 1"
	};
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	int r = sql_read(ledger, session_id ? &of_one : &of_all, &statement);

	if (r == 0)
		r = sql_bind(ledger, statement, session_id ? "ut" : "u", after, session_id);
	if (r == 0)
		r = sql_step(ledger, statement);
	if (r != SQL_ROW_READ)
		return r ? r : LEDGER_E_NONE;
	r = row_read(statement, &events, ret);
	if (r)
		return sql_fail(ledger, r);
	return sql_copy(ledger, statement, (int)ARRAY_SIZE(columns), ret_body, &ret->n_body);
}

int ledger_each_event(struct ledger *ledger, const char *session_id, uint64_t after, size_t max,
		      int (*fn)(const struct ledger_event *event, void *arg), void *arg)
{
	struct ledger_event event = { .seq = after };
	int r = 0;

	/* a follower may name any number; the great ones are negative on disk */
	if (after > INT64_MAX)
		return 0;
	for (size_t i = 0; i < max && r == 0; i++) {
		_cleanup_free_ char *body = NULL;

		r = next_event(ledger, session_id, event.seq, &event, &body);
		if (r)
			return r == LEDGER_E_NONE ? 0 : r;
		event.body = body;
		r = fn(&event, arg);
	}
	return r;
}

int ledger_event_range(struct ledger *ledger, uint64_t *ret_oldest, uint64_t *ret_newest)
{
	static const struct sql_query query = {
		SQL_EVENT_RANGE, .text = "SELECT coalesce((SELECT min(seq) FROM events), 0), "
					 "coalesce((SELECT max(seq) FROM events), 0)"
	};
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	int r = sql_read(ledger, &query, &statement);

	if (r == 0)
		r = sql_step(ledger, statement);
	if (r != SQL_ROW_READ)
		return r ? r : -EUCLEAN;
	*ret_oldest = (uint64_t)sqlite3_column_int64(statement, 0);
	*ret_newest = (uint64_t)sqlite3_column_int64(statement, 1);
	return 0;
}

int ledger_forget_events(struct ledger *ledger, uint64_t keep)
{
	static const struct sql_query query = {
		SQL_FORGET_EVENTS,
		.text = "DELETE FROM events WHERE seq <= (SELECT events FROM ledger) - ?1"
	};

	return sql_change(ledger, &query, "u", keep < INT64_MAX ? keep : (uint64_t)INT64_MAX);
}
