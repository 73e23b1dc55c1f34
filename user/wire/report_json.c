// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two documents that say what is in the way: a fault, and what was found of a host. Both have
 * plain texts and no numbers, and every text may show something that came from outside, so all of
 * it goes the way that makes it valid UTF-8.
 */
#include "report_json.h"

#include <errno.h>

#include "json.h"

int fault_json_print(const struct fault *fault, char **ret)
{
	_cleanup_json_ cJSON *root = cJSON_CreateObject();

	if (!json_add_text(root, "code", fault_code_name(fault->code)) ||
	    !json_add_text(root, "pointer", fault->field) ||
	    !json_add_text(root, "reason", fault->reason) ||
	    !json_add_text(root, "remedy", fault->remedy))
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
