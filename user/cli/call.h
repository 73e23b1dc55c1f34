/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands that ask the daemon one thing: a row says what is asked and how the answer is shown.
 */
#ifndef REEVE_CALL_H
#define REEVE_CALL_H

#include "../daemon/client.h"
#include "command.h"

enum call_trait {
	CALL_KEY = 1 << 0,   /* an Idempotency-Key goes with it */
	CALL_BODY = 1 << 1,  /* the document that options made goes with it */
	CALL_WORDS = 1 << 2, /* further arguments are its "argv" */
	CALL_LIST = 1 << 3,  /* the answer comes in pages */
	CALL_ALL = 1 << 4,   /* without a session: of each session */
};

struct call {
	const char *verb;
	const char *path; /* "{session}" or "{request}" is the first argument */
	unsigned int traits;
	const char *head;			     /* above a list */
	void (*show)(const struct document *answer); /* for people */
};

struct call_options {
	const char *socket;
	bool json;
	const char *key;
	struct document *body;
};

/* Returns 0 or -ENOMEM. */
int call_options_init(struct call_options *options);
void call_options_deinit(struct call_options *options);
#define _cleanup_call_options_ _cleanup_(call_options_deinit)

extern const struct option_row key_options[];

/* Runs @command, which has a call; returns an exit code. */
int call_perform(const struct command *command, int argc, char **argv);

/*
 * Whether the daemon went away, or was never there, so that a follower tries again; and how long it waits before, in
 * microseconds.
 */
bool call_is_lost(const struct call_options *options, int r, const struct fault *fault);
#define CALL_RETRY_US 200000

/* Shows what went wrong, if anything, as @options say; returns the exit code of it. @fault may change. */
int call_end(const struct command *command, const struct call_options *options, int r,
	     struct fault *fault);

#endif
