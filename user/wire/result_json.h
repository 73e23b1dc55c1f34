/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_RESULT_JSON_H
#define REEVE_RESULT_JSON_H

#include "../model/result.h"

/*
 * Prints the result as the document schemas/run-result.v1.json, with a newline at its end; *ret is
 * freed by the caller. Returns 0 or -ENOMEM.
 */
int result_json_print(const struct run_result *result, char **ret);

#endif
