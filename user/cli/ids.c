// SPDX-License-Identifier: GPL-2.0-only
/*
 * A list is in the order of ids and can begin behind any text, so that the ids that begin with one come first behind it: one
 * call finds a session among any number. Requests are listed by session, so a request's beginning is looked for in each.
 */
#include "ids.h"

#include <errno.h>
#include <string.h>

#include "../../include/limits.h"
#include "../wire/document.h"

#define SESSIONS "/v1/sessions"
#define MATCHES_MAX 8

struct search {
	struct client *client;
	struct fault *fault;
	const char *prefix, *pointer;
	char found[MATCHES_MAX][ID_SIZE];
	size_t n;
};

static int page_get(struct client *client, const char *path, const char *after,
		    struct client_reply *ret, struct document **ret_page, struct fault *ret_fault)
{
	char full[512];
	const struct client_call call = { .verb = "GET", .path = full };
	int r;

	snprintf(full, sizeof(full), "%s?limit=%d%s", path, REEVE_HTTP_LIST_MAX,
		 *after ? "&after=" : "");
	if (!client_path_add(full, sizeof(full), after))
		return fault_set(ret_fault, FAULT_USAGE, "", "shorten it", "the id is too long");
	r = client_do(client, &call, ret, ret_fault);
	return r ? r : document_read(ret->body, ret->n_body, ret_page, ret_fault);
}

int ids_each(struct client *client, const char *path, const char *after,
	     int (*fn)(const char *item, size_t n, void *arg), void *arg, struct fault *ret_fault)
{
	char next[ID_SIZE];
	int r = 0;

	snprintf(next, sizeof(next), "%s", after);
	do {
		_cleanup_client_reply_ struct client_reply reply = {};
		_cleanup_document_ struct document *page = NULL;

		r = page_get(client, path, next, &reply, &page, ret_fault);
		if (!r)
			r = document_each_item(reply.body, fn, arg);
		snprintf(next, sizeof(next), "%s", r ? "" : document_text(page, "/next"));
	} while (next[0]);
	return r == IDS_E_ENOUGH ? 0 : r;
}

struct each_session {
	int (*fn)(const char *id, void *arg);
	void *arg;
	struct fault *fault;
};

static int session_item(const char *item, size_t n, void *arg)
{
	_cleanup_document_ struct document *document = NULL;
	struct each_session *each = arg;
	int r = document_read(item, n, &document, each->fault);

	return r ? r : each->fn(document_text(document, "/session_id"), each->arg);
}

int ids_each_session(struct client *client, int (*fn)(const char *id, void *arg), void *arg,
		     struct fault *ret_fault)
{
	struct each_session each = { fn, arg, ret_fault };

	return ids_each(client, SESSIONS, "", session_item, &each, ret_fault);
}

/* What is behind the beginning and has it not is behind all that have it. */
static int match(const char *item, size_t n, void *arg)
{
	_cleanup_document_ struct document *document = NULL;
	struct search *search = arg;
	const char *id;
	int r = document_read(item, n, &document, search->fault);

	if (r)
		return r;
	id = document_text(document, search->pointer);
	if (strncmp(id, search->prefix, strlen(search->prefix)) != 0)
		return IDS_E_ENOUGH;
	if (search->n == MATCHES_MAX)
		return IDS_E_ENOUGH;
	snprintf(search->found[search->n++], ID_SIZE, "%s", id);
	return 0;
}

static int match_requests(const char *session_id, void *arg)
{
	struct search *search = arg;
	char path[128];

	snprintf(path, sizeof(path), SESSIONS "/%s/requests", session_id);
	return ids_each(search->client, path, search->prefix, match, search, search->fault);
}

static int several(const struct search *search, struct fault *ret_fault)
{
	char all[MATCHES_MAX * ID_SIZE] = "";

	for (size_t i = 0; i < search->n; i++)
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i ? ", " : "",
			 search->found[i]);
	return fault_set(ret_fault, FAULT_USAGE, search->prefix, "give more of it",
			 "several ids begin so: %s%s", all,
			 search->n == MATCHES_MAX ? " and maybe more" : "");
}

static int chosen(const struct search *search, const char *what, enum fault_code code,
		  const char *remedy, char ret[ID_SIZE], struct fault *ret_fault)
{
	if (search->n > 1)
		return several(search, ret_fault);
	if (search->n == 0)
		return fault_set(ret_fault, code, search->prefix, remedy,
				 "no %s has an id that begins so", what);
	snprintf(ret, ID_SIZE, "%s", search->found[0]);
	return 0;
}

/* A whole id is not looked for: who takes it says that there is none. */
static bool is_whole(const char *text, char ret[ID_SIZE])
{
	size_t n = strlen(text);

	if (n >= REEVE_SESSION_ID_LEN && n < ID_SIZE)
		memcpy(ret, text, n + 1);
	return n >= REEVE_SESSION_ID_LEN && n < ID_SIZE;
}

int ids_find_session(struct client *client, const char *text, char ret[ID_SIZE],
		     struct fault *ret_fault)
{
	struct search search = {
		.client = client, .fault = ret_fault, .prefix = text, .pointer = "/session_id"
	};
	int r;

	if (is_whole(text, ret))
		return 0;
	r = ids_each(client, SESSIONS, text, match, &search, ret_fault);
	return r ? r
		 : chosen(&search, "session", FAULT_SESSION_UNKNOWN, "see \"reeve session list\"",
			  ret, ret_fault);
}

int ids_find_request(struct client *client, const char *text, char ret[ID_SIZE],
		     struct fault *ret_fault)
{
	struct search search = {
		.client = client, .fault = ret_fault, .prefix = text, .pointer = "/request_id"
	};
	int r;

	if (is_whole(text, ret))
		return 0;
	r = ids_each_session(client, match_requests, &search, ret_fault);
	return r ? r
		 : chosen(&search, "request", FAULT_REQUEST_UNKNOWN, "see \"reeve request list\"",
			  ret, ret_fault);
}
