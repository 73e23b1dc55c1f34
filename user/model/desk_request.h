/* SPDX-License-Identifier: GPL-2.0-only */
/* A request in the queue of a session: what the ledger keeps of it and its document is made of. */
#ifndef REEVE_DESK_REQUEST_H
#define REEVE_DESK_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "../../include/limits.h"
#include "../../include/reason.h"
#include "../base/fault.h"
#include "result.h"

enum desk_request_state {
	DESK_REQUEST_QUEUED,
	DESK_REQUEST_RUNNING,
	DESK_REQUEST_FROZEN,
	DESK_REQUEST_FINISHED,
};

struct desk_request {
	char id[REEVE_SESSION_ID_SIZE]; /* "req_" and a ULID */
	char session_id[REEVE_SESSION_ID_SIZE];
	enum desk_request_state state;
	bool open;	   /* its steps come one by one until "finish" */
	uint64_t position; /* in the order of submission, over all sessions */
	/* as they were when the request started */
	uint64_t time_box_ns, step_budget;
	uint64_t submitted_at_ms, started_at_ms, finished_at_ms;
	/* once finished; before, what is known so far */
	enum run_outcome outcome;
	int exit_code, signal;
	uint64_t cpu_ns, wall_ns, money_ucents, steps, bytes_out, bytes_in, events_lost;
	uint64_t denials[REASON_COUNT - 1]; /* by enum reason - 1 */
	char output_name[40]; /* of its directory below the output root; "" before its start */
	struct fault fault;   /* of RUN_FAILED and RUN_INTERRUPTED */
};

const char *desk_request_state_name(enum desk_request_state state);

#endif
