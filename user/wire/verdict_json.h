/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_VERDICT_JSON_H
#define REEVE_VERDICT_JSON_H

#include "contract.h"

/*
 * schemas/verdict.v1.json: what a check of a document against @contract came to; no errors for a valid one.
 * *ret is freed by the caller. Returns 0 or -ENOMEM.
 */
int verdict_json_print(size_t contract, const struct schema_errors *errors, char **ret);

/* Adds "errors", each with its path and message; with @properties the key that must not be there. */
bool verdict_json_add_errors(cJSON *object, const struct schema_errors *errors, bool properties);

#endif
