/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_SCHEMA_COMPILE_H
#define REEVE_SCHEMA_COMPILE_H

#include <cjson/cJSON.h>

#include "../base/fault.h"
#include "schema_pattern.h"

/*
 * A schema that was understood whole: its tree, and its patterns by the node that holds their text.
 */
struct schema {
	cJSON *tree;
	struct schema_pattern {
		const cJSON *node;
		struct pattern *pattern;
	} * patterns;
	size_t n_patterns;
};

/*
 * Checks all of schema->tree and fills its patterns. Returns 0, -ENOMEM or FAULT_E_SET; what was
 * filled until then is in @schema.
 */
int schema_compile(struct schema *schema, struct fault *ret_fault);

#endif
