/* SPDX-License-Identifier: GPL-2.0-only */
/* The hall's memory: what is there of it, of each session, and of a request that runs. */
#ifndef REEVE_HALL_SESSION_H
#define REEVE_HALL_SESSION_H

#include "../model/config.h"
#include "../model/desk_account.h"
#include "hall.h"
#include "keeper.h"
#include "wipe.h"

/* The active request of a session, from the commit of its row until that of its end. */
struct hall_run {
	struct desk_request row;  /* as it was read last */
	struct keeper_link *link; /* NULL: its keeper is not reached */
	struct event *again;	  /* what could not be done is done again */
	struct event *owed;	  /* orders that the keeper had no room for are given again */
	uint32_t state;		  /* enum keeper_state, as the keeper told last */
	pid_t keeper, child;	  /* 0: not known, not ours */
	uint64_t steps;		  /* as the keeper told last */
	uint64_t ordered;	  /* steps, of an open one */
	uint64_t step_orders;	  /* which of the last 64 orders were steps */
	bool stopping;		  /* it is to end with @stop */
	bool told;		  /* that, on this link: told twice it would not be asked first */
	bool forced;		  /* the keeper did not hear that */
	enum run_outcome stop;
};

struct hall_waiter {
	void (*done)(const struct desk *desk, const struct fault *fault, void *arg);
	void *arg;
	struct hall_waiter *next;
};

struct hall_session {
	struct hall *hall;
	struct desk desk;
	struct desk_pieces pieces; /* of charges, and requests that are over */
	struct desk_meter earlier; /* what the kernel's counters do not have */
	struct session session;	   /* made until it has ended */
	char (*queue)[REEVE_SESSION_ID_SIZE];
	size_t n_queue;
	struct hall_run *run;
	struct wipe *wipe;
	bool wipe_wanted; /* once nothing runs */
	bool wipe_final;
	bool adopted; /* taken over from an earlier hall */
	struct hall_waiter *waiters;
	uint64_t site_inode; /* of what is published */
};

struct hall_step;

struct hall {
	const struct hall_args *args;
	struct hall_args args_copy;
	struct event_base *base;
	struct engine engine;
	struct ledger *ledger;
	char ledger_path[REEVE_PATH_MAX];
	bool enforced;
	struct hall_session **sessions; /* by id */
	size_t n_sessions, room;
	hall_witness_fn *witness;
	void *witness_arg;
	struct hall_step *step; /* the one that is being made */
	struct event *chores, *reaper;
	unsigned int round; /* of chores */
	pid_t *dead;	    /* children that end */
	size_t n_dead;
};

#endif
