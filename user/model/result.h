/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What became of one request: how it ended, what it used, what was denied, what held on this host.
 * Plain data; the output and the paths belong to whoever fills it.
 */
#ifndef REEVE_RESULT_H
#define REEVE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../include/decide.h"
#include "../../include/usage.h"
#include "dns_counts.h"
#include "plan.h"
#include "promise.h"

/* X(NAME, name) */
#define RUN_OUTCOMES(X)                                                                            \
	X(EXITED, exited)	/* by itself, with a code or a signal */                           \
	X(TIMED_OUT, timed_out) /* the time box is over */                                         \
	X(STEP_LIMITED, step_limited)                                                              \
	X(CAPPED, capped) /* a cap was reached */                                                  \
	X(CANCELLED, cancelled)                                                                    \
	X(REFUSED, refused) /* never started */                                                    \
	X(WIPED, wiped)                                                                            \
	X(OOM, oom)                                                                                \
	X(FAILED, failed) /* the sandbox could not be made */                                      \
	X(INTERRUPTED, interrupted)

enum run_outcome {
#define X(NAME, name) RUN_##NAME,
	RUN_OUTCOMES(X)
#undef X
	RUN_OUTCOME_COUNT,
};

/* The end of one output stream as it is shown; the whole is in output_dir. */
struct run_output {
	const char *bytes;
	size_t n_bytes;
	uint64_t total_bytes; /* more than n_bytes when the beginning is not held */
};

struct run_denials {
	uint64_t count;
	struct event first[REEVE_DENIALS_FIRST];
	size_t n_first;
};

/* A name that was not answered, or an address that was left out of the answer for it. */
struct run_name {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	enum reason reason;
	char name[256];	  /* "" for one that no host can have */
	char address[48]; /* "" for none */
};

struct run_names {
	struct dns_counts counts;
	struct run_name first[REEVE_DENIALS_FIRST];
	size_t n_first;
};

struct run_cap {
	uint64_t cpu_ns, money_ucents; /* POLICY_UNLIMITED for none */
	uint64_t time_box_ns;
	enum reason reached; /* REASON_OK, or what stopped the session */
};

struct run_result {
	char session_id[REEVE_SESSION_ID_SIZE];
	char request_id[REEVE_SESSION_ID_SIZE];
	enum run_outcome outcome;
	int exit_code;	  /* -1 when the command did not exit by itself */
	int signal;	  /* 0 when no signal ended it */
	int cancelled_by; /* the signal that reeve itself was sent; 0 for none */
	uint64_t cpu_ns, wall_ns, money_ucents, steps, bytes_out, bytes_in, events_lost;
	uint64_t events_since_ns; /* CLOCK_MONOTONIC at the start: events are told relative to it */
	struct run_denials denials[REASON_COUNT - 1]; /* by enum reason - 1 */
	bool has_names;				      /* the session had a resolver */
	struct run_names names;
	struct run_cap cap;
	bool enforced[PROMISE_COUNT];
	struct plan_limits limits; /* as they were written; 0 for one that was not */
	const char *output_dir;
	struct run_output output, errors;
};

const char *run_outcome_name(enum run_outcome outcome);

/* Takes over the counters of the session: CPU time, bytes, events lost, denials by reason. */
void run_result_set_usage(struct run_result *result, const struct usage *usage);

/* Keeps the event when it is among the first of its reason; a reason that is none is dropped. */
void run_result_note_event(struct run_result *result, const struct event *event);

/* The same for what the resolver did not answer; @addr or NULL. */
void run_result_note_name(struct run_result *result, enum reason reason, const char *name,
			  const struct decide_addr *addr, uint64_t now_ns);

#endif
