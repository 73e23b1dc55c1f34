/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_WIRE_OCI_FILTER_H
#define REEVE_WIRE_OCI_FILTER_H

#include "json_walk.h"
#include "oci_seccomp.h"

/*
 * Reads the object behind "includes", or with @exclude "excludes". *skip becomes true when the
 * entry does not apply to @host, and is left alone otherwise. Returns 0 or FAULT_E_SET.
 */
int oci_filter_read(struct json_walk *walk, const cJSON *item, const struct json_at *at,
		    const struct oci_seccomp_host *host, bool exclude, bool *skip);

#endif
