// SPDX-License-Identifier: GPL-2.0-only
/*
 * Verdicts as their readers compare them, key by key: with the validator of the session contract a
 * complaint is a path and a message and nothing else; elsewhere the key that is too many is named, which the
 * message alone does not.
 */
#include "verdict_json.h"

#include <errno.h>
#include <string.h>

#define BARE_CONTRACT "codes.sandbox-session@"

static bool add_error(cJSON *array, const struct schema_error *error, bool properties)
{
	cJSON *object = cJSON_CreateObject();

	if (!cJSON_AddItemToArray(array, object))
		return false;
	if (!json_add_text(object, "path", error->path) ||
	    !json_add_text(object, "message", error->message))
		return false;
	return !properties || !error->property || json_add_text(object, "property", error->property);
}

bool verdict_json_add_errors(cJSON *object, const struct schema_errors *errors, bool properties)
{
	cJSON *array = cJSON_AddArrayToObject(object, "errors");
	size_t i;

	for (i = 0; array && i < errors->n_items; i++)
		if (!add_error(array, &errors->items[i], properties))
			return false;
	return array;
}

int verdict_json_print(size_t contract, const struct schema_errors *errors, char **ret)
{
	_cleanup_json_ cJSON *root = cJSON_CreateObject();
	char name[CONTRACT_NAME_SIZE];
	bool bare;

	contract_name(contract, name);
	bare = strncmp(name, BARE_CONTRACT, strlen(BARE_CONTRACT)) == 0;
	if (!json_add_bool(root, "valid", errors->n_items == 0) ||
	    !verdict_json_add_errors(root, errors, !bare))
		return -ENOMEM;
	return json_print(root, false, ret);
}
