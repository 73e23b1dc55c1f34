// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the hall tells keepers, and what it does where one does not hear. The kernel is told first by the hall itself
 * what must hold at once: a paused session's cgroup is frozen as a whole, whatever its keeper does. An order to
 * end something that stays without an answer is carried out without the keeper: first on its request, then on itself.
 */
#include <errno.h>
#include <event2/event.h>
#include <signal.h>

#include "../kernel/cgroup.h"
#include "../model/desk_table.h"
#include "hall_parts.h"
#include "life.h"

#define OWED_MS 20

int run_order(struct hall_session *s, enum keeper_order_kind kind)
{
	const struct keeper_order order = { .kind = kind };

	return s->run->link ? keeper_link_order(s->run->link, &order, NULL, 0, NULL) : -ENOTCONN;
}

int run_hold(struct hall_session *s, bool held)
{
	int r = session_wake(&s->session);

	if (!r)
		r = cgroup_freeze(s->session.cgroup_fd, held);
	session_rest(&s->session);
	return r;
}

void run_force(struct hall_session *s)
{
	struct hall_run *run = s->run;

	if (run->forced && run->keeper > 0)
		kill(run->keeper, SIGKILL);
	run->forced = true;
	if (session_reload(&s->session) == 0)
		session_set_state(&s->session, run->stop == RUN_WIPED ? POLICY_WIPED : POLICY_PAUSED);
	/* who waits for it to be empty would wait for the keeper */
	if (session_wake(&s->session) == 0)
		cgroup_kill(s->session.cgroup_fd);
	session_rest(&s->session);
}

void run_stop(struct hall_session *s, enum run_outcome outcome)
{
	static const struct {
		enum run_outcome outcome;
		enum keeper_order_kind kind;
	} orders[] = {
		{ RUN_CAPPED, KEEPER_CAP },
		{ RUN_WIPED, KEEPER_WIPE },
		{ RUN_CANCELLED, KEEPER_CANCEL },
	};
	size_t i = 0;

	/* who is to be killed does no more until then; who is asked to end must be able to */
	if (outcome != RUN_CANCELLED)
		run_hold(s, true);
	s->run->stopping = true;
	s->run->stop = outcome;
	while (i < ARRAY_SIZE(orders) && orders[i].outcome != outcome)
		i++;
	s->run->told = i < ARRAY_SIZE(orders) && run_order(s, orders[i].kind) == 0;
	if (!s->run->told)
		run_force(s);
}

void run_owe(struct hall_session *s)
{
	const struct timeval wait = { .tv_usec = OWED_MS * 1000 };

	event_add(s->run->owed, &wait);
}

void run_freeze(struct hall_session *s)
{
	run_hold(s, true);
	if (run_order(s, KEEPER_FREEZE) == -EAGAIN)
		run_owe(s);
}

void run_thaw(struct hall_session *s)
{
	run_hold(s, false);
	if (run_order(s, KEEPER_THAW) == -EAGAIN)
		run_owe(s);
}

/* What the row of an active request says of it, and who follows it hears. */
static void frozen_mark(struct hall_session *s, bool frozen)
{
	_cleanup_step_ struct hall_step step = {};
	enum desk_request_state state = frozen ? DESK_REQUEST_FROZEN : DESK_REQUEST_RUNNING;
	struct fault fault = {};
	int r;

	if (s->run->row.state == state)
		return;
	r = step_begin(s, &step, &fault);
	if (r || s->run->row.state == state)
		return;
	s->run->row.state = state;
	r = ledger_put_request(s->hall->ledger, &s->run->row);
	if (!r)
		r = step_note(&step, frozen ? DESK_NOTE_REQUEST_FROZEN : DESK_NOTE_REQUEST_THAWED,
			      &s->run->row, NULL);
	if (!r)
		step_commit(&step, NULL, &fault);
}

static void step_tell(struct hall_session *s, const struct keeper_note *note,
		      const struct fault *refused)
{
	_cleanup_step_ struct hall_step step = {};
	struct desk_request row;
	struct fault fault = {};
	int r = step_begin(s, &step, &fault);

	if (r)
		return;
	row = s->run->row;
	row.exit_code = note->exit_code;
	row.signal = note->signal;
	r = step_note(&step, DESK_NOTE_REQUEST_STEP, &row, refused);
	if (!r)
		step_commit(&step, NULL, &fault);
}

static void step_refused(struct hall_session *s, const struct keeper_note *note)
{
	struct fault fault = {};

	fault_set(&fault, FAULT_REQUEST_NOT_OPEN, "/step", "look at the request's state",
		  "the step was not started: %s",
		  note->err == LIFE_E_STEP_LIMITED ? "the step budget is used up"
		  : note->err > 0		   ? "the request takes none now"
						   : "it could not be");
	if (s->run->ordered)
		s->run->ordered--;
	step_tell(s, note, &fault);
}

/* Where the session stands is what counts: who was away finds here what a keeper was not told. */
static void keeper_align(struct hall_session *s)
{
	static const enum run_outcome closed[] = {
		[DESK_QUEUE_CAP_MONEY] = RUN_CAPPED,
		[DESK_QUEUE_CAP_MINUTES] = RUN_CAPPED,
		[DESK_QUEUE_ENFORCEMENT] = RUN_INTERRUPTED,
	};
	enum desk_place place = desk_place(&s->desk);

	if (s->run->stopping && s->run->told)
		return;
	if (s->run->stopping)
		run_stop(s, s->run->stop);
	else if (place == DESK_AT_WIPING)
		run_stop(s, RUN_WIPED);
	else if (place == DESK_AT_ENDING)
		run_stop(s, RUN_CANCELLED);
	else if (place == DESK_AT_PAUSED && s->desk.queue != DESK_QUEUE_OPEN)
		run_stop(s, closed[s->desk.queue]);
	else if (place == DESK_AT_PAUSED)
		run_freeze(s);
	else if (s->run->state == KEEPER_FROZEN || s->adopted)
		run_thaw(s);
	account_write(s);
}

void run_give_owed(int fd, short what, void *arg)
{
	struct hall_session *s = arg;

	(void)fd;
	(void)what;
	/* a new connection begins with the same */
	if (s->run->link)
		keeper_align(s);
}

static void on_note(const struct keeper_note *note, void *arg)
{
	struct hall_session *s = arg;
	struct hall_run *run = s->run;

	run->keeper = note->pid;
	run->state = note->state;
	if (note->spend.steps > run->steps)
		run->steps = note->spend.steps;
	if (note->kind == KEEPER_STATUS)
		keeper_align(s);
	else if (note->kind == KEEPER_STEP_ENDED)
		step_tell(s, note, NULL);
	else if (note->kind == KEEPER_REFUSED && run->step_orders & 1ull << note->order % 64)
		step_refused(s, note);
	if (note->state != KEEPER_OVER)
		frozen_mark(s, note->state == KEEPER_FROZEN);
}

static void on_ended(const struct keeper_end *end, void *arg)
{
	run_over(arg, end);
}

static void on_lost(int err, void *arg)
{
	struct hall_session *s = arg;

	keeper_link_free(s->run->link);
	s->run->link = NULL;
	/* of another version: there is nothing to say to it, and its end shows */
	if (err == -EPROTO)
		run_later(s, 1000);
	else
		run_attach(s);
}

static void on_silent(void *arg)
{
	struct hall_session *s = arg;

	if (!s->run->stopping)
		return;
	run_force(s);
	/* an order more, so that its silence is noticed too */
	run_order(s, s->run->stop == RUN_WIPED ? KEEPER_WIPE : KEEPER_CAP);
}

struct keeper_link_args run_link_args(struct hall_session *s)
{
	return (struct keeper_link_args){ on_note, on_ended, on_lost, on_silent, s };
}
