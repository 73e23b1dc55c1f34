// SPDX-License-Identifier: GPL-2.0-only
/* Methods on sessions: each reads its document, calls the hall once, and prints what came of it. */
#include <errno.h>
#include <string.h>

#include "../base/str.h"
#include "../wire/desk_json.h"
#include "../wire/desk_parse.h"
#include "change.h"
#include "daemon_parts.h"
#include "dispatch.h"
#include "method.h"
#include "problem.h"
#include "query.h"

#define JSON "application/json"

int method_session_find(struct daemon *daemon, const struct exchange *exchange,
			const struct desk **ret, struct fault *ret_fault)
{
	*ret = hall_find(daemon->hall, exchange->id);
	if (*ret)
		return 0;
	return fault_set(ret_fault, FAULT_SESSION_UNKNOWN, exchange->head.path,
			 "see GET /v1/sessions", "there is no session %s", exchange->id);
}

int method_session_create(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	_cleanup_schema_errors_ struct schema_errors errors = {};
	const struct desk *made;
	struct change change;
	struct desk desk;
	int r = desk_parse(daemon->contracts, exchange->body, exchange->n_body, &desk, &errors,
			   ret_fault);

	if (r)
		return problem_reply_errors(exchange, r, ret_fault, &errors);
	change_begin(&change, daemon, exchange, change_print_session, 201);
	r = hall_create(daemon->hall, &desk, &made, ret_fault);
	return change_end(&change, r, made, NULL);
}

int method_session_change(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	_cleanup_schema_errors_ struct schema_errors errors = {};
	struct desk_change wanted;
	const struct desk *desk;
	struct change change;
	int r = desk_change_parse(daemon->contracts, exchange->body, exchange->n_body, &wanted,
				  &errors, ret_fault);

	if (r)
		return problem_reply_errors(exchange, r, ret_fault, &errors);
	change_begin(&change, daemon, exchange, change_print_session, 200);
	r = hall_change(daemon->hall, exchange->id, &wanted, &desk, ret_fault);
	return change_end(&change, r, desk, NULL);
}

static int event(struct daemon *daemon, struct exchange *exchange, enum desk_event event,
		 struct fault *ret_fault)
{
	const struct desk *desk;
	struct change change;
	int r;

	change_begin(&change, daemon, exchange, change_print_session, 200);
	r = hall_event(daemon->hall, exchange->id, event, NULL, NULL, &desk, ret_fault);
	return change_end(&change, r, desk, NULL);
}

int method_session_go(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	return event(daemon, exchange, DESK_EVENT_GO, ret_fault);
}

int method_session_pause(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	return event(daemon, exchange, DESK_EVENT_PAUSE, ret_fault);
}

int method_session_resume(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	return event(daemon, exchange, DESK_EVENT_RESUME, ret_fault);
}

int method_session_wipe(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	return change_await(daemon, exchange, DESK_EVENT_WIPE, ret_fault);
}

int method_session_end(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	return change_await(daemon, exchange, DESK_EVENT_END, ret_fault);
}

int method_session_keep_site(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	const struct desk *desk;
	struct change change;
	int r;

	change_begin(&change, daemon, exchange, change_print_session, 200);
	r = hall_keep_site(daemon->hall, exchange->id, &desk, ret_fault);
	return change_end(&change, r, desk, NULL);
}

static int document_reply(struct daemon *daemon, struct exchange *exchange, change_print_fn *print,
			  struct fault *ret_fault)
{
	_cleanup_free_ char *text = NULL;
	const struct desk *desk;
	int r = method_session_find(daemon, exchange, &desk, ret_fault);

	if (!r)
		r = hall_meter(daemon->hall, exchange->id, &desk);
	if (!r)
		r = print(daemon, desk, NULL, &text);
	if (r)
		return r;
	dispatch_add_etag(exchange, desk, text);
	if (dispatch_is_known(exchange, desk, text))
		exchange_reply(exchange, 304, NULL, NULL, 0);
	else
		exchange_reply(exchange, 200, JSON, text, strlen(text));
	return 0;
}

int method_session_get(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	return document_reply(daemon, exchange, change_print_session, ret_fault);
}

int method_session_desk(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	return document_reply(daemon, exchange, change_print_desk, ret_fault);
}

static int list_desk(const struct desk *desk, void *arg)
{
	struct query_list *list = arg;
	_cleanup_free_ char *text = NULL;
	int r = 0;

	if (!query_list_has_room(list, desk->id))
		return 1;
	r = change_print_session(list->daemon, desk, NULL, &text);
	return r ? r : query_list_add(list, desk->id, text);
}

int method_session_list(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	_cleanup_query_list_ struct query_list list = {};
	int r = query_list_begin(&list, daemon, exchange, ret_fault);

	if (r)
		return r;
	r = hall_each(daemon->hall, list.after[0] ? list.after : NULL, list_desk, &list);
	return r < 0 ? r : query_list_reply(&list, exchange);
}

static int list_request(const struct desk_request *request, void *arg)
{
	struct query_list *list = arg;
	_cleanup_free_ char *text = NULL;
	int r = 0;

	if (strcmp(request->id, list->after) <= 0)
		return 0;
	if (!query_list_has_room(list, request->id))
		return 1;
	r = change_print_request(list->daemon, NULL, request, &text);
	return r ? r : query_list_add(list, request->id, text);
}

int method_session_requests(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	_cleanup_query_list_ struct query_list list = {};
	const struct desk *desk;
	int r = method_session_find(daemon, exchange, &desk, ret_fault);

	if (!r)
		r = query_list_begin(&list, daemon, exchange, ret_fault);
	if (r)
		return r;
	r = hall_each_request(daemon->hall, exchange->id, list_request, &list);
	return r < 0 ? r : query_list_reply(&list, exchange);
}

int method_session_events(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	const struct desk *desk;
	int r = method_session_find(daemon, exchange, &desk, ret_fault);

	return r ? r : query_subscribe(daemon, exchange, desk->id, ret_fault);
}
