/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_SCHEMA_FORMAT_H
#define REEVE_SCHEMA_FORMAT_H

#include <stdbool.h>

/* The check of the format @name, or NULL when there is none of that name. */
bool (*schema_format_find(const char *name))(const char *text);

#endif
