/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_HOSTROOT_H
#define REEVE_HOSTROOT_H

#include <stddef.h>

#include "../model/plan.h"

/*
 * Looks at each path of plan_host_root(): absent, present, or a symlink with its target. @ret has @n
 * entries, as many as plan_host_root() names. Returns 0 or -errno.
 */
int hostroot_read(struct plan_host_entry *ret, size_t n);

#endif
