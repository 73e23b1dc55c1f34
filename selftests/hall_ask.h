/* SPDX-License-Identifier: GPL-2.0-only */
/* What a hall is asked for. */
#ifndef REEVE_SELFTESTS_HALL_ASK_H
#define REEVE_SELFTESTS_HALL_ASK_H

#include "hall_open.h"

HAND_STATIC struct desk hand_wanted(void)
{
	return (struct desk){
		.task_id = "task",
		.task_title = "A task",
		.owner = "usr_01KBDRJ0G0A1B2C3D4E5F6G7H8",
		.time_box_minutes = 10,
		.step_budget = 100,
		.cap = { .money_cents = 1000, .minutes = 60 },
		.egress = SPEC_EGRESS_NONE,
	};
}

HAND_STATIC int hand_told(int r)
{
	if (r)
		printf("  (%d %s %s: %s)\n", r, fault_code_name(hand.fault.code), hand.fault.field,
		       hand.fault.reason);
	return r;
}

/* The id of a new session; copied, for memory moves. */
HAND_STATIC const char *hand_create(const struct desk *wanted, char id[REEVE_SESSION_ID_SIZE])
{
	const struct desk *desk = NULL;

	hand.fault = (struct fault){};
	ASSERT_OK(hand_told(hall_create(hand.hall, wanted, &desk, &hand.fault)));
	snprintf(id, REEVE_SESSION_ID_SIZE, "%s", desk->id);
	return id;
}

static void hand_done(const struct desk *desk, const struct fault *fault, void *arg)
{
	(void)arg;
	(void)desk;
	hand.done = true;
	hand.done_fault = fault ? *fault : (struct fault){};
}

HAND_STATIC int hand_event(const char *id, enum desk_event event)
{
	bool proves = event == DESK_EVENT_WIPE || event == DESK_EVENT_END;

	hand.fault = (struct fault){};
	hand.done = false;
	return hand_told(hall_event(hand.hall, id, event, proves ? hand_done : NULL, NULL,
				    &hand.desk, &hand.fault));
}

HAND_STATIC int hand_submit(const char *id, const char *script, bool open, struct desk_request *ret)
{
	_cleanup_spec_ struct spec spec = {};

	hand.fault = (struct fault){};
	ASSERT_OK(hand_spec(script, strlen(script), &spec, &hand.fault));
	return hand_told(
		hall_submit(hand.hall, id, &spec, open, script, strlen(script), ret, &hand.fault));
}

HAND_STATIC struct desk_request hand_row(const struct desk_request *request)
{
	struct desk_request row = {};

	ASSERT_OK(hall_find_request(hand.hall, request->id, &row));
	return row;
}

HAND_STATIC const struct desk *hand_desk(const char *id)
{
	return hall_find(hand.hall, id);
}

/* Waits until the request is over; its row. */
HAND_STATIC struct desk_request hand_over(const struct desk_request *request)
{
	struct desk_request row;

	HAND_WAIT(hand_row(request).state == DESK_REQUEST_FINISHED);
	row = hand_row(request);
	printf("%s: %s, exit %d, signal %d, cpu %llu us, %s\n", row.id, run_outcome_name(row.outcome),
	       row.exit_code, row.signal, (unsigned long long)row.cpu_ns / 1000, row.fault.reason);
	return row;
}

HAND_STATIC struct desk_request hand_run(const char *id, const char *script)
{
	struct desk_request request;

	ASSERT_OK(hand_submit(id, script, false, &request));
	return hand_over(&request);
}

#endif
