// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fault and a problem are the same: the code is the kind, the reason the detail, the pointer the field. So
 * a client that reads one has the fault that a command of the daemon's host would have had, and says it in
 * the same words.
 */
#include "problem_json.h"

#include <errno.h>
#include <string.h>

#include "json.h"
#include "verdict_json.h"

static bool problem_fill(cJSON *root, const struct problem *problem)
{
	const struct fault *fault = problem->fault;
	char type[96];

	snprintf(type, sizeof(type), PROBLEM_TYPE_PREFIX "%s", fault_code_name(fault->code));
	return json_add_text(root, "type", type) && json_add_text(root, "title", problem->title) &&
	       json_add_u64(root, "status", problem->status) &&
	       json_add_text(root, "detail", fault->reason) &&
	       json_add_text(root, "code", fault_code_name(fault->code)) &&
	       (!fault->field[0] || json_add_text(root, "field", fault->field)) &&
	       (!fault->remedy[0] || json_add_text(root, "remedy", fault->remedy)) &&
	       (!problem->errors || !problem->errors->n_items ||
		verdict_json_add_errors(root, problem->errors, false));
}

int problem_json_print(const struct problem *problem, char **ret)
{
	_cleanup_json_ cJSON *root = cJSON_CreateObject();

	if (!root || !problem_fill(root, problem))
		return -ENOMEM;
	return json_print(root, false, ret);
}

static const char *member(const cJSON *root, const char *key)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, key));

	return text ? text : "";
}

bool problem_json_read(const char *bytes, size_t n, struct fault *ret)
{
	static const struct json_origin origin = { FAULT_INTERNAL, "the answer", "try again" };
	_cleanup_json_ cJSON *root = NULL;
	struct fault fault = { 0 };
	unsigned int code;

	if (json_parse(bytes, n, &origin, &root, &fault))
		return false;
	for (code = FAULT_NONE + 1; code <= FAULT_INTERNAL; code++)
		if (strcmp(fault_code_name((enum fault_code)code), member(root, "code")) == 0)
			break;
	if (code > FAULT_INTERNAL || !member(root, "detail")[0])
		return false;
	*ret = (struct fault){ 0 };
	fault_set(ret, (enum fault_code)code, member(root, "field"), member(root, "remedy"), "%s",
		  member(root, "detail"));
	return true;
}
