// SPDX-License-Identifier: GPL-2.0-only
/*
 * The meters that went with their boot. What the kernel counts it counts until the host goes down or an entry is
 * lost; from then on it begins at zero, and what was known until then is kept here, one row a session. Most
 * sessions never have one.
 */
#include "ledger_meter.h"

#include "ledger_sql.h"

struct meter_row {
	char session_id[REEVE_SESSION_ID_SIZE];
	struct desk_meter meter;
};

#define UINT(name, member) SQL_COLUMN(SQL_UINT, struct meter_row, name, member)

static const struct sql_column columns[] = {
	SQL_COLUMN(SQL_TEXT, struct meter_row, "session_id", session_id),
	UINT("cpu_ns", meter.cpu_ns),
	UINT("bytes_out", meter.bytes_out),
	UINT("bytes_in", meter.bytes_in),
};
static const struct sql_table meters = SQL_TABLE("meters", columns, 1);

int ledger_put_meter(struct ledger *ledger, const char *session_id, const struct desk_meter *meter)
{
	static const struct sql_query query = { SQL_PUT_METER, SQL_PUT, &meters, NULL };
	struct meter_row row = { .meter = *meter };

	snprintf(row.session_id, sizeof(row.session_id), "%s", session_id);
	return sql_write_row(ledger, &query, &row);
}

int ledger_get_meter(struct ledger *ledger, const char *session_id, struct desk_meter *ret)
{
	static const struct sql_query query = { SQL_GET_METER, SQL_SELECT, &meters,
						"WHERE session_id = ?1" };
	struct meter_row row = {};
	int r = sql_read_row(ledger, &query, &row, "t", session_id);

	if (r == 0 || r == LEDGER_E_NONE)
		*ret = row.meter;
	return r == LEDGER_E_NONE ? 0 : r;
}
