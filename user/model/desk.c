// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of what a desk and its requests may be in. They are the contract's, and the ledger's: a name
 * once given is never given to something else.
 */
#include "desk.h"

#include "desk_note.h"

const char *desk_state_name(enum desk_state state)
{
	static const char *const names[] = {
#define X(NAME, name) #name,
		DESK_STATES(X)
#undef X
	};

	return names[state];
}

const char *desk_queue_name(enum desk_queue queue)
{
	static const char *const names[] = {
#define X(NAME, name) #name,
		DESK_QUEUES(X)
#undef X
	};

	return names[queue];
}

const char *desk_clock_name(enum desk_clock clock)
{
	return clock == DESK_CLOCK_WALL ? "wall" : "cpu";
}

const char *desk_request_state_name(enum desk_request_state state)
{
	static const char *const names[] = {
		[DESK_REQUEST_QUEUED] = "queued",
		[DESK_REQUEST_RUNNING] = "running",
		[DESK_REQUEST_FROZEN] = "frozen",
		[DESK_REQUEST_FINISHED] = "finished",
	};

	return names[state];
}

const char *desk_note_type(enum desk_note note)
{
	static const char *const types[] = {
#define X(NAME, type) type,
		DESK_NOTES(X)
#undef X
	};

	return types[note];
}
