// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wipes and ends: asked for, then nothing runs any more, then the wiper's proof, then the row. Who comes back in
 * between finds the place in the row and takes it up again; there is no other memory of it.
 *
 * A session that ends is wiped for good first, and its kernel objects go after the proof. Its account was read
 * before, and is in its row.
 */
#include "../model/desk_table.h"
#include "hall_parts.h"

#include <errno.h>

int wipe_await(struct hall_session *s,
	       void (*done)(const struct desk *desk, const struct fault *fault, void *arg), void *arg)
{
	struct hall_waiter *waiter = malloc(sizeof(*waiter));

	if (!waiter)
		return -ENOMEM;
	*waiter = (struct hall_waiter){ done, arg, s->waiters };
	s->waiters = waiter;
	return 0;
}

void wipe_forget(struct hall_session *s,
		 void (*done)(const struct desk *desk, const struct fault *fault, void *arg),
		 void *arg)
{
	struct hall_waiter **at = &s->waiters, *waiter;

	while (*at && ((*at)->done != done || (*at)->arg != arg))
		at = &(*at)->next;
	waiter = *at;
	if (waiter)
		*at = waiter->next;
	free(waiter);
}

void wipe_tell(struct hall_session *s, const struct fault *fault)
{
	struct hall_waiter *waiter;

	while ((waiter = s->waiters)) {
		s->waiters = waiter->next;
		waiter->done(&s->desk, fault, waiter->arg);
		free(waiter);
	}
}

static int step_one(struct hall_session *s, enum desk_event event, enum desk_note type,
		    const struct fault *told, struct fault *ret_fault)
{
	_cleanup_step_ struct hall_step step = {};
	int r = step_begin(s, &step, ret_fault);

	if (!r)
		r = step_event(&step, event, ret_fault);
	if (!r)
		r = step_note(&step, type, NULL, told);
	if (!r)
		r = step_commit(&step, NULL, ret_fault);
	if (!r)
		effects_perform(s, step.effects, RUN_WIPED);
	return r;
}

static void fail(struct hall_session *s, int r, struct fault *fault)
{
	struct fault ignored = {};

	if (r < 0)
		fault_set_errno(fault, FAULT_WIPE, s->desk.id, "wipe the session again", -r,
				"the wipe of session %s was not ended", s->desk.id);
	fault->code = FAULT_WIPE;
	step_one(s, DESK_EVENT_WIPE_FAILED, DESK_NOTE_WIPE_FAILED, fault, &ignored);
	wipe_tell(s, fault);
}

static void end(struct hall_session *s)
{
	struct fault fault = {};
	int r = s->session.made ? session_close(&s->session, &fault) : 0;

	if (!r)
		r = step_one(s, DESK_EVENT_END_PROVED, DESK_NOTE_SESSION_ENDED, NULL, &fault);
	if (r)
		fail(s, r, &fault);
	else
		wipe_tell(s, NULL);
}

static void proved(struct hall_session *s)
{
	struct fault fault = {};
	int r = step_one(s, DESK_EVENT_WIPE_PROVED, DESK_NOTE_SESSION_WIPED, NULL, &fault);

	if (r)
		fail(s, r, &fault);
	else if (desk_place(&s->desk) == DESK_AT_ENDING)
		end(s);
	else
		wipe_tell(s, NULL);
}

static void on_done(const struct fault *fault, void *arg)
{
	struct hall_session *s = arg;
	struct fault left = fault ? *fault : (struct fault){};
	bool final = s->wipe_final;

	wipe_free(s->wipe);
	s->wipe = NULL;
	if (fault)
		fail(s, FAULT_E_SET, &left);
	else if (desk_place(&s->desk) == DESK_AT_ENDING && !final)
		/* its end was asked for in the meantime: it is still wanted */
		wipe_go_on(s);
	else
		proved(s);
}

void wipe_go_on(struct hall_session *s)
{
	enum desk_place place = desk_place(&s->desk);
	const struct wipe_args args = {
		.session = &s->session,
		.state_dir = s->hall->args->state_dir,
		.final = place == DESK_AT_ENDING,
		.done = on_done,
		.arg = s,
	};
	struct fault fault = {};
	int r;

	if (!s->wipe_wanted || s->run || s->wipe)
		return;
	s->wipe_wanted = false;
	if (place != DESK_AT_WIPING && place != DESK_AT_ENDING)
		return;
	if (!s->session.made) {
		end(s);
		return;
	}
	s->wipe_final = args.final;
	r = wipe_start(s->hall->base, &args, &s->wipe);
	if (r)
		fail(s, r, &fault);
}
