// SPDX-License-Identifier: GPL-2.0-only
/* A hall's account with the real kernel: caps, prices, charges, and what stops when they are reached. */
#include <signal.h>
#include <sys/stat.h>

#include "../hall_end.h"
#include "../hall_look.h"

TEARDOWN
{
	hand_remove();
}

static int count_outcome(const struct desk_request *row, void *arg)
{
	((unsigned int *)arg)[row->state == DESK_REQUEST_FINISHED ? row->outcome : RUN_OUTCOME_COUNT]++;
	return 0;
}

TEST("of 64 that submit at once to a cap that fits three exactly three run", .seconds = 60)
{
	unsigned int outcomes[RUN_OUTCOME_COUNT + 1] = {}, refused = 0;
	struct desk wanted = hand_wanted();
	struct desk_request request;
	char id[REEVE_SESSION_ID_SIZE];

	hand_open();
	wanted.rates.request_ucents = 2 * REEVE_UCENTS_PER_CENT;
	wanted.cap.money_cents = 7;
	hand_create(&wanted, id);
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	for (int i = 0; i < 64; i++) {
		if (hand_submit(id, "echo ran >>log", false, &request)) {
			EXPECT_TRUE(hand.fault.code == FAULT_QUEUE_FULL ||
				    hand.fault.code == FAULT_QUEUE_CLOSED);
			refused++;
		}
	}
	HAND_WAIT(hand_desk(id)->state == DESK_PAUSED);
	EXPECT_STREQ(hand_work(id, "log"), "ran\nran\nran\n");
	EXPECT_EQ(hand_desk(id)->queue, DESK_QUEUE_CAP_MONEY);
	EXPECT_EQ(hand_desk(id)->spend.money_ucents, 8 * REEVE_UCENTS_PER_CENT);
	ASSERT_OK(hall_each_request(hand.hall, id, count_outcome, outcomes));
	EXPECT_EQ(outcomes[RUN_EXITED], 3);
	EXPECT_EQ(outcomes[RUN_CAPPED], 1);
	EXPECT_EQ(outcomes[RUN_REFUSED] + refused, 60);
	EXPECT_EQ(outcomes[RUN_OUTCOME_COUNT], 0);
	EXPECT_EQ(hand_event(id, DESK_EVENT_RESUME), FAULT_E_SET);
	EXPECT_EQ(hand.fault.code, FAULT_CAP_SPENT);
	EXPECT_EQ(hand_submit(id, "true", false, &request), FAULT_E_SET);
	EXPECT_EQ(hand.fault.code, FAULT_QUEUE_CLOSED);
}

TEST("the kernel stops at the money cap by CPU time, and raising the cap lets the session go on",
     .seconds = 60)
{
	const struct desk_change raise = { .has_cap = true, .cap = { 1000, 60 } };
	struct desk wanted = hand_wanted();
	struct desk_request row, second;
	char id[REEVE_SESSION_ID_SIZE];

	hand_open();
	wanted.rates.cpu_second_ucents = 10 * REEVE_UCENTS_PER_CENT;
	wanted.cap.money_cents = 5;
	hand_create(&wanted, id);
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	ASSERT_OK(hand_submit(id, "while :; do :; done", false, &row));
	ASSERT_OK(hand_submit(id, "echo no >log", false, &second));
	row = hand_over(&row);
	EXPECT_EQ(row.outcome, RUN_CAPPED);
	EXPECT_GE(row.cpu_ns, 500 * NSEC_PER_MSEC);
	EXPECT_LT(row.cpu_ns, 560 * NSEC_PER_MSEC);
	EXPECT_EQ(hand_row(&second).outcome, RUN_REFUSED);
	EXPECT_EQ(hand_desk(id)->queue, DESK_QUEUE_CAP_MONEY);
	EXPECT_EQ(hand_desk(id)->state, DESK_PAUSED);
	EXPECT_EQ(hand_desk(id)->spend.cpu_ns / 1000, hand_cpu_stat(id) / 1000);
	ASSERT_OK(hand_told(hall_change(hand.hall, id, &raise, &hand.desk, &hand.fault)));
	EXPECT_EQ(hand_desk(id)->queue, DESK_QUEUE_OPEN);
	ASSERT_OK(hand_event(id, DESK_EVENT_RESUME));
	EXPECT_EQ(hand_desk(id)->state, DESK_ARMED);
	EXPECT_EQ(hand_run(id, "exit 6").exit_code, 6);
}

TEST("the cap of minutes by the wall clock counts what runs, and not what is frozen", .seconds = 40)
{
	struct desk wanted = hand_wanted();
	struct desk_request request, row;
	char id[REEVE_SESSION_ID_SIZE];
	const struct desk *desk;
	uint64_t before;

	hand_open();
	wanted.clock = DESK_CLOCK_WALL;
	hand_create(&wanted, id);
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	ASSERT_OK(hand_submit(id, "echo up >up; sleep 1.2", false, &request));
	HAND_WAIT(hand_work(id, "up")[0]);
	ASSERT_OK(hand_event(id, DESK_EVENT_PAUSE));
	HAND_WAIT(hand_row(&request).state == DESK_REQUEST_FROZEN);
	ASSERT_OK(hall_meter(hand.hall, id, &desk));
	before = desk->spend.wall_ns;
	hand_turn(500);
	ASSERT_OK(hall_meter(hand.hall, id, &desk));
	EXPECT_EQ(desk->spend.wall_ns, before);
	ASSERT_OK(hand_event(id, DESK_EVENT_RESUME));
	row = hand_over(&request);
	EXPECT_EQ(row.outcome, RUN_EXITED);
	EXPECT_EQ(hand_desk(id)->spend.wall_ns, row.wall_ns);
	EXPECT_GT(row.wall_ns, before);
}

static int charge(const char *id, const char *charge_id, uint64_t ucents, bool reserve, bool *replay)
{
	struct ledger_charge wanted = { .money_ucents = ucents, .steps = 1, .note = "call" };

	snprintf(wanted.id, sizeof(wanted.id), "%s", charge_id);
	hand.fault = (struct fault){};
	return hand_told((reserve ? hall_authorize : hall_charge)(hand.hall, id, &wanted, replay,
								  &hand.desk, &hand.fault));
}

TEST("charges count once, reservations hold the cap, and a charge that reaches it stops what runs",
     .seconds = 60)
{
	struct desk wanted = hand_wanted();
	struct desk_request running, waiting;
	char id[REEVE_SESSION_ID_SIZE];
	bool replay = false;

	hand_open();
	wanted.cap.money_cents = 10;
	hand_create(&wanted, id);
	ASSERT_OK(charge(id, "a", 2000000, false, &replay));
	EXPECT_FALSE(replay);
	ASSERT_OK(charge(id, "a", 2000000, false, &replay));
	EXPECT_TRUE(replay);
	EXPECT_EQ(charge(id, "a", 2000001, false, &replay), FAULT_E_SET);
	EXPECT_EQ(hand.fault.code, FAULT_CHARGE_CONFLICT);
	EXPECT_EQ(hand_desk(id)->spend.money_ucents, 2000000);
	EXPECT_EQ(hand_desk(id)->spend.steps, 1);
	ASSERT_OK(charge(id, "r", 6000000, true, &replay));
	EXPECT_EQ(hand_desk(id)->spend.reserved_ucents, 6000000);
	EXPECT_EQ(charge(id, "s", 2000001, true, &replay), FAULT_E_SET);
	EXPECT_EQ(hand.fault.code, FAULT_CAP_SPENT);
	EXPECT_EQ(hand_desk(id)->spend.reserved_ucents, 6000000);
	ASSERT_OK(charge(id, "r", 5000000, false, &replay));
	EXPECT_EQ(hand_desk(id)->spend.reserved_ucents, 0);
	EXPECT_EQ(hand_desk(id)->spend.money_ucents, 7000000);
	hall_close(&hand.hall);
	hand_open();
	EXPECT_EQ(hand_desk(id)->spend.money_ucents, 7000000);
	EXPECT_EQ(hand_desk(id)->spend.charged_ucents, 7000000);
	EXPECT_EQ(hand_desk(id)->spend.steps, 2);
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	ASSERT_OK(hand_submit(id, "echo up >up; while :; do sleep 0.02; done", false, &running));
	ASSERT_OK(hand_submit(id, "true", false, &waiting));
	HAND_WAIT(hand_work(id, "up")[0]);
	ASSERT_OK(charge(id, "b", 3000000, false, &replay));
	EXPECT_EQ(hand_desk(id)->queue, DESK_QUEUE_CAP_MONEY);
	EXPECT_EQ(hand_desk(id)->state, DESK_PAUSED);
	EXPECT_EQ(hand_row(&waiting).outcome, RUN_REFUSED);
	EXPECT_EQ(hand_over(&running).outcome, RUN_CAPPED);
	EXPECT_EQ(hand_desk(id)->spend.steps, 4);
}

static int refuse(const struct desk *desk, const struct desk_request *request, void *arg)
{
	EXPECT_EQ(strncmp(desk->id, "sbs_", 4), 0);
	EXPECT_EQ(strncmp(request->id, "req_", 4), 0);
	(*(int *)arg)++;
	return -EIO;
}

TEST("a witness writes in the transaction of the change, or the change is not", .seconds = 40)
{
	const struct desk wanted = hand_wanted();
	const struct desk *desk = NULL;
	struct desk_request request;
	char id[REEVE_SESSION_ID_SIZE];
	int calls = 0;

	hand_open();
	hand_create(&wanted, id);
	hall_set_witness(hand.hall, refuse, &calls);
	EXPECT_EQ(hand_submit(id, "true", false, &request), -EIO);
	EXPECT_EQ(calls, 1);
	EXPECT_EQ(hand_desk(id)->revision, 1);
	ASSERT_OK(hand_submit(id, "true", false, &request));
	EXPECT_EQ(calls, 1);
	EXPECT_EQ(request.position, 1);
	ASSERT_OK(hall_resolve(hand.hall, "sbs_", &desk, &hand.fault));
	EXPECT_STREQ(desk->id, id);
}

TEST("the step budget ends an open request, and the session goes on", .seconds = 40)
{
	struct desk wanted = hand_wanted();
	struct desk_request request;
	_cleanup_spec_ struct spec spec = {};
	char id[REEVE_SESSION_ID_SIZE];
	uint64_t step;

	hand_open();
	wanted.step_budget = 2;
	hand_create(&wanted, id);
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	ASSERT_OK(hand_submit(id, "", true, &request));
	ASSERT_OK(hand_spec("true", 4, &spec, &hand.fault));
	for (int i = 0; i < 3; i++)
		ASSERT_OK(hand_told(hall_add_step(hand.hall, request.id, &spec, &step, &hand.fault)));
	EXPECT_EQ(hand_over(&request).outcome, RUN_STEP_LIMITED);
	EXPECT_EQ(hand_desk(id)->spend.steps, 2);
	EXPECT_EQ(hand_desk(id)->state, DESK_ARMED);
}
