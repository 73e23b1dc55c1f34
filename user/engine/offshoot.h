/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_OFFSHOOT_H
#define REEVE_OFFSHOOT_H

#include <stddef.h>
#include <sys/types.h>

#include "engine.h"

/* As fork(); no handler of the parent's runs in the child, whose signals are blocked until offshoot_begin(). */
pid_t offshoot_fork(void);

/*
 * Makes a process that was just forked, without an exec, one that stands by itself: of all descriptors only those
 * of @engine, @kept (negative ones are none) and the standard error stay; signals are as a new process has them,
 * SIGPIPE is ignored; it is called @name and has a session of its own. Returns 0 or -errno.
 */
int offshoot_begin(const struct engine *engine, const int *kept, size_t n_kept, const char *name);

#endif
