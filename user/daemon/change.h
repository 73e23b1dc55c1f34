/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A change that a client asks for, and its reply. With an Idempotency-Key the reply is put into the ledger in the
 * transaction of the change itself: it was done and can be replied to again, or neither.
 */
#ifndef REEVE_CHANGE_H
#define REEVE_CHANGE_H

#include "../engine/hall.h"
#include "http.h"

struct daemon;

#define CHANGE_E_REPLAYED 2

/* Prints the document of a reply; *ret is freed by the caller. 0 or -errno. */
typedef int change_print_fn(const struct daemon *daemon, const struct desk *desk,
			    const struct desk_request *request, char **ret);

struct change {
	struct daemon *daemon;
	struct exchange *exchange;
	change_print_fn *print;
	int status;
	char *text; /* once it is recorded */
	uint64_t revision;
};

/* Between the two there is one call of the hall that changes something. */
void change_begin(struct change *change, struct daemon *daemon, struct exchange *exchange,
		  change_print_fn *print, int status);
/*
 * @r is what that call returned, with @desk or @request as it returned them. Replies and returns 0; or returns @r or a result
 * of its own, having replied nothing.
 */
int change_end(struct change *change, int r, const struct desk *desk,
	       const struct desk_request *request);

/*
 * What was replied under the exchange's key is replied again: CHANGE_E_REPLAYED. 0 when there was nothing; FAULT_E_SET when
 * the key was used for something else or is being worked on; or -errno.
 */
int change_replay(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault);

/* Wipes and ends are replied to when they are proved, or have failed. Takes the exchange over when it returns 0. */
int change_await(struct daemon *daemon, struct exchange *exchange, enum desk_event event,
		 struct fault *ret_fault);
/* Forgets what is awaited: the hall no longer comes back to it. */
void change_forget_jobs(struct daemon *daemon);

change_print_fn change_print_session, change_print_desk, change_print_request;

#endif
