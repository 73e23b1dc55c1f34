// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of methods as the wire describes it: traits become parameters, codes of faults become problems. What every
 * method may answer is said here once.
 */
#include <errno.h>
#include <string.h>

#include "../wire/openapi_json.h"
#include "method.h"
#include "problem.h"

#define PARAMETERS_MAX 6
#define PROBLEMS_MAX 20

struct row {
	struct openapi_parameter parameters[PARAMETERS_MAX];
	struct openapi_problem problems[PROBLEMS_MAX];
};

/* By trait; traits may have several. */
static const struct {
	unsigned int trait;
	struct openapi_parameter parameter;
} known[] = {
	{ METHOD_LIST, { "limit", "query", "how many at most", true } },
	{ METHOD_LIST, { "after", "query", "only those behind this id", false } },
	{ METHOD_EVENTS, { "after", "query", "begin behind the event of this number", true } },
	{ METHOD_EVENTS,
	  { "Last-Event-ID", "header", "the number of the last event that arrived", true } },
	{ METHOD_OUTPUT, { "follow", "query", "1: go on until the request is finished", true } },
	{ METHOD_OUTPUT, { "offset", "query", "begin at this byte", true } },
	{ METHOD_OUTPUT, { "Range", "header", "bytes=FIRST-LAST", false } },
	{ METHOD_KEY,
	  { "Idempotency-Key", "header",
	    "the same key and body get the same reply, and change nothing again", false } },
	{ METHOD_MATCH, { "If-Match", "header", "only at the revision of this ETag", false } },
	{ METHOD_ETAG,
	  { "If-None-Match", "header", "nothing is sent when the ETag is still this", false } },
};

static const enum fault_code every[] = { FAULT_HTTP, FAULT_REQUEST, FAULT_REPLY_TYPE,
					 FAULT_INTERNAL, FAULT_PEER };
static const enum fault_code with_body[] = { FAULT_BODY_TYPE, FAULT_BODY_TOO_LARGE };

static void problems_add(struct openapi_method *method, struct row *row,
			 const enum fault_code *codes, size_t n)
{
	for (size_t i = 0; i < n && codes[i] && method->n_problems < PROBLEMS_MAX; i++)
		row->problems[method->n_problems++] =
			(struct openapi_problem){ problem_status(codes[i]),
						  fault_code_name(codes[i]) };
}

static void parameters_add(struct openapi_method *to, struct row *row, const struct method *method)
{
	if (strstr(method->path, "{id}"))
		row->parameters[to->n_parameters++] =
			(struct openapi_parameter){ "id", "path", "the session's id", false };
	if (strstr(method->path, "{rid}"))
		row->parameters[to->n_parameters++] =
			(struct openapi_parameter){ "rid", "path", "the request's id", false };
	if (strstr(method->path, "{contract}"))
		row->parameters[to->n_parameters++] =
			(struct openapi_parameter){ "contract", "path", "NAME@VERSION", false };
	for (size_t i = 0; i < ARRAY_SIZE(known) && to->n_parameters < PARAMETERS_MAX; i++)
		if (method->traits & known[i].trait)
			row->parameters[to->n_parameters++] = known[i].parameter;
}

static void row_fill(const struct method *method, struct row *row, struct openapi_method *ret)
{
	static const enum fault_code conflict = FAULT_IDEMPOTENCY_CONFLICT,
				     match = FAULT_PRECONDITION;

	*ret = (struct openapi_method){
		.name = method->name,
		.verb = method->verb,
		.path = method->path,
		.summary = method->summary,
		.takes = method->takes,
		.gives = method->gives,
		.type = method->type,
		.status = method->status,
		.is_list = method->traits & METHOD_LIST,
		.parameters = row->parameters,
		.problems = row->problems,
	};
	parameters_add(ret, row, method);
	problems_add(ret, row, method->faults, ARRAY_SIZE(method->faults));
	problems_add(ret, row, every, ARRAY_SIZE(every));
	if (method->takes)
		problems_add(ret, row, with_body, ARRAY_SIZE(with_body));
	if (method->traits & METHOD_KEY)
		problems_add(ret, row, &conflict, 1);
	if (method->traits & METHOD_MATCH)
		problems_add(ret, row, &match, 1);
}

int method_openapi(char **ret)
{
	_cleanup_free_ struct row *rows = calloc(n_methods, sizeof(*rows));
	_cleanup_free_ struct openapi_method *described = calloc(n_methods, sizeof(*described));
	const struct openapi openapi = {
		.title = "reeve",
		.version = "1",
		.text = "Sessions of a host: their desks, their queues, their accounts.",
		.methods = described,
		.n_methods = n_methods,
	};

	if (!rows || !described)
		return -ENOMEM;
	for (size_t i = 0; i < n_methods; i++)
		row_fill(&methods[i], &rows[i], &described[i]);
	return openapi_json_print(&openapi, ret);
}
