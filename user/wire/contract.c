// SPDX-License-Identifier: GPL-2.0-only
/*
 * Schemas by the names that their users give them. A file "NAME.vN.json" is the contract NAME@N; a file
 * without a version is a contract without one. A schema is compiled when it is first asked for and kept, since
 * a daemon checks every document that comes in, and a command only one.
 */
#include "contract.h"

#include <errno.h>
#include <string.h>

#include "../../include/limits.h"
#include "schema_error.h"
#include "schemas.h"

struct contracts {
	struct schema *compiled[ARRAY_SIZE(schemas)];
};

size_t contract_count(void)
{
	return ARRAY_SIZE(schemas);
}

const char *contract_text(size_t contract)
{
	return schemas[contract].text;
}

/* Where ".vN" begins, or the end of a name that has none. */
static size_t version_at(const char *file)
{
	const char *dot = strrchr(file, '.');

	if (dot && dot[1] == 'v' && dot[2] && strspn(dot + 2, "0123456789") == strlen(dot + 2))
		return (size_t)(dot - file);
	return strlen(file);
}

void contract_name(size_t contract, char ret[CONTRACT_NAME_SIZE])
{
	const char *file = schemas[contract].name;
	size_t at = version_at(file);

	if (file[at])
		snprintf(ret, CONTRACT_NAME_SIZE, "%.*s@%s", (int)at, file, file + at + 2);
	else
		snprintf(ret, CONTRACT_NAME_SIZE, "%s", file);
}

bool contract_find(const char *name, size_t *ret)
{
	size_t base = strcspn(name, "@"), i;
	char full[CONTRACT_NAME_SIZE];
	bool found = false;
	long version, newest = -1;

	for (i = 0; i < ARRAY_SIZE(schemas); i++) {
		contract_name(i, full);
		if (strcmp(full, name) == 0) {
			*ret = i;
			return true;
		}
		if (name[base] || strcspn(full, "@") != base || strncmp(full, name, base) != 0)
			continue;
		version = strtol(full + base + 1, NULL, 10);
		if (version > newest) {
			newest = version;
			*ret = i;
			found = true;
		}
	}
	return found;
}

int contracts_new(struct contracts **ret)
{
	struct contracts *contracts = calloc(1, sizeof(*contracts));

	if (!contracts)
		return -ENOMEM;
	*ret = contracts;
	return 0;
}

void contracts_free(struct contracts **contracts)
{
	size_t i;

	for (i = 0; *contracts && i < ARRAY_SIZE(schemas); i++)
		schema_free(&(*contracts)->compiled[i]);
	free(*contracts);
	*contracts = NULL;
}

int contracts_check(struct contracts *contracts, size_t contract, const cJSON *document,
		    struct schema_errors *ret)
{
	struct schema **schema = &contracts->compiled[contract];
	struct fault fault = { 0 };
	const char *text = schemas[contract].text;

	/* a test compiles each of them, so that only a lack of memory is left */
	if (!*schema && schema_new(text, strlen(text), schema, &fault))
		return -ENOMEM;
	return schema_check(*schema, document, ret);
}

static const struct json_origin origin = { FAULT_DOCUMENT, "the document", "send a JSON document" };

int contracts_judge(struct contracts *contracts, size_t contract, const char *bytes, size_t n,
		    struct schema_errors *ret)
{
	_cleanup_json_ cJSON *document = NULL;
	struct schema_errors errors = { 0 };
	struct fault fault = { 0 };
	int r = json_parse(bytes, n, &origin, &document, &fault);

	if (r < 0)
		return r;
	if (!r)
		return contracts_check(contracts, contract, document, ret);
	r = schema_errors_add(&errors, NULL, strdup(fault.reason), NULL);
	if (r)
		return r;
	*ret = errors;
	return SCHEMA_E_INVALID;
}

static int complain(const char *contract, const struct schema_errors *errors, struct fault *ret_fault)
{
	const struct schema_error *first = &errors->items[0];
	size_t more = errors->n_items - 1 + errors->n_dropped;
	char remedy[128], rest[40] = "";

	snprintf(remedy, sizeof(remedy), "see the schema of %s", contract);
	if (more)
		snprintf(rest, sizeof(rest), ", and %zu more", more);
	if (first->property)
		return fault_set(ret_fault, FAULT_DOCUMENT, first->path, remedy, "%s: '%.64s'%s",
				 first->message, first->property, rest);
	return fault_set(ret_fault, FAULT_DOCUMENT, first->path, remedy, "%s%s", first->message,
			 rest);
}

int contracts_read(struct contracts *contracts, const char *contract, const char *bytes, size_t n,
		   cJSON **ret, struct schema_errors *ret_errors, struct fault *ret_fault)
{
	_cleanup_json_ cJSON *document = NULL;
	size_t at = 0;
	int r;

	if (n > REEVE_REQUEST_BYTES_MAX)
		return fault_set(ret_fault, FAULT_BODY_TOO_LARGE, "/", "send less",
				 "the document has more than %d bytes", REEVE_REQUEST_BYTES_MAX);
	r = json_parse(bytes, n, &origin, &document, ret_fault);
	if (r)
		return r;
	contract_find(contract, &at);
	r = contracts_check(contracts, at, document, ret_errors);
	if (r < 0)
		return r;
	if (r)
		return complain(contract, ret_errors, ret_fault);
	*ret = document;
	document = NULL;
	return 0;
}
