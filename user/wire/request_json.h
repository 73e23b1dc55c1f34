/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_REQUEST_JSON_H
#define REEVE_REQUEST_JSON_H

#include "../model/desk.h"
#include "json.h"

/* What there is to show of a request beside its row. */
struct request_view {
	const struct desk_request *request;
	const struct run_result *first; /* whose first denials are shown; NULL for counts alone */
	const char *output_root;
};

/* schemas/request.v1.json. *ret is freed by the caller. Returns 0 or -ENOMEM. */
int request_json_print(const struct request_view *view, char **ret);

/* The same as a member of another document; null for a NULL @view. False when memory is out. */
bool request_json_add(cJSON *object, const char *key, const struct request_view *view);

#endif
