/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session as its owner sees it, the desk, and a request in its queue: what the ledger keeps and what
 * documents are made of. Plain data; desk_step() in desk_step.h is what changes it.
 */
#ifndef REEVE_DESK_H
#define REEVE_DESK_H

#include <stdbool.h>
#include <stdint.h>

#include "../../include/limits.h"
#include "desk_request.h"
#include "spec.h"

/* "usr_" and a ULID, with its terminating zero; the contract's limits count characters, not bytes. */
#define DESK_OWNER_SIZE 31
#define DESK_TEXT_CHARS_MAX 200
#define DESK_TEXT_SIZE (4 * DESK_TEXT_CHARS_MAX + 1)
#define DESK_SLUG_SIZE 64

/* X(NAME, name) */
#define DESK_STATES(X)                                                                             \
	X(IDLE, idle)                                                                              \
	X(ARMED, armed)                                                                            \
	X(RUNNING, running)                                                                        \
	X(PAUSED, paused)                                                                          \
	X(WIPED, wiped)                                                                            \
	X(ENDED, ended)

enum desk_state {
#define X(NAME, name) DESK_##NAME,
	DESK_STATES(X)
#undef X
	DESK_STATE_COUNT,
};

/* Why the queue takes nothing. */
#define DESK_QUEUES(X)                                                                             \
	X(OPEN, open)                                                                              \
	X(CAP_MONEY, cap_money)                                                                    \
	X(CAP_MINUTES, cap_minutes)                                                                \
	X(ENFORCEMENT, enforcement)                                                                \
	X(ENDED, ended)

enum desk_queue {
#define X(NAME, name) DESK_QUEUE_##NAME,
	DESK_QUEUES(X)
#undef X
	DESK_QUEUE_COUNT,
};

/* Which time is spend: both are always measured. */
enum desk_clock {
	DESK_CLOCK_CPU,
	DESK_CLOCK_WALL, /* of running requests, without the time they were frozen */
};

struct desk_cap {
	uint64_t money_cents, minutes;
};

/* All but reserved_ucents only ever rise. */
struct desk_spend {
	uint64_t cpu_ns, wall_ns;
	uint64_t money_ucents;	  /* settled: what was used by the rate card, and charges */
	uint64_t charged_ucents;  /* of which charges that the host agent reported */
	uint64_t reserved_ucents; /* authorised and not yet charged; no part of money_ucents */
	uint64_t steps;
	uint64_t bytes_out, bytes_in;
};

struct desk_site {
	char slug[DESK_SLUG_SIZE]; /* "" before the first publish, and once it expired */
	uint64_t expires_at_ms;
	bool kept;
};

/* Times are milliseconds since 1970, 0 for null. */
struct desk {
	char id[REEVE_SESSION_ID_SIZE];
	char task_id[DESK_TEXT_SIZE], task_title[DESK_TEXT_SIZE];
	char owner[DESK_OWNER_SIZE];
	enum desk_state state;
	enum desk_queue queue;
	uint64_t revision; /* rises with every change that a document shows */
	uint64_t time_box_minutes, step_budget;
	struct desk_cap cap;
	enum desk_clock clock;
	struct rate_card rates; /* frozen at create */
	enum spec_egress egress;
	struct desk_spend spend;
	bool armed;
	uint64_t created_at_ms, armed_at_ms, started_at_ms, ended_at_ms, wiped_at_ms;
	struct desk_site site;
};

/* What the owner may change of a session; each member that is set changes, the others stay. */
struct desk_change {
	bool has_cap, has_time_box, has_step_budget;
	struct desk_cap cap;
	uint64_t time_box_minutes, step_budget;
};

const char *desk_state_name(enum desk_state state);
const char *desk_queue_name(enum desk_queue queue);
const char *desk_clock_name(enum desk_clock clock);

#endif
