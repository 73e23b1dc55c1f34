/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is to be run in a session. Both return 0, -ENOMEM, or FAULT_E_SET with every complaint in
 * *ret_errors, which the caller frees in any case (schema_errors_deinit).
 */
#ifndef REEVE_ORDER_JSON_H
#define REEVE_ORDER_JSON_H

#include "../model/spec.h"
#include "contract.h"

/*
 * schemas/order.v1.json. *ret is a spec of the image host with @egress, the session's; without a command
 * (argv NULL) when *ret_open says that steps come one by one.
 */
int order_parse(struct contracts *contracts, const char *bytes, size_t n, enum spec_egress egress,
		struct spec *ret, bool *ret_open, struct schema_errors *ret_errors,
		struct fault *ret_fault);

/* schemas/step.v1.json: the same, and always with a command. */
int step_parse(struct contracts *contracts, const char *bytes, size_t n, enum spec_egress egress,
	       struct spec *ret, struct schema_errors *ret_errors, struct fault *ret_fault);

#endif
