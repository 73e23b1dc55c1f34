// SPDX-License-Identifier: GPL-2.0-only
/*
 * The schema judges, and says all that is wrong in the words of the contract's validator; what is read here
 * has passed it, so that each value is of its type. A number that is too great to be exact is taken for the
 * greatest that is. There is no member by which egress could become more than public.
 */
#include "desk_parse.h"

#include <string.h>

#include "../model/rate.h"

#define CREATE "session-create@1"
#define CHANGE "session-change@1"

static const cJSON *get(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

static uint64_t number(const cJSON *object, const char *key, uint64_t otherwise)
{
	const cJSON *item = get(object, key);

	if (!item)
		return otherwise;
	return item->valuedouble < (double)REEVE_WHOLE_MAX ? (uint64_t)item->valuedouble
							   : REEVE_WHOLE_MAX;
}

/* The schema's lengths are in characters, and the room is for the longest of them. */
static void text(const cJSON *object, const char *key, char *ret, size_t size)
{
	snprintf(ret, size, "%s", get(object, key)->valuestring);
}

static void cap_read(const cJSON *object, struct desk_cap *ret)
{
	ret->money_cents = number(object, "money_cents", 0);
	ret->minutes = number(object, "minutes", 0);
}

static void policy_read(const cJSON *root, struct desk *desk)
{
	const cJSON *clock = get(root, "clock"), *egress = get(root, "egress");
	const cJSON *rates = get(root, "rates");

	if (clock && strcmp(clock->valuestring, desk_clock_name(DESK_CLOCK_WALL)) == 0)
		desk->clock = DESK_CLOCK_WALL;
	desk->egress = SPEC_EGRESS_PUBLIC;
	if (egress)
		spec_egress_find(egress->valuestring, &desk->egress);
#define X(unit) desk->rates.unit##_ucents = number(rates, #unit "_ucents", 0);
	RATE_UNITS(X)
#undef X
}

int desk_parse(struct contracts *contracts, const char *bytes, size_t n, struct desk *ret,
	       struct schema_errors *ret_errors, struct fault *ret_fault)
{
	_cleanup_json_ cJSON *root = NULL;
	struct desk desk = { 0 };
	int r = contracts_read(contracts, CREATE, bytes, n, &root, ret_errors, ret_fault);

	if (r)
		return r;
	text(get(root, "task"), "id", desk.task_id, sizeof(desk.task_id));
	text(get(root, "task"), "title", desk.task_title, sizeof(desk.task_title));
	text(root, "owner", desk.owner, sizeof(desk.owner));
	desk.time_box_minutes = number(root, "time_box_minutes", REEVE_TIME_BOX_MINUTES_DEFAULT);
	desk.step_budget = number(root, "step_budget", 0);
	cap_read(get(root, "cap"), &desk.cap);
	policy_read(root, &desk);
	*ret = desk;
	return 0;
}

int desk_change_parse(struct contracts *contracts, const char *bytes, size_t n,
		      struct desk_change *ret, struct schema_errors *ret_errors,
		      struct fault *ret_fault)
{
	_cleanup_json_ cJSON *root = NULL;
	struct desk_change change = { 0 };
	int r = contracts_read(contracts, CHANGE, bytes, n, &root, ret_errors, ret_fault);

	if (r)
		return r;
	change.has_cap = get(root, "cap");
	change.has_time_box = get(root, "time_box_minutes");
	change.has_step_budget = get(root, "step_budget");
	cap_read(get(root, "cap"), &change.cap);
	change.time_box_minutes = number(root, "time_box_minutes", 0);
	change.step_budget = number(root, "step_budget", 0);
	*ret = change;
	return 0;
}
