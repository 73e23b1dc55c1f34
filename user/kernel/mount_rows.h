/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_MOUNT_ROWS_H
#define REEVE_MOUNT_ROWS_H

#include <stdint.h>

#include "child.h"

/* By enum plan_mount_kind: performs @m at @target, a path below the working directory; 0 or -errno. */
extern int (*const mount_rows[])(struct child *c, const struct plan_mount *m, const char *target);

/* The tmpfs of @m over an existing directory. */
int mount_tmpfs(const struct child *c, const struct plan_mount *m, const char *target);

int mount_attributes_set(const char *path, uint64_t attr, unsigned int flags);

#endif
