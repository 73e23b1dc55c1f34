// SPDX-License-Identifier: GPL-2.0-only
/* Requests and charges of the acted hall: they change what hall.c holds, each in one commit of its own. */
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <string.h>

#include "../../user/base/clock.h"
#include "../../user/base/str.h"
#include "../../user/base/ulid.h"
#include "../../user/model/desk_account.h"
#include "hall_parts.h"

static struct play *play_make(struct seat *seat, const struct spec *spec, bool open)
{
	struct play *play = calloc(1, sizeof(*play));
	char ulid[ULID_LEN + 1];

	ulid_make(clock_realtime_ms(), ulid);
	play->hall = seat->hall;
	play->seat = seat;
	play->next = evtimer_new(seat->hall->base, fake_on_next, play);
	play->request.open = open;
	play->request.exit_code = -1;
	play->request.submitted_at_ms = clock_realtime_ms();
	play->request.step_budget = seat->desk.step_budget;
	snprintf(play->request.id, sizeof(play->request.id), "req_%s", ulid);
	snprintf(play->request.session_id, sizeof(play->request.session_id), "%s", seat->desk.id);
	snprintf(play->verb, sizeof(play->verb), "%s", open || !spec->argv ? "hold" : spec->argv[0]);
	if (spec->argv && spec->n_argv > 1) {
		snprintf(play->text, sizeof(play->text), "%s", spec->argv[1]);
		str_to_u64(spec->argv[1], 1000000, &play->left);
	}
	if (spec->argv && spec->n_argv > 2)
		str_to_u64(spec->argv[2], 1000, &play->every_ms);
	return play;
}

int hall_submit(struct hall *hall, const char *session_id, const struct spec *spec, bool open,
		const char *text, size_t n_text, struct desk_request *ret, struct fault *ret_fault)
{
	struct desk_facts facts = { .now_ms = clock_realtime_ms(), .enforced = true };
	unsigned int effects = 0;
	struct seat *seat;
	struct play *play;
	int r = fake_seat_find(hall, session_id, &seat, ret_fault);

	(void)text;
	(void)n_text;
	if (r)
		return r;
	fake_play_queued(seat, &facts.queued);
	facts.running = fake_play_active(seat);
	r = desk_step(&seat->desk, DESK_EVENT_SUBMIT, &facts, &effects, ret_fault);
	if (r)
		return r;
	play = play_make(seat, spec, open);
	TAILQ_INSERT_TAIL(&seat->plays, play, entry);
	r = fake_commit(seat, play, "request.queued", NULL);
	if (r) {
		TAILQ_REMOVE(&seat->plays, play, entry);
		event_free(play->next);
		free(play);
		return r;
	}
	fake_dispatch(seat);
	*ret = play->request;
	return 0;
}

int hall_cancel(struct hall *hall, const char *request_id, struct desk_request *ret,
		struct fault *ret_fault)
{
	struct play *play = fake_play_find(hall, request_id);

	if (play->request.state == DESK_REQUEST_FINISHED)
		return fault_set(ret_fault, FAULT_REQUEST_FINISHED, "", "submit another",
				 "the request is finished");
	fake_play_end(play, RUN_CANCELLED);
	*ret = play->request;
	return 0;
}

int hall_add_step(struct hall *hall, const char *request_id, const struct spec *spec,
		  uint64_t *ret_step, struct fault *ret_fault)
{
	struct play *play = fake_play_find(hall, request_id);

	(void)spec;
	if (!play->request.open)
		return fault_set(ret_fault, FAULT_REQUEST_NOT_OPEN, "",
				 "submit it with steps: true", "the request takes no steps");
	*ret_step = ++play->request.steps;
	return fake_commit(play->seat, play, "request.step", NULL);
}

int hall_finish(struct hall *hall, const char *request_id, struct desk_request *ret,
		struct fault *ret_fault)
{
	struct play *play = fake_play_find(hall, request_id);

	if (!play->request.open)
		return fault_set(ret_fault, FAULT_REQUEST_NOT_OPEN, "", "cancel it",
				 "it takes no steps");
	fake_play_end(play, RUN_EXITED);
	*ret = play->request;
	return 0;
}

static int charge(struct hall *hall, const char *session_id, const struct ledger_charge *wanted,
		  bool *ret_replay, const struct desk **ret, struct fault *ret_fault)
{
	const struct desk_charge charged = { wanted->money_ucents, wanted->steps };
	struct seat *seat;
	int r = fake_seat_find(hall, session_id, &seat, ret_fault);

	if (r)
		return r;
	*ret = &seat->desk;
	r = ledger_begin(hall->ledger);
	if (!r)
		r = ledger_add_charge(hall->ledger, session_id, wanted);
	if (r == 0)
		r = ledger_commit(hall->ledger);
	else
		ledger_rollback(hall->ledger);
	*ret_replay = r == LEDGER_E_REPLAY;
	if (r == LEDGER_E_CONFLICT)
		return fault_set(ret_fault, FAULT_CHARGE_CONFLICT, "/charge_id", "take another id",
				 "the charge is another one");
	if (r)
		return r == LEDGER_E_REPLAY ? 0 : r;
	if (wanted->reserved)
		seat->desk.spend.reserved_ucents += wanted->money_ucents;
	else
		desk_take_charge(&seat->desk, &charged, 0);
	seat->desk.revision++;
	return fake_commit(seat, NULL, "charge", NULL);
}

int hall_charge(struct hall *hall, const char *session_id, const struct ledger_charge *wanted,
		bool *ret_replay, const struct desk **ret, struct fault *ret_fault)
{
	return charge(hall, session_id, wanted, ret_replay, ret, ret_fault);
}

int hall_authorize(struct hall *hall, const char *session_id, const struct ledger_charge *reservation,
		   bool *ret_replay, const struct desk **ret, struct fault *ret_fault)
{
	return charge(hall, session_id, reservation, ret_replay, ret, ret_fault);
}

int hall_keep_site(struct hall *hall, const char *session_id, const struct desk **ret,
		   struct fault *ret_fault)
{
	struct seat *seat;
	int r = fake_seat_find(hall, session_id, &seat, ret_fault);

	if (r)
		return r;
	seat->desk.site.kept = true;
	*ret = &seat->desk;
	return 0;
}

int hall_open_output(struct hall *hall, const char *request_id, bool errors, int *ret_fd,
		     bool *ret_more, struct fault *ret_fault)
{
	struct play *play = fake_play_find(hall, request_id);
	char path[512];

	(void)ret_fault;
	fake_output_path(hall, request_id, errors, path);
	*ret_fd = -1;
	*ret_more = play->request.state != DESK_REQUEST_FINISHED;
	if (play->request.state == DESK_REQUEST_QUEUED)
		return 0;
	*ret_fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0600);
	return *ret_fd < 0 ? -errno : 0;
}
