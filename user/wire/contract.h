/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The contracts that documents keep to, by name: "codes.sandbox-session@1", "sandbox_script". They are the
 * files of schemas/, inside the program, and the only source: what is served, checked and told of is these.
 */
#ifndef REEVE_CONTRACT_H
#define REEVE_CONTRACT_H

#include "json.h"
#include "schema.h"

#define CONTRACT_NAME_SIZE 64

size_t contract_count(void);
void contract_name(size_t contract, char ret[CONTRACT_NAME_SIZE]);
const char *contract_text(size_t contract);

/* NAME@VERSION, or NAME for the only or newest version. False when there is none of this name. */
bool contract_find(const char *name, size_t *ret);

/* The contracts as they are compiled one by one when first used. */
struct contracts;
int contracts_new(struct contracts **ret);
void contracts_free(struct contracts **contracts);
#define _cleanup_contracts_ _cleanup_(contracts_free)

/* Returns 0, SCHEMA_E_INVALID with the errors in *ret, or -ENOMEM. */
int contracts_check(struct contracts *contracts, size_t contract, const cJSON *document,
		    struct schema_errors *ret);

/* The same for a text; one that is no JSON document is invalid as a whole. */
int contracts_judge(struct contracts *contracts, size_t contract, const char *bytes, size_t n,
		    struct schema_errors *ret);

/*
 * Parses a text that must keep to @contract. Returns 0 with its tree; -ENOMEM; or FAULT_E_SET with the
 * first complaint as the fault and all of them in *ret_errors, which the caller frees in any case.
 */
int contracts_read(struct contracts *contracts, const char *contract, const char *bytes, size_t n,
		   cJSON **ret, struct schema_errors *ret_errors, struct fault *ret_fault);

#endif
