/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session's network namespace: made, entered and left by the launching thread. It is owned by the
 * user namespace of the host, so uid 0 of the sandbox has no power over its devices, routes and
 * rules.
 */
#ifndef REEVE_NETNS_H
#define REEVE_NETNS_H

#include <stdint.h>

#include "../base/fault.h"

/*
 * Makes a network namespace with lo up (127.0.0.1/8 and ::1), nothing forwarded, nothing configured
 * by what a router says, every port free to bind. The calling thread is back in its own network
 * namespace when this returns, except on -ENOTRECOVERABLE: then the process must end. The namespace
 * lives as long as the descriptor (CLOEXEC), its processes and its sockets. Returns 0,
 * -ENOTRECOVERABLE or FAULT_E_SET.
 */
int netns_make(int *ret_fd, struct fault *ret_fault);

/*
 * Has TCP in the namespace @fd give its first bytes to the device as one packet, whatever congestion control the
 * host's own connections have: the filter there reads a greeting that is whole, or none. Returns as netns_make().
 */
int netns_whole_greetings(int fd, struct fault *ret_fault);

/*
 * Puts the calling thread into the namespace @fd; *ret_home is the way back. Returns 0 or -errno,
 * and then nothing was changed.
 */
int netns_enter(int fd, int *ret_home);

/*
 * Puts the calling thread back and closes *home. Returns 0 or -errno: then the thread is still away
 * from home, and the process must end.
 */
int netns_leave(int *home);

/* The inode number of the calling thread's network namespace. Returns 0 or -errno. */
int netns_identity(uint64_t *ret_inode);

#endif
