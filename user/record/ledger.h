/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The durable record of all sessions: SQLite, WAL, synchronous=FULL. What a function here has returned 0
 * for inside a transaction is on disk once ledger_commit() returned 0, and nothing of it before.
 *
 * Writing outside a transaction is -EINVAL. Once a call in a transaction returned -errno, nothing more
 * is written in it and its commit returns the same: half a change never lasts. -EUCLEAN: the file is
 * damaged.
 *
 * The daemon and the keepers of running requests write to the same file, each with a handle of its own.
 */
#ifndef REEVE_LEDGER_H
#define REEVE_LEDGER_H

#include "../base/fault.h"
#include "../model/desk.h"

struct ledger;

#define LEDGER_E_NONE 1	    /* there is no such row */
#define LEDGER_E_CONFLICT 2 /* the key is taken by another content */
#define LEDGER_E_REPLAY 3 /* the key is taken by the same content: *ret is what was answered then */

/*
 * Opens or makes the ledger at @path, mode 0600, and brings an older layout up to date; a newer one is a
 * fault. Returns 0, -errno or FAULT_E_SET.
 */
int ledger_open(const char *path, struct ledger **ret, struct fault *ret_fault);
void ledger_close(struct ledger **ledger);
/*
 * In a forked child, before it closes descriptors and opens its own: lets go of the parent's handle, without
 * which its own would hold no locks. -EBUSY in a transaction.
 */
int ledger_close_inherited(struct ledger **ledger);
/* Reads the whole file. Returns 0, -errno, or FAULT_E_SET when it is damaged. */
int ledger_check(struct ledger *ledger, struct fault *ret_fault);
#define _cleanup_ledger_ _cleanup_(ledger_close)

/* One writer at a time (BEGIN IMMEDIATE); -EBUSY after 5 s of another's. No nesting. */
int ledger_begin(struct ledger *ledger);
/* A failure has rolled everything back. */
int ledger_commit(struct ledger *ledger);
void ledger_rollback(struct ledger *ledger);

/* The boot that the rows of running requests are of, if any: compared with the host's to find a reboot. */
int ledger_boot(struct ledger *ledger, char ret[40]);
int ledger_set_boot(struct ledger *ledger, const char *boot_id);

/*
 * Sessions: put writes the whole row. each calls @fn, which may use the ledger, in the order of ids until
 * it returns non-zero, and returns that.
 */
int ledger_put_desk(struct ledger *ledger, const struct desk *desk);
int ledger_get_desk(struct ledger *ledger, const char *id, struct desk *ret);
int ledger_each_desk(struct ledger *ledger, int (*fn)(const struct desk *desk, void *arg), void *arg);

/*
 * Requests: the row, the order that it came with (@spec, an opaque document) and, for its end, the first
 * denials. Positions are given out by ledger_next_position inside the transaction.
 */
int ledger_put_request(struct ledger *ledger, const struct desk_request *request);
int ledger_get_request(struct ledger *ledger, const char *id, struct desk_request *ret);
int ledger_each_request(struct ledger *ledger, const char *session_id,
			int (*fn)(const struct desk_request *request, void *arg), void *arg);
int ledger_next_position(struct ledger *ledger, uint64_t *ret);
int ledger_put_spec(struct ledger *ledger, const char *request_id, const char *spec, size_t n);
int ledger_get_spec(struct ledger *ledger, const char *request_id, char **ret_spec, size_t *ret_n);
int ledger_put_denials(struct ledger *ledger, const char *request_id,
		       const struct run_result *result);
int ledger_get_denials(struct ledger *ledger, const char *request_id, struct run_result *ret);

/* What the host agent reported: the same id with the same content is a replay, with another a conflict. */
struct ledger_charge {
	char id[128];
	uint64_t money_ucents, steps;
	char note[DESK_TEXT_SIZE];
	uint64_t at_ms;
	bool reserved; /* authorised only; a charge of the same id settles it */
};

/* Returns 0, LEDGER_E_REPLAY, LEDGER_E_CONFLICT or -errno. */
int ledger_add_charge(struct ledger *ledger, const char *session_id,
		      const struct ledger_charge *charge);
int ledger_get_charge(struct ledger *ledger, const char *session_id, const char *charge_id,
		      struct ledger_charge *ret);

/* Idempotency keys: the digest of what was asked, and the reply that was given. */
struct ledger_reply {
	int status;
	char *body; /* freed by ledger_reply_deinit */
	size_t n_body;
};
int ledger_put_reply(struct ledger *ledger, const char *key, const uint8_t digest[32],
		     uint64_t at_ms, const struct ledger_reply *reply);
/* Returns 0 (no such key), LEDGER_E_REPLAY with *ret, LEDGER_E_CONFLICT or -errno. */
int ledger_get_reply(struct ledger *ledger, const char *key, const uint8_t digest[32],
		     struct ledger_reply *ret);
int ledger_forget_replies(struct ledger *ledger, uint64_t before_ms);
void ledger_reply_deinit(struct ledger_reply *reply);

/* The events that subscribers follow: numbered without a gap from 1. */
struct ledger_event {
	uint64_t seq;
	uint64_t at_ms;
	char session_id[REEVE_SESSION_ID_SIZE];
	char type[40];
	const char *body; /* a JSON document */
	size_t n_body;
};
/* Gives the event its number. */
int ledger_add_event(struct ledger *ledger, const struct ledger_event *event, uint64_t *ret_seq);
/* From behind @after, of one session or of all (NULL), at most @max. */
int ledger_each_event(struct ledger *ledger, const char *session_id, uint64_t after, size_t max,
		      int (*fn)(const struct ledger_event *event, void *arg), void *arg);
/* The oldest and newest number that is held; 0 and 0 when there is none. */
int ledger_event_range(struct ledger *ledger, uint64_t *ret_oldest, uint64_t *ret_newest);
int ledger_forget_events(struct ledger *ledger, uint64_t keep);

#endif
