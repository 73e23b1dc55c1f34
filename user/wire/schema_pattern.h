/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_SCHEMA_PATTERN_H
#define REEVE_SCHEMA_PATTERN_H

#include <stdbool.h>

#include "../base/fault.h"

struct pattern;

/*
 * Compiles a regular expression as ECMA-262 reads it in Unicode mode. What PCRE2 reads differently
 * is a fault. Returns 0, -ENOMEM or FAULT_E_SET.
 */
int pattern_new(const char *expression, struct pattern **ret, struct fault *ret_fault);
void pattern_free(struct pattern *pattern);

/* Whether @text, valid UTF-8, has a match; a match that costs too much is none. 0 or -ENOMEM. */
int pattern_match(const struct pattern *pattern, const char *text, bool *ret);

#endif
