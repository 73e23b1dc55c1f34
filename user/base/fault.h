/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fault that its reader can fix: a stable code, the field (a JSON pointer, an option or a path), the
 * reason with the value and what is allowed, and the next step.
 */
#ifndef REEVE_FAULT_H
#define REEVE_FAULT_H

#include "macro.h"

/* X(NAME, code): the code is stable, the text is not */
#define FAULT_CODES(X)                                                                             \
	X(USAGE, "usage")                                                                          \
	X(REQUEST, "request.invalid")                                                              \
	X(UNSUPPORTED, "request.unsupported")                                                      \
	X(INPUT, "input.refused")                                                                  \
	X(ENFORCEMENT, "enforcement.unavailable")                                                  \
	X(HOST, "host.unsuitable")                                                                 \
	X(LIMIT, "limit.unavailable")                                                              \
	X(BUSY, "host.busy")                                                                       \
	X(START, "sandbox.start_failed")                                                           \
	X(CLEANUP, "cleanup.failed")                                                               \
	X(CONFIG, "config.invalid")                                                                \
	X(QUEUE_CLOSED, "queue.closed")                                                            \
	X(QUEUE_FULL, "queue.full")                                                                \
	X(CAP_SPENT, "session.cap_spent")                                                          \
	X(PAUSED, "session.paused")                                                                \
	X(NOT_ARMED, "session.not_armed")                                                          \
	X(ENDED, "session.ended")                                                                  \
	X(SESSION_UNKNOWN, "session.unknown")                                                      \
	X(REQUEST_UNKNOWN, "request.unknown")                                                      \
	X(REQUEST_FINISHED, "request.finished")                                                    \
	X(REQUEST_NOT_OPEN, "request.not_open")                                                    \
	X(CHARGE_CONFLICT, "charge.conflict")                                                      \
	X(IDEMPOTENCY_CONFLICT, "idempotency.conflict")                                            \
	X(PRECONDITION, "precondition.failed")                                                     \
	X(DOCUMENT, "document.invalid")                                                            \
	X(WIPE, "wipe.failed")                                                                     \
	X(BODY_TOO_LARGE, "body.too_large")                                                        \
	X(METHOD_UNKNOWN, "method.unknown")                                                        \
	X(PATH_UNKNOWN, "path.unknown")                                                            \
	X(HTTP, "http.invalid")                                                                    \
	X(BODY_TYPE, "body.unsupported")                                                           \
	X(REPLY_TYPE, "reply.not_acceptable")                                                      \
	X(RANGE, "range.unsatisfiable")                                                            \
	X(PEER, "peer.refused")                                                                    \
	X(INTERNAL, "internal")

enum fault_code {
	FAULT_NONE,
#define X(NAME, code) FAULT_##NAME,
	FAULT_CODES(X)
#undef X
};

/* What a function returns, positive, when it has filled the fault that it was given. */
#define FAULT_E_SET 1

struct fault {
	enum fault_code code;
	char field[256];
	char reason[768];
	char remedy[512];
};

/*
 * Fills *ret and returns FAULT_E_SET, so that a check reads `return fault_set(...)`. The first fault of
 * an operation is kept: a second call on a filled fault changes nothing.
 */
int fault_set(struct fault *ret, enum fault_code code, const char *field, const char *remedy,
	      const char *reason_fmt, ...) _printf_(5, 6);

/* The next step for a positive errno by which the process or the host has no more of something, or NULL. */
const char *fault_lack_remedy(int err);

/*
 * The same, with ": " and the text of the positive errno @err put behind the reason. Where that is a lack of
 * descriptors, its own remedy stands in the place of @remedy.
 */
int fault_set_errno(struct fault *ret, enum fault_code code, const char *field, const char *remedy,
		    int err, const char *reason_fmt, ...) _printf_(6, 7);

const char *fault_code_name(enum fault_code code);

#endif
