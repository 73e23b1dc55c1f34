// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a host agent spends outside: reported, or set aside first. A charge has a name of its own, so that it is
 * counted once whatever is repeated; a repeated one is told so by 200 in the place of 201.
 */
#include "../base/clock.h"
#include "../wire/charge_json.h"
#include "change.h"
#include "daemon_parts.h"
#include "method.h"
#include "problem.h"

typedef int charge_fn(struct hall *hall, const char *session_id, const struct ledger_charge *charge,
		      bool *ret_replay, const struct desk **ret, struct fault *ret_fault);

static int charge(struct daemon *daemon, struct exchange *exchange, bool reserved, charge_fn *fn,
		  struct fault *ret_fault)
{
	_cleanup_schema_errors_ struct schema_errors errors = {};
	struct ledger_charge wanted;
	const struct desk *desk;
	struct change change;
	bool replay = false;
	int r = method_session_find(daemon, exchange, &desk, ret_fault);

	if (r)
		return r;
	r = charge_parse(daemon->contracts, exchange->body, exchange->n_body, reserved, &wanted,
			 &errors, ret_fault);
	if (r)
		return problem_reply_errors(exchange, r, ret_fault, &errors);
	wanted.at_ms = clock_realtime_ms();
	change_begin(&change, daemon, exchange, change_print_desk, 201);
	r = fn(daemon->hall, exchange->id, &wanted, &replay, &desk, ret_fault);
	if (replay)
		change.status = 200;
	return change_end(&change, r, desk, NULL);
}

int method_charge_add(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	return charge(daemon, exchange, false, hall_charge, ret_fault);
}

int method_charge_authorize(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	return charge(daemon, exchange, true, hall_authorize, ret_fault);
}
