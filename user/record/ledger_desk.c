// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions: one row a desk, written whole. A walk asks for one row at a time, so that whoever is
 * told of it may use the ledger as he likes, the same walk included.
 */
#include "ledger_sql.h"

static const struct sql_names states = { desk_state_name, DESK_STATE_COUNT };
static const struct sql_names queues = { desk_queue_name, DESK_QUEUE_COUNT };
static const struct sql_names clocks = { desk_clock_name, DESK_CLOCK_WALL + 1 };
static const struct sql_names egresses = { spec_egress_name, SPEC_EGRESS_PUBLIC + 1 };

#define TEXT(name, member) SQL_COLUMN(SQL_TEXT, struct desk, name, member)
#define UINT(name, member) SQL_COLUMN(SQL_UINT, struct desk, name, member)
#define ENUM(name, member, names_) SQL_COLUMN(SQL_ENUM, struct desk, name, member, .names = &names_)

static const struct sql_column columns[] = {
	TEXT("id", id),
	TEXT("task_id", task_id),
	TEXT("task_title", task_title),
	TEXT("owner", owner),
	ENUM("state", state, states),
	ENUM("queue", queue, queues),
	UINT("revision", revision),
	UINT("time_box_minutes", time_box_minutes),
	UINT("step_budget", step_budget),
	UINT("cap_money_cents", cap.money_cents),
	UINT("cap_minutes", cap.minutes),
	ENUM("clock", clock, clocks),
	UINT("cpu_second_ucents", rates.cpu_second_ucents),
	UINT("wall_minute_ucents", rates.wall_minute_ucents),
	UINT("step_ucents", rates.step_ucents),
	UINT("request_ucents", rates.request_ucents),
	UINT("egress_gib_ucents", rates.egress_gib_ucents),
	ENUM("egress", egress, egresses),
	UINT("cpu_ns", spend.cpu_ns),
	UINT("wall_ns", spend.wall_ns),
	UINT("money_ucents", spend.money_ucents),
	UINT("charged_ucents", spend.charged_ucents),
	UINT("reserved_ucents", spend.reserved_ucents),
	UINT("steps", spend.steps),
	UINT("bytes_out", spend.bytes_out),
	UINT("bytes_in", spend.bytes_in),
	UINT("armed", armed),
	UINT("created_at_ms", created_at_ms),
	UINT("armed_at_ms", armed_at_ms),
	UINT("started_at_ms", started_at_ms),
	UINT("ended_at_ms", ended_at_ms),
	UINT("wiped_at_ms", wiped_at_ms),
	TEXT("site_slug", site.slug),
	UINT("site_expires_at_ms", site.expires_at_ms),
	UINT("site_kept", site.kept),
};
static const struct sql_table sessions = SQL_TABLE("sessions", columns, 1);

int ledger_put_desk(struct ledger *ledger, const struct desk *desk)
{
	static const struct sql_query query = { SQL_PUT_DESK, SQL_PUT, &sessions, NULL };

	return sql_write_row(ledger, &query, desk);
}

int ledger_get_desk(struct ledger *ledger, const char *id, struct desk *ret)
{
	static const struct sql_query query = { SQL_GET_DESK, SQL_SELECT, &sessions, "WHERE id = ?1" };
	struct desk desk = {};
	int r = sql_read_row(ledger, &query, &desk, "t", id);

	if (r == 0)
		*ret = desk;
	return r;
}

int ledger_each_desk(struct ledger *ledger, int (*fn)(const struct desk *desk, void *arg), void *arg)
{
	static const struct sql_query query = { SQL_NEXT_DESK, SQL_SELECT, &sessions,
						"WHERE id > ?1 ORDER BY id LIMIT 1" };
	struct desk desk = {};
	char after[sizeof(desk.id)] = "";
	int r;

	for (;;) {
		r = sql_read_row(ledger, &query, &desk, "t", after);
		if (r)
			return r == LEDGER_E_NONE ? 0 : r;
		snprintf(after, sizeof(after), "%s", desk.id);
		r = fn(&desk, arg);
		if (r)
			return r;
	}
}
