/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_SCHEMA_ERROR_H
#define REEVE_SCHEMA_ERROR_H

#include "schema.h"

/* A step down from the root of the document: a key, or an index when it is NULL. */
struct place {
	const struct place *up;
	const char *key;
	size_t index;
};

/*
 * Adds a complaint; takes over @message and @property in any case. A NULL @message is a lack of
 * memory. Returns 0 or -ENOMEM.
 */
int schema_errors_add(struct schema_errors *errors, const struct place *place, char *message,
		      char *property);

/* Takes back what was added since there were @n_items and @n_dropped. */
void schema_errors_cut(struct schema_errors *errors, size_t n_items, size_t n_dropped);

#endif
