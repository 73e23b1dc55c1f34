// SPDX-License-Identifier: GPL-2.0-only
/*
 * What comes in for sessions, as bytes from anybody: new sessions, changes, orders, steps, charges, and the
 * problems that a client reads. What is taken keeps to its bounds and makes documents that are valid; what is
 * refused has a whole fault.
 */
#include <stdint.h>
#include <string.h>

#include "../../user/model/desk_account.h"
#include "../../user/wire/charge_json.h"
#include "../../user/wire/desk_json.h"
#include "../../user/wire/desk_parse.h"
#include "../../user/wire/order_json.h"
#include "../../user/wire/problem_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void must(bool holds)
{
	if (!holds)
		__builtin_trap();
}

static struct contracts *contracts;

static void document_is_valid(const char *contract, const char *text)
{
	_cleanup_schema_errors_ struct schema_errors errors = { 0 };
	size_t at = 0;

	must(contract_find(contract, &at));
	must(contracts_judge(contracts, at, text, strlen(text), &errors) == 0);
}

static void refusal_is_whole(const struct fault *fault, const struct schema_errors *errors)
{
	struct problem problem = { fault, 422, "no", errors };
	_cleanup_free_ char *text = NULL;

	must(fault->code && fault->field[0] == '/' && fault->reason[0] && fault->remedy[0]);
	must(problem_json_print(&problem, &text) == 0);
	document_is_valid("problem@1", text);
}

static void desk_is_whole(struct desk *desk)
{
	_cleanup_free_ char *text = NULL;

	must(desk->egress <= SPEC_EGRESS_PUBLIC && desk->cap.minutes >= 1 && desk->step_budget >= 1);
	must(desk->time_box_minutes >= REEVE_TIME_BOX_MINUTES_MIN &&
	     desk->time_box_minutes <= REEVE_TIME_BOX_MINUTES_MAX);
	must(desk_cap_reached(desk) == DESK_QUEUE_OPEN);
	snprintf(desk->id, sizeof(desk->id), "sbs_01KBDRJ0G0A1B2C3D4E5F6G7H8");
	must(session_json_print(desk, "https://scratch.example.net", &text) == 0);
	document_is_valid("codes.sandbox-session@1", text);
}

static void try_desk(const char *text, size_t n)
{
	_cleanup_schema_errors_ struct schema_errors errors = { 0 }, more = { 0 };
	struct fault fault = { 0 }, other = { 0 };
	struct desk_change change;
	struct desk desk;

	if (desk_parse(contracts, text, n, &desk, &errors, &fault))
		refusal_is_whole(&fault, &errors);
	else
		desk_is_whole(&desk);
	if (desk_change_parse(contracts, text, n, &change, &more, &other))
		refusal_is_whole(&other, &more);
	else
		must(!change.has_cap || change.cap.minutes >= 1);
}

static void try_order(const char *text, size_t n)
{
	_cleanup_schema_errors_ struct schema_errors errors = { 0 }, more = { 0 };
	_cleanup_spec_ struct spec spec = { 0 }, step = { 0 };
	struct fault fault = { 0 }, other = { 0 };
	bool open = false;

	if (order_parse(contracts, text, n, SPEC_EGRESS_NONE, &spec, &open, &errors, &fault))
		refusal_is_whole(&fault, &errors);
	else
		must((open || spec.n_argv) && spec.n_inputs == 0 && spec.egress == SPEC_EGRESS_NONE);
	if (step_parse(contracts, text, n, SPEC_EGRESS_NONE, &step, &more, &other))
		refusal_is_whole(&other, &more);
	else
		must(step.n_argv && step.argv[0][0]);
}

static void try_charge(const char *text, size_t n)
{
	_cleanup_schema_errors_ struct schema_errors errors = { 0 };
	struct ledger_charge charge;
	struct fault fault = { 0 };

	if (charge_parse(contracts, text, n, true, &charge, &errors, &fault))
		refusal_is_whole(&fault, &errors);
	else
		must(charge.id[0] && charge.reserved);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const char *text = (const char *)bytes;
	struct fault fault;

	if (!contracts)
		must(contracts_new(&contracts) == 0);
	try_desk(text, size);
	try_order(text, size);
	try_charge(text, size);
	if (problem_json_read(text, size, &fault))
		must(fault.code && fault.reason[0]);
	return 0;
}
