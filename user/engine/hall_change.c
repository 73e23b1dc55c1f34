// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the owner asks of a session as a whole. The kernel's side of a new one is there before its row: who is told
 * of a session is told of one that the kernel denies everything.
 */
#include "hall_parts.h"

#include <errno.h>
#include <string.h>

#include "../base/ulid.h"
#include "workspace.h"

static int desk_begin(struct hall *hall, struct desk *desk, struct fault *ret_fault)
{
	const struct desk_facts facts = { .enforced = true };
	struct desk judged;
	char ulid[ULID_LEN + 1];
	unsigned int effects;
	int r = ulid_make(hall_now_ms(hall), ulid);

	if (r)
		return r;
	snprintf(desk->id, sizeof(desk->id), "sbs_%s", ulid);
	desk->state = DESK_IDLE;
	desk->queue = DESK_QUEUE_OPEN;
	desk->revision = 1;
	desk->spend = (struct desk_spend){};
	desk->site = (struct desk_site){};
	desk->armed = false;
	desk->created_at_ms = hall_now_ms(hall);
	desk->armed_at_ms = desk->started_at_ms = desk->ended_at_ms = desk->wiped_at_ms = 0;
	judged = *desk;
	r = desk_step(&judged, DESK_EVENT_CHANGE_CAP, &facts, &effects, ret_fault);
	return r ? r : desk_step(&judged, DESK_EVENT_CHANGE_BOX, &facts, &effects, ret_fault);
}

static int kernel_open(struct hall_session *s, struct fault *ret_fault)
{
	const struct hall *hall = s->hall;
	const struct policy policy = account_policy(s);
	int r = session_open(&hall->engine, s->desk.id, SLOT_ANY, &policy, &s->session, ret_fault);

	return r ? r
		 : workspace_make(hall->args->state_dir, s->desk.id, s->session.slot.number,
				  ret_fault);
}

static int created_commit(struct hall_session *s, struct fault *ret_fault)
{
	_cleanup_step_ struct hall_step step = {};
	int r = step_begin(s, &step, ret_fault);

	/* what the note and others refer to */
	if (!r)
		r = ledger_put_desk(s->hall->ledger, &step.desk);
	if (!r)
		r = step_note(&step, DESK_NOTE_SESSION_CREATED, NULL, NULL);
	return r ? r : step_commit(&step, NULL, ret_fault);
}

static void created_undo(struct hall_session *s)
{
	struct fault fault = {};

	if (s->session.made) {
		wipe_perform(&s->session, s->hall->args->state_dir, true, &fault);
		session_close(&s->session, &fault);
	}
	hall_session_free(s);
}

int hall_create(struct hall *hall, const struct desk *desk, const struct desk **ret,
		struct fault *ret_fault)
{
	struct desk wanted = *desk;
	struct hall_session *s;
	int r = desk_begin(hall, &wanted, ret_fault);

	if (!r && !hall->enforced)
		r = fault_set(ret_fault, FAULT_ENFORCEMENT, "/", "see \"reeve doctor\"",
			      "this host does not hold a promise that runs rest on");
	if (!r)
		r = hall_session_new(hall, &wanted, &s);
	if (r)
		return r;
	r = kernel_open(s, ret_fault);
	/* its place first, for a witness looks for it */
	if (!r)
		r = hall_insert(hall, s);
	if (r) {
		created_undo(s);
		return r;
	}
	r = created_commit(s, ret_fault);
	if (r) {
		hall_remove(hall, s);
		created_undo(s);
		return r;
	}
	*ret = &s->desk;
	return 0;
}

/* What only tightens comes before the ledger: it is taken back when that fails. */
static bool tightens(const struct hall_session *s, enum desk_event event)
{
	return event == DESK_EVENT_PAUSE && s->run && s->desk.state == DESK_RUNNING;
}

static int event_perform(struct hall_session *s, enum desk_event event, struct fault *ret_fault)
{
	bool held = tightens(s, event);
	int r = held ? run_hold(s, true) : 0;

	if (!r)
		r = effects_give(s, event, ret_fault);
	if (r && held)
		run_hold(s, false);
	return r;
}

int hall_event(struct hall *hall, const char *id, enum desk_event event,
	       void (*done)(const struct desk *desk, const struct fault *fault, void *arg),
	       void *arg, const struct desk **ret, struct fault *ret_fault)
{
	struct hall_session *s = hall_session_find(hall, id);
	bool proves = event == DESK_EVENT_WIPE || event == DESK_EVENT_END;
	int r;

	if (!s)
		return hall_unknown(ret_fault, id);
	r = proves && done ? wipe_await(s, done, arg) : 0;
	if (r)
		return r;
	r = event_perform(s, event, ret_fault);
	if (r && proves && done)
		wipe_forget(s, done, arg);
	if (!r && proves && hall_is_over(s))
		wipe_tell(s, NULL);
	*ret = &s->desk;
	return r;
}

int hall_change(struct hall *hall, const char *id, const struct desk_change *change,
		const struct desk **ret, struct fault *ret_fault)
{
	_cleanup_step_ struct hall_step step = {};
	struct hall_session *s = hall_session_find(hall, id);
	int r;

	if (!s)
		return hall_unknown(ret_fault, id);
	r = step_begin(s, &step, ret_fault);
	if (r)
		return r;
	if (change->has_time_box)
		step.desk.time_box_minutes = change->time_box_minutes;
	if (change->has_step_budget)
		step.desk.step_budget = change->step_budget;
	if (change->has_cap)
		step.desk.cap = change->cap;
	if (change->has_time_box || change->has_step_budget)
		r = step_event(&step, DESK_EVENT_CHANGE_BOX, ret_fault);
	if (!r && change->has_cap)
		r = step_event(&step, DESK_EVENT_CHANGE_CAP, ret_fault);
	if (!r)
		r = step_commit(&step, NULL, ret_fault);
	if (!r)
		effects_perform(s, step.effects, RUN_CAPPED);
	*ret = &s->desk;
	return r;
}

int hall_keep_site(struct hall *hall, const char *session_id, const struct desk **ret,
		   struct fault *ret_fault)
{
	_cleanup_step_ struct hall_step step = {};
	struct hall_session *s = hall_session_find(hall, session_id);
	int r;

	if (!s)
		return hall_unknown(ret_fault, session_id);
	*ret = &s->desk;
	if (s->desk.site.kept)
		return 0;
	if (!s->desk.site.slug[0])
		return fault_set(ret_fault, FAULT_PRECONDITION, "/scratch_site",
				 "keep it once a request has left files in /site",
				 "the session has published no site");
	r = step_begin(s, &step, ret_fault);
	if (r)
		return r;
	step.desk.site.kept = true;
	step.desk.revision++;
	return step_commit(&step, NULL, ret_fault);
}
