/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of methods: the router, the OpenAPI document and the help are made from it.
 */
#ifndef REEVE_METHOD_H
#define REEVE_METHOD_H

#include "../base/fault.h"
#include "http.h"

struct daemon;

enum method_trait {
	METHOD_LIST = 1 << 0,	/* ?limit, ?after */
	METHOD_EVENTS = 1 << 1, /* ?after, Last-Event-ID */
	METHOD_OUTPUT = 1 << 2, /* ?follow, ?offset, Range */
	METHOD_KEY = 1 << 3,	/* Idempotency-Key */
	METHOD_MATCH = 1 << 4,	/* If-Match with the session's ETag */
	METHOD_ETAG = 1 << 5,	/* If-None-Match */
};

struct method {
	const char *name; /* operationId */
	const char *verb, *path;
	const char *summary;
	const char *takes,
		*gives;	  /* names of schemas; NULL for no body, or for one that is no document */
	const char *type; /* of the reply's body */
	int status;	  /* of success */
	unsigned int traits;
	enum fault_code faults[10]; /* beside those that every method may give */
	/*
	 * Replies, now or later, and returns 0; or returns -errno or FAULT_E_SET, having replied nothing.
	 */
	int (*handle)(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault);
};

extern const struct method methods[]; /* ends with a NULL name */
extern const size_t n_methods;

#define METHOD_ALLOW_SIZE 64

/*
 * Finds the row; HEAD is GET. @ret_id gets what stands for "{…}". Returns 0, or FAULT_E_SET; for a path that has other
 * methods *ret_allow names them.
 */
int method_route(const char *verb, const char *path, const struct method **ret, char ret_id[64],
		 char ret_allow[METHOD_ALLOW_SIZE], struct fault *ret_fault);

/* The OpenAPI document of the table; *ret is freed by the caller. */
int method_openapi(char **ret);

typedef int method_fn(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault);
method_fn method_session_create, method_session_list, method_session_get, method_session_desk,
	method_session_change, method_session_go, method_session_pause, method_session_resume,
	method_session_wipe, method_session_end, method_session_requests, method_session_keep_site,
	method_session_events;
method_fn method_request_submit, method_request_get, method_request_cancel, method_request_step,
	method_request_finish, method_request_stdout, method_request_stderr;
method_fn method_charge_add, method_charge_authorize;
method_fn method_host_events, method_host_metrics, method_host_doctor, method_host_openapi,
	method_host_validate;

#endif
