// SPDX-License-Identifier: GPL-2.0-only
/*
 * Money has two parts. What was measured is priced from the totals, always as a whole, so that it does not
 * matter how often it was read and no fraction is lost or counted twice; the formula is the kernel's
 * (include/account.h). What came in pieces, requests, steps and charges, is flat: money_ucents less the price
 * of the totals. Both only rise, and so does their sum.
 *
 * Reservations are no spend: they bound what may be authorised beside them, and stop nothing.
 */
#include "desk_account.h"

#include "../../include/account.h"

#define NSEC_PER_MIN (60 * NSEC_PER_SEC)

/* Bounds of the totals under which no product of the account leaves 64 bits, whatever the rates. */
#define PRICED_CPU_NS_MAX ((1ull << 30) * NSEC_PER_SEC)
#define PRICED_BYTES_MAX (1ull << 59)

static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t lower(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void rates_put(const struct rate_card *rates, struct policy_rates *ret)
{
	ret->cpu_second_ucents = rates->cpu_second_ucents;
	ret->wall_minute_ucents = rates->wall_minute_ucents;
	ret->egress_gib_ucents = rates->egress_gib_ucents;
}

static uint64_t metered_ucents(const struct desk *desk, const struct desk_meter *meter)
{
	struct policy policy = { .wall_settled_ns = meter->wall_ns };
	struct usage usage = {
		.cpu_ns = lower(meter->cpu_ns, PRICED_CPU_NS_MAX),
		.bytes_out = lower(meter->bytes_out, PRICED_BYTES_MAX),
	};

	rates_put(&desk->rates, &policy.rates);
	return account_money_ucents(&policy, &usage, 0);
}

static struct desk_meter meter_of(const struct desk *desk)
{
	return (struct desk_meter){ desk->spend.cpu_ns, desk->spend.wall_ns, desk->spend.bytes_out,
				    desk->spend.bytes_in };
}

static uint64_t flat_ucents(const struct desk *desk)
{
	struct desk_meter meter = meter_of(desk);

	return less(desk->spend.money_ucents, metered_ucents(desk, &meter));
}

static void raise(uint64_t *to, uint64_t value)
{
	if (value > *to)
		*to = value;
}

void desk_take_meter(struct desk *desk, const struct desk_meter *meter)
{
	struct desk_spend *spend = &desk->spend;
	uint64_t flat = flat_ucents(desk);
	struct desk_meter total;

	raise(&spend->cpu_ns, meter->cpu_ns);
	raise(&spend->wall_ns, meter->wall_ns);
	raise(&spend->bytes_out, meter->bytes_out);
	raise(&spend->bytes_in, meter->bytes_in);
	total = meter_of(desk);
	raise(&spend->money_ucents, add(flat, metered_ucents(desk, &total)));
}

void desk_take_pieces(struct desk *desk, const struct desk_pieces *pieces)
{
	struct desk_spend *spend = &desk->spend;
	struct desk_meter meter = meter_of(desk);
	uint64_t flat = add(multiply(pieces->requests, desk->rates.request_ucents),
			    multiply(pieces->steps, desk->rates.step_ucents));

	flat = add(flat, pieces->charged_ucents);
	raise(&spend->money_ucents, add(flat, metered_ucents(desk, &meter)));
	raise(&spend->charged_ucents, pieces->charged_ucents);
	raise(&spend->steps, add(pieces->steps, pieces->charged_steps));
	spend->reserved_ucents = pieces->reserved_ucents;
}

void desk_pieces_add_charge(struct desk_pieces *pieces, const struct desk_charge *charge,
			    uint64_t reserved_ucents)
{
	pieces->charged_ucents = add(pieces->charged_ucents, charge->money_ucents);
	pieces->charged_steps = add(pieces->charged_steps, charge->steps);
	pieces->reserved_ucents = less(pieces->reserved_ucents, reserved_ucents);
}

void desk_take_request(struct desk *desk)
{
	desk->spend.money_ucents = add(desk->spend.money_ucents, desk->rates.request_ucents);
}

void desk_take_steps(struct desk *desk, uint64_t steps)
{
	desk->spend.steps = add(desk->spend.steps, steps);
	desk->spend.money_ucents =
		add(desk->spend.money_ucents, multiply(steps, desk->rates.step_ucents));
}

void desk_take_charge(struct desk *desk, const struct desk_charge *charge, uint64_t reserved_ucents)
{
	struct desk_spend *spend = &desk->spend;

	spend->money_ucents = add(spend->money_ucents, charge->money_ucents);
	spend->charged_ucents = add(spend->charged_ucents, charge->money_ucents);
	spend->steps = add(spend->steps, charge->steps);
	desk_release(desk, reserved_ucents);
}

void desk_release(struct desk *desk, uint64_t reserved_ucents)
{
	desk->spend.reserved_ucents = less(desk->spend.reserved_ucents, reserved_ucents);
}

static uint64_t cap_ucents(const struct desk *desk)
{
	return multiply(desk->cap.money_cents, REEVE_UCENTS_PER_CENT);
}

static uint64_t cap_ns(const struct desk *desk)
{
	return multiply(desk->cap.minutes, NSEC_PER_MIN);
}

static uint64_t clock_ns(const struct desk *desk)
{
	return desk->clock == DESK_CLOCK_WALL ? desk->spend.wall_ns : desk->spend.cpu_ns;
}

uint64_t desk_left_ucents(const struct desk *desk)
{
	return less(cap_ucents(desk), add(desk->spend.money_ucents, desk->spend.reserved_ucents));
}

uint64_t desk_left_ns(const struct desk *desk)
{
	return less(cap_ns(desk), clock_ns(desk));
}

int desk_reserve(struct desk *desk, uint64_t money_ucents, struct fault *ret_fault)
{
	struct desk_spend *spend = &desk->spend;
	uint64_t wanted = add(add(spend->money_ucents, spend->reserved_ucents), money_ucents);

	if (desk_cap_reached(desk) != DESK_QUEUE_OPEN)
		return fault_set(ret_fault, FAULT_CAP_SPENT, "/cap", "let the owner raise the cap",
				 "the session has spent its cap: %s",
				 desk_queue_name(desk_cap_reached(desk)));
	if (wanted > cap_ucents(desk))
		return fault_set(ret_fault, FAULT_CAP_SPENT, "/money_ucents",
				 "authorise less, or let the owner raise the cap",
				 "%llu micro-cents are more than the cap leaves: %llu",
				 (unsigned long long)money_ucents,
				 (unsigned long long)desk_left_ucents(desk));
	spend->reserved_ucents = add(spend->reserved_ucents, money_ucents);
	return 0;
}

enum desk_queue desk_cap_reached(const struct desk *desk)
{
	if (account_money_reached(desk->spend.money_ucents, cap_ucents(desk)))
		return DESK_QUEUE_CAP_MONEY;
	return clock_ns(desk) >= cap_ns(desk) ? DESK_QUEUE_CAP_MINUTES : DESK_QUEUE_OPEN;
}

uint64_t desk_money_cents(const struct desk *desk)
{
	return desk->spend.money_ucents / REEVE_UCENTS_PER_CENT;
}

uint64_t desk_seconds(const struct desk *desk)
{
	return clock_ns(desk) / NSEC_PER_SEC;
}

static enum policy_state policy_state_of(const struct desk *desk)
{
	static const enum policy_state states[] = {
		[DESK_IDLE] = POLICY_CLOSED,  [DESK_ARMED] = POLICY_CLOSED,
		[DESK_RUNNING] = POLICY_OPEN, [DESK_PAUSED] = POLICY_PAUSED,
		[DESK_WIPED] = POLICY_WIPED,  [DESK_ENDED] = POLICY_CLOSED,
	};

	/* a wipe or the end is under way: what is left must not go on */
	if (desk->state == DESK_PAUSED && !desk->armed)
		return POLICY_WIPED;
	return states[desk->state];
}

void desk_budget(const struct desk *desk, const struct desk_meter *earlier, struct policy *policy)
{
	struct desk_meter without_wall = *earlier;

	/* the kernel gets all of the wall time settled, and prices it itself */
	without_wall.wall_ns = 0;
	policy->state = policy_state_of(desk);
	policy->cpu_cap_ns = desk->clock == DESK_CLOCK_WALL ? POLICY_UNLIMITED
							    : less(cap_ns(desk), earlier->cpu_ns);
	policy->money_cap_ucents = cap_ucents(desk);
	policy->money_settled_ucents = add(flat_ucents(desk), metered_ucents(desk, &without_wall));
	policy->wall_settled_ns = desk->spend.wall_ns;
	rates_put(&desk->rates, &policy->rates);
}

uint64_t desk_deadline_ns(const struct desk *desk, uint64_t now_ns, uint64_t box_left_ns)
{
	uint64_t left_ns = box_left_ns;

	if (desk->clock == DESK_CLOCK_WALL)
		left_ns = lower(left_ns, desk_left_ns(desk));
	return add(now_ns, left_ns);
}
