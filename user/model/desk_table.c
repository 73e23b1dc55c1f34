// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a session as one table. Grouped by event, refusals first, since they are what a reader
 * looks for. What has begun and is not proved, a wipe or the end, is a place of its own: nothing runs from
 * there, and a crash in the middle leaves it to be taken up again.
 *
 * A session is unarmed and paused only while a wipe is not proved, and its queue is closed by the end only
 * from then on, so that a place needs no field of its own in the desk.
 */
#include "desk_table.h"

#define E(name) (1u << DESK_EVENT_##name)
#define AT(name) (1u << DESK_AT_##name)
#define TO(name) DESK_AT_##name
#define IF(name) DESK_IF_##name
#define ACT(name) DESK_ACT_##name
#define DO(name) DESK_DO_##name
#define NO(code) .refusal = FAULT_##code, .to = DESK_STAYS

#define EVERYWHERE ((1u << DESK_PLACE_COUNT) - 1)
#define OVER (AT(ENDING) | AT(ENDED))
#define OPEN (EVERYWHERE & ~OVER)

const struct desk_row desk_rows[] = {
	{ E(SUBMIT), OVER, IF(ALWAYS), NO(ENDED) },
	{ E(SUBMIT), OPEN, IF(SHUT), NO(QUEUE_CLOSED) },
	{ E(SUBMIT), OPEN, IF(CAP_SPENT), NO(QUEUE_CLOSED) },
	{ E(SUBMIT), OPEN, IF(FULL), NO(QUEUE_FULL) },
	{ E(SUBMIT), AT(ARMED), IF(ALWAYS), 0, DESK_STAYS, ACT(SHOW), DO(QUEUE) | DO(DISPATCH) },
	{ E(SUBMIT), OPEN, IF(ALWAYS), 0, DESK_STAYS, ACT(SHOW), DO(QUEUE) },

	{ E(GO), OVER, IF(ALWAYS), NO(ENDED) },
	{ E(GO), AT(PAUSED) | AT(WIPING), IF(ALWAYS), NO(PAUSED) },
	{ E(GO), AT(IDLE) | AT(WIPED), IF(CAP_SPENT), NO(CAP_SPENT) },
	{ E(GO), AT(IDLE) | AT(WIPED), IF(UNENFORCED), NO(ENFORCEMENT) },
	{ E(GO), AT(IDLE) | AT(WIPED), IF(ALWAYS), 0, TO(ARMED), ACT(ARM) | ACT(OPEN_ENFORCEMENT),
	  DO(BUDGET) | DO(DISPATCH) },
	{ E(GO), AT(ARMED) | AT(RUNNING), IF(ALWAYS), 0, DESK_STAYS, 0, 0 },

	{ E(DISPATCH), AT(ARMED), IF(ACTIVE), NO(INTERNAL) },
	{ E(DISPATCH), AT(ARMED), IF(CAP_SPENT), 0, TO(PAUSED), ACT(CLOSE_CAP),
	  DO(REFUSE_QUEUED) | DO(BUDGET) },
	{ E(DISPATCH), AT(ARMED), IF(NOTHING_QUEUED), 0, DESK_STAYS, 0, 0 },
	{ E(DISPATCH), AT(ARMED), IF(UNENFORCED), NO(ENFORCEMENT) },
	{ E(DISPATCH), AT(ARMED), IF(ALWAYS), 0, TO(RUNNING), ACT(STARTED), DO(START) | DO(BUDGET) },
	{ E(DISPATCH), EVERYWHERE & ~AT(ARMED), IF(ALWAYS), 0, DESK_STAYS, 0, 0 },

	{ E(FINISH), AT(IDLE) | AT(ARMED) | AT(WIPED) | AT(ENDED), IF(ALWAYS), NO(INTERNAL) },
	{ E(FINISH), AT(RUNNING), IF(CAP_SPENT), 0, TO(PAUSED), ACT(CLOSE_CAP) | ACT(SHOW),
	  DO(REFUSE_QUEUED) | DO(BUDGET) },
	{ E(FINISH), AT(RUNNING), IF(NOTHING_QUEUED), 0, TO(ARMED), ACT(SHOW), DO(BUDGET) },
	{ E(FINISH), AT(RUNNING), IF(UNENFORCED), 0, TO(PAUSED), ACT(CLOSE_ENFORCEMENT) | ACT(SHOW),
	  DO(BUDGET) },
	{ E(FINISH), AT(RUNNING), IF(ALWAYS), 0, TO(RUNNING), ACT(SHOW), DO(START) | DO(BUDGET) },
	{ E(FINISH), AT(PAUSED) | AT(WIPING), IF(CAP_SPENT), 0, DESK_STAYS,
	  ACT(CLOSE_CAP) | ACT(SHOW), DO(REFUSE_QUEUED) | DO(BUDGET) },
	{ E(FINISH), AT(PAUSED) | AT(WIPING), IF(ALWAYS), 0, DESK_STAYS, ACT(SHOW), DO(BUDGET) },
	{ E(FINISH), AT(ENDING), IF(ALWAYS), 0, DESK_STAYS, ACT(SHOW), 0 },

	{ E(CHANGE_CAP) | E(CHANGE_BOX), OVER, IF(ALWAYS), NO(ENDED) },
	{ E(CHANGE_CAP), OPEN, IF(BAD_CAP), NO(DOCUMENT) },
	{ E(CHANGE_CAP), OPEN, IF(CAP_UNSPENT), 0, DESK_STAYS, ACT(OPEN_CAP) | ACT(SHOW), DO(BUDGET) },
	{ E(CHANGE_BOX), OPEN, IF(BAD_BOX), NO(DOCUMENT) },
	{ E(CHANGE_BOX), OPEN, IF(ALWAYS), 0, DESK_STAYS, ACT(SHOW), 0 },

	{ E(CAP), OVER, IF(ALWAYS), 0, DESK_STAYS, 0, 0 },
	{ E(CAP), OPEN, IF(CAP_UNSPENT), 0, DESK_STAYS, 0, 0 },
	{ E(CAP) | E(CHANGE_CAP), AT(ARMED) | AT(RUNNING), IF(ALWAYS), 0, TO(PAUSED),
	  ACT(CLOSE_CAP) | ACT(SHOW), DO(FREEZE) | DO(KILL) | DO(REFUSE_QUEUED) | DO(BUDGET) },
	{ E(CAP), OPEN, IF(ACTIVE), 0, DESK_STAYS, ACT(CLOSE_CAP),
	  DO(KILL) | DO(REFUSE_QUEUED) | DO(BUDGET) },
	{ E(CAP), OPEN, IF(CAPPED), 0, DESK_STAYS, 0, 0 },
	{ E(CAP), OPEN, IF(ALWAYS), 0, DESK_STAYS, ACT(CLOSE_CAP), DO(REFUSE_QUEUED) | DO(BUDGET) },
	{ E(CHANGE_CAP), OPEN, IF(ALWAYS), 0, DESK_STAYS, ACT(CLOSE_CAP) | ACT(SHOW),
	  DO(KILL) | DO(REFUSE_QUEUED) | DO(BUDGET) },

	{ E(PAUSE) | E(RESUME), OVER, IF(ALWAYS), NO(ENDED) },
	{ E(PAUSE) | E(RESUME), AT(IDLE) | AT(WIPING) | AT(WIPED), IF(ALWAYS), NO(NOT_ARMED) },
	{ E(PAUSE), AT(PAUSED), IF(ALWAYS), 0, DESK_STAYS, 0, 0 },
	{ E(PAUSE), AT(ARMED) | AT(RUNNING), IF(ALWAYS), 0, TO(PAUSED), 0, DO(FREEZE) | DO(BUDGET) },
	{ E(RESUME), AT(ARMED) | AT(RUNNING), IF(ALWAYS), 0, DESK_STAYS, 0, 0 },
	{ E(RESUME), AT(PAUSED), IF(CAP_SPENT), NO(CAP_SPENT) },
	{ E(RESUME), AT(PAUSED), IF(UNENFORCED), NO(ENFORCEMENT) },
	{ E(RESUME), AT(PAUSED), IF(ACTIVE), 0, TO(RUNNING), ACT(OPEN_ENFORCEMENT) | ACT(STARTED),
	  DO(THAW) | DO(BUDGET) },
	{ E(RESUME), AT(PAUSED), IF(ALWAYS), 0, TO(ARMED), ACT(OPEN_ENFORCEMENT),
	  DO(BUDGET) | DO(DISPATCH) },

	{ E(WIPE), AT(ENDED), IF(ALWAYS), NO(ENDED) },
	{ E(WIPE), OPEN, IF(ALWAYS), 0, TO(WIPING), ACT(DISARM), DO(KILL) | DO(BUDGET) | DO(WIPE) },
	{ E(WIPE_PROVED) | E(WIPE_FAILED), EVERYWHERE & ~(AT(WIPING) | AT(ENDING)), IF(ALWAYS),
	  NO(INTERNAL) },
	{ E(WIPE_PROVED), AT(WIPING) | AT(ENDING), IF(ACTIVE), NO(INTERNAL) },
	{ E(WIPE_PROVED), AT(WIPING), IF(ALWAYS), 0, TO(WIPED), ACT(WIPED), DO(BUDGET) },
	{ E(WIPE_PROVED), AT(ENDING), IF(ALWAYS), 0, DESK_STAYS, ACT(WIPED), 0 },
	{ E(WIPE_FAILED), AT(WIPING) | AT(ENDING), IF(ALWAYS), 0, DESK_STAYS, 0, 0 },

	{ E(END), OPEN, IF(ALWAYS), 0, TO(ENDING), ACT(DISARM) | ACT(CLOSE_END),
	  DO(KILL) | DO(REFUSE_QUEUED) | DO(BUDGET) | DO(WIPE) | DO(END) },
	{ E(END) | E(WIPE) | E(REBOOT), AT(ENDING), IF(ALWAYS), 0, DESK_STAYS, 0,
	  DO(KILL) | DO(WIPE) | DO(END) },
	{ E(END) | E(REBOOT), AT(ENDED), IF(ALWAYS), 0, DESK_STAYS, 0, 0 },
	{ E(END_PROVED), EVERYWHERE & ~AT(ENDING), IF(ALWAYS), NO(INTERNAL) },
	{ E(END_PROVED), AT(ENDING), IF(ACTIVE), NO(INTERNAL) },
	{ E(END_PROVED), AT(ENDING), IF(ALWAYS), 0, TO(ENDED), ACT(ENDED), 0 },

	{ E(ENFORCEMENT_LOST), AT(ARMED) | AT(RUNNING) | AT(PAUSED), IF(ALWAYS), 0, TO(PAUSED),
	  ACT(CLOSE_ENFORCEMENT), DO(KILL) | DO(BUDGET) },
	{ E(ENFORCEMENT_LOST), EVERYWHERE & ~(AT(ARMED) | AT(RUNNING) | AT(PAUSED)), IF(ALWAYS), 0,
	  DESK_STAYS, 0, 0 },

	{ E(REBOOT), AT(ARMED) | AT(RUNNING) | AT(PAUSED), IF(ALWAYS), 0, TO(PAUSED), 0,
	  DO(KILL) | DO(BUDGET) },
	{ E(REBOOT), AT(WIPING), IF(ALWAYS), 0, DESK_STAYS, 0, DO(KILL) | DO(BUDGET) | DO(WIPE) },
	{ E(REBOOT), AT(IDLE) | AT(WIPED), IF(ALWAYS), 0, DESK_STAYS, 0, DO(BUDGET) },
};

const size_t desk_n_rows = ARRAY_SIZE(desk_rows);

enum desk_place desk_place(const struct desk *desk)
{
	static const enum desk_place places[] = {
		[DESK_IDLE] = DESK_AT_IDLE,	  [DESK_ARMED] = DESK_AT_ARMED,
		[DESK_RUNNING] = DESK_AT_RUNNING, [DESK_PAUSED] = DESK_AT_PAUSED,
		[DESK_WIPED] = DESK_AT_WIPED,	  [DESK_ENDED] = DESK_AT_ENDED,
	};

	if (desk->state != DESK_PAUSED)
		return places[desk->state];
	if (desk->queue == DESK_QUEUE_ENDED)
		return DESK_AT_ENDING;
	return desk->armed ? DESK_AT_PAUSED : DESK_AT_WIPING;
}

const char *desk_place_name(enum desk_place place)
{
	static const char *const names[] = {
#define X(NAME, name) #name,
		DESK_PLACES(X)
#undef X
	};

	return names[place];
}

const char *desk_condition_text(enum desk_condition condition)
{
	static const char *const texts[] = {
#define X(NAME, text) text,
		DESK_CONDITIONS(X)
#undef X
	};

	return texts[condition];
}

const char *desk_act_text(enum desk_act_bit act)
{
	static const char *const texts[] = {
#define X(NAME, text) text,
		DESK_ACTS(X)
#undef X
	};

	return texts[act];
}

const char *desk_effect_name(enum desk_effect effect)
{
	static const struct {
		enum desk_effect effect;
		const char *name;
	} names[] = {
		{ DESK_DO_QUEUE, "queue" },   { DESK_DO_START, "start" },
		{ DESK_DO_FREEZE, "freeze" }, { DESK_DO_THAW, "thaw" },
		{ DESK_DO_KILL, "kill" },     { DESK_DO_REFUSE_QUEUED, "refuse what is queued" },
		{ DESK_DO_BUDGET, "budget" }, { DESK_DO_WIPE, "wipe" },
		{ DESK_DO_END, "remove" },    { DESK_DO_DISPATCH, "dispatch" },
	};
	size_t i = 0;

	while (i < ARRAY_SIZE(names) && names[i].effect != effect)
		i++;
	return i < ARRAY_SIZE(names) ? names[i].name : NULL;
}
