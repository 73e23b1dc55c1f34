/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the owner says of a session. Both return 0, -ENOMEM, or FAULT_E_SET with every complaint in
 * *ret_errors, which the caller frees in any case (schema_errors_deinit).
 */
#ifndef REEVE_DESK_PARSE_H
#define REEVE_DESK_PARSE_H

#include "../model/desk.h"
#include "contract.h"

/* schemas/session-create.v1.json: the owner's fields, all others 0. */
int desk_parse(struct contracts *contracts, const char *bytes, size_t n, struct desk *ret,
	       struct schema_errors *ret_errors, struct fault *ret_fault);

/* schemas/session-change.v1.json */
int desk_change_parse(struct contracts *contracts, const char *bytes, size_t n,
		      struct desk_change *ret, struct schema_errors *ret_errors,
		      struct fault *ret_fault);

#endif
