// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session as two documents. The one is the contract's and has its keys and no other, in every state. What
 * only reeve knows of is in the second, and reaches no reader of the first. Both are made from the desk
 * alone, so that they never disagree.
 */
#include "desk_json.h"

#include <errno.h>
#include <string.h>

#include "../model/desk_account.h"
#include "../model/rate.h"
#include "limits_json.h"
#include "time_text.h"

static bool add_task(cJSON *root, const struct desk *desk)
{
	cJSON *object = cJSON_AddObjectToObject(root, "task");

	return json_add_text(object, "id", desk->task_id) &&
	       json_add_text(object, "title", desk->task_title);
}

static bool add_cap(cJSON *root, const struct desk *desk)
{
	cJSON *object = cJSON_AddObjectToObject(root, "cap");

	return json_add_u64(object, "money_cents", desk->cap.money_cents) &&
	       json_add_u64(object, "minutes", desk->cap.minutes);
}

static bool add_spend(cJSON *root, const struct desk *desk)
{
	cJSON *object = cJSON_AddObjectToObject(root, "spend");

	return json_add_u64(object, "money_cents", desk_money_cents(desk)) &&
	       json_add_u64(object, "seconds", desk_seconds(desk)) &&
	       json_add_u64(object, "steps", desk->spend.steps);
}

static bool add_site(cJSON *root, const struct desk_site *site, const char *base_url)
{
	size_t n = strlen(base_url);
	cJSON *object;
	char url[1024];

	if (!site->slug[0])
		return json_add_null(root, "scratch_site");
	object = cJSON_AddObjectToObject(root, "scratch_site");
	snprintf(url, sizeof(url), "%s%s%s/", base_url, n && base_url[n - 1] == '/' ? "" : "/",
		 site->slug);
	return json_add_text(object, "url", url) &&
	       json_add_time(object, "expires_at", site->expires_at_ms) &&
	       json_add_bool(object, "kept", site->kept);
}

static bool session_fill(cJSON *root, const struct desk *desk, const char *site_base_url)
{
	return json_add_text(root, "session_id", desk->id) && add_task(root, desk) &&
	       json_add_text(root, "owner", desk->owner) &&
	       json_add_text(root, "state", desk_state_name(desk->state)) &&
	       json_add_u64(root, "time_box_minutes", desk->time_box_minutes) &&
	       json_add_u64(root, "step_budget", desk->step_budget) && add_cap(root, desk) &&
	       add_spend(root, desk) && json_add_bool(root, "armed", desk->armed) &&
	       json_add_time(root, "armed_at", desk->armed_at_ms) &&
	       json_add_time(root, "started_at", desk->started_at_ms) &&
	       json_add_time(root, "ended_at", desk->ended_at_ms) &&
	       json_add_time(root, "wiped_at", desk->wiped_at_ms) &&
	       json_add_bool(root, "egress_public_only", true) &&
	       add_site(root, &desk->site, site_base_url);
}

int session_json_print(const struct desk *desk, const char *site_base_url, char **ret)
{
	_cleanup_json_ cJSON *root = cJSON_CreateObject();

	if (!root || !session_fill(root, desk, site_base_url))
		return -ENOMEM;
	return json_print(root, false, ret);
}

bool session_json_add(cJSON *object, const char *key, const struct desk *desk,
		      const char *site_base_url)
{
	cJSON *root = cJSON_AddObjectToObject(object, key);

	return root && session_fill(root, desk, site_base_url);
}

static bool add_queue(cJSON *root, const struct desk_view *view)
{
	cJSON *object = cJSON_AddObjectToObject(root, "queue");
	enum desk_queue queue = view->desk->queue;
	bool open = queue == DESK_QUEUE_OPEN;

	return json_add_bool(object, "open", open) &&
	       json_add_text(object, "reason", open ? NULL : desk_queue_name(queue)) &&
	       json_add_u64(object, "queued", view->queued) &&
	       json_add_u64(object, "limit", REEVE_QUEUE_MAX);
}

static bool add_meters(cJSON *root, const struct desk *desk)
{
	cJSON *object = cJSON_AddObjectToObject(root, "meters");
	const struct desk_spend *spend = &desk->spend;

	return json_add_text(object, "clock", desk_clock_name(desk->clock)) &&
	       json_add_u64(object, "cpu_ns", spend->cpu_ns) &&
	       json_add_u64(object, "wall_ns", spend->wall_ns) &&
	       json_add_u64(object, "money_ucents", spend->money_ucents) &&
	       json_add_u64(object, "charged_ucents", spend->charged_ucents) &&
	       json_add_u64(object, "reserved_ucents", spend->reserved_ucents) &&
	       json_add_u64(object, "steps", spend->steps) &&
	       json_add_u64(object, "bytes_out", spend->bytes_out) &&
	       json_add_u64(object, "bytes_in", spend->bytes_in);
}

static bool add_left(cJSON *root, const struct desk *desk)
{
	cJSON *object = cJSON_AddObjectToObject(root, "left");

	return json_add_u64(object, "money_ucents", desk_left_ucents(desk)) &&
	       json_add_u64(object, "time_ns", desk_left_ns(desk));
}

static bool add_policy(cJSON *root, const struct desk *desk)
{
	cJSON *object = cJSON_AddObjectToObject(root, "policy"), *rates;

	if (!json_add_text(object, "egress", spec_egress_name(desk->egress)))
		return false;
	rates = cJSON_AddObjectToObject(object, "rates");
#define X(unit) &&json_add_u64(rates, #unit "_ucents", desk->rates.unit##_ucents)
	return rates RATE_UNITS(X);
#undef X
}

static bool desk_fill(cJSON *root, const struct desk_view *view)
{
	const struct desk *desk = view->desk;

	return json_add_text(root, "session_id", desk->id) &&
	       json_add_u64(root, "revision", desk->revision) &&
	       json_add_time(root, "created_at", desk->created_at_ms) && add_queue(root, view) &&
	       request_json_add(root, "request", view->active) && add_meters(root, desk) &&
	       add_left(root, desk) && add_policy(root, desk) &&
	       enforced_json_add(root, view->enforced, &view->limits);
}

int desk_json_print(const struct desk_view *view, char **ret)
{
	_cleanup_json_ cJSON *root = cJSON_CreateObject();

	if (!root || !desk_fill(root, view))
		return -ENOMEM;
	return json_print(root, false, ret);
}
