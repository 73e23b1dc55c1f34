// SPDX-License-Identifier: GPL-2.0-only
/*
 * The account of a session: that money follows the meter exactly, however often it was read, that nothing
 * ever falls or wraps, that what is authorised fits under the cap, and that the kernel, given the budget,
 * stops the session at the very reading at which the account shows the cap.
 */
#include <stdlib.h>

#include "../../include/account.h"
#include "../desk_made.h"

#define CENT REEVE_UCENTS_PER_CENT
#define MIN_NS (60 * NSEC_PER_SEC)

static const struct rate_card odd_rates = {
	.cpu_second_ucents = 7919,
	.wall_minute_ucents = 1000003,
	.step_ucents = 17,
	.request_ucents = 31,
	.egress_gib_ucents = 65537,
};

static struct desk desk_priced(void)
{
	struct desk desk = desk_made(DESK_AT_RUNNING);

	desk.rates = odd_rates;
	return desk;
}

TEST("money is the same however often the meter is read")
{
	struct desk once = desk_priced(), often = desk_priced();
	struct desk_meter meter = { 0 };

	srandom(7);
	for (int i = 0; i < 10000; i++) {
		meter.cpu_ns += (uint64_t)random() % 1000003;
		meter.wall_ns += (uint64_t)random() % 1000033;
		meter.bytes_out += (uint64_t)random() % 65521;
		desk_take_meter(&often, &meter);
		if (i % 100 == 0) {
			desk_take_steps(&often, 1);
			desk_take_steps(&once, 1);
			desk_take_request(&often);
			desk_take_request(&once);
		}
	}
	desk_take_meter(&once, &meter);
	EXPECT_EQ(once.spend.money_ucents, often.spend.money_ucents);
	EXPECT_EQ(once.spend.steps, 100);
	EXPECT_GE(often.spend.money_ucents, 100 * (17 + 31));
}

TEST("spend never falls, whatever the meter reads")
{
	struct desk desk = desk_priced(), before;
	struct desk_meter meter;

	srandom(8);
	for (int i = 0; i < 10000; i++) {
		before = desk;
		meter.cpu_ns = (uint64_t)random() * (uint64_t)random();
		meter.wall_ns = (uint64_t)random() * (uint64_t)random();
		meter.bytes_out = (uint64_t)random() * 3;
		meter.bytes_in = (uint64_t)random();
		desk_take_meter(&desk, &meter);
		desk_expect_invariants(&desk, &before);
	}
}

TEST("sums that no integer holds stay at the greatest")
{
	const struct desk_charge most = { UINT64_MAX, UINT64_MAX };
	const struct desk_meter meter = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX };
	struct desk desk = desk_priced(), before;

	desk.rates = (struct rate_card){ REEVE_RATE_UCENTS_MAX, REEVE_RATE_UCENTS_MAX,
					 REEVE_RATE_UCENTS_MAX, REEVE_RATE_UCENTS_MAX,
					 REEVE_RATE_UCENTS_MAX };
	desk_take_meter(&desk, &meter);
	before = desk;
	EXPECT_LE(desk.spend.money_ucents, 1ull << 63);
	desk_take_steps(&desk, UINT64_MAX);
	desk_take_request(&desk);
	desk_take_charge(&desk, &most, 0);
	desk_expect_invariants(&desk, &before);
	EXPECT_EQ(desk.spend.money_ucents, UINT64_MAX);
	EXPECT_EQ(desk.spend.charged_ucents, UINT64_MAX);
	EXPECT_EQ(desk.spend.steps, UINT64_MAX);
	desk_take_meter(&desk, &meter);
	EXPECT_EQ(desk.spend.money_ucents, UINT64_MAX);
	EXPECT_EQ(desk_cap_reached(&desk), DESK_QUEUE_CAP_MONEY);
	desk.cap = (struct desk_cap){ UINT64_MAX, UINT64_MAX };
	EXPECT_EQ(desk_cap_reached(&desk), DESK_QUEUE_CAP_MONEY);
}

TEST("what is shown is rounded down, and at a cap that is reached it is the cap or more")
{
	struct desk desk = desk_made(DESK_AT_RUNNING);

	desk.cap = (struct desk_cap){ .money_cents = 5, .minutes = 1 };
	desk.spend.money_ucents = 5 * CENT - 1;
	desk.spend.cpu_ns = MIN_NS - 1;
	EXPECT_EQ(desk_cap_reached(&desk), DESK_QUEUE_OPEN);
	EXPECT_EQ(desk_money_cents(&desk), 4);
	EXPECT_EQ(desk_seconds(&desk), 59);
	desk.spend.cpu_ns++;
	EXPECT_EQ(desk_cap_reached(&desk), DESK_QUEUE_CAP_MINUTES);
	EXPECT_EQ(desk_seconds(&desk), 60);
	desk.spend.money_ucents++;
	EXPECT_EQ(desk_cap_reached(&desk), DESK_QUEUE_CAP_MONEY);
	EXPECT_EQ(desk_money_cents(&desk), 5);
	desk.spend.money_ucents = 9 * CENT + 1;
	EXPECT_EQ(desk_money_cents(&desk), 9);
}

TEST("the clock says which time is spend, and both are measured")
{
	struct desk desk = desk_made(DESK_AT_RUNNING);
	const struct desk_meter meter = { .cpu_ns = 30 * NSEC_PER_SEC, .wall_ns = 60 * MIN_NS };

	desk_take_meter(&desk, &meter);
	EXPECT_EQ(desk_seconds(&desk), 30);
	EXPECT_EQ(desk_cap_reached(&desk), DESK_QUEUE_OPEN);
	desk.clock = DESK_CLOCK_WALL;
	EXPECT_EQ(desk_seconds(&desk), 3600);
	EXPECT_EQ(desk_cap_reached(&desk), DESK_QUEUE_CAP_MINUTES);
}

TEST("a money cap of 0 allows free work, and the first paid unit trips it")
{
	struct desk desk = desk_made(DESK_AT_RUNNING);
	const struct desk_meter meter = { .cpu_ns = NSEC_PER_SEC };

	desk.cap.money_cents = 0;
	desk_take_meter(&desk, &meter);
	desk_take_steps(&desk, 9);
	EXPECT_EQ(desk_cap_reached(&desk), DESK_QUEUE_OPEN);
	desk_take_charge(&desk, &(struct desk_charge){ 1, 0 }, 0);
	EXPECT_EQ(desk_cap_reached(&desk), DESK_QUEUE_CAP_MONEY);
}

TEST("settled and reserved money together stay under the cap: of 64 that ask, as many get as fit")
{
	struct desk desk = desk_made(DESK_AT_RUNNING);
	struct fault fault = { 0 };
	int granted = 0;

	desk.spend.money_ucents = 100 * CENT;
	for (int i = 0; i < 64; i++) {
		fault = (struct fault){ 0 };
		granted += desk_reserve(&desk, 290 * CENT, &fault) == 0;
		EXPECT_LE(desk.spend.money_ucents + desk.spend.reserved_ucents, 1000 * CENT);
	}
	EXPECT_EQ(granted, 3);
	EXPECT_EQ(fault.code, FAULT_CAP_SPENT);
	EXPECT_HAS(fault.reason, "30000000");
	EXPECT_EQ(desk_cap_reached(&desk), DESK_QUEUE_OPEN);
	EXPECT_EQ(desk_reserve(&desk, UINT64_MAX, &(struct fault){ 0 }), FAULT_E_SET);
	EXPECT_OK(desk_reserve(&desk, 30 * CENT, &fault));

	/* one of them costs less than was set aside, one is given back */
	desk_take_charge(&desk, &(struct desk_charge){ 200 * CENT, 3 }, 290 * CENT);
	desk_release(&desk, 290 * CENT);
	EXPECT_EQ(desk.spend.money_ucents, 300 * CENT);
	EXPECT_EQ(desk.spend.charged_ucents, 200 * CENT);
	EXPECT_EQ(desk.spend.reserved_ucents, 320 * CENT);
	EXPECT_EQ(desk.spend.steps, 3);
	desk_release(&desk, UINT64_MAX);
	EXPECT_EQ(desk.spend.reserved_ucents, 0);
}

TEST("nothing is authorised once a cap is reached, be it that of minutes")
{
	struct desk desk = desk_made(DESK_AT_PAUSED);
	struct fault fault = { 0 };

	desk.spend.cpu_ns = 60 * MIN_NS;
	EXPECT_EQ(desk_reserve(&desk, 0, &fault), FAULT_E_SET);
	EXPECT_HAS(fault.reason, "cap_minutes");
}

/* The first CPU time at which the kernel stops, by its own account. */
static uint64_t kernel_stops_at(const struct policy *policy)
{
	uint64_t low = 0, high = 1ull << 50;

	while (low < high) {
		struct usage usage = { .cpu_ns = (low + high) / 2 };

		if (account_state(policy, &usage, 0) == REASON_OK)
			low = usage.cpu_ns + 1;
		else
			high = usage.cpu_ns;
	}
	return low;
}

static uint64_t account_stops_at(const struct desk *desk)
{
	uint64_t low = 0, high = 1ull << 50;

	while (low < high) {
		struct desk_meter meter = { .cpu_ns = (low + high) / 2 };
		struct desk at = *desk;

		desk_take_meter(&at, &meter);
		if (desk_cap_reached(&at) == DESK_QUEUE_OPEN)
			low = meter.cpu_ns + 1;
		else
			high = meter.cpu_ns;
	}
	return low;
}

TEST("the kernel stops the session at the nanosecond at which the account shows the cap")
{
	const struct desk_meter none = { 0 };

	srandom(9);
	for (int i = 0; i < 200; i++) {
		struct desk desk = desk_priced();
		struct policy policy = { .deadline_ns = POLICY_UNLIMITED };

		desk.cap.money_cents = (uint64_t)random() % 3;
		desk.cap.minutes = 1 + (uint64_t)random() % 3;
		desk.rates.cpu_second_ucents = (uint64_t)random() % 20000;
		desk_take_meter(&desk, &(struct desk_meter){ .wall_ns = (uint64_t)random() });
		desk_take_charge(&desk, &(struct desk_charge){ (uint64_t)random() % CENT, 1 }, 0);
		if (desk_cap_reached(&desk) != DESK_QUEUE_OPEN)
			continue;
		desk_budget(&desk, &none, &policy);
		EXPECT_EQ(kernel_stops_at(&policy), account_stops_at(&desk));
	}
}

TEST("a kernel that counts from a later boot stops at most a hair later, and not before")
{
	struct desk desk = desk_priced();
	struct desk_meter earlier = { .cpu_ns = 1234567891, .wall_ns = 987654321 };
	struct policy policy = { .deadline_ns = POLICY_UNLIMITED };
	uint64_t kernel, account;

	desk.rates.cpu_second_ucents = 900001;
	desk.cap.money_cents = 3;
	desk_take_meter(&desk, &earlier);
	desk_budget(&desk, &earlier, &policy);
	EXPECT_EQ(policy.state, POLICY_OPEN);
	EXPECT_EQ(policy.cpu_cap_ns, 60 * MIN_NS - earlier.cpu_ns);
	kernel = kernel_stops_at(&policy) + earlier.cpu_ns;
	account = account_stops_at(&desk);
	EXPECT_GE(kernel, account);
	/* one micro-cent of rounding, as CPU time */
	EXPECT_LE(kernel - account, NSEC_PER_SEC / 900001 + 1);
}

TEST("the entry's state follows the session's, and a wipe under way lets nothing go on")
{
	static const enum policy_state states[DESK_PLACE_COUNT] = {
		[DESK_AT_IDLE] = POLICY_CLOSED,	 [DESK_AT_ARMED] = POLICY_CLOSED,
		[DESK_AT_RUNNING] = POLICY_OPEN, [DESK_AT_PAUSED] = POLICY_PAUSED,
		[DESK_AT_WIPING] = POLICY_WIPED, [DESK_AT_WIPED] = POLICY_WIPED,
		[DESK_AT_ENDING] = POLICY_WIPED, [DESK_AT_ENDED] = POLICY_CLOSED,
	};
	const struct desk_meter none = { 0 };

	for (unsigned int place = 0; place < DESK_PLACE_COUNT; place++) {
		struct desk desk = desk_made((enum desk_place)place);
		struct policy policy = { .state = POLICY_PROOF };

		desk_budget(&desk, &none, &policy);
		EXPECT_EQ(policy.state, states[place]);
	}
}

TEST("under the wall clock the cap is a deadline, and CPU time has no cap of its own")
{
	struct desk desk = desk_made(DESK_AT_RUNNING);
	const struct desk_meter none = { 0 };
	struct policy policy = { 0 };

	EXPECT_EQ(desk_deadline_ns(&desk, 1000, 5 * MIN_NS), 1000 + 5 * MIN_NS);
	desk.clock = DESK_CLOCK_WALL;
	desk.spend.wall_ns = 58 * MIN_NS;
	EXPECT_EQ(desk_deadline_ns(&desk, 1000, 5 * MIN_NS), 1000 + 2 * MIN_NS);
	EXPECT_EQ(desk_deadline_ns(&desk, UINT64_MAX, 5 * MIN_NS), UINT64_MAX);
	desk_budget(&desk, &none, &policy);
	EXPECT_EQ(policy.cpu_cap_ns, POLICY_UNLIMITED);
	desk.spend.wall_ns = 61 * MIN_NS;
	EXPECT_EQ(desk_deadline_ns(&desk, 1000, 5 * MIN_NS), 1000);
}

TEST("taken as pieces, spend is what it is taken one by one, however often, and never falls")
{
	const struct desk_meter meter = { 3 * NSEC_PER_SEC, MIN_NS, 1 << 20, 0 };
	const struct desk_charge charge = { 500, 3 };
	struct desk one = desk_priced(), all = desk_priced();
	struct desk_pieces pieces = { .requests = 2, .steps = 5, .reserved_ucents = 900 };

	desk_take_meter(&one, &meter);
	for (int i = 0; i < 2; i++)
		desk_take_request(&one);
	desk_take_steps(&one, 5);
	one.spend.reserved_ucents = 900;
	desk_take_charge(&one, &charge, 400);
	desk_pieces_add_charge(&pieces, &charge, 400);
	for (int i = 0; i < 3; i++) {
		desk_take_meter(&all, &meter);
		desk_take_pieces(&all, &pieces);
	}
	EXPECT_MEMEQ(&all.spend, &one.spend, sizeof(one.spend));
	pieces = (struct desk_pieces){};
	desk_take_pieces(&all, &pieces);
	EXPECT_EQ(all.spend.money_ucents, one.spend.money_ucents);
	EXPECT_EQ(all.spend.steps, one.spend.steps);
	EXPECT_EQ(all.spend.reserved_ucents, 0);
	pieces = (struct desk_pieces){ UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0 };
	desk_take_pieces(&all, &pieces);
	EXPECT_EQ(all.spend.money_ucents, UINT64_MAX);
	EXPECT_EQ(all.spend.steps, UINT64_MAX);
}
