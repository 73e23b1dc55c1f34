/* SPDX-License-Identifier: GPL-2.0-only */
/* One change of one session, in memory and in the ledger at once or not at all. */
#ifndef REEVE_HALL_STEP_H
#define REEVE_HALL_STEP_H

#include "../model/desk_account.h"
#include "../model/desk_note.h"
#include "hall.h"

struct hall_session;

struct hall_told {
	enum desk_note type;
	uint64_t seq;
	char *body;
	size_t n_body;
	bool has_request;
	struct desk_request request;
	struct hall_told *next;
};

struct hall_step {
	struct hall_session *s;
	struct desk desk;
	struct desk_pieces pieces;
	size_t n_queue; /* how many will be left */
	size_t leaves;	/* where those stood that left */
	bool running;	/* an active request, @start apart */
	bool starts;
	struct desk_request start;
	bool queues;
	char queued[REEVE_SESSION_ID_SIZE];
	unsigned int effects;
	struct hall_told *told, **told_end;
};

/* Begins the transaction and brings the meter up. Whatever it returns, step_drop() ends it. */
int step_begin(struct hall_session *s, struct hall_step *ret, struct fault *ret_fault);
int step_event(struct hall_step *step, enum desk_event event, struct fault *ret_fault);
int step_note(struct hall_step *step, enum desk_note type, const struct desk_request *request,
	      const struct fault *fault);
/* The desk's spend is what the pieces and the active request make of it. */
void step_take_pieces(struct hall_step *step);
/* @request is for the witness. What is returned 0 for has been told and is in memory; the effects are due. */
int step_commit(struct hall_step *step, const struct desk_request *request, struct fault *ret_fault);
void step_drop(struct hall_step *step);
#define _cleanup_step_ _cleanup_(step_drop)
/* Makes a row of the queue one that is over. */
int step_end_row(struct hall_step *step, struct desk_request *row, enum run_outcome outcome);

#endif
