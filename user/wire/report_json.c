// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two documents that say what is in the way: a fault, and what was found of a host. Both have
 * plain texts and no numbers, and every text may show something that came from outside, so all of
 * it goes the way that makes it valid UTF-8.
 */
#include "report_json.h"

#include <errno.h>

#include "json.h"

static bool fault_fill(cJSON *object, const struct fault *fault)
{
	return json_add_text(object, "code", fault_code_name(fault->code)) &&
	       json_add_text(object, "pointer", fault->field) &&
	       json_add_text(object, "reason", fault->reason) &&
	       json_add_text(object, "remedy", fault->remedy);
}

bool fault_json_add(cJSON *object, const char *key, const struct fault *fault)
{
	if (!fault || fault->code == FAULT_NONE)
		return json_add_null(object, key);
	return fault_fill(cJSON_AddObjectToObject(object, key), fault);
}

int fault_json_print(const struct fault *fault, char **ret)
{
	_cleanup_json_ cJSON *root = cJSON_CreateObject();

	if (!fault_fill(root, fault))
		return -ENOMEM;
	return json_print(root, false, ret);
}

static bool add_check(cJSON *array, const struct doctor_check *check)
{
	cJSON *object = cJSON_CreateObject();

	if (!cJSON_AddItemToArray(array, object))
		return false;
	return json_add_text(object, "name", check->name) &&
	       json_add_text(object, "promise", promise_name(check->promise)) &&
	       json_add_text(object, "status", doctor_status_name(check->status)) &&
	       json_add_text(object, "detail", check->detail) &&
	       json_add_text(object, "remedy", check->remedy[0] ? check->remedy : NULL);
}

int doctor_json_print(const struct doctor_report *report, char **ret)
{
	_cleanup_json_ cJSON *root = cJSON_CreateObject();
	const char *status = doctor_status_name(doctor_report_status(report));
	cJSON *checks;
	size_t i;

	if (!json_add_text(root, "status", status))
		return -ENOMEM;
	checks = cJSON_AddArrayToObject(root, "checks");
	if (!checks)
		return -ENOMEM;
	for (i = 0; i < report->n_checks; i++)
		if (!add_check(checks, &report->checks[i]))
			return -ENOMEM;
	return json_print(root, false, ret);
}
