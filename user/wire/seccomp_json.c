// SPDX-License-Identifier: GPL-2.0-only
/*
 * The system call rules as they will be compiled, so that a dry run can be read beside any container's
 * profile.
 */
#include "seccomp_json.h"

#include "json.h"

static bool add_verdict(cJSON *object, const struct seccomp_verdict *verdict)
{
	bool data = seccomp_action_takes_data(verdict->action);

	return json_add_text(object, "action", seccomp_action_name(verdict->action)) &&
	       json_add_u64_or_null(object, "errno", data ? verdict->data : UINT64_MAX, UINT64_MAX);
}

static bool add_compare(cJSON *array, const struct seccomp_compare *compare)
{
	bool masked = compare->op == SECCOMP_OP_MASKED_EQ;
	cJSON *object = cJSON_CreateObject();

	if (!cJSON_AddItemToArray(array, object))
		return false;
	return json_add_u64(object, "index", compare->arg) &&
	       json_add_text(object, "op", seccomp_op_name(compare->op)) &&
	       json_add_u64_or_null(object, "mask", masked ? compare->mask : 0, 0) &&
	       json_add_u64(object, "value", compare->value);
}

static bool add_rule(cJSON *array, const struct seccomp_rule *rule)
{
	cJSON *object = cJSON_CreateObject(), *args;

	if (!cJSON_AddItemToArray(array, object))
		return false;
	if (!json_add_text(object, "name", rule->name) || !add_verdict(object, &rule->verdict))
		return false;
	args = cJSON_AddArrayToObject(object, "args");
	for (unsigned int i = 0; args && i < rule->n_compares; i++)
		if (!add_compare(args, &rule->compares[i]))
			return false;
	return args;
}

bool seccomp_json_add(cJSON *object, const struct seccomp_plan *plan, const char *profile)
{
	cJSON *seccomp = cJSON_AddObjectToObject(object, "seccomp"), *fallback, *rules;

	if (!json_add_text(seccomp, "profile", profile))
		return false;
	fallback = cJSON_AddObjectToObject(seccomp, "fallback");
	if (!fallback || !add_verdict(fallback, &plan->fallback))
		return false;
	rules = cJSON_AddArrayToObject(seccomp, "rules");
	for (size_t i = 0; rules && i < plan->n_rules; i++)
		if (!add_rule(rules, &plan->rules[i]))
			return false;
	return rules;
}
