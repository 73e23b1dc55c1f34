/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_SECCOMP_JSON_H
#define REEVE_SECCOMP_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "../model/seccomp.h"

/*
 * Adds "seccomp" to @object: the rules in the words of the OCI runtime specification, and the path of the
 * profile that they came from, or null. False when memory is out.
 */
bool seccomp_json_add(cJSON *object, const struct seccomp_plan *plan, const char *profile);

#endif
