/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_CONFIG_FILE_H
#define REEVE_CONFIG_FILE_H

#include "../model/config.h"

/*
 * Reads the configuration in @path, or with NULL the one of the host, whose absence means the defaults. A file
 * that is there and not valid is a fault, never the defaults. Returns 0, -ENOMEM or FAULT_E_SET.
 */
int config_file_read(const char *path, struct config *ret, struct fault *ret_fault);

/* Whether @path, or with NULL the file of the host, is there. */
bool config_file_is_there(const char *path);

#endif
