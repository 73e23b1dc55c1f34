// SPDX-License-Identifier: GPL-2.0-only
/*
 * A step is made on a copy of the desk. What its events do to rows is written as they are given; the desk's own row,
 * what is told of it, and the witness's reply come last, and one commit makes all of it so. Until then nothing in memory
 * has changed but the meter, which no step makes.
 */
#include "hall_parts.h"

#include <errno.h>
#include <string.h>

int step_begin(struct hall_session *s, struct hall_step *ret, struct fault *ret_fault)
{
	int r;

	*ret = (struct hall_step){ .s = s };
	ret->told_end = &ret->told;
	r = ledger_begin(s->hall->ledger);
	if (r == -EBUSY)
		return fault_set(ret_fault, FAULT_BUSY, "", "try again in a moment",
				 "the ledger is being written by another for too long");
	if (r)
		return r;
	s->hall->step = ret;
	r = account_meter(s);
	ret->desk = s->desk;
	ret->pieces = s->pieces;
	ret->n_queue = s->n_queue;
	ret->running = s->run;
	return r;
}

int step_note(struct hall_step *step, enum desk_note type, const struct desk_request *request,
	      const struct fault *fault)
{
	const struct hall *hall = step->s->hall;
	struct hall_note note = { desk_note_type(type), &step->desk, request, fault };
	struct hall_told *told = calloc(1, sizeof(*told));
	struct ledger_event event = { .at_ms = hall_now_ms(hall) };
	int r;

	if (!told)
		return -ENOMEM;
	*step->told_end = told;
	step->told_end = &told->next;
	told->type = type;
	told->has_request = request;
	if (request)
		told->request = *request;
	r = hall->args->describe(&note, &told->body, &told->n_body, hall->args->arg);
	if (r)
		return r;
	snprintf(event.session_id, sizeof(event.session_id), "%s", step->desk.id);
	snprintf(event.type, sizeof(event.type), "%s", note.type);
	event.body = told->body;
	event.n_body = told->n_body;
	return ledger_add_event(hall->ledger, &event, &told->seq);
}

int step_end_row(struct hall_step *step, struct desk_request *row, enum run_outcome outcome)
{
	row->state = DESK_REQUEST_FINISHED;
	row->finished_at_ms = hall_now_ms(step->s->hall);
	row->outcome = outcome;
	row->exit_code = -1;
	return ledger_put_request(step->s->hall->ledger, row);
}

static int queued_refuse(struct hall_step *step)
{
	struct hall_session *s = step->s;
	struct desk_request row;
	int r = 0;

	for (size_t i = s->n_queue - step->n_queue; i < s->n_queue && !r; i++) {
		r = ledger_get_request(s->hall->ledger, s->queue[i], &row);
		if (!r)
			r = step_end_row(step, &row, RUN_REFUSED);
		if (!r)
			r = step_note(step, DESK_NOTE_REQUEST_FINISHED, &row, NULL);
	}
	step->n_queue = 0;
	return r;
}

static int first_start(struct hall_step *step)
{
	struct hall_session *s = step->s;
	struct desk_request *row = &step->start;
	int r = ledger_get_request(s->hall->ledger, s->queue[s->n_queue - step->n_queue], row);

	if (r)
		return r;
	row->state = DESK_REQUEST_RUNNING;
	row->started_at_ms = hall_now_ms(s->hall);
	row->time_box_ns = step->desk.time_box_minutes * 60 * NSEC_PER_SEC;
	row->step_budget = step->desk.step_budget;
	r = uuid_make(row->output_name);
	if (!r)
		r = ledger_put_request(s->hall->ledger, row);
	step->starts = true;
	step->n_queue--;
	return r ? r : step_note(step, DESK_NOTE_REQUEST_STARTED, row, NULL);
}

int step_event(struct hall_step *step, enum desk_event event, struct fault *ret_fault)
{
	const struct hall *hall = step->s->hall;
	const struct desk_facts facts = {
		.now_ms = hall_now_ms(hall),
		.queued = step->n_queue,
		.running = step->running,
		.enforced = hall->enforced,
	};
	unsigned int effects = 0;
	int r = desk_step(&step->desk, event, &facts, &effects, ret_fault);

	if (!r && effects & DESK_DO_REFUSE_QUEUED)
		r = queued_refuse(step);
	if (!r && effects & DESK_DO_START)
		r = first_start(step);
	step->effects |= effects;
	return r > 0 && !ret_fault->code ? -EIO : r;
}

static bool is_shown(const struct desk *a, const struct desk *b)
{
	return a->state != b->state || a->queue != b->queue || a->armed != b->armed ||
	       a->cap.money_cents != b->cap.money_cents || a->cap.minutes != b->cap.minutes ||
	       a->time_box_minutes != b->time_box_minutes || a->step_budget != b->step_budget ||
	       a->site.kept != b->site.kept;
}

/* Who hears of something that tells it anyway does not hear of it twice. */
static bool is_told(const struct hall_step *step)
{
	for (const struct hall_told *told = step->told; told; told = told->next)
		if (told->type == DESK_NOTE_SESSION_CREATED ||
		    told->type == DESK_NOTE_SESSION_WIPED || told->type == DESK_NOTE_SESSION_ENDED)
			return true;
	return false;
}

static int witness_call(struct hall_step *step, const struct desk_request *request)
{
	struct hall *hall = step->s->hall;
	hall_witness_fn *fn = hall->witness;

	hall->witness = NULL;
	return fn ? fn(&step->desk, request, hall->witness_arg) : 0;
}

static int memory_prepare(struct hall_step *step, struct hall_run **ret_run)
{
	struct hall_session *s = step->s;
	void *more;

	if (step->queues) {
		more = reallocarray(s->queue, s->n_queue + 1, sizeof(*s->queue));
		if (!more)
			return -ENOMEM;
		s->queue = more;
		memcpy(s->queue[s->n_queue], step->queued, sizeof(*s->queue));
	}
	*ret_run = step->starts ? run_new(s, &step->start) : NULL;
	return step->starts && !*ret_run ? -ENOMEM : 0;
}

static void memory_take(struct hall_step *step, struct hall_run *run)
{
	struct hall_session *s = step->s;
	size_t had = s->n_queue + step->queues, gone = had - step->n_queue, at = step->leaves;

	s->desk = step->desk;
	s->pieces = step->pieces;
	if (!step->running) {
		run_free(s->run, s->hall);
		s->run = NULL;
	}
	if (run)
		s->run = run;
	if (gone)
		memmove(s->queue + at, s->queue + at + gone, (had - at - gone) * sizeof(*s->queue));
	s->n_queue = step->n_queue;
	if (!s->n_queue) {
		free(s->queue);
		s->queue = NULL;
	}
}

static void tell(const struct hall_step *step)
{
	const struct hall_args *args = step->s->hall->args;

	for (const struct hall_told *told = step->told; told; told = told->next) {
		struct hall_note note = { desk_note_type(told->type), &step->s->desk,
					  told->has_request ? &told->request : NULL, NULL };

		args->notify(&note, told->seq, told->body, told->n_body, args->arg);
	}
}

void step_take_pieces(struct hall_step *step)
{
	struct desk_pieces all = step->pieces;

	if (step->running)
		account_take_run(&all, step->s->run);
	desk_take_pieces(&step->desk, &all);
}

int step_commit(struct hall_step *step, const struct desk_request *request, struct fault *ret_fault)
{
	struct hall_session *s = step->s;
	struct hall_run *run = NULL;
	int r = 0;

	step_take_pieces(step);
	if (is_shown(&s->desk, &step->desk) && !is_told(step))
		r = step_note(step, DESK_NOTE_SESSION_CHANGED, NULL, NULL);
	if (!r)
		r = ledger_put_desk(s->hall->ledger, &step->desk);
	if (!r)
		r = witness_call(step, request);
	if (!r)
		r = memory_prepare(step, &run);
	if (!r)
		r = ledger_commit(s->hall->ledger);
	if (r) {
		run_free(run, s->hall);
		return r > 0 && !ret_fault->code ? -EIO : r;
	}
	s->hall->step = NULL;
	memory_take(step, run);
	tell(step);
	return 0;
}

void step_drop(struct hall_step *step)
{
	struct hall *hall = step->s ? step->s->hall : NULL;
	struct hall_told *told;

	if (hall && hall->step == step) {
		ledger_rollback(hall->ledger);
		hall->step = NULL;
	}
	while ((told = step->told)) {
		step->told = told->next;
		free(told->body);
		free(told);
	}
}
