/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All sessions of a host: their desks, their queues, what runs, the account. The daemon's methods are calls of
 * these functions; nothing here knows of HTTP or JSON. A function that changes something returns after
 * the change is in the ledger and, where a promise rests on it, in the kernel.
 *
 * Results: 0, -errno (ours or the kernel's fault), or FAULT_E_SET with a code that a client can act on.
 */
#ifndef REEVE_HALL_H
#define REEVE_HALL_H

#include "../model/desk_step.h"
#include "../record/ledger.h"
#include "engine.h"

struct event_base;
struct hall;

/* What changed, for whoever follows; the hall puts it into the ledger with its number as well. */
struct hall_note {
	const char *type; /* of desk_note.h */
	const struct desk *desk;
	const struct desk_request *request; /* NULL when it is about none */
	const struct fault *fault;	    /* or NULL */
};

struct hall_args {
	const struct engine_config *config;
	const struct config *rules;
	const char *state_dir; /* ledger, workspaces, sites; root's, 0700 */
	/* Makes the note's document: called inside the transaction; *ret is freed by the hall. */
	int (*describe)(const struct hall_note *note, char **ret, size_t *ret_n, void *arg);
	/* Told after the commit, with the number that the note has. */
	void (*notify)(const struct hall_note *note, uint64_t seq, const char *body, size_t n_body,
		       void *arg);
	/* Turns a stored order back into a spec. */
	int (*read_spec)(const struct desk *desk, const char *text, size_t n, struct spec *ret,
			 struct fault *ret_fault, void *arg);
	uint64_t (*now_ms)(void *arg); /* since 1970; NULL: the host's clock */
	const char *boot_id;	       /* NULL: the host's */
	void *arg;
};

/* Opens the host, reads the ledger, takes over what the kernel still holds. */
int hall_open(struct event_base *base, const struct hall_args *args, struct hall **ret,
	      struct fault *ret_fault);
/* Lets go of everything; what runs goes on. */
void hall_close(struct hall **hall);

/* The memory of a live or ended session; NULL when there is none. Valid until control returns to the loop. */
const struct desk *hall_find(struct hall *hall, const char *id);
/* A unique beginning of an id is enough: 0, FAULT_E_SET for none or several. */
int hall_resolve(struct hall *hall, const char *prefix, const struct desk **ret,
		 struct fault *ret_fault);
/* In the order of ids, from behind @after (NULL: from the first) until @fn returns non-zero. */
int hall_each(struct hall *hall, const char *after, int (*fn)(const struct desk *desk, void *arg),
	      void *arg);
/* Brings desk->spend up to the kernel's account at this moment. */
int hall_meter(struct hall *hall, const char *id, const struct desk **ret);
/* What there is to show of a session beside its desk. */
struct hall_view {
	uint64_t queued;
	bool has_active;
	struct desk_request active; /* that runs or is frozen */
	bool enforced[PROMISE_COUNT];
	struct plan_limits limits;
};
int hall_view(struct hall *hall, const char *id, struct hall_view *ret);
/* LEDGER_E_NONE when there is none. */
int hall_find_request(struct hall *hall, const char *id, struct desk_request *ret);
int hall_each_request(struct hall *hall, const char *session_id,
		      int (*fn)(const struct desk_request *request, void *arg), void *arg);

/* @desk has the owner's fields filled in; id, state, times and revision are given here. */
int hall_create(struct hall *hall, const struct desk *desk, const struct desk **ret,
		struct fault *ret_fault);
/*
 * GO, PAUSE, RESUME, WIPE and END. WIPE and END, when 0 is returned, call @done once when they are proved or
 * have failed, which may be before the return; may be NULL.
 */
int hall_event(struct hall *hall, const char *id, enum desk_event event,
	       void (*done)(const struct desk *desk, const struct fault *fault, void *arg),
	       void *arg, const struct desk **ret, struct fault *ret_fault);
int hall_change(struct hall *hall, const char *id, const struct desk_change *change,
		const struct desk **ret, struct fault *ret_fault);

/* @text is the order as it came, which read_spec() can read again. */
int hall_submit(struct hall *hall, const char *session_id, const struct spec *spec, bool open,
		const char *text, size_t n_text, struct desk_request *ret, struct fault *ret_fault);
int hall_cancel(struct hall *hall, const char *request_id, struct desk_request *ret,
		struct fault *ret_fault);
/* One command more in an open request. */
int hall_add_step(struct hall *hall, const char *request_id, const struct spec *spec,
		  uint64_t *ret_step, struct fault *ret_fault);
int hall_finish(struct hall *hall, const char *request_id, struct desk_request *ret,
		struct fault *ret_fault);

/* *ret_replay: the same charge was known. */
int hall_charge(struct hall *hall, const char *session_id, const struct ledger_charge *charge,
		bool *ret_replay, const struct desk **ret, struct fault *ret_fault);
int hall_authorize(struct hall *hall, const char *session_id, const struct ledger_charge *reservation,
		   bool *ret_replay, const struct desk **ret, struct fault *ret_fault);
int hall_keep_site(struct hall *hall, const char *session_id, const struct desk **ret,
		   struct fault *ret_fault);

/* The log of a request, open for reading, and whether more may come. */
int hall_open_output(struct hall *hall, const char *request_id, bool errors, int *ret_fd,
		     bool *ret_more, struct fault *ret_fault);
struct ledger *hall_ledger(struct hall *hall);

/*
 * Called once, inside the transaction of the next call here that changes something, behind its rows and before
 * its commit, and then forgotten: what @fn writes into the ledger is durable with the change, or neither is. @request is
 * NULL when the change is about none. A result that is not 0 takes the change back and is what that call returns; and a
 * call that fails after @fn was called has taken the change back. NULL forgets it.
 */
typedef int hall_witness_fn(const struct desk *desk, const struct desk_request *request, void *arg);
void hall_set_witness(struct hall *hall, hall_witness_fn *fn, void *arg);

#endif
