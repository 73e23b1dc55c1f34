// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the host agent reported, by an id of its own. An id is asked for at most twice: to reserve
 * an amount, and to charge one. Each is compared with what was said of the same before, so that a
 * repeated order is known as one however late it comes: a reservation is still that reservation
 * when a charge has settled it to another amount. The note and the time are no part of what must
 * agree.
 */
#include "ledger_meter.h"
#include "ledger_sql.h"

struct charge_row {
	char session_id[REEVE_SESSION_ID_SIZE];
	struct ledger_charge charge;
	bool was_reserved;
	uint64_t reserved_ucents, reserved_steps;
};

#define TEXT(name, member) SQL_COLUMN(SQL_TEXT, struct charge_row, name, member)
#define UINT(name, member) SQL_COLUMN(SQL_UINT, struct charge_row, name, member)

static const struct sql_column columns[] = {
	TEXT("session_id", session_id),
	TEXT("id", charge.id),
	UINT("money_ucents", charge.money_ucents),
	UINT("steps", charge.steps),
	TEXT("note", charge.note),
	UINT("at_ms", charge.at_ms),
	UINT("reserved", charge.reserved),
	UINT("was_reserved", was_reserved),
	UINT("reserved_ucents", reserved_ucents),
	UINT("reserved_steps", reserved_steps),
};
static const struct sql_table charges = SQL_TABLE("charges", columns, 2);

static int get_row(struct ledger *ledger, const char *session_id, const char *id,
		   struct charge_row *ret)
{
	static const struct sql_query query = { SQL_GET_CHARGE, SQL_SELECT, &charges,
						"WHERE session_id = ?1 AND id = ?2" };

	return sql_read_row(ledger, &query, ret, "tt", session_id, id);
}

static int put_row(struct ledger *ledger, const char *session_id,
		   const struct ledger_charge *charge, struct charge_row *row)
{
	static const struct sql_query query = { SQL_PUT_CHARGE, SQL_PUT, &charges, NULL };

	snprintf(row->session_id, sizeof(row->session_id), "%s", session_id);
	row->charge = *charge;
	if (charge->reserved) {
		row->was_reserved = true;
		row->reserved_ucents = charge->money_ucents;
		row->reserved_steps = charge->steps;
	}
	return sql_write_row(ledger, &query, row);
}

static int compare(uint64_t ucents, uint64_t steps, const struct ledger_charge *charge)
{
	return ucents == charge->money_ucents && steps == charge->steps ? LEDGER_E_REPLAY
									: LEDGER_E_CONFLICT;
}

int ledger_add_charge(struct ledger *ledger, const char *session_id,
		      const struct ledger_charge *charge)
{
	struct charge_row row = {};
	int r = get_row(ledger, session_id, charge->id, &row);

	if (r == LEDGER_E_NONE)
		return put_row(ledger, session_id, charge, &row);
	if (r)
		return r;
	if (charge->reserved)
		return row.was_reserved ? compare(row.reserved_ucents, row.reserved_steps, charge)
					: LEDGER_E_CONFLICT;
	if (row.charge.reserved)
		return put_row(ledger, session_id, charge, &row);
	return compare(row.charge.money_ucents, row.charge.steps, charge);
}

int ledger_get_charge(struct ledger *ledger, const char *session_id, const char *charge_id,
		      struct ledger_charge *ret)
{
	struct charge_row row = {};
	int r = get_row(ledger, session_id, charge_id, &row);

	if (r == 0)
		*ret = row.charge;
	return r;
}

int ledger_each_charge(struct ledger *ledger, const char *session_id,
		       int (*fn)(const struct ledger_charge *charge, void *arg), void *arg)
{
	static const struct sql_query query = {
		SQL_NEXT_CHARGE, SQL_SELECT, &charges,
		"WHERE session_id = ?1 AND id > ?2 ORDER BY id LIMIT 1"
	};
	struct charge_row row = {};
	int r;

	for (;;) {
		r = sql_read_row(ledger, &query, &row, "tt", session_id, row.charge.id);
		if (r)
			return r == LEDGER_E_NONE ? 0 : r;
		r = fn(&row.charge, arg);
		if (r)
			return r;
	}
}
