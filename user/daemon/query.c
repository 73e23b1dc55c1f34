// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queries are strict: a parameter that is no number, or comes twice, is refused and not guessed at. Parameters that a
 * method does not have are passed over, as everywhere in HTTP.
 */
#include "query.h"

#include <errno.h>
#include <event2/buffer.h>
#include <string.h>

#include "../base/str.h"
#include "daemon_parts.h"

static int refuse(const struct exchange *exchange, const char *name, struct fault *ret_fault)
{
	(void)exchange;
	return fault_set(ret_fault, FAULT_REQUEST, name, "see /openapi.json",
			 "the parameter %s is not what it may be", name);
}

int query_number(const struct exchange *exchange, const char *name, uint64_t max, bool *ret_has,
		 uint64_t *ret, struct fault *ret_fault)
{
	char text[32];
	uint64_t value = 0;
	int r = http_query_get(exchange->head.query, name, text, sizeof(text));

	if (r < 0 || (r > 0 && !str_to_u64(text, max, &value)))
		return refuse(exchange, name, ret_fault);
	*ret_has = r > 0;
	if (r > 0)
		*ret = value;
	return 0;
}

int query_list_begin(struct query_list *ret, struct daemon *daemon, const struct exchange *exchange,
		     struct fault *ret_fault)
{
	uint64_t limit = REEVE_HTTP_LIST_DEFAULT;
	bool has;
	int r = query_number(exchange, "limit", REEVE_HTTP_LIST_MAX, &has, &limit, ret_fault);

	if (r)
		return r;
	if (limit == 0)
		return refuse(exchange, "limit", ret_fault);
	ret->daemon = daemon;
	ret->limit = limit;
	if (http_query_get(exchange->head.query, "after", ret->after, sizeof(ret->after)) < 0)
		return refuse(exchange, "after", ret_fault);
	ret->text = evbuffer_new();
	return ret->text ? 0 : -ENOMEM;
}

bool query_list_has_room(struct query_list *list, const char *id)
{
	(void)id;
	list->is_more = list->n == list->limit;
	return !list->is_more;
}

int query_list_add(struct query_list *list, const char *id, const char *document)
{
	size_t n = strlen(document);

	while (n && document[n - 1] == '\n')
		n--;
	snprintf(list->last, sizeof(list->last), "%s", id);
	if (evbuffer_add(list->text, list->n ? "," : "{\"items\":[", list->n ? 1 : 10) ||
	    evbuffer_add(list->text, document, n))
		return -ENOMEM;
	list->n++;
	return 0;
}

int query_list_reply(struct query_list *list, struct exchange *exchange)
{
	size_t n;
	int r;

	if (!list->n)
		r = evbuffer_add_printf(list->text, "{\"items\":[],\"next\":null}\n");
	else if (list->is_more)
		r = evbuffer_add_printf(list->text, "],\"next\":\"%s\"}\n", list->last);
	else
		r = evbuffer_add_printf(list->text, "],\"next\":null}\n");
	if (r < 0)
		return -ENOMEM;
	n = evbuffer_get_length(list->text);
	exchange_reply(exchange, 200, "application/json",
		       (const char *)evbuffer_pullup(list->text, -1), n);
	return 0;
}

void query_list_deinit(struct query_list *list)
{
	if (list->text)
		evbuffer_free(list->text);
	list->text = NULL;
}

int query_subscribe(struct daemon *daemon, struct exchange *exchange, const char *session_id,
		    struct fault *ret_fault)
{
	const char *last = http_head_field(&exchange->head, "Last-Event-ID");
	struct followers_from from = {};
	int r = query_number(exchange, "after", INT64_MAX, &from.has_after, &from.after, ret_fault);

	if (r)
		return r;
	/* a client that comes back says ?after as at first, and here what it has had since */
	if (last && *last && !str_to_u64(last, INT64_MAX, &from.after))
		return fault_set(ret_fault, FAULT_REQUEST, "Last-Event-ID", "leave it out",
				 "Last-Event-ID is not the id of an event");
	from.has_after = from.has_after || (last && *last);
	if (http_streams_full(daemon->http))
		return fault_set(ret_fault, FAULT_BUSY, "", "try again in a moment",
				 "there are too many streams already");
	return followers_subscribe(daemon->followers, exchange, session_id, &from);
}
