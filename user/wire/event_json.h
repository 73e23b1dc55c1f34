/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_EVENT_JSON_H
#define REEVE_EVENT_JSON_H

#include "desk_json.h"

struct event_view {
	const char *type; /* one of DESK_NOTES */
	uint64_t at_ms;
	const struct desk *desk;
	const char *site_base_url;
	const struct request_view *request; /* NULL when it is about none */
	const struct fault *fault;	    /* or NULL */
};

/* schemas/event.v1.json. *ret is freed by the caller. Returns 0 or -ENOMEM. */
int event_json_print(const struct event_view *view, char **ret);

#endif
