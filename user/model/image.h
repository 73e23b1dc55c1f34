/* SPDX-License-Identifier: GPL-2.0-only */
/* What the image "host" is made of: the tables that planning copies from. */
#ifndef REEVE_IMAGE_H
#define REEVE_IMAGE_H

#include "plan.h"

struct image_mounts {
	const struct plan_mount *mounts;
	size_t n;
};

/* In the plan's order: the root; then what the host has of plan_host_root(); these; inputs; these. */
extern const struct image_mounts image_first, image_fixed, image_last;

/* Ends with NULL. */
extern const char *const image_environment[];

#endif
