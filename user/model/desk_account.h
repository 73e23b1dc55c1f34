/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The account of a session: what it has spent, what was authorised, and the budget that the kernel stops
 * it by. All in whole units; a sum that no integer holds stays at the greatest there is.
 */
#ifndef REEVE_DESK_ACCOUNT_H
#define REEVE_DESK_ACCOUNT_H

#include "../../include/policy.h"
#include "desk.h"

/* What was measured of the session in all its life, the running request included. */
struct desk_meter {
	uint64_t cpu_ns, wall_ns;
	uint64_t bytes_out, bytes_in;
};

/* What a host agent reports, or wants to be sure of before it spends. */
struct desk_charge {
	uint64_t money_ucents, steps;
};

/* Takes over what was measured; a reading below what is known already changes nothing. */
void desk_take_meter(struct desk *desk, const struct desk_meter *meter);

/*
 * What came in pieces, in all the session's life: requests that were let run and commands in them, which the rate card
 * prices, and charges. Takes it over in whole; spend that is known already does not fall.
 */
struct desk_pieces {
	uint64_t requests, steps;
	uint64_t charged_ucents, charged_steps;
	uint64_t reserved_ucents;
};
void desk_take_pieces(struct desk *desk, const struct desk_pieces *pieces);
void desk_pieces_add_charge(struct desk_pieces *pieces, const struct desk_charge *charge,
			    uint64_t reserved_ucents);

/* A request was started, @steps commands were started in one: at the prices of the rate card. */
void desk_take_request(struct desk *desk);
void desk_take_steps(struct desk *desk, uint64_t steps);

/* A charge; @reserved is what was authorised under its id before, 0 for nothing. */
void desk_take_charge(struct desk *desk, const struct desk_charge *charge, uint64_t reserved_ucents);

/*
 * Sets money aside: settled and reserved together are at most the cap, at a cap of 0 nothing is. Returns
 * 0 or FAULT_E_SET, the desk untouched.
 */
int desk_reserve(struct desk *desk, uint64_t money_ucents, struct fault *ret_fault);
/* Gives back what was set aside and not charged. */
void desk_release(struct desk *desk, uint64_t reserved_ucents);

/* Whether the spend has reached a cap, and which: DESK_QUEUE_OPEN for none. */
enum desk_queue desk_cap_reached(const struct desk *desk);

/* Whole units as the contract's document has them: by floor, and at a reached cap at least the cap. */
uint64_t desk_money_cents(const struct desk *desk);
uint64_t desk_seconds(const struct desk *desk);

/* What both caps leave, 0 when they leave nothing. */
uint64_t desk_left_ucents(const struct desk *desk);
uint64_t desk_left_ns(const struct desk *desk);

/*
 * Writes what follows from the desk into the session's entry for the kernel: state, rates, both caps and
 * what is settled. @earlier is the part of the meter that the kernel's own counters do not have, of
 * earlier boots. Ring, deadline, egress, generation and the running request's start are left alone.
 */
void desk_budget(const struct desk *desk, const struct desk_meter *earlier, struct policy *policy);

/*
 * When the running request must be over, CLOCK_MONOTONIC: @box_left_ns of its time box are left, and under
 * the wall clock what is left of the cap.
 */
uint64_t desk_deadline_ns(const struct desk *desk, uint64_t now_ns, uint64_t box_left_ns);

#endif
