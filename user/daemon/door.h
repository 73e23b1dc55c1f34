/* SPDX-License-Identifier: GPL-2.0-only */
/* The socket that clients connect to, and who they are. */
#ifndef REEVE_DOOR_H
#define REEVE_DOOR_H

#include <stdbool.h>
#include <sys/types.h>

#include "../base/fault.h"

struct event_base;
struct door;

struct door_args {
	const char *run_dir;
	const char *socket; /* its path */
	const char *group;  /* whose members may connect beside root; NULL for none */
	/* Given each connection, and whether its peer may have one; takes the descriptor over. */
	void (*take)(int fd, bool is_allowed, void *arg);
	void *arg;
};

/*
 * Takes the run directory's lock and listens: on the socket of a service manager, or on one made at the path, mode 0660,
 * root's and the group's, in place of one that nobody listens on. Returns 0, -errno or FAULT_E_SET.
 */
int door_open(struct event_base *base, const struct door_args *args, struct door **ret,
	      struct fault *ret_fault);
/* Accepts nothing any more. The socket that it made is removed; a manager's stays. */
void door_close(struct door **door);

/* Whether the process behind @fd is root, this user, or in the group @gid. */
bool door_peer_is_allowed(int fd, gid_t gid);

#endif
