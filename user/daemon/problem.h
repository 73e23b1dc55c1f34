/* SPDX-License-Identifier: GPL-2.0-only */
/* Faults as replies: RFC 9457 problems. */
#ifndef REEVE_PROBLEM_H
#define REEVE_PROBLEM_H

#include "../base/fault.h"
#include "http.h"

struct schema_errors;

/* The status that goes with a code. */
int problem_status(enum fault_code code);

/* Replies with the problem: @r is -errno, or FAULT_E_SET with @fault. */
void problem_reply(struct exchange *exchange, int r, const struct fault *fault);
/* For a document that was not taken: with every complaint. Returns 0, or @r when it is -errno. */
int problem_reply_errors(struct exchange *exchange, int r, const struct fault *fault,
			 const struct schema_errors *errors);
/* For what is no request: with the status that it was found to have. */
void problem_reply_wrong(struct exchange *exchange);

#endif
