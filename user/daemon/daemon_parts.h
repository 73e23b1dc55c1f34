/* SPDX-License-Identifier: GPL-2.0-only */
/* The daemon from within: what the methods work on. */
#ifndef REEVE_DAEMON_PARTS_H
#define REEVE_DAEMON_PARTS_H

#include "../wire/contract.h"
#include "daemon.h"
#include "followers.h"
#include "examiner.h"
#include "http.h"
#include "metrics.h"
#include "outputs.h"

struct job;
TAILQ_HEAD(jobs, job);

struct daemon {
	const struct daemon_args *args;
	struct event_base *base;
	struct hall *hall;
	struct http *http;
	struct followers *followers;
	struct outputs *outputs;
	struct examiner *examiner;
	struct metrics metrics;
	struct jobs jobs; /* wipes and ends that are being proved */
	struct contracts *contracts;
	char *openapi;
};

/* Everything but the socket and the signals; @hall is the caller's. */
int daemon_init(struct daemon *daemon, struct event_base *base, const struct daemon_args *args,
		const struct http_limits *limits);
void daemon_deinit(struct daemon *daemon);

/* For struct http_args; @arg is the daemon. */
void daemon_replied(const struct exchange *exchange, void *arg);

/* The hall's callbacks; @arg is the daemon. */
int daemon_describe(const struct hall_note *note, char **ret, size_t *ret_n, void *arg);
void daemon_notify(const struct hall_note *note, uint64_t seq, const char *body, size_t n_body,
		   void *arg);
int daemon_read_spec(const struct desk *desk, const char *text, size_t n, struct spec *ret,
		     struct fault *ret_fault, void *arg);

/* The session that the path names. Returns 0 or FAULT_E_SET. */
int method_session_find(struct daemon *daemon, const struct exchange *exchange,
			const struct desk **ret, struct fault *ret_fault);

#endif
