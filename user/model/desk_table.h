/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows of the state machine, for desk_step() and for who shows them. Of the rows for an event and a
 * place the first whose condition holds is the one that counts; each pair has one without a condition.
 */
#ifndef REEVE_DESK_TABLE_H
#define REEVE_DESK_TABLE_H

#include "desk_step.h"

/*
 * X(NAME, name): where a session stands. Finer than its state: while a wipe or the end is not yet proved,
 * documents say "paused".
 */
#define DESK_PLACES(X)                                                                             \
	X(IDLE, idle)                                                                              \
	X(ARMED, armed)                                                                            \
	X(RUNNING, running)                                                                        \
	X(PAUSED, paused)                                                                          \
	X(WIPING, wiping)                                                                          \
	X(WIPED, wiped)                                                                            \
	X(ENDING, ending)                                                                          \
	X(ENDED, ended)

enum desk_place {
#define X(NAME, name) DESK_AT_##NAME,
	DESK_PLACES(X)
#undef X
	DESK_PLACE_COUNT,
	DESK_STAYS = DESK_PLACE_COUNT,
};

/* X(NAME, text) */
#define DESK_CONDITIONS(X)                                                                         \
	X(ALWAYS, "")                                                                              \
	X(SHUT, "queue closed")                                                                    \
	X(FULL, "queue full")                                                                      \
	X(NOTHING_QUEUED, "nothing queued")                                                        \
	X(ACTIVE, "a request is active")                                                           \
	X(CAP_SPENT, "cap spent")                                                                  \
	X(CAPPED, "queue closed by the cap")                                                       \
	X(CAP_UNSPENT, "cap unspent")                                                              \
	X(UNENFORCED, "a must does not hold")                                                      \
	X(BAD_CAP, "cap out of bounds")                                                            \
	X(BAD_BOX, "time box or step budget out of bounds")

enum desk_condition {
#define X(NAME, text) DESK_IF_##NAME,
	DESK_CONDITIONS(X)
#undef X
	DESK_CONDITION_COUNT,
};

/* X(NAME, text): what changes in the desk beside its place */
#define DESK_ACTS(X)                                                                               \
	X(ARM, "armed, armed_at")                                                                  \
	X(DISARM, "not armed, no armed_at")                                                        \
	X(STARTED, "started_at, once")                                                             \
	X(WIPED, "wiped_at")                                                                       \
	X(ENDED, "ended_at")                                                                       \
	X(CLOSE_CAP, "queue closed by the cap")                                                    \
	X(OPEN_CAP, "queue open, if a cap closed it")                                              \
	X(CLOSE_ENFORCEMENT, "queue closed by enforcement, if open")                               \
	X(OPEN_ENFORCEMENT, "queue open, if enforcement closed it")                                \
	X(CLOSE_END, "queue closed by the end")                                                    \
	X(SHOW, "revision")

enum desk_act_bit {
#define X(NAME, text) DESK_ACT_BIT_##NAME,
	DESK_ACTS(X)
#undef X
	DESK_ACT_COUNT,
};

enum desk_act {
#define X(NAME, text) DESK_ACT_##NAME = 1 << DESK_ACT_BIT_##NAME,
	DESK_ACTS(X)
#undef X
};

struct desk_row {
	unsigned int events; /* 1 << enum desk_event */
	unsigned int from;   /* 1 << enum desk_place */
	enum desk_condition when;
	enum fault_code refusal; /* FAULT_NONE, or all that this row does */
	enum desk_place to;
	unsigned int acts;
	unsigned int effects; /* those on the active request only when there is one */
};

extern const struct desk_row desk_rows[];
extern const size_t desk_n_rows;

/* The row that counts; there always is one. */
const struct desk_row *desk_row_find(const struct desk *desk, enum desk_event event,
				     const struct desk_facts *facts);

enum desk_place desk_place(const struct desk *desk);
const char *desk_place_name(enum desk_place place);
const char *desk_condition_text(enum desk_condition condition);
const char *desk_act_text(enum desk_act_bit act);
const char *desk_effect_name(enum desk_effect effect);

#endif
