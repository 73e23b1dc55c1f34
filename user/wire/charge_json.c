// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the host agent reports, or wants to be sure of: one form for both, since the one settles the other
 * under the same id. The schema's bounds are those of the row that keeps it.
 */
#include "charge_json.h"

static uint64_t number(const cJSON *root, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, key);

	return item ? (uint64_t)item->valuedouble : 0;
}

static void text(const cJSON *root, const char *key, char *ret, size_t size)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, key);

	snprintf(ret, size, "%s", item ? item->valuestring : "");
}

int charge_parse(struct contracts *contracts, const char *bytes, size_t n, bool reserved,
		 struct ledger_charge *ret, struct schema_errors *ret_errors, struct fault *ret_fault)
{
	const char *contract = reserved ? "authorize@1" : "charge@1";
	struct ledger_charge charge = { .reserved = reserved };
	_cleanup_json_ cJSON *root = NULL;
	int r = contracts_read(contracts, contract, bytes, n, &root, ret_errors, ret_fault);

	if (r)
		return r;
	text(root, "charge_id", charge.id, sizeof(charge.id));
	text(root, "note", charge.note, sizeof(charge.note));
	charge.money_ucents = number(root, "money_ucents");
	charge.steps = number(root, "steps");
	*ret = charge;
	return 0;
}
