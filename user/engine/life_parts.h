/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of a request's life share; for them alone. */
#ifndef REEVE_LIFE_PARTS_H
#define REEVE_LIFE_PARTS_H

#include "life.h"

/* Those that cancel a run. */
#define LIFE_SIGNALS 3

enum life_timer {
	LIFE_TIME_BOX,
	LIFE_GRACE,
	LIFE_TICK,
	LIFE_TIMER_COUNT,
};

struct life {
	struct request *request;
	const struct life_args *args;
	struct run_result *result;
	struct fault *fault;
	struct event_base *base;
	struct event *status, *ring, *timers[LIFE_TIMER_COUNT];
	struct event *signals[LIFE_SIGNALS];
	struct events *events;
	struct hostwatch *watch;
	struct life_dns *dns;
	struct output_pump *pumps[2];
	unsigned int open_pumps;
	uint64_t opened_generation; /* of the policy, when the request was let run */
	unsigned int running;	    /* steps */
	bool stopping, ended;
	struct spawn_exit exit;
	int error;
};

void life_kill(struct life *life);

/* Stops the request when a cap or the deadline is reached. */
void life_check_caps(struct life *life);

/* Sets the timers that depend on the time box that is left, and on what the session's caps are. */
int life_timers_set(struct life *life);

/* The outcome that stopping for @reason has. */
enum run_outcome life_outcome(const struct life *life, enum reason reason);

/* Nothing of the request runs any more: its account is closed and goes into the result. */
int life_settle(struct life *life);

#endif
