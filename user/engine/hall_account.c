// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the spend comes from, each part from one place:
 *
 *	CPU time, bytes	   the kernel's counters of the session, and the ledger's meter of earlier boots
 *	wall time	   the session's entry in the kernel, which goes on over boots
 *	requests, steps	   the rows of requests that were let run; their keepers write them each second
 *	charges		   their rows
 *
 * The spend in the desk's own row is what all of that came to when the row was written. Nothing is added to it, so
 * that nothing is counted twice; it is a floor, and after a boot what the meter goes on from.
 *
 * A request was let run when wall time of it is known: its keeper writes some of it at once.
 */
#include "hall_parts.h"

#include <errno.h>
#include <string.h>

#include "../base/clock.h"

void account_take_row(struct desk_pieces *pieces, const struct desk_request *row)
{
	if (!row->wall_ns)
		return;
	pieces->requests++;
	pieces->steps += row->steps;
}

void account_take_run(struct desk_pieces *pieces, const struct hall_run *run)
{
	account_take_row(pieces, &run->row);
	if (run->row.wall_ns && run->steps > run->row.steps)
		pieces->steps += run->steps - run->row.steps;
}

static int kernel_read(struct hall_session *s, struct desk_meter *total)
{
	const struct policy *policy = &s->session.policy;
	uint64_t now = clock_monotonic_ns();
	struct usage usage;
	int r = session_usage(&s->session, &usage);

	if (!r)
		r = session_reload(&s->session);
	if (r)
		return r;
	total->cpu_ns += usage.cpu_ns;
	total->bytes_out += usage.bytes_out;
	total->bytes_in += usage.bytes_in;
	total->wall_ns = policy->wall_settled_ns;
	if (policy->running_since_ns && now > policy->running_since_ns)
		total->wall_ns += now - policy->running_since_ns;
	return 0;
}

int account_meter(struct hall_session *s)
{
	struct desk_meter total = s->earlier;
	struct desk_pieces pieces = s->pieces;
	struct desk_request row;
	int r;

	if (!s->session.made)
		return 0;
	r = kernel_read(s, &total);
	if (!r && s->run) {
		r = ledger_get_request(s->hall->ledger, s->run->row.id, &row);
		if (!r)
			s->run->row = row;
		account_take_run(&pieces, s->run);
	}
	if (r)
		return r < 0 ? r : -EUCLEAN;
	desk_take_meter(&s->desk, &total);
	desk_take_pieces(&s->desk, &pieces);
	return 0;
}

static uint64_t wall_cap_ns(const struct desk *desk)
{
	return desk->clock == DESK_CLOCK_WALL ? desk->spend.wall_ns + desk_left_ns(desk)
					      : POLICY_UNLIMITED;
}

/* @pieces without the active request: its keeper adds what it costs. */
static void policy_fill(const struct desk *desk, const struct desk_pieces *pieces,
			const struct desk_meter *earlier, struct policy *policy)
{
	struct desk without = *desk;

	without.spend.money_ucents = 0;
	desk_take_pieces(&without, pieces);
	desk_budget(&without, earlier, policy);
	/* the entry is opened by a request's keeper alone */
	if (policy->state == POLICY_OPEN)
		policy->state = POLICY_CLOSED;
}

struct session_budget account_budget(const struct hall_session *s)
{
	struct policy policy = {};

	policy_fill(&s->desk, &s->pieces, &s->earlier, &policy);
	return (struct session_budget){
		.cpu_cap_ns = policy.cpu_cap_ns,
		.wall_cap_ns = wall_cap_ns(&s->desk),
		.money_cap_ucents = policy.money_cap_ucents,
		.money_settled_ucents = policy.money_settled_ucents,
		.wall_settled_ns = policy.wall_settled_ns,
	};
}

struct policy account_policy(const struct hall_session *s)
{
	static const enum policy_egress egress[] = {
		[SPEC_EGRESS_NONE] = POLICY_EGRESS_NONE,
		[SPEC_EGRESS_PACKAGE_MANAGERS] = POLICY_EGRESS_PACKAGE_MANAGERS,
		[SPEC_EGRESS_PUBLIC] = POLICY_EGRESS_PUBLIC,
	};
	struct policy policy = {
		.egress = egress[s->desk.egress],
		.deadline_ns = POLICY_UNLIMITED,
	};

	snprintf(policy.session, sizeof(policy.session), "%s", s->desk.id);
	policy_fill(&s->desk, &s->pieces, &s->earlier, &policy);
	return policy;
}

/* What cannot be written is older and stricter, or there is a keeper who hears of it. */
void account_write(struct hall_session *s)
{
	struct session_budget budget = account_budget(s);
	struct keeper_order order = { .kind = KEEPER_BUDGET, .budget = budget };
	struct policy policy = {};

	if (!s->session.made)
		return;
	if (s->run) {
		if (s->run->link && !s->run->stopping &&
		    keeper_link_order(s->run->link, &order, NULL, 0, NULL) == -EAGAIN)
			run_owe(s);
		return;
	}
	policy_fill(&s->desk, &s->pieces, &s->earlier, &policy);
	session_reload(&s->session);
	s->session.policy.state = policy.state;
	session_set_budget(&s->session, &budget);
}

int account_trip(struct hall_session *s)
{
	struct fault fault = {};
	int r;

	if (hall_is_over(s) || desk_cap_reached(&s->desk) == DESK_QUEUE_OPEN ||
	    s->desk.queue != DESK_QUEUE_OPEN)
		return 0;
	r = effects_give(s, DESK_EVENT_CAP, &fault);
	/* a reading is no reason to fail: who submits is told the same */
	return r > 0 ? 0 : r;
}

static int charge_unknown(const char *id, struct fault *ret_fault)
{
	return fault_set(ret_fault, FAULT_CHARGE_CONFLICT, "/charge_id",
			 "give each charge an id of its own",
			 "charge %.127s was reported with other amounts before", id);
}

/* What was set aside under the charge's id and is not yet charged. */
static int reserved_find(struct hall_session *s, const char *id, uint64_t *ret)
{
	struct ledger_charge before;
	int r = ledger_get_charge(s->hall->ledger, s->desk.id, id, &before);

	*ret = r == 0 && before.reserved ? before.money_ucents : 0;
	return r < 0 ? r : 0;
}

static int charge_take(struct hall_step *step, const struct ledger_charge *charge,
		       struct fault *ret_fault)
{
	const struct desk_charge amount = { charge->money_ucents, charge->steps };
	uint64_t reserved;
	int r = reserved_find(step->s, charge->id, &reserved);

	if (r)
		return r;
	r = ledger_add_charge(step->s->hall->ledger, step->desk.id, charge);
	if (r == LEDGER_E_CONFLICT)
		return charge_unknown(charge->id, ret_fault);
	if (r)
		return r;
	if (!charge->reserved) {
		desk_pieces_add_charge(&step->pieces, &amount, reserved);
		step_take_pieces(step);
		return step_event(step, DESK_EVENT_CAP, ret_fault);
	}
	r = desk_reserve(&step->desk, charge->money_ucents, ret_fault);
	step->pieces.reserved_ucents = step->desk.spend.reserved_ucents;
	return r;
}

/* LEDGER_E_REPLAY comes from charge_take() too; FAULT_E_SET is told from it by its fault. */
static int charge(struct hall *hall, const char *session_id, const struct ledger_charge *charge,
		  bool *ret_replay, const struct desk **ret, struct fault *ret_fault)
{
	_cleanup_step_ struct hall_step step = {};
	struct hall_session *s = hall_session_find(hall, session_id);
	int r;

	if (!s)
		return hall_unknown(ret_fault, session_id);
	r = step_begin(s, &step, ret_fault);
	if (!r)
		r = charge_take(&step, charge, ret_fault);
	if (!r && s->desk.queue == DESK_QUEUE_ENDED)
		r = fault_set(ret_fault, FAULT_ENDED, "/state", "create another",
			      "the session has ended");
	*ret_replay = r == LEDGER_E_REPLAY;
	if (!r)
		r = step_note(&step, DESK_NOTE_CHARGE, NULL, NULL);
	if (!r)
		r = step_commit(&step, NULL, ret_fault);
	if (!r)
		effects_perform(s, step.effects | DESK_DO_BUDGET, RUN_CAPPED);
	*ret = &s->desk;
	return *ret_replay ? 0 : r;
}

int hall_charge(struct hall *hall, const char *session_id, const struct ledger_charge *wanted,
		bool *ret_replay, const struct desk **ret, struct fault *ret_fault)
{
	struct ledger_charge settled = *wanted;

	settled.reserved = false;
	return charge(hall, session_id, &settled, ret_replay, ret, ret_fault);
}

int hall_authorize(struct hall *hall, const char *session_id, const struct ledger_charge *reservation,
		   bool *ret_replay, const struct desk **ret, struct fault *ret_fault)
{
	struct ledger_charge reserved = *reservation;

	reserved.reserved = true;
	return charge(hall, session_id, &reserved, ret_replay, ret, ret_fault);
}
