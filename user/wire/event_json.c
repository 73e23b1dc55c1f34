// SPDX-License-Identifier: GPL-2.0-only
/*
 * An event carries the whole session and the whole request as they are after it: a follower that missed
 * nothing needs to ask for nothing, and one that comes late has all from the last of them. The number of an
 * event is not in it, for it is given when it is recorded.
 */
#include "event_json.h"

#include <errno.h>

#include "report_json.h"
#include "time_text.h"

static bool event_fill(cJSON *root, const struct event_view *view)
{
	const struct desk *desk = view->desk;
	bool open = desk->queue == DESK_QUEUE_OPEN;

	return json_add_text(root, "type", view->type) && json_add_time(root, "at", view->at_ms) &&
	       json_add_text(root, "session_id", desk->id) &&
	       json_add_u64(root, "revision", desk->revision) &&
	       json_add_text(root, "queue", open ? NULL : desk_queue_name(desk->queue)) &&
	       session_json_add(root, "session", desk, view->site_base_url) &&
	       request_json_add(root, "request", view->request) &&
	       fault_json_add(root, "fault", view->fault);
}

int event_json_print(const struct event_view *view, char **ret)
{
	_cleanup_json_ cJSON *root = cJSON_CreateObject();

	if (!root || !event_fill(root, view))
		return -ENOMEM;
	return json_print(root, false, ret);
}
