/* SPDX-License-Identifier: GPL-2.0-only */
/* The acted hall from within: hall.c has the sessions, hall_requests.c the requests and charges. */
#ifndef REEVE_FAKE_HALL_PARTS_H
#define REEVE_FAKE_HALL_PARTS_H

#include <event2/util.h>
#include <sys/queue.h>

#include "../../user/engine/hall.h"

struct play {
	struct hall *hall;
	struct seat *seat;
	struct desk_request request;
	struct event *next;
	char verb[16], text[256];
	uint64_t left, every_ms;
	TAILQ_ENTRY(play) entry;
};

struct seat {
	struct hall *hall;
	struct desk desk;
	struct event *proof;
	enum desk_event proves;
	void (*done)(const struct desk *desk, const struct fault *fault, void *arg);
	void *done_arg;
	TAILQ_HEAD(, play) plays;
	TAILQ_ENTRY(seat) entry;
};

struct hall {
	struct event_base *base;
	struct hall_args args;
	struct ledger *ledger;
	hall_witness_fn *witness;
	void *witness_arg;
	TAILQ_HEAD(seats, seat) seats;
};

int fake_seat_find(struct hall *hall, const char *id, struct seat **ret, struct fault *ret_fault);
struct play *fake_play_find(struct hall *hall, const char *id);
struct play *fake_play_active(struct seat *seat);
/* The first that waits, and how many do. */
struct play *fake_play_queued(struct seat *seat, uint64_t *ret_n);
int fake_commit(struct seat *seat, struct play *play, const char *type, const struct fault *fault);
void fake_output_path(struct hall *hall, const char *request_id, bool errors, char ret[512]);
void fake_dispatch(struct seat *seat);
void fake_play_end(struct play *play, enum run_outcome outcome);
/* What a running request does next. */
void fake_on_next(evutil_socket_t fd, short what, void *arg);

#endif
