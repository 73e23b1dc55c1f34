/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_WIPE_TREE_H
#define REEVE_WIPE_TREE_H

#include "../../include/limits.h"

/* What could not be removed first, below the directory, for a person; "" for nothing. */
struct wipe_left {
	char path[512];
	int err; /* positive errno */
};

/*
 * Removes everything in the directory @dir_fd, whatever hostile hands have put there, and never the directory
 * itself. Nothing is followed, no other mount is entered: a mount is detached and what it shows stays. What
 * was stopped in the middle is ended by the next call. Returns 0 with @ret_left, or -errno.
 */
int wipe_tree(int dir_fd, struct wipe_left *ret_left);

#endif
