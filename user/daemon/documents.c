// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the documents need that is not in the desk or the row they are of: the queue, what is enforced, the first denials. The
 * hall's events have the same documents in them.
 */
#include <errno.h>
#include <string.h>

#include "../base/clock.h"
#include "../wire/event_json.h"
#include "../wire/order_json.h"
#include "change.h"
#include "daemon_parts.h"

static const char *site_base_url(const struct daemon *daemon)
{
	return daemon->args->site_base_url ? daemon->args->site_base_url : "";
}

/* @result is for the denials; 0 also when there are none. */
static int request_look(const struct daemon *daemon, const struct desk_request *request,
			struct run_result *result, struct request_view *ret)
{
	int r = request->state == DESK_REQUEST_FINISHED
			? ledger_get_denials(hall_ledger(daemon->hall), request->id, result)
			: LEDGER_E_NONE;

	if (r < 0)
		return r;
	*ret = (struct request_view){
		.request = request,
		.first = r == 0 ? result : NULL,
		.output_root = daemon->args->config->output_root,
	};
	return 0;
}

int change_print_session(const struct daemon *daemon, const struct desk *desk,
			 const struct desk_request *request, char **ret)
{
	(void)request;
	return session_json_print(desk, site_base_url(daemon), ret);
}

int change_print_desk(const struct daemon *daemon, const struct desk *desk,
		      const struct desk_request *request, char **ret)
{
	struct run_result result = {};
	struct request_view active;
	struct hall_view view;
	struct desk_view shown;
	int r = hall_view(daemon->hall, desk->id, &view);

	(void)request;
	if (!r && view.has_active)
		r = request_look(daemon, &view.active, &result, &active);
	if (r)
		return r;
	shown = (struct desk_view){
		.desk = desk,
		.queued = view.queued,
		.active = view.has_active ? &active : NULL,
		.limits = view.limits,
	};
	memcpy(shown.enforced, view.enforced, sizeof(shown.enforced));
	return desk_json_print(&shown, ret);
}

int change_print_request(const struct daemon *daemon, const struct desk *desk,
			 const struct desk_request *request, char **ret)
{
	struct run_result result = {};
	struct request_view view;
	int r = request_look(daemon, request, &result, &view);

	(void)desk;
	return r ? r : request_json_print(&view, ret);
}

int daemon_describe(const struct hall_note *note, char **ret, size_t *ret_n, void *arg)
{
	const struct daemon *daemon = arg;
	const struct request_view request = {
		.request = note->request,
		.output_root = daemon->args->config->output_root,
	};
	const struct event_view view = {
		.type = note->type,
		.at_ms = clock_realtime_ms(),
		.desk = note->desk,
		.site_base_url = site_base_url(daemon),
		.request = note->request ? &request : NULL,
		.fault = note->fault,
	};
	int r = event_json_print(&view, ret);

	if (!r)
		*ret_n = strlen(*ret);
	return r;
}

int daemon_read_spec(const struct desk *desk, const char *text, size_t n, struct spec *ret,
		     struct fault *ret_fault, void *arg)
{
	_cleanup_schema_errors_ struct schema_errors errors = {};
	struct daemon *daemon = arg;
	bool open;

	return order_parse(daemon->contracts, text, n, desk->egress, ret, &open, &errors, ret_fault);
}
