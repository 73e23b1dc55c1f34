/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state machine of a session: one table of state x event -> state, effects, refusal. Pure: it changes
 * the desk, and tells its caller in @ret_effects what has to be done in the kernel, in the queue, on disk.
 */
#ifndef REEVE_DESK_STEP_H
#define REEVE_DESK_STEP_H

#include "../base/fault.h"
#include "desk.h"

/* X(NAME, name) */
#define DESK_EVENTS(X)                                                                             \
	X(SUBMIT, submit)                                                                          \
	X(GO, go)                                                                                  \
	X(DISPATCH, dispatch) /* the first of the queue may start */                               \
	X(FINISH, finish)     /* the running request is over, for whatever reason */               \
	X(CAP, cap)	      /* the spend reached a cap, by meter or charge */                    \
	X(PAUSE, pause)                                                                            \
	X(RESUME, resume)                                                                          \
	X(CHANGE_CAP, change_cap)                                                                  \
	X(CHANGE_BOX, change_box) /* time box, step budget */                                      \
	X(WIPE, wipe)		  /* asked for; nothing runs any more */                           \
	X(WIPE_PROVED, wipe_proved)                                                                \
	X(WIPE_FAILED, wipe_failed)                                                                \
	X(END, end)                                                                                \
	X(END_PROVED, end_proved)                                                                  \
	X(ENFORCEMENT_LOST, enforcement_lost)                                                      \
	X(REBOOT, reboot)

enum desk_event {
#define X(NAME, name) DESK_EVENT_##NAME,
	DESK_EVENTS(X)
#undef X
	DESK_EVENT_COUNT,
};

/* What the caller performs, in this order. */
enum desk_effect {
	DESK_DO_QUEUE = 1 << 0,	 /* put the request behind the others */
	DESK_DO_START = 1 << 1,	 /* start the first of the queue */
	DESK_DO_FREEZE = 1 << 2, /* the running request; its time box stops */
	DESK_DO_THAW = 1 << 3,
	DESK_DO_KILL = 1 << 4,		/* the running request, with the outcome of the event */
	DESK_DO_REFUSE_QUEUED = 1 << 5, /* every queued one becomes RUN_REFUSED */
	DESK_DO_BUDGET = 1 << 6, /* write caps, state and what is settled into the kernel's entry */
	DESK_DO_WIPE = 1 << 7,	 /* and report WIPE_PROVED or WIPE_FAILED */
	DESK_DO_END = 1 << 8,	 /* remove the kernel's objects and report END_PROVED */
	DESK_DO_DISPATCH = 1 << 9, /* give DISPATCH, for there may be something queued */
};

/* What the guards ask that is not in the desk itself. */
struct desk_facts {
	uint64_t now_ms;
	uint64_t queued; /* requests */
	bool running;	 /* a request is running or frozen */
	bool enforced;	 /* every must holds */
};

/*
 * Gives @event to the desk. Returns 0 with the desk changed (revision too, when a document shows a
 * difference) and the mask of enum desk_effect; or FAULT_E_SET with the code that the row in desk_table.c
 * refuses with, the desk untouched. An event that changes nothing (Go on an armed session, end on an
 * ended one) returns 0 and no effect.
 *
 * For CHANGE_CAP and CHANGE_BOX the caller has put the new values into the desk, a copy of it that is
 * thrown away when they are refused. WIPE and END may come again while the earlier one is not proved.
 */
int desk_step(struct desk *desk, enum desk_event event, const struct desk_facts *facts,
	      unsigned int *ret_effects, struct fault *ret_fault);

const char *desk_event_name(enum desk_event event);

#endif
