/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_WIRE_CONFIG_H
#define REEVE_WIRE_CONFIG_H

#include <stddef.h>

#include "../model/config.h"

/*
 * Reads the operator's configuration, schemas/config.v1.json, with the default names where it gives none.
 * @ret is owned by the caller when 0 is returned. Returns 0, -ENOMEM or FAULT_E_SET: the place as a JSON
 * pointer, its value, what is allowed, and the next step.
 */
int config_parse(const char *bytes, size_t n, struct config *ret, struct fault *ret_fault);

/* One for a valid configuration, schemas/config-check.v1.json; @file is NULL for the defaults. 0 or -ENOMEM. */
int config_summary_print(const struct config *config, const char *file, char **ret);

#endif
