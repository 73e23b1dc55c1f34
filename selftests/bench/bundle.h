/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_SELFTESTS_BUNDLE_H
#define REEVE_SELFTESTS_BUNDLE_H

#include "../../user/model/plan.h"

/* Makes an OCI bundle at @path that runs @plan's command in @plan's sandbox, @out at /out. */
void bundle_make(const char *path, const char *out, const struct plan *plan);

#endif
