// SPDX-License-Identifier: GPL-2.0-only
/* Methods about the host and about reeve itself. */
#include <errno.h>
#include <string.h>

#include "../wire/verdict_json.h"
#include "daemon_parts.h"
#include "method.h"
#include "query.h"

int method_host_events(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	return query_subscribe(daemon, exchange, NULL, ret_fault);
}

int method_host_metrics(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	const struct metrics_view view = {
		.metrics = &daemon->metrics,
		.hall = daemon->hall,
		.http = http_counts(daemon->http),
		.subscribers = followers_count(daemon->followers),
	};
	_cleanup_free_ char *text = NULL;
	size_t n;
	int r = metrics_print(&view, &text, &n);

	(void)ret_fault;
	if (!r)
		exchange_reply(exchange, 200, METRICS_TYPE, text, n);
	return r;
}

static void examined(const char *text, size_t n, void *arg)
{
	static const char none[] = "{\"type\":\"urn:reeve:problem:host.busy\",\"status\":503,"
				   "\"title\":\"Service Unavailable\",\"code\":\"host.busy\","
				   "\"detail\":\"the examination came to no end in time\"}\n";

	if (text)
		exchange_reply(arg, 200, "application/json", text, n);
	else
		exchange_reply(arg, 503, "application/problem+json", none, sizeof(none) - 1);
}

int method_host_doctor(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	(void)ret_fault;
	return examiner_ask(daemon->examiner, examined, exchange);
}

int method_host_openapi(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	(void)ret_fault;
	exchange_reply(exchange, 200, "application/json", daemon->openapi, strlen(daemon->openapi));
	return 0;
}

/* Whatever the text is, the reply is a verdict: that it is no JSON is one too. */
int method_host_validate(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	_cleanup_schema_errors_ struct schema_errors errors = {};
	_cleanup_free_ char *text = NULL;
	size_t contract;
	int r;

	if (!contract_find(exchange->id, &contract))
		return fault_set(ret_fault, FAULT_PATH_UNKNOWN, exchange->head.path,
				 "see components.schemas in /openapi.json",
				 "there is no contract %s", exchange->id);
	r = contracts_judge(daemon->contracts, contract, exchange->body, exchange->n_body, &errors);
	if (r < 0)
		return r;
	r = verdict_json_print(contract, &errors, &text);
	if (!r)
		exchange_reply(exchange, 200, "application/json", text, strlen(text));
	return r;
}
