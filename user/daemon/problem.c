// SPDX-License-Identifier: GPL-2.0-only
/*
 * One table gives each code its status. A fault of reeve's own (-errno) is logged here, once, and its client is told no more than
 * that it is one.
 */
#include "problem.h"

#include <string.h>

#include "../wire/problem_json.h"
#include "log.h"
#include "method.h"

static const int statuses[] = {
	[FAULT_NONE] = 500,
	[FAULT_USAGE] = 400,
	[FAULT_REQUEST] = 400,
	[FAULT_UNSUPPORTED] = 422,
	[FAULT_INPUT] = 422,
	[FAULT_ENFORCEMENT] = 503,
	[FAULT_HOST] = 503,
	[FAULT_LIMIT] = 503,
	[FAULT_BUSY] = 503,
	[FAULT_START] = 500,
	[FAULT_CLEANUP] = 500,
	[FAULT_CONFIG] = 503,
	[FAULT_QUEUE_CLOSED] = 409,
	[FAULT_QUEUE_FULL] = 429,
	[FAULT_CAP_SPENT] = 409,
	[FAULT_PAUSED] = 409,
	[FAULT_NOT_ARMED] = 409,
	[FAULT_ENDED] = 409,
	[FAULT_SESSION_UNKNOWN] = 404,
	[FAULT_REQUEST_UNKNOWN] = 404,
	[FAULT_REQUEST_FINISHED] = 409,
	[FAULT_REQUEST_NOT_OPEN] = 409,
	[FAULT_CHARGE_CONFLICT] = 409,
	[FAULT_IDEMPOTENCY_CONFLICT] = 409,
	[FAULT_PRECONDITION] = 412,
	[FAULT_DOCUMENT] = 422,
	[FAULT_WIPE] = 500,
	[FAULT_BODY_TOO_LARGE] = 413,
	[FAULT_METHOD_UNKNOWN] = 405,
	[FAULT_PATH_UNKNOWN] = 404,
	[FAULT_HTTP] = 400,
	[FAULT_BODY_TYPE] = 415,
	[FAULT_REPLY_TYPE] = 406,
	[FAULT_RANGE] = 416,
	[FAULT_PEER] = 403,
	[FAULT_INTERNAL] = 500,
};

int problem_status(enum fault_code code)
{
	return (size_t)code < ARRAY_SIZE(statuses) && statuses[code] ? statuses[code] : 500;
}

static void reply(struct exchange *exchange, int status, const struct fault *fault,
		  const struct schema_errors *errors)
{
	static const char spare[] = "{\"type\":\"urn:reeve:problem:internal\",\"status\":500,"
				    "\"title\":\"Internal Server Error\",\"code\":\"internal\"}\n";
	_cleanup_free_ char *text = NULL;
	const struct problem problem = {
		.status = (unsigned int)status,
		.title = http_phrase(status),
		.fault = fault,
		.errors = errors,
	};
	const char *sent = problem_json_print(&problem, &text) ? spare : text;

	if (fault->code == FAULT_BUSY || fault->code == FAULT_QUEUE_FULL)
		exchange_add_field(exchange, "Retry-After", "1");
	exchange_reply(exchange, sent == spare ? 500 : status, "application/problem+json", sent,
		       strlen(sent));
}

void problem_reply(struct exchange *exchange, int r, const struct fault *fault)
{
	const struct method *method = exchange->route;
	struct fault own = {};

	if (r < 0 || problem_status(fault->code) == 500)
		log_result(LOG_ERROR, method ? method->name : "request", r, fault);
	if (r < 0) {
		fault_set(&own, FAULT_INTERNAL, "", "see the log of the daemon", "%s", strerror(-r));
		fault = &own;
	}
	reply(exchange, problem_status(fault->code), fault, NULL);
}

int problem_reply_errors(struct exchange *exchange, int r, const struct fault *fault,
			 const struct schema_errors *errors)
{
	if (r < 0)
		return r;
	reply(exchange, problem_status(fault->code), fault, errors);
	return 0;
}

void problem_reply_wrong(struct exchange *exchange)
{
	int status = exchange->wrong.status;
	struct fault fault = {};

	fault_set(&fault, status == 413 ? FAULT_BODY_TOO_LARGE : FAULT_HTTP, "",
		  "see RFC 9110 and RFC 9112", "%s", exchange->wrong.reason);
	reply(exchange, status, &fault, NULL);
}
