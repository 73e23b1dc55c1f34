// SPDX-License-Identifier: GPL-2.0-only
/*
 * One step: the first row of the table that fits is found, refused or performed. All that a step changes
 * in the desk is done here and nowhere else, by the row's bits; the revision rises exactly when something did
 * change. Whether the cap is spent is asked of the account at every step, not of what was noted before, so
 * that no request slips in between the meter's reading and the event that tells of it.
 */
#include "desk_step.h"

#include "desk_account.h"
#include "desk_table.h"

static const char *const event_names[] = {
#define X(NAME, name) #name,
	DESK_EVENTS(X)
#undef X
};

const char *desk_event_name(enum desk_event event)
{
	return event_names[event];
}

static bool cap_is_bad(const struct desk *desk)
{
	return desk->cap.money_cents > REEVE_WHOLE_MAX || desk->cap.minutes < 1 ||
	       desk->cap.minutes > REEVE_WHOLE_MAX;
}

static bool time_box_is_bad(const struct desk *desk)
{
	return desk->time_box_minutes < REEVE_TIME_BOX_MINUTES_MIN ||
	       desk->time_box_minutes > REEVE_TIME_BOX_MINUTES_MAX;
}

static bool step_budget_is_bad(const struct desk *desk)
{
	return desk->step_budget < 1 || desk->step_budget > REEVE_WHOLE_MAX;
}

static bool queue_is_capped(const struct desk *desk)
{
	return desk->queue == DESK_QUEUE_CAP_MONEY || desk->queue == DESK_QUEUE_CAP_MINUTES;
}

/* A switch and no table of functions: the compiler names a condition that was added and is not judged. */
static bool condition_holds(enum desk_condition condition, const struct desk *desk,
			    const struct desk_facts *facts)
{
	switch (condition) {
	case DESK_IF_ALWAYS:
		return true;
	case DESK_IF_SHUT:
		return desk->queue != DESK_QUEUE_OPEN;
	case DESK_IF_FULL:
		return facts->queued >= REEVE_QUEUE_MAX;
	case DESK_IF_NOTHING_QUEUED:
		return facts->queued == 0;
	case DESK_IF_ACTIVE:
		return facts->running;
	case DESK_IF_CAP_SPENT:
		return desk_cap_reached(desk) != DESK_QUEUE_OPEN;
	case DESK_IF_CAPPED:
		return queue_is_capped(desk);
	case DESK_IF_CAP_UNSPENT:
		return desk_cap_reached(desk) == DESK_QUEUE_OPEN;
	case DESK_IF_UNENFORCED:
		return !facts->enforced;
	case DESK_IF_BAD_CAP:
		return cap_is_bad(desk);
	case DESK_IF_BAD_BOX:
		return time_box_is_bad(desk) || step_budget_is_bad(desk);
	case DESK_CONDITION_COUNT:
		break;
	}
	return false;
}

const struct desk_row *desk_row_find(const struct desk *desk, enum desk_event event,
				     const struct desk_facts *facts)
{
	enum desk_place place = desk_place(desk);
	size_t i = 0;

	while (!(desk_rows[i].events & 1u << event) || !(desk_rows[i].from & 1u << place) ||
	       !condition_holds(desk_rows[i].when, desk, facts))
		i++;
	return &desk_rows[i];
}

static const struct {
	enum fault_code code;
	const char *reason, *remedy;
} refusals[] = {
	{ FAULT_QUEUE_CLOSED, "the queue takes no request", NULL },
	{ FAULT_QUEUE_FULL, "the queue is full", "wait until a request has ended, or cancel one" },
	{ FAULT_CAP_SPENT, "the session has spent its cap", "raise the cap" },
	{ FAULT_PAUSED, "the session is paused", "resume it; when a wipe has failed, wipe again" },
	{ FAULT_NOT_ARMED, "the session is not armed",
	  "give it Go; when a wipe has failed, wipe again" },
	{ FAULT_ENDED, "the session has ended", "create another" },
	{ FAULT_ENFORCEMENT, "this host does not hold a promise that runs rest on",
	  "see \"reeve doctor\"" },
	{ FAULT_DOCUMENT, "a value is out of its bounds",
	  "see the schemas of sessions and of changes to them" },
	{ FAULT_INTERNAL, "this cannot be, where the session stands", "report it" },
};

static const char *const queue_remedies[] = {
	[DESK_QUEUE_OPEN] = "",
	[DESK_QUEUE_CAP_MONEY] = "raise the money cap",
	[DESK_QUEUE_CAP_MINUTES] = "raise the cap of minutes",
	[DESK_QUEUE_ENFORCEMENT] = "see \"reeve doctor\", then resume",
	[DESK_QUEUE_ENDED] = "create another session",
};

static const char *field_of(const struct desk *desk, enum desk_event event, enum fault_code code)
{
	if (code != FAULT_DOCUMENT)
		return "/state";
	if (event == DESK_EVENT_CHANGE_CAP)
		return "/cap";
	return time_box_is_bad(desk) ? "/time_box_minutes" : "/step_budget";
}

static int refuse(const struct desk *desk, enum desk_event event, enum fault_code code,
		  struct fault *ret_fault)
{
	enum desk_queue queue = desk->queue ? desk->queue : desk_cap_reached(desk);
	const char *place = desk_place_name(desk_place(desk));
	size_t i = 0;

	while (refusals[i].code != code)
		i++;
	if (code == FAULT_QUEUE_CLOSED)
		return fault_set(ret_fault, code, "/queue", queue_remedies[queue], "%s: %s",
				 refusals[i].reason, desk_queue_name(queue));
	return fault_set(ret_fault, code, field_of(desk, event, code), refusals[i].remedy,
			 "%s: %s on a session that is %s", refusals[i].reason,
			 desk_event_name(event), place);
}

static void place_set(struct desk *desk, enum desk_place place)
{
	static const enum desk_state states[] = {
		[DESK_AT_IDLE] = DESK_IDLE,	  [DESK_AT_ARMED] = DESK_ARMED,
		[DESK_AT_RUNNING] = DESK_RUNNING, [DESK_AT_PAUSED] = DESK_PAUSED,
		[DESK_AT_WIPING] = DESK_PAUSED,	  [DESK_AT_WIPED] = DESK_WIPED,
		[DESK_AT_ENDING] = DESK_PAUSED,	  [DESK_AT_ENDED] = DESK_ENDED,
	};

	if (place != DESK_STAYS)
		desk->state = states[place];
}

static void queue_set(struct desk *desk, unsigned int acts)
{
	bool by_cap = queue_is_capped(desk);
	bool open = desk->queue == DESK_QUEUE_OPEN;

	if (acts & DESK_ACT_CLOSE_CAP && (open || by_cap))
		desk->queue = desk_cap_reached(desk);
	if (acts & DESK_ACT_OPEN_CAP && by_cap)
		desk->queue = DESK_QUEUE_OPEN;
	if (acts & DESK_ACT_CLOSE_ENFORCEMENT && open)
		desk->queue = DESK_QUEUE_ENFORCEMENT;
	if (acts & DESK_ACT_OPEN_ENFORCEMENT && desk->queue == DESK_QUEUE_ENFORCEMENT)
		desk->queue = DESK_QUEUE_OPEN;
	if (acts & DESK_ACT_CLOSE_END)
		desk->queue = DESK_QUEUE_ENDED;
}

static void times_set(struct desk *desk, unsigned int acts, uint64_t now_ms)
{
	if (acts & (DESK_ACT_ARM | DESK_ACT_DISARM)) {
		desk->armed = acts & DESK_ACT_ARM;
		desk->armed_at_ms = desk->armed ? now_ms : 0;
	}
	if (acts & DESK_ACT_STARTED && !desk->started_at_ms)
		desk->started_at_ms = now_ms;
	if (acts & DESK_ACT_WIPED)
		desk->wiped_at_ms = now_ms;
	if (acts & DESK_ACT_ENDED)
		desk->ended_at_ms = now_ms;
}

int desk_step(struct desk *desk, enum desk_event event, const struct desk_facts *facts,
	      unsigned int *ret_effects, struct fault *ret_fault)
{
	const struct desk_row *row = desk_row_find(desk, event, facts);
	enum desk_place place = desk_place(desk);
	enum desk_queue queue = desk->queue;

	if (row->refusal)
		return refuse(desk, event, row->refusal, ret_fault);
	queue_set(desk, row->acts);
	times_set(desk, row->acts, facts->now_ms);
	place_set(desk, row->to);
	if (row->acts & DESK_ACT_SHOW || desk->queue != queue || desk_place(desk) != place ||
	    row->acts & DESK_ACT_WIPED)
		desk->revision++;
	*ret_effects = row->effects;
	if (!facts->running)
		*ret_effects &= ~(unsigned int)(DESK_DO_FREEZE | DESK_DO_THAW | DESK_DO_KILL);
	return 0;
}
