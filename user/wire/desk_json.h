/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_DESK_JSON_H
#define REEVE_DESK_JSON_H

#include "../model/desk.h"
#include "../model/plan.h"
#include "../model/promise.h"
#include "request_json.h"

/*
 * schemas/codes.sandbox-session.v1.json, every key of it in every state. @site_base_url is what the slug of
 * the session's site stands behind. *ret is freed by the caller. Returns 0 or -ENOMEM.
 */
int session_json_print(const struct desk *desk, const char *site_base_url, char **ret);

/* The same as a member of another document. False when memory is out. */
bool session_json_add(cJSON *object, const char *key, const struct desk *desk,
		      const char *site_base_url);

/* What there is to show of a session beside its desk. */
struct desk_view {
	const struct desk *desk;
	uint64_t queued;
	const struct request_view *active; /* NULL for none */
	bool enforced[PROMISE_COUNT];
	struct plan_limits limits; /* 0 for one that is not limited */
};

/* schemas/desk.v1.json. *ret is freed by the caller. Returns 0 or -ENOMEM. */
int desk_json_print(const struct desk_view *view, char **ret);

#endif
