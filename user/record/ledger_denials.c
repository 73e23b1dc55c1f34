// SPDX-License-Identifier: GPL-2.0-only
/*
 * What was denied to a request, told in full: the first events of each reason and the first names
 * that were not answered. How often each reason occurred is in the request's own row, and only
 * there.
 *
 * Written whole: what was there of the request before is replaced.
 */
#include "ledger_sql.h"

#include <errno.h>
#include <string.h>

#include "../model/verdict.h"

static const struct sql_names reasons = { reason_name, REASON_COUNT };
static const struct sql_names hooks = { event_hook_name, EVENT_METER + 1 };

struct summary {
	char request_id[REEVE_SESSION_ID_SIZE];
	uint64_t events_since_ns;
	bool has_names;
	struct dns_counts counts;
};

static const struct sql_column summary_columns[] = {
	SQL_COLUMN(SQL_TEXT, struct summary, "request_id", request_id),
	SQL_COLUMN(SQL_UINT, struct summary, "events_since_ns", events_since_ns),
	SQL_COLUMN(SQL_UINT, struct summary, "has_names", has_names),
#define X(name_) SQL_COLUMN(SQL_UINT, struct summary, #name_, counts.name_),
	DNS_COUNTS(X)
#undef X
};
static const struct sql_table summaries = SQL_TABLE("denials", summary_columns, 1);

struct denied_event {
	char request_id[REEVE_SESSION_ID_SIZE];
	uint64_t ordinal;
	struct event event;
};

#define EVENT(kind, member, ...)                                                                   \
	SQL_COLUMN(kind, struct denied_event, #member, event.member, __VA_ARGS__)

static const struct sql_column event_columns[] = {
	SQL_COLUMN(SQL_TEXT, struct denied_event, "request_id", request_id),
	SQL_COLUMN(SQL_UINT, struct denied_event, "ordinal", ordinal),
	EVENT(SQL_UINT, time_ns),
	EVENT(SQL_UINT, cgroup),
	EVENT(SQL_UINT, generation),
	EVENT(SQL_ENUM, reason, .names = &reasons),
	EVENT(SQL_ENUM, hook, .names = &hooks),
	EVENT(SQL_UINT, pid),
	EVENT(SQL_UINT, family),
	EVENT(SQL_UINT, port),
	EVENT(SQL_BYTES, given),
	EVENT(SQL_BYTES, decoded),
	EVENT(SQL_UINT, protocol),
	EVENT(SQL_TEXT, comm),
};
static const struct sql_table events = SQL_TABLE("denied_events", event_columns, 2);

struct denied_name {
	char request_id[REEVE_SESSION_ID_SIZE];
	uint64_t ordinal;
	struct run_name name;
};

#define NAME(kind, member, ...)                                                                    \
	SQL_COLUMN(kind, struct denied_name, #member, name.member, __VA_ARGS__)

static const struct sql_column name_columns[] = {
	SQL_COLUMN(SQL_TEXT, struct denied_name, "request_id", request_id),
	SQL_COLUMN(SQL_UINT, struct denied_name, "ordinal", ordinal),
	NAME(SQL_UINT, time_ns),
	NAME(SQL_ENUM, reason, .names = &reasons),
	NAME(SQL_TEXT, name),
	NAME(SQL_TEXT, address),
};
static const struct sql_table names = SQL_TABLE("denied_names", name_columns, 2);

static int put_summary(struct ledger *ledger, const char *request_id, const struct run_result *result)
{
	static const struct sql_query query = { SQL_PUT_DENIALS, SQL_PUT, &summaries, NULL };
	struct summary row = { .events_since_ns = result->events_since_ns,
			       .has_names = result->has_names,
			       .counts = result->names.counts };

	snprintf(row.request_id, sizeof(row.request_id), "%s", request_id);
	return sql_write_row(ledger, &query, &row);
}

static int put_events(struct ledger *ledger, const char *request_id, const struct run_result *result)
{
	static const struct sql_query drop = {
		SQL_DROP_DENIED_EVENTS, .text = "DELETE FROM denied_events WHERE request_id = ?1"
	};
	static const struct sql_query add = { SQL_ADD_DENIED_EVENT, SQL_INSERT, &events, NULL };
	struct denied_event row = {};
	int r = sql_change(ledger, &drop, "t", request_id);

	snprintf(row.request_id, sizeof(row.request_id), "%s", request_id);
	for (size_t i = 0; i < ARRAY_SIZE(result->denials); i++)
		for (size_t j = 0; j < result->denials[i].n_first && r == 0; j++) {
			row.event = result->denials[i].first[j];
			r = sql_write_row(ledger, &add, &row);
			row.ordinal++;
		}
	return r;
}

static int put_names(struct ledger *ledger, const char *request_id, const struct run_names *denied)
{
	static const struct sql_query drop = {
		SQL_DROP_DENIED_NAMES, .text = "DELETE FROM denied_names WHERE request_id = ?1"
	};
	static const struct sql_query add = { SQL_ADD_DENIED_NAME, SQL_INSERT, &names, NULL };
	struct denied_name row = {};
	int r = sql_change(ledger, &drop, "t", request_id);

	snprintf(row.request_id, sizeof(row.request_id), "%s", request_id);
	for (; row.ordinal < denied->n_first && r == 0; row.ordinal++) {
		row.name = denied->first[row.ordinal];
		r = sql_write_row(ledger, &add, &row);
	}
	return r;
}

int ledger_put_denials(struct ledger *ledger, const char *request_id, const struct run_result *result)
{
	int r = put_summary(ledger, request_id, result);

	if (r == 0)
		r = put_events(ledger, request_id, result);
	return r ? r : put_names(ledger, request_id, &result->names);
}

/* What is read, before the caller gets any of it. */
struct denied {
	struct summary summary;
	struct run_denials denials[REASON_COUNT - 1];
	struct run_names names;
};

static int get_events(struct ledger *ledger, const char *request_id, struct denied *ret)
{
	static const struct sql_query query = { SQL_GET_DENIED_EVENTS, SQL_SELECT, &events,
						"WHERE request_id = ?1 AND ordinal = ?2" };
	struct denied_event row = {};
	struct run_denials *denials;
	int r;

	for (uint64_t ordinal = 0;; ordinal++) {
		r = sql_read_row(ledger, &query, &row, "tu", request_id, ordinal);
		if (r)
			return r == LEDGER_E_NONE ? 0 : r;
		if (row.event.reason == REASON_OK)
			return sql_fail(ledger, -EUCLEAN);
		denials = &ret->denials[row.event.reason - 1];
		if (denials->n_first == REEVE_DENIALS_FIRST)
			return sql_fail(ledger, -EUCLEAN);
		denials->first[denials->n_first++] = row.event;
	}
}

static int get_names(struct ledger *ledger, const char *request_id, struct run_names *ret)
{
	static const struct sql_query query = { SQL_GET_DENIED_NAMES, SQL_SELECT, &names,
						"WHERE request_id = ?1 AND ordinal = ?2" };
	struct denied_name row = {};
	int r;

	while (ret->n_first < REEVE_DENIALS_FIRST) {
		r = sql_read_row(ledger, &query, &row, "tu", request_id, (uint64_t)ret->n_first);
		if (r)
			return r == LEDGER_E_NONE ? 0 : r;
		ret->first[ret->n_first++] = row.name;
	}
	return 0;
}

int ledger_get_denials(struct ledger *ledger, const char *request_id, struct run_result *ret)
{
	static const struct sql_query query = { SQL_GET_DENIALS, SQL_SELECT, &summaries,
						"WHERE request_id = ?1" };
	struct desk_request request;
	struct denied denied = {};
	int r = sql_read_row(ledger, &query, &denied.summary, "t", request_id);

	if (r == 0)
		r = ledger_get_request(ledger, request_id, &request);
	if (r == 0)
		r = get_events(ledger, request_id, &denied);
	if (r == 0)
		r = get_names(ledger, request_id, &denied.names);
	if (r)
		return r;
	for (size_t i = 0; i < ARRAY_SIZE(denied.denials); i++)
		denied.denials[i].count = request.denials[i];
	denied.names.counts = denied.summary.counts;
	ret->events_since_ns = denied.summary.events_since_ns;
	ret->has_names = denied.summary.has_names;
	ret->names = denied.names;
	memcpy(ret->denials, denied.denials, sizeof(ret->denials));
	return 0;
}
