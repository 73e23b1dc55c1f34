/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_PLAN_JSON_H
#define REEVE_PLAN_JSON_H

#include "../model/plan.h"
#include "../model/seccomp.h"

/*
 * Prints the plan made for @spec, with the system call rules @seccomp, as the document schemas/run-plan.v1.json, with a newline at its
 * end; *ret is freed by the caller. Returns 0 or -ENOMEM.
 */
int plan_json_print(const struct plan *plan, const struct spec *spec,
		    const struct seccomp_plan *seccomp, char **ret);

#endif
