// SPDX-License-Identifier: GPL-2.0-only
/*
 * A live session's policy as its document, in the order of the schema. Rules are in the words in which the
 * command line takes them.
 */
#include "policy_json.h"

#include <errno.h>

#include "../model/verdict.h"
#include "json.h"

static bool add_cap(cJSON *root, const struct policy *policy)
{
	cJSON *object = cJSON_AddObjectToObject(root, "cap");

	return json_add_u64_or_null(object, "cpu_ns", policy->cpu_cap_ns, POLICY_UNLIMITED) &&
	       json_add_u64_or_null(object, "money_ucents", policy->money_cap_ucents,
				    POLICY_UNLIMITED);
}

static bool add_used(cJSON *root, const struct policy_view *view)
{
	cJSON *object = cJSON_AddObjectToObject(root, "used");

	return json_add_u64(object, "cpu_ns", view->usage.cpu_ns) &&
	       json_add_u64(object, "money_ucents", policy_view_money_ucents(view)) &&
	       json_add_u64(object, "bytes_out", view->usage.bytes_out) &&
	       json_add_u64(object, "bytes_in", view->usage.bytes_in);
}

static bool add_rule(cJSON *array, const struct rule *rule)
{
	cJSON *object = cJSON_CreateObject();
	char text[RULE_TEXT_SIZE];

	if (!cJSON_AddItemToArray(array, object))
		return false;
	rule_text(rule, text);
	return json_add_text(object, "rule", text) &&
	       json_add_text(object, "verdict", rule_is_allow(rule) ? "allow" : "deny");
}

static bool add_rules(cJSON *root, const struct policy_view *view)
{
	cJSON *array = cJSON_AddArrayToObject(root, "rules");
	bool added = array;

	for (size_t i = 0; added && i < view->n_rules; i++)
		added = add_rule(array, &view->rules[i]);
	return added;
}

int policy_json_print(const struct policy_view *view, char **ret)
{
	_cleanup_json_ cJSON *root = cJSON_CreateObject();
	const char *state = policy_state_name(view->policy.state);
	const char *egress = policy_egress_name(view->policy.egress);
	enum reason stopped_by = policy_view_stopped_by(view);

	/* a number that is none denies, as "closed" and "none" do */
	if (!json_add_text(root, "session_id", view->session_id) ||
	    !json_add_u64(root, "cgroup_id", view->cgroup_id) ||
	    !json_add_text(root, "state", state ? state : policy_state_name(POLICY_CLOSED)) ||
	    !json_add_text(root, "stopped_by",
			   stopped_by == REASON_OK ? NULL : reason_name(stopped_by)) ||
	    !json_add_text(root, "egress", egress ? egress : policy_egress_name(POLICY_EGRESS_NONE)) ||
	    !add_cap(root, &view->policy) || !add_used(root, view) ||
	    !json_add_u64_or_null(root, "time_left_ns", policy_view_time_left_ns(view),
				  POLICY_UNLIMITED) ||
	    !add_rules(root, view))
		return -ENOMEM;
	return json_print(root, false, ret);
}
