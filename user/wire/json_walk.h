/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading a document that others define, key by key: a table for each kind of object says which
 * keys it may have and what reads each. A key without a reader is refused, and every refusal names
 * the place as a JSON pointer, the value and what is allowed. All return 0, FAULT_E_SET, or what a
 * reader returned.
 */
#ifndef REEVE_JSON_WALK_H
#define REEVE_JSON_WALK_H

#include "json.h"

struct json_walk {
	const struct json_origin *origin;
	struct fault *fault;
};

/* Where a value stands: behind @key, or with none behind @index. The root has no parent. */
struct json_at {
	const struct json_at *parent;
	const char *key;
	size_t index;
};

/* @walk is the first member of what the caller's readers share. */
typedef int json_read_fn(struct json_walk *walk, const cJSON *item, const struct json_at *at,
			 void *into);

struct json_key {
	const char *name;
	json_read_fn *read;
	bool nullable; /* null is the same as no key: some writers print it for what is empty */
};

/* The place as a JSON pointer; "/" for the root. */
void json_at_show(const struct json_at *at, char *ret, size_t size);

int json_refuse(struct json_walk *walk, const struct json_at *at, const char *fmt, ...)
	_printf_(3, 4);
int json_refuse_value(struct json_walk *walk, const cJSON *item, const struct json_at *at,
		      const char *allowed);

int json_read_object(struct json_walk *walk, const cJSON *item, const struct json_at *at,
		     const struct json_key *keys, size_t n, void *into);
int json_read_array(struct json_walk *walk, const cJSON *item, const struct json_at *at,
		    json_read_fn *read, void *into);
/* @words is a list between blanks; *ret is the place of the value in it. */
int json_read_word(struct json_walk *walk, const cJSON *item, const struct json_at *at,
		   const char *words, unsigned int *ret);
/* A whole number up to @max, which is below 2^53: beyond, a JSON number is no longer exact. */
int json_read_number(struct json_walk *walk, const cJSON *item, const struct json_at *at,
		     uint64_t max, uint64_t *ret);

#endif
