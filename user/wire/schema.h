/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A check of documents against JSON Schema, draft 2020-12, for the keywords that schemas/ uses. The
 * complaints, their order and their words are those of the validator that the session contract
 * names.
 */
#ifndef REEVE_SCHEMA_H
#define REEVE_SCHEMA_H

#include <cjson/cJSON.h>
#include <stddef.h>

#include "../base/fault.h"

struct schema_error {
	char *path; /* JSON pointer, "/" for the root */
	char *message;
	char *property; /* the key that "additional properties" is about, else NULL */
};

struct schema_errors {
	struct schema_error *items;
	size_t n_items;
	size_t n_dropped; /* above REEVE_SCHEMA_ERRORS_MAX */
};

struct schema;

#define SCHEMA_E_INVALID 1

/*
 * Compiles a schema. A keyword that the check does not know, or a pattern that does not compile, is
 * a fault and never passed over. Returns 0, -ENOMEM or FAULT_E_SET.
 */
int schema_new(const char *text, size_t n, struct schema **ret, struct fault *ret_fault);
void schema_free(struct schema **schema);
#define _cleanup_schema_ _cleanup_(schema_free)

/*
 * Returns 0, SCHEMA_E_INVALID with the errors in *ret (freed by schema_errors_deinit), or -ENOMEM.
 */
int schema_check(const struct schema *schema, const cJSON *document, struct schema_errors *ret);
void schema_errors_deinit(struct schema_errors *errors);
#define _cleanup_schema_errors_ _cleanup_(schema_errors_deinit)

#endif
