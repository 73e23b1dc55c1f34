/* SPDX-License-Identifier: GPL-2.0-only */
/* What methods read of a query, and the replies that depend on it: pages of a list, streams of events. */
#ifndef REEVE_QUERY_H
#define REEVE_QUERY_H

#include "../base/fault.h"
#include "http.h"

struct daemon;
struct evbuffer;

/* Whole number @name; *ret is untouched where there is none. Returns 0, 1 when it was there, or FAULT_E_SET. */
int query_number(const struct exchange *exchange, const char *name, uint64_t max, bool *ret_has,
		 uint64_t *ret, struct fault *ret_fault);

/* A page: documents behind an id, in the order of ids, as many as were asked for. */
struct query_list {
	struct daemon *daemon;
	char after[64], last[64];
	uint64_t limit, n;
	bool is_more;
	struct evbuffer *text;
};

int query_list_begin(struct query_list *ret, struct daemon *daemon, const struct exchange *exchange,
		     struct fault *ret_fault);
/* False when the page is full: then there is more. */
bool query_list_has_room(struct query_list *list, const char *id);
int query_list_add(struct query_list *list, const char *id, const char *document);
int query_list_reply(struct query_list *list, struct exchange *exchange);
void query_list_deinit(struct query_list *list);
#define _cleanup_query_list_ _cleanup_(query_list_deinit)

/* Starts a stream of events behind Last-Event-ID or ?after; @session_id is NULL for all. */
int query_subscribe(struct daemon *daemon, struct exchange *exchange, const char *session_id,
		    struct fault *ret_fault);

#endif
