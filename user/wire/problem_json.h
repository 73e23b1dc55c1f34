/* SPDX-License-Identifier: GPL-2.0-only */
/* Problems (RFC 9457): faults as answers of HTTP, out of the daemon and into its clients. */
#ifndef REEVE_PROBLEM_JSON_H
#define REEVE_PROBLEM_JSON_H

#include <stdbool.h>

#include "schema.h"

#define PROBLEM_TYPE_PREFIX "urn:reeve:problem:"

struct problem {
	const struct fault *fault;
	unsigned int status;		    /* of HTTP */
	const char *title;		    /* of the code */
	const struct schema_errors *errors; /* NULL where it is of no document */
};

/* schemas/problem.v1.json. *ret is freed by the caller. Returns 0 or -ENOMEM. */
int problem_json_print(const struct problem *problem, char **ret);

/*
 * Reads what a daemon answered back into a fault. False when the text is no problem, or of a code that this
 * build does not have.
 */
bool problem_json_read(const char *bytes, size_t n, struct fault *ret);

#endif
