// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hall without a kernel: the real state machine, the real ledger, and requests that are acted instead of run, so that
 * the daemon's HTTP is tested alone and as any user. Takes the place of the engine's hall where it is linked before it.
 *
 * What a request does, by its first argument: "say TEXT" prints and ends; "drip N MS" prints a line N times, MS
 * apart; "hold" goes on until it is cancelled; anything else ends at once. Wipes and ends are proved after a moment; those
 * of a task titled "unwipeable" fail.
 */
#include "hall_parts.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/stat.h>

#include "../../user/base/clock.h"
#include "../../user/base/io.h"
#include "../../user/base/str.h"
#include "../../user/base/ulid.h"
#include "../../user/model/desk_account.h"

#define PROOF_MS 50

static struct seat *seat_find(struct hall *hall, const char *id)
{
	struct seat *seat;

	TAILQ_FOREACH(seat, &hall->seats, entry)
	if (strcmp(seat->desk.id, id) == 0)
		return seat;
	return NULL;
}

int fake_seat_find(struct hall *hall, const char *id, struct seat **ret, struct fault *ret_fault)
{
	*ret = seat_find(hall, id);
	return *ret ? 0
		    : fault_set(ret_fault, FAULT_SESSION_UNKNOWN, id, "make one",
				"there is no session %s", id);
}

struct play *fake_play_find(struct hall *hall, const char *id)
{
	struct seat *seat;
	struct play *play;

	TAILQ_FOREACH(seat, &hall->seats, entry)
	TAILQ_FOREACH(play, &seat->plays, entry)
	if (strcmp(play->request.id, id) == 0)
		return play;
	return NULL;
}

struct play *fake_play_active(struct seat *seat)
{
	struct play *play;

	TAILQ_FOREACH(play, &seat->plays, entry)
	if (play->request.state == DESK_REQUEST_RUNNING || play->request.state == DESK_REQUEST_FROZEN)
		return play;
	return NULL;
}

struct play *fake_play_queued(struct seat *seat, uint64_t *ret_n)
{
	struct play *play, *first = NULL;

	*ret_n = 0;
	TAILQ_FOREACH(play, &seat->plays, entry)
	{
		if (play->request.state != DESK_REQUEST_QUEUED)
			continue;
		first = first ? first : play;
		++*ret_n;
	}
	return first;
}

/* One change: rows, event, witness, commit; then the word to the followers. */
int fake_commit(struct seat *seat, struct play *play, const char *type, const struct fault *fault)
{
	struct hall *hall = seat->hall;
	struct hall_note note = { type, &seat->desk, play ? &play->request : NULL, fault };
	struct ledger_event event = { .at_ms = clock_realtime_ms() };
	hall_witness_fn *witness = hall->witness;
	_cleanup_free_ char *body = NULL;
	uint64_t seq = 0;
	int r = ledger_begin(hall->ledger);

	if (r)
		return r;
	hall->witness = NULL;
	r = ledger_put_desk(hall->ledger, &seat->desk);
	if (!r && play && !play->request.position)
		r = ledger_next_position(hall->ledger, &play->request.position);
	if (!r && play)
		r = ledger_put_request(hall->ledger, &play->request);
	if (!r)
		r = hall->args.describe(&note, &body, &event.n_body, hall->args.arg);
	event.body = body;
	snprintf(event.session_id, sizeof(event.session_id), "%s", seat->desk.id);
	snprintf(event.type, sizeof(event.type), "%s", type);
	if (!r)
		r = ledger_add_event(hall->ledger, &event, &seq);
	if (!r && witness)
		r = witness(&seat->desk, play ? &play->request : NULL, hall->witness_arg);
	if (!r)
		r = ledger_commit(hall->ledger);
	else
		ledger_rollback(hall->ledger);
	if (!r)
		hall->args.notify(&note, seq, body, event.n_body, hall->args.arg);
	return r;
}

void fake_output_path(struct hall *hall, const char *request_id, bool errors, char ret[512])
{
	snprintf(ret, 512, "%s/%s.%s", hall->args.state_dir, request_id,
		 errors ? "stderr" : "stdout");
}

static void say(struct play *play, const char *text)
{
	char path[512];

	fake_output_path(play->hall, play->request.id, false, path);
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

	io_write_all(fd, text, strlen(text));
	close(fd);
}

void fake_play_end(struct play *play, enum run_outcome outcome)
{
	struct seat *seat = play->seat;
	struct desk_facts facts = { .now_ms = clock_realtime_ms(), .enforced = true };
	struct fault fault = {};
	unsigned int effects;
	bool ran = play->request.state != DESK_REQUEST_QUEUED;

	evtimer_del(play->next);
	play->request.state = DESK_REQUEST_FINISHED;
	play->request.outcome = outcome;
	play->request.exit_code = outcome == RUN_EXITED ? 0 : -1;
	play->request.finished_at_ms = clock_realtime_ms();
	if (ran) {
		fake_play_queued(seat, &facts.queued);
		desk_step(&seat->desk, DESK_EVENT_FINISH, &facts, &effects, &fault);
	}
	fake_commit(seat, play, "request.finished", NULL);
	if (ran && outcome == RUN_EXITED)
		fake_dispatch(seat);
}

void fake_on_next(evutil_socket_t fd, short what, void *arg)
{
	struct play *play = arg;
	struct timeval tv = { (time_t)(play->every_ms / 1000),
			      (suseconds_t)(play->every_ms % 1000 * 1000) };
	char line[64];

	(void)fd;
	(void)what;
	if (strcmp(play->verb, "hold") == 0)
		return;
	if (strcmp(play->verb, "say") == 0)
		say(play, play->text);
	if (strcmp(play->verb, "drip") == 0 && play->left > 0) {
		snprintf(line, sizeof(line), "line %llu\n", (unsigned long long)play->left--);
		say(play, line);
		evtimer_add(play->next, &tv);
		return;
	}
	fake_play_end(play, RUN_EXITED);
}

void fake_dispatch(struct seat *seat)
{
	struct desk_facts facts = { .now_ms = clock_realtime_ms(), .enforced = true };
	struct timeval at_once = { 0, 0 };
	struct fault fault = {};
	unsigned int effects = 0;
	struct play *play = fake_play_queued(seat, &facts.queued);

	facts.running = fake_play_active(seat);
	if (!play || desk_step(&seat->desk, DESK_EVENT_DISPATCH, &facts, &effects, &fault) ||
	    !(effects & DESK_DO_START))
		return;
	play->request.state = DESK_REQUEST_RUNNING;
	play->request.started_at_ms = facts.now_ms;
	say(play, "");
	fake_commit(seat, play, "request.started", NULL);
	evtimer_add(play->next, &at_once);
}

static void on_proof(evutil_socket_t fd, short what, void *arg)
{
	struct seat *seat = arg;
	struct desk_facts facts = { .now_ms = clock_realtime_ms(), .enforced = true };
	bool failed = strcmp(seat->desk.task_title, "unwipeable") == 0;
	bool wipes = seat->proves == DESK_EVENT_WIPE;
	struct fault fault = {}, refusal = {};
	unsigned int effects;

	(void)fd;
	(void)what;
	if (failed)
		fault_set(&fault, FAULT_WIPE, "/workspace/left", "remove it", "one file is left");
	desk_step(&seat->desk,
		  failed  ? DESK_EVENT_WIPE_FAILED
		  : wipes ? DESK_EVENT_WIPE_PROVED
			  : DESK_EVENT_END_PROVED,
		  &facts, &effects, &refusal);
	fake_commit(seat, NULL,
		    failed  ? "wipe.failed"
		    : wipes ? "session.wiped"
			    : "session.ended",
		    failed ? &fault : NULL);
	if (seat->done)
		seat->done(&seat->desk, failed ? &fault : NULL, seat->done_arg);
	seat->done = NULL;
}

static int effects_perform(struct seat *seat, unsigned int effects, enum desk_event event)
{
	struct timeval proof = { 0, PROOF_MS * 1000 };
	struct play *play = fake_play_active(seat);

	if (play && (effects & DESK_DO_KILL))
		fake_play_end(play, event == DESK_EVENT_WIPE ? RUN_WIPED : RUN_CANCELLED);
	if (play && (effects & DESK_DO_FREEZE))
		play->request.state = DESK_REQUEST_FROZEN;
	if (play && (effects & DESK_DO_THAW))
		play->request.state = DESK_REQUEST_RUNNING;
	if (effects & (DESK_DO_WIPE | DESK_DO_END)) {
		seat->proves = event;
		evtimer_add(seat->proof, &proof);
	}
	return 0;
}

int hall_open(struct event_base *base, const struct hall_args *args, struct hall **ret,
	      struct fault *ret_fault)
{
	struct hall *hall = calloc(1, sizeof(*hall));
	char path[512];
	int r;

	hall->base = base;
	hall->args = *args;
	TAILQ_INIT(&hall->seats);
	mkdir(args->state_dir, 0700);
	snprintf(path, sizeof(path), "%s/ledger.db", args->state_dir);
	r = ledger_open(path, &hall->ledger, ret_fault);
	if (r) {
		free(hall);
		return r;
	}
	*ret = hall;
	return 0;
}

void hall_close(struct hall **hall)
{
	struct seat *seat;
	struct play *play;

	if (!*hall)
		return;
	while ((seat = TAILQ_FIRST(&(*hall)->seats))) {
		while ((play = TAILQ_FIRST(&seat->plays))) {
			TAILQ_REMOVE(&seat->plays, play, entry);
			event_free(play->next);
			free(play);
		}
		TAILQ_REMOVE(&(*hall)->seats, seat, entry);
		event_free(seat->proof);
		free(seat);
	}
	ledger_close(&(*hall)->ledger);
	free(*hall);
	*hall = NULL;
}

const struct desk *hall_find(struct hall *hall, const char *id)
{
	struct seat *seat = seat_find(hall, id);

	return seat ? &seat->desk : NULL;
}

int hall_each(struct hall *hall, const char *after, int (*fn)(const struct desk *desk, void *arg),
	      void *arg)
{
	struct seat *seat;
	int r = 0;

	TAILQ_FOREACH(seat, &hall->seats, entry)
	{
		r = after && strcmp(seat->desk.id, after) <= 0 ? 0 : fn(&seat->desk, arg);
		if (r)
			break;
	}
	return r;
}

int hall_meter(struct hall *hall, const char *id, const struct desk **ret)
{
	*ret = hall_find(hall, id);
	return *ret ? 0 : -ENOENT;
}

int hall_view(struct hall *hall, const char *id, struct hall_view *ret)
{
	struct seat *seat = seat_find(hall, id);
	struct play *play = fake_play_active(seat);

	memset(ret, 0, sizeof(*ret));
	fake_play_queued(seat, &ret->queued);
	ret->has_active = play;
	if (play)
		ret->active = play->request;
	return 0;
}

int hall_find_request(struct hall *hall, const char *id, struct desk_request *ret)
{
	struct play *play = fake_play_find(hall, id);

	if (!play)
		return LEDGER_E_NONE;
	*ret = play->request;
	return 0;
}

int hall_each_request(struct hall *hall, const char *session_id,
		      int (*fn)(const struct desk_request *request, void *arg), void *arg)
{
	return ledger_each_request(hall->ledger, session_id, fn, arg);
}

int hall_create(struct hall *hall, const struct desk *desk, const struct desk **ret,
		struct fault *ret_fault)
{
	struct seat *seat = calloc(1, sizeof(*seat));
	char ulid[ULID_LEN + 1];
	int r;

	(void)ret_fault;
	seat->hall = hall;
	seat->desk = *desk;
	TAILQ_INIT(&seat->plays);
	/* in the order of their ids, several in a millisecond too */
	ulid_make(clock_realtime_ms(), ulid);
	snprintf(seat->desk.id, sizeof(seat->desk.id), "sbs_%s", ulid);
	while (!TAILQ_EMPTY(&hall->seats) &&
	       strcmp(TAILQ_LAST(&hall->seats, seats)->desk.id, seat->desk.id) >= 0) {
		ulid_make(clock_realtime_ms() + 1, ulid);
		snprintf(seat->desk.id, sizeof(seat->desk.id), "sbs_%s", ulid);
	}
	seat->desk.revision = 1;
	seat->desk.created_at_ms = clock_realtime_ms();
	seat->proof = evtimer_new(hall->base, on_proof, seat);
	r = fake_commit(seat, NULL, "session.created", NULL);
	if (r) {
		event_free(seat->proof);
		free(seat);
		return r;
	}
	TAILQ_INSERT_TAIL(&hall->seats, seat, entry);
	*ret = &seat->desk;
	return 0;
}

int hall_event(struct hall *hall, const char *id, enum desk_event event,
	       void (*done)(const struct desk *desk, const struct fault *fault, void *arg),
	       void *arg, const struct desk **ret, struct fault *ret_fault)
{
	struct desk_facts facts = { .now_ms = clock_realtime_ms(), .enforced = true };
	unsigned int effects = 0;
	struct seat *seat;
	uint64_t revision;
	int r = fake_seat_find(hall, id, &seat, ret_fault);

	if (r)
		return r;
	revision = seat->desk.revision;
	fake_play_queued(seat, &facts.queued);
	facts.running = fake_play_active(seat);
	r = desk_step(&seat->desk, event, &facts, &effects, ret_fault);
	if (!r && seat->desk.revision != revision)
		r = fake_commit(seat, NULL, "session.changed", NULL);
	if (r)
		return r;
	seat->done = done;
	seat->done_arg = arg;
	effects_perform(seat, effects, event);
	if (done && !(effects & (DESK_DO_WIPE | DESK_DO_END)) && seat->desk.state == DESK_ENDED) {
		seat->done = NULL;
		done(&seat->desk, NULL, arg);
	}
	fake_dispatch(seat);
	*ret = &seat->desk;
	return 0;
}

int hall_change(struct hall *hall, const char *id, const struct desk_change *change,
		const struct desk **ret, struct fault *ret_fault)
{
	struct seat *seat;
	int r = fake_seat_find(hall, id, &seat, ret_fault);

	if (r)
		return r;
	if (seat->desk.state == DESK_ENDED)
		return fault_set(ret_fault, FAULT_ENDED, "", "make another", "it has ended");
	if (change->has_cap)
		seat->desk.cap = change->cap;
	if (change->has_time_box)
		seat->desk.time_box_minutes = change->time_box_minutes;
	if (change->has_step_budget)
		seat->desk.step_budget = change->step_budget;
	seat->desk.revision++;
	*ret = &seat->desk;
	return fake_commit(seat, NULL, "session.changed", NULL);
}

struct ledger *hall_ledger(struct hall *hall)
{
	return hall->ledger;
}

void hall_set_witness(struct hall *hall, hall_witness_fn *fn, void *arg)
{
	hall->witness = fn;
	hall->witness_arg = arg;
}
