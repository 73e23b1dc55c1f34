// SPDX-License-Identifier: GPL-2.0-only
/* Looks that find more than memory has: the meter at this moment, rows of requests, what holds on this host. */
#include <errno.h>

#include "../kernel/cgroup.h"
#include "hall_parts.h"

int hall_meter(struct hall *hall, const char *id, const struct desk **ret)
{
	struct hall_session *s = hall_session_find(hall, id);
	int r;

	if (!s)
		return -ENOENT;
	r = account_meter(s);
	if (!r)
		r = account_trip(s);
	if (!r)
		*ret = &s->desk;
	return r;
}

int hall_view(struct hall *hall, const char *id, struct hall_view *ret)
{
	const struct hall_session *s = hall_session_find(hall, id);
	const struct hall_step *step = hall->step && hall->step->s == s ? hall->step : NULL;
	unsigned int controllers;
	int r;

	if (!s)
		return -ENOENT;
	*ret = (struct hall_view){ .queued = step ? step->n_queue : s->n_queue };
	r = cgroup_read_controllers(hall->engine.parent_fd, &controllers);
	if (r)
		return r;
	if (s->run && (!step || step->running)) {
		ret->has_active = true;
		r = hall_find_request(hall, s->run->row.id, &ret->active);
	}
	for (unsigned int i = 0; i < PROMISE_COUNT; i++)
		ret->enforced[i] = hall->enforced && promise_is_must((enum promise)i);
	ret->enforced[PROMISE_UNIX_SOCKETS] = hall->engine.guard.unix_hooks;
	ret->enforced[PROMISE_MEMORY] = controllers & CGROUP_MEMORY;
	ret->enforced[PROMISE_PIDS] = controllers & CGROUP_PIDS;
	ret->enforced[PROMISE_CPU] = false;
	ret->limits.memory_bytes = controllers & CGROUP_MEMORY ? REEVE_MEMORY_BYTES_DEFAULT : 0;
	ret->limits.pids = controllers & CGROUP_PIDS ? REEVE_PIDS_DEFAULT : 0;
	return r < 0 ? r : 0;
}

/* What its keeper has written of the end is shown once the session has gone on from there. */
static void row_show(struct desk_request *row)
{
	if (row->state != DESK_REQUEST_FINISHED)
		row->finished_at_ms = 0;
}

int hall_find_request(struct hall *hall, const char *id, struct desk_request *ret)
{
	int r = ledger_get_request(hall->ledger, id, ret);

	if (!r)
		row_show(ret);
	return r;
}

struct row_walk {
	int (*fn)(const struct desk_request *request, void *arg);
	void *arg;
};

static int row_visit(const struct desk_request *request, void *arg)
{
	const struct row_walk *walk = arg;
	struct desk_request row = *request;

	row_show(&row);
	return walk->fn(&row, walk->arg);
}

int hall_each_request(struct hall *hall, const char *session_id,
		      int (*fn)(const struct desk_request *request, void *arg), void *arg)
{
	struct row_walk walk = { fn, arg };

	return ledger_each_request(hall->ledger, session_id, row_visit, &walk);
}
