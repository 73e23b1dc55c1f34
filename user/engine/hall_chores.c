// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is looked after from time to time: whether the kernel still enforces, sites that expire, replies and events
 * that are old, children that have ended.
 */
#include "hall_parts.h"

#include <errno.h>
#include <event2/event.h>
#include <string.h>
#include <sys/wait.h>

#define CHORES_SECONDS 5
#define REAP_MS 50
#define SITE_MS (24ull * 3600 * 1000)
/* of rounds */
#define FORGET_EVERY 60

int chores_take_site(struct hall_step *step, uint64_t at_ms, bool *ret_new)
{
	struct hall_session *s = step->s;
	struct desk_site *site = &step->desk.site;
	char slug[DESK_SLUG_SIZE];
	uint64_t inode;

	hall_site_slug(step->desk.id, slug);
	inode = hall_site_inode(s->hall->args->state_dir, slug);
	*ret_new = inode && (inode != s->site_inode || !site->slug[0]);
	s->site_inode = inode;
	if (!inode || site->slug[0])
		return 0;
	snprintf(site->slug, sizeof(site->slug), "%s", slug);
	site->expires_at_ms = at_ms + SITE_MS;
	site->kept = false;
	step->desk.revision++;
	return 0;
}

static void site_expire(struct hall_session *s)
{
	_cleanup_step_ struct hall_step step = {};
	struct fault fault = {};
	int r = hall_site_remove(s->hall->args->state_dir, s->desk.site.slug);

	if (!r)
		r = step_begin(s, &step, &fault);
	if (r)
		return;
	step.desk.site = (struct desk_site){};
	step.desk.revision++;
	s->site_inode = 0;
	if (step_note(&step, DESK_NOTE_SITE_EXPIRED, NULL, NULL) == 0)
		step_commit(&step, NULL, &fault);
}

void chores_expire(struct hall *hall)
{
	uint64_t now_ms = hall_now_ms(hall);

	for (size_t i = 0; i < hall->n_sessions; i++) {
		struct hall_session *s = hall->sessions[i];

		if (s->desk.site.slug[0] && !s->desk.site.kept && s->desk.site.expires_at_ms <= now_ms)
			site_expire(s);
	}
}

static void forget(struct hall *hall)
{
	uint64_t now_ms = hall_now_ms(hall);
	int r = ledger_begin(hall->ledger);

	if (r)
		return;
	r = ledger_forget_replies(hall->ledger, now_ms - REEVE_IDEMPOTENCY_MS);
	if (!r)
		r = ledger_forget_events(hall->ledger, REEVE_EVENTS_KEPT);
	if (!r)
		r = ledger_commit(hall->ledger);
	if (r)
		ledger_rollback(hall->ledger);
}

/* Opening anew what is pinned looks at every link. */
static bool is_enforced(struct hall *hall)
{
	const struct engine *engine = &hall->engine;
	const struct guard_place place = {
		.pin_dir = engine->config->pin_dir,
		.parent_fd = engine->parent_fd,
		.parent_id = engine->parent_id,
		.parent_level = engine_path_level(engine->config->parent),
		.netns = engine->guard.host.netns,
	};
	_cleanup_guard_ struct guard guard = GUARD_INIT;
	_cleanup_fd_ int lock = -1;
	struct fault fault = {};

	if (!guard_exists(place.pin_dir))
		return false;
	if (engine_lock(engine->run_fd, &lock))
		return hall->enforced;
	/* an error is of this look, a fault of what was looked at */
	return guard_open(&place, &guard, &fault) <= 0;
}

static void enforcement_lose(struct hall_session *s)
{
	_cleanup_step_ struct hall_step step = {};
	struct fault fault = {};
	int r = step_begin(s, &step, &fault);

	if (!r)
		r = step_event(&step, DESK_EVENT_ENFORCEMENT_LOST, &fault);
	if (r || !step.effects)
		return;
	r = step_note(&step, DESK_NOTE_ENFORCEMENT_LOST, NULL, NULL);
	if (!r)
		r = step_commit(&step, NULL, &fault);
	if (!r)
		effects_perform(s, step.effects, RUN_INTERRUPTED);
}

static void enforcement_check(struct hall *hall)
{
	hall->enforced = is_enforced(hall);
	for (size_t i = 0; i < hall->n_sessions && !hall->enforced; i++)
		if (hall->sessions[i]->desk.armed &&
		    hall->sessions[i]->desk.queue != DESK_QUEUE_ENFORCEMENT)
			enforcement_lose(hall->sessions[i]);
}

/* The kernel and the keeper stop at a cap by themselves; this is for a keeper that hangs under an older one. */
static void caps_check(struct hall *hall)
{
	for (size_t i = 0; i < hall->n_sessions; i++)
		if (hall->sessions[i]->run && account_meter(hall->sessions[i]) == 0)
			account_trip(hall->sessions[i]);
}

static void on_chores(int fd, short what, void *arg)
{
	struct hall *hall = arg;

	(void)fd;
	(void)what;
	enforcement_check(hall);
	caps_check(hall);
	chores_expire(hall);
	if (hall->round++ % FORGET_EVERY == 0)
		forget(hall);
}

static void reap(int fd, short what, void *arg)
{
	const struct timeval wait = { .tv_usec = REAP_MS * 1000 };
	struct hall *hall = arg;
	size_t left = 0;

	(void)fd;
	(void)what;
	for (size_t i = 0; i < hall->n_dead; i++)
		if (waitpid(hall->dead[i], NULL, WNOHANG) == 0)
			hall->dead[left++] = hall->dead[i];
	hall->n_dead = left;
	if (left)
		event_add(hall->reaper, &wait);
}

void chores_reap(struct hall *hall, pid_t pid)
{
	pid_t *more;

	if (waitpid(pid, NULL, WNOHANG) != 0)
		return;
	more = reallocarray(hall->dead, hall->n_dead + 1, sizeof(*more));
	if (!more)
		return;
	hall->dead = more;
	hall->dead[hall->n_dead++] = pid;
	reap(-1, 0, hall);
}

int chores_begin(struct hall *hall)
{
	const struct timeval round = { .tv_sec = CHORES_SECONDS };

	hall->chores = event_new(hall->base, -1, EV_PERSIST, on_chores, hall);
	hall->reaper = evtimer_new(hall->base, reap, hall);
	if (!hall->chores || !hall->reaper || event_add(hall->chores, &round))
		return -ENOMEM;
	return 0;
}

void chores_end(struct hall *hall)
{
	if (hall->chores)
		event_free(hall->chores);
	if (hall->reaper)
		event_free(hall->reaper);
	free(hall->dead);
}
