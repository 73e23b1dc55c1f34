/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The channel between who queues requests and the keeper of a running one: messages of fixed structs on a
 * socket of root's at <run dir>/keepers/<request id>. The keeper listens, any number may connect; each is told
 * at once how things are, and then what changes.
 */
#ifndef REEVE_KEEPER_LINK_H
#define REEVE_KEEPER_LINK_H

#include "../model/result.h"
#include "request.h"

struct event_base;

/* Of the channels, in the run directory. */
#define KEEPER_DIRECTORY "keepers"
/* Rises with every change of what is in the structs. */
#define KEEPER_VERSION 1
/* Who says nothing for so long hangs, and the kernel is told without it. */
#define KEEPER_ANSWER_MS 2000

enum keeper_order_kind {
	KEEPER_CANCEL, /* TERM, KILL after the grace */
	KEEPER_CAP,    /* a cap is reached: killed, RUN_CAPPED */
	KEEPER_WIPE,   /* killed, RUN_WIPED, and the policy is wiped */
	KEEPER_FREEZE,
	KEEPER_THAW,
	KEEPER_BUDGET, /* budget */
	KEEPER_STEP,   /* args */
	KEEPER_FINISH,
};

struct keeper_order {
	uint32_t version, kind;
	uint64_t number; /* the sender's own; the answer bears it */
	struct session_budget budget;
	uint32_t n_args, n_bytes; /* of the arguments behind this struct, each with its zero */
};

enum keeper_state {
	KEEPER_RUNNING,
	KEEPER_FROZEN,
	KEEPER_OVER,
};

enum keeper_note_kind {
	KEEPER_STATUS, /* the first one of a connection */
	KEEPER_TAKEN, /* the order is carried out: frozen and thawed is then so, a step is started */
	KEEPER_REFUSED, /* err */
	KEEPER_CHANGED, /* frozen or thawed, by whomever's order */
	KEEPER_STEP_ENDED,
	KEEPER_ENDED, /* the note is a struct keeper_end, and the last one */
};

struct keeper_note {
	uint32_t version, kind;
	uint64_t order; /* the number of the order that this answers, or 0 */
	uint32_t state; /* enum keeper_state */
	int32_t err;	/* LIFE_E_* or -errno; of KEEPER_STEP_ENDED a positive errno of its start */
	int32_t pid;	/* the keeper's */
	int32_t exit_code, signal;
	uint32_t step;	     /* that ended, or that was started; of KEEPER_STATUS: how many were */
	uint64_t started_ns; /* CLOCK_MONOTONIC */
	struct request_spend spend;
};

/* What its pointers point to stays in the keeper: they are NULL. */
struct keeper_end {
	struct keeper_note note;
	struct run_result result;
	struct fault fault; /* FAULT_NONE, or why it failed or what is left of it */
	uint64_t started;
};

/* Callbacks come from the loop of @base; each may free the link. */
struct keeper_link;
struct keeper_link_args {
	void (*note)(const struct keeper_note *note, void *arg);
	void (*ended)(const struct keeper_end *end, void *arg);
	/* The keeper is gone without a word: the ledger knows whether it had done its work. */
	void (*lost)(int err, void *arg);
	/* An order, or the connection, is without an answer for KEEPER_ANSWER_MS; once for each such time. */
	void (*silent)(void *arg);
	void *arg;
};

/*
 * Returns 0, -ENOENT or -ECONNREFUSED when nobody keeps the request, or -errno. A keeper of another version
 * comes as lost(-EPROTO): it sees its request to its end, and takes no orders from here.
 */
int keeper_link_open(struct event_base *base, int run_fd, const char *request_id,
		     const struct keeper_link_args *args, struct keeper_link **ret);
void keeper_link_free(struct keeper_link *link);

/*
 * Sends an order; version, n_bytes and number are filled in here, *ret_number is what its answer will bear
 * (NULL: not wanted). @args may be NULL. Returns 0 or -errno, -EAGAIN when the keeper takes nothing.
 */
int keeper_link_order(struct keeper_link *link, const struct keeper_order *order, const char *args,
		      size_t n_bytes, uint64_t *ret_number);

/* A socket that listens at the request's name; the place of a dead keeper is taken. Returns 0 or -errno. */
int keeper_socket_listen(int run_fd, const char *request_id, int *ret_fd);
void keeper_socket_remove(int run_fd, const char *request_id);

#endif
