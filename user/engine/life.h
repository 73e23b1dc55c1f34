/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From go to the moment when no process of a request is left and its output is whole: time box, caps, cancelling
 * signals, and the orders of whoever keeps it.
 */
#ifndef REEVE_LIFE_H
#define REEVE_LIFE_H

#include "../model/result.h"
#include "output.h"
#include "request.h"

struct event_base;
struct life;

struct life_args {
	const struct output_dir *dir;
	int stdout_pipe, stderr_pipe; /* read ends; taken over */
	int stdout_watch, stderr_watch;
	bool signals;		 /* SIGINT, SIGTERM and SIGHUP cancel it */
	uint64_t step_budget;	 /* of an open request */
	struct event_base *base; /* NULL: one of its own */
	/* Of a keeper; NULL else. @life may be given orders from begun() on, until life_run() returns. */
	void (*begun)(struct life *life, void *arg);
	void (*step_ended)(const struct spawn_exit *exit, void *arg);
	void *arg;
};

/*
 * Fills the outcome, exit, account and denials of @result. Returns 0, or -errno or FAULT_E_SET when the request
 * could not be seen to its end; it must be ended in either case.
 */
int life_run(struct request *request, const struct life_args *args, struct run_result *result,
	     struct fault *ret_fault);

/* Orders. What comes when the request already ends changes nothing any more. */

/*
 * Ends it with @outcome, unless another is known; @gently: TERM first, and KILL after the grace. RUN_WIPED
 * leaves the session's policy wiped.
 */
void life_stop(struct life *life, enum run_outcome outcome, bool gently);

/* See request_freeze(). What is being stopped is killed instead. Return 0 or -errno; then it is being killed. */
int life_freeze(struct life *life);
int life_thaw(struct life *life);
int life_set_budget(struct life *life, const struct session_budget *budget);

#define LIFE_E_NOT_OPEN 1 /* its command is the only one */
#define LIFE_E_ENDING 2
#define LIFE_E_FROZEN 3
#define LIFE_E_STEP_LIMITED 4 /* the budget is used up: it ends with RUN_STEP_LIMITED */

/* Starts one command more. Returns 0, LIFE_E_*, or as spawn_step(): -EAGAIN also when too many run. */
int life_step(struct life *life, const char *args, size_t n, size_t n_args);

/* Ends an open request and what still runs in it, as RUN_EXITED with the exit of the last step that ended. */
int life_finish(struct life *life);

#endif
