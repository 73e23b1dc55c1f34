/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON documents in and out. In: strict RFC 8259 before cJSON sees the text, since cJSON lets pass
 * what others read differently. Out: exact integers and text from anywhere as valid UTF-8.
 */
#ifndef REEVE_JSON_H
#define REEVE_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/fault.h"

/* What a document is called in faults and what a bad one is a fault of. */
struct json_origin {
	enum fault_code code;
	const char *what;   /* "the request" */
	const char *remedy; /* the next step */
};

/*
 * Parses a whole document: UTF-8, no NUL (escaped neither), no key twice in one object, nested at
 * most REEVE_JSON_DEPTH_MAX deep. Returns 0 and a tree to be freed, -ENOMEM, or FAULT_E_SET.
 */
int json_parse(const char *bytes, size_t n, const struct json_origin *origin, cJSON **ret,
	       struct fault *ret_fault);

/* Checks the text only: the first of the two steps of json_parse. Returns 0 or FAULT_E_SET. */
int json_scan(const char *bytes, size_t n, const struct json_origin *origin, struct fault *ret_fault);

/*
 * Adds to @object; false when memory is out. A NULL @object is false as well, so that calls chain.
 */
bool json_add_u64(cJSON *object, const char *key, uint64_t value);
/* null for @none */
bool json_add_u64_or_null(cJSON *object, const char *key, uint64_t value, uint64_t none);
bool json_add_bool(cJSON *object, const char *key, bool value);
bool json_add_null(cJSON *object, const char *key);
/* null for NULL; what is no UTF-8 becomes U+FFFD */
bool json_add_text(cJSON *object, const char *key, const char *value);
bool json_add_bytes(cJSON *object, const char *key, const char *bytes, size_t n);
bool json_append_text(cJSON *array, const char *value);

/* The value as JSON for a message: ASCII, and cut when it is long. */
void json_show(const cJSON *value, char *ret, size_t size);

void json_free(cJSON **tree);
#define _cleanup_json_ _cleanup_(json_free)

/* Prints @tree; *ret is freed by the caller. Returns 0 or -ENOMEM. */
int json_print(const cJSON *tree, bool pretty, char **ret);

#endif
