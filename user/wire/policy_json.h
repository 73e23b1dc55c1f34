/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_POLICY_JSON_H
#define REEVE_POLICY_JSON_H

#include "../model/policy_view.h"

/* Prints schemas/policy.v1.json with a newline at its end; *ret is freed by the caller. 0 or -ENOMEM. */
int policy_json_print(const struct policy_view *view, char **ret);

#endif
