/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The wipe of a session: whatever its requests have left goes, in the kernel and on disk, and that nothing is left
 * is then looked for and not taken for granted. Its policy, account and own rules stay.
 */
#ifndef REEVE_WIPE_H
#define REEVE_WIPE_H

#include "session.h"

struct event_base;
struct wipe;

struct wipe_args {
	struct session *session; /* a kept one that no keeper has a request in */
	const char *state_dir;
	bool final; /* of a session that ends: its workspace is not made again, empty */
	/* @fault: NULL when the wipe is proved, else FAULT_WIPE that names what is left. May free the wipe. */
	void (*done)(const struct fault *fault, void *arg);
	void *arg;
};

/*
 * Makes the session's policy wiped at once, and does the work in a process of its own while @base runs. That dies
 * with its caller; what was not ended is ended by starting it again. Returns 0, or -errno: done() is not called.
 */
int wipe_start(struct event_base *base, const struct wipe_args *args, struct wipe **ret);

/* Stops it, if it is not done. */
void wipe_free(struct wipe *wipe);

/* The same work, here and now. Returns 0 when it is proved, else FAULT_E_SET. */
int wipe_perform(struct session *session, const char *state_dir, bool final, struct fault *ret_fault);

#endif
