/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mounts of a plan. Two functions for the parent, which owns the mounts that the detached ones are
 * cloned from; the others are for the child, in order, and make system calls only.
 */
#ifndef REEVE_MOUNT_H
#define REEVE_MOUNT_H

#include "child.h"

/*
 * A detached, private clone of the mount at @fd: an input (read-only, and with the owners of the user
 * namespace where the file system can) or a writable directory of its own. Returns 0 or -errno.
 */
int mount_clone_input(int fd, int userns_fd, int *ret_tree);
int mount_clone_output(int fd, int *ret_tree);

/* Nothing that is mounted from here on is seen by the host, nor the other way round. */
int mount_make_private(struct child *c);

/* The new root, with the working directory in it. The root still is the host's. */
int mount_root(struct child *c);

/* The rows of the plan, by step. */
int mount_system(struct child *c);
int mount_devices(struct child *c);
int mount_proc(struct child *c);
int mount_inputs(struct child *c);
int mount_output(struct child *c);
int mount_scratch(struct child *c);

/* Changes over and detaches the host's root, with all that is mounted below it. */
int mount_pivot(struct child *c);
int mount_seal_root(struct child *c);

#endif
