/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_CHARGE_JSON_H
#define REEVE_CHARGE_JSON_H

#include "../record/ledger.h"
#include "contract.h"

/*
 * schemas/charge.v1.json, or with @reserved schemas/authorize.v1.json; at_ms is left 0. Returns 0, -ENOMEM,
 * or FAULT_E_SET with every complaint in *ret_errors, which the caller frees in any case.
 */
int charge_parse(struct contracts *contracts, const char *bytes, size_t n, bool reserved,
		 struct ledger_charge *ret, struct schema_errors *ret_errors,
		 struct fault *ret_fault);

#endif
