/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which names may be asked for. A rule ".example.org" is the domain and every name below it,
 * "host.example.org" that name alone.
 */
#ifndef REEVE_NAMES_H
#define REEVE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/macro.h"

#define NAMES_E_INVALID 1

struct names {
	char **rules; /* lower case, sorted, each once */
	size_t n;
};

/* What the egress mode "package-managers" offers, as rules; ends with NULL. */
extern const char *const names_package_managers[];

/* Whether @rule is one: labels of letters, digits, "-" and "_"; no last dot, no "*". */
bool names_rule_is_valid(const char *rule);

/* Adds a copy of @rule; nothing when it is there. Returns 0, -ENOMEM or NAMES_E_INVALID. */
int names_add(struct names *names, const char *rule);

/* Adds each of a list that ends with NULL. */
int names_add_all(struct names *names, const char *const *rules);
void names_deinit(struct names *names);
#define _cleanup_names_ _cleanup_(names_deinit)

/* Whether a rule allows @name, which is in lower case and has no last dot. */
bool names_match(const struct names *names, const char *name);

#endif
