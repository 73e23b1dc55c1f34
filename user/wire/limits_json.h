/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_LIMITS_JSON_H
#define REEVE_LIMITS_JSON_H

#include "../model/plan.h"
#include "../model/promise.h"
#include "json.h"

/*
 * The key "limits" of a plan and of a result: null for what is not limited. False when memory is
 * out.
 */
static inline bool limits_json_add(cJSON *object, const struct plan_limits *limits)
{
	cJSON *into = cJSON_AddObjectToObject(object, "limits");

	return json_add_u64_or_null(into, "memory_bytes", limits->memory_bytes, 0) &&
	       json_add_u64_or_null(into, "pids", limits->pids, 0) &&
	       json_add_u64_or_null(into, "cpu_millis", limits->cpu_millis, 0);
}

/* The key "enforced": each promise, and the limits that were written. */
static inline bool enforced_json_add(cJSON *root, const bool enforced[PROMISE_COUNT],
				     const struct plan_limits *limits)
{
	cJSON *object = cJSON_AddObjectToObject(root, "enforced");
	unsigned int promise;

	for (promise = 0; promise < PROMISE_COUNT; promise++)
		if (!json_add_bool(object, promise_name((enum promise)promise), enforced[promise]))
			return false;
	return limits_json_add(object, limits);
}

#endif
