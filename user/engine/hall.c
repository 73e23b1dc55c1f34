// SPDX-License-Identifier: GPL-2.0-only
/*
 * All sessions are in memory, sorted by id; the ledger has the same, and what is said to a client was there first.
 * Requests are not in memory but for the active ones and the ids of those that wait: they are read from the ledger.
 *
 * One thread. A change is a step (hall_step.c): a transaction, then memory, then what follows from it in the kernel.
 */
#include "hall_parts.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/clock.h"
#include "rules.h"

uint64_t hall_now_ms(const struct hall *hall)
{
	return hall->args->now_ms ? hall->args->now_ms(hall->args->arg) : clock_realtime_ms();
}

bool hall_is_over(const struct hall_session *s)
{
	return s->desk.state == DESK_ENDED;
}

/* The place of @id, or where it belongs. */
static size_t place_find(const struct hall *hall, const char *id)
{
	size_t low = 0, high = hall->n_sessions;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(hall->sessions[middle]->desk.id, id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct hall_session *hall_session_find(struct hall *hall, const char *id)
{
	size_t at = place_find(hall, id);

	if (at == hall->n_sessions || strcmp(hall->sessions[at]->desk.id, id) != 0)
		return NULL;
	return hall->sessions[at];
}

int hall_session_new(struct hall *hall, const struct desk *desk, struct hall_session **ret)
{
	struct hall_session *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->hall = hall;
	s->desk = *desk;
	s->session = (struct session)SESSION_INIT;
	*ret = s;
	return 0;
}

void hall_session_free(struct hall_session *s)
{
	struct hall_waiter *waiter;

	if (!s)
		return;
	while ((waiter = s->waiters)) {
		s->waiters = waiter->next;
		free(waiter);
	}
	wipe_free(s->wipe);
	run_free(s->run, s->hall);
	session_rest(&s->session);
	free(s->queue);
	free(s);
}

int hall_insert(struct hall *hall, struct hall_session *s)
{
	size_t at = place_find(hall, s->desk.id);

	if (hall->n_sessions == hall->room) {
		size_t room = hall->room ? 2 * hall->room : 64;
		struct hall_session **more = reallocarray(hall->sessions, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		hall->sessions = more;
		hall->room = room;
	}
	memmove(&hall->sessions[at + 1], &hall->sessions[at],
		(hall->n_sessions - at) * sizeof(*hall->sessions));
	hall->sessions[at] = s;
	hall->n_sessions++;
	return 0;
}

void hall_remove(struct hall *hall, const struct hall_session *s)
{
	size_t at = place_find(hall, s->desk.id);

	hall->n_sessions--;
	memmove(&hall->sessions[at], &hall->sessions[at + 1],
		(hall->n_sessions - at) * sizeof(*hall->sessions));
}

static int host_open(struct hall *hall, struct fault *ret_fault)
{
	_cleanup_fd_ int lock = -1;
	unsigned int swept;
	int r = engine_open(hall->args->config, &hall->engine, &swept, ret_fault);

	if (!r)
		r = engine_lock(hall->engine.run_fd, &lock);
	return r ? r : rules_apply(&hall->engine, hall->args->rules, ret_fault);
}

static int state_open(struct hall *hall, struct fault *ret_fault)
{
	const char *dir = hall->args->state_dir;
	int n = snprintf(hall->ledger_path, sizeof(hall->ledger_path), "%s/ledger", dir), r;
	struct stat st;

	if (n >= (int)sizeof(hall->ledger_path))
		return -ENAMETOOLONG;
	if ((mkdir(dir, 0700) && errno != EEXIST) || stat(dir, &st))
		return fault_set_errno(ret_fault, FAULT_HOST, "--state-dir",
				       "give a directory of root's with --state-dir", errno,
				       "the state directory %s cannot be used", dir);
	if (!S_ISDIR(st.st_mode) || st.st_uid != 0 || st.st_mode & 077)
		return fault_set(ret_fault, FAULT_HOST, "--state-dir",
				 "make it a directory of root's with mode 0700",
				 "%s may be read by others", dir);
	r = ledger_open(hall->ledger_path, &hall->ledger, ret_fault);
	return r ? r : ledger_check(hall->ledger, ret_fault);
}

int hall_open(struct event_base *base, const struct hall_args *args, struct hall **ret,
	      struct fault *ret_fault)
{
	_cleanup_(hall_close) struct hall *hall = calloc(1, sizeof(*hall));
	int r;

	if (!hall)
		return -ENOMEM;
	hall->args_copy = *args;
	hall->args = &hall->args_copy;
	hall->base = base;
	hall->engine = (struct engine)ENGINE_INIT;
	hall->enforced = true;
	r = host_open(hall, ret_fault);
	if (!r)
		r = state_open(hall, ret_fault);
	if (!r)
		r = chores_begin(hall);
	if (!r)
		r = adopt_all(hall, ret_fault);
	if (r)
		return r;
	*ret = hall;
	hall = NULL;
	return 0;
}

void hall_close(struct hall **hall)
{
	struct hall *h = *hall;

	if (!h)
		return;
	for (size_t i = 0; i < h->n_sessions; i++)
		hall_session_free(h->sessions[i]);
	chores_end(h);
	ledger_close(&h->ledger);
	engine_close(&h->engine);
	free(h->sessions);
	free(h);
	*hall = NULL;
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

const struct desk *hall_find(struct hall *hall, const char *id)
{
	const struct hall_session *s = hall_session_find(hall, id);

	return s ? &s->desk : NULL;
}

int hall_unknown(struct fault *ret_fault, const char *id)
{
	return fault_set(ret_fault, FAULT_SESSION_UNKNOWN, "/session_id", "list the sessions",
			 "there is no session %.64s", id);
}

int hall_resolve(struct hall *hall, const char *prefix, const struct desk **ret,
		 struct fault *ret_fault)
{
	size_t at = place_find(hall, prefix), n = strlen(prefix);

	if (at == hall->n_sessions || strncmp(hall->sessions[at]->desk.id, prefix, n) != 0)
		return hall_unknown(ret_fault, prefix);
	if (at + 1 < hall->n_sessions && hall->sessions[at]->desk.id[n] &&
	    strncmp(hall->sessions[at + 1]->desk.id, prefix, n) == 0)
		return fault_set(ret_fault, FAULT_SESSION_UNKNOWN, "/session_id",
				 "give more of the id", "several sessions begin with %.64s", prefix);
	*ret = &hall->sessions[at]->desk;
	return 0;
}

int hall_each(struct hall *hall, const char *after, int (*fn)(const struct desk *desk, void *arg),
	      void *arg)
{
	size_t i = after ? place_find(hall, after) : 0;
	int r = 0;

	for (; i < hall->n_sessions && !r; i++)
		if (!after || strcmp(hall->sessions[i]->desk.id, after) > 0)
			r = fn(&hall->sessions[i]->desk, arg);
	return r;
}
