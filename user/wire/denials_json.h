/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_DENIALS_JSON_H
#define REEVE_DENIALS_JSON_H

#include "../model/result.h"
#include "json.h"

/*
 * The key "denials" of a result and of a request: one entry a reason that was counted, with the first of
 * them, told relative to @since_ns. @denials has REASON_COUNT - 1 elements. False when memory is out.
 */
bool denials_json_add(cJSON *root, const struct run_denials *denials, uint64_t since_ns);

/* @address as text, null when it is empty. */
bool denials_json_add_address(cJSON *object, const char *key, const char *address);

#endif
