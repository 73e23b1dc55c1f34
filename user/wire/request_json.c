// SPDX-License-Identifier: GPL-2.0-only
/*
 * A request as its document. What is not known before its end is null until then, and is never a zero that
 * a reader could take for an exit code. Counts of denials are the row's; events that show them, if they are
 * at hand, only illustrate.
 */
#include "request_json.h"

#include <errno.h>

#include "denials_json.h"
#include "report_json.h"
#include "time_text.h"

static bool add_times(cJSON *object, const struct desk_request *request)
{
	return json_add_time(object, "submitted_at", request->submitted_at_ms) &&
	       json_add_time(object, "started_at", request->started_at_ms) &&
	       json_add_time(object, "finished_at", request->finished_at_ms);
}

static bool add_ending(cJSON *object, const struct desk_request *request)
{
	bool over = request->state == DESK_REQUEST_FINISHED;
	bool exited = over && request->exit_code >= 0 && request->outcome == RUN_EXITED &&
		      !request->signal;

	return json_add_text(object, "outcome", over ? run_outcome_name(request->outcome) : NULL) &&
	       json_add_u64_or_null(object, "exit_code", (uint64_t)request->exit_code,
				    exited ? UINT64_MAX : (uint64_t)request->exit_code) &&
	       json_add_u64_or_null(object, "signal", (uint64_t)request->signal,
				    over ? 0 : (uint64_t)request->signal);
}

static bool add_usage(cJSON *object, const struct desk_request *request)
{
	return json_add_u64(object, "cpu_ns", request->cpu_ns) &&
	       json_add_u64(object, "wall_ns", request->wall_ns) &&
	       json_add_u64(object, "money_ucents", request->money_ucents) &&
	       json_add_u64(object, "steps", request->steps) &&
	       json_add_u64(object, "bytes_out", request->bytes_out) &&
	       json_add_u64(object, "bytes_in", request->bytes_in);
}

static bool add_denials(cJSON *object, const struct request_view *view)
{
	_cleanup_free_ struct run_denials *denials = calloc(REASON_COUNT - 1, sizeof(*denials));

	for (size_t i = 0; denials && i < REASON_COUNT - 1; i++) {
		if (view->first)
			denials[i] = view->first->denials[i];
		denials[i].count = view->request->denials[i];
	}
	return denials &&
	       denials_json_add(object, denials, view->first ? view->first->events_since_ns : 0);
}

static bool add_output_dir(cJSON *object, const struct request_view *view)
{
	const char *name = view->request->output_name;
	char path[REEVE_PATH_MAX];

	if (!name[0])
		return json_add_null(object, "output_dir");
	snprintf(path, sizeof(path), "%s/%s", view->output_root, name);
	return json_add_text(object, "output_dir", path);
}

static bool request_fill(cJSON *object, const struct request_view *view)
{
	const struct desk_request *request = view->request;

	return json_add_text(object, "request_id", request->id) &&
	       json_add_text(object, "session_id", request->session_id) &&
	       json_add_text(object, "state", desk_request_state_name(request->state)) &&
	       json_add_bool(object, "open", request->open) &&
	       json_add_u64(object, "position", request->position) &&
	       json_add_u64(object, "time_box_ns", request->time_box_ns) &&
	       json_add_u64(object, "step_budget", request->step_budget) &&
	       add_times(object, request) && add_ending(object, request) &&
	       add_usage(object, request) && add_denials(object, view) &&
	       json_add_u64(object, "events_lost", request->events_lost) &&
	       add_output_dir(object, view) && fault_json_add(object, "fault", &request->fault);
}

int request_json_print(const struct request_view *view, char **ret)
{
	_cleanup_json_ cJSON *root = cJSON_CreateObject();

	if (!root || !request_fill(root, view))
		return -ENOMEM;
	return json_print(root, false, ret);
}

bool request_json_add(cJSON *object, const char *key, const struct request_view *view)
{
	if (!view)
		return json_add_null(object, key);
	return request_fill(cJSON_AddObjectToObject(object, key), view);
}
