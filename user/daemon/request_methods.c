// SPDX-License-Identifier: GPL-2.0-only
/* Methods on requests: submitting, looking, ending, steps, and what they print. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "../wire/order_json.h"
#include "change.h"
#include "daemon_parts.h"
#include "method.h"
#include "problem.h"
#include "query.h"

static int request_find(struct daemon *daemon, const struct exchange *exchange,
			struct desk_request *ret, struct fault *ret_fault)
{
	int r = hall_find_request(daemon->hall, exchange->id, ret);

	if (r != LEDGER_E_NONE)
		return r;
	return fault_set(ret_fault, FAULT_REQUEST_UNKNOWN, exchange->head.path,
			 "see GET /v1/sessions/{id}/requests", "there is no request %s",
			 exchange->id);
}

int method_request_submit(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	_cleanup_schema_errors_ struct schema_errors errors = {};
	_cleanup_spec_ struct spec spec = {};
	struct desk_request request;
	const struct desk *desk;
	struct change change;
	bool open = false;
	int r = method_session_find(daemon, exchange, &desk, ret_fault);

	if (r)
		return r;
	r = order_parse(daemon->contracts, exchange->body, exchange->n_body, desk->egress, &spec,
			&open, &errors, ret_fault);
	if (r)
		return problem_reply_errors(exchange, r, ret_fault, &errors);
	change_begin(&change, daemon, exchange, change_print_request, 201);
	r = hall_submit(daemon->hall, exchange->id, &spec, open, exchange->body, exchange->n_body,
			&request, ret_fault);
	return change_end(&change, r, NULL, &request);
}

int method_request_get(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	_cleanup_free_ char *text = NULL;
	struct desk_request request;
	int r = request_find(daemon, exchange, &request, ret_fault);

	if (!r)
		r = change_print_request(daemon, NULL, &request, &text);
	if (!r)
		exchange_reply(exchange, 200, "application/json", text, strlen(text));
	return r;
}

int method_request_cancel(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	struct desk_request request;
	struct change change;
	int r = request_find(daemon, exchange, &request, ret_fault);

	if (r)
		return r;
	change_begin(&change, daemon, exchange, change_print_request, 200);
	r = hall_cancel(daemon->hall, exchange->id, &request, ret_fault);
	return change_end(&change, r, NULL, &request);
}

int method_request_finish(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	struct desk_request request;
	struct change change;
	int r = request_find(daemon, exchange, &request, ret_fault);

	if (r)
		return r;
	change_begin(&change, daemon, exchange, change_print_request, 200);
	r = hall_finish(daemon->hall, exchange->id, &request, ret_fault);
	return change_end(&change, r, NULL, &request);
}

int method_request_step(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	_cleanup_schema_errors_ struct schema_errors errors = {};
	_cleanup_spec_ struct spec spec = {};
	struct desk_request request;
	const struct desk *desk;
	struct change change;
	uint64_t step = 0;
	int r = request_find(daemon, exchange, &request, ret_fault);

	if (r)
		return r;
	desk = hall_find(daemon->hall, request.session_id);
	r = step_parse(daemon->contracts, exchange->body, exchange->n_body,
		       desk ? desk->egress : SPEC_EGRESS_NONE, &spec, &errors, ret_fault);
	if (r)
		return problem_reply_errors(exchange, r, ret_fault, &errors);
	change_begin(&change, daemon, exchange, change_print_request, 202);
	r = hall_add_step(daemon->hall, exchange->id, &spec, &step, ret_fault);
	/* the document counts the step, whether its process has begun or not */
	request.steps = step;
	return change_end(&change, r, NULL, &request);
}

/* What the query and the Range ask for; *ret_part has the file and its size already. */
static int part_choose(struct exchange *exchange, bool more, struct outputs_part *ret_part,
		       struct fault *ret_fault)
{
	const char *range = http_head_field(&exchange->head, "Range");
	uint64_t size = ret_part->length, follow = 0, offset = 0;
	bool has;
	int r = query_number(exchange, "follow", 1, &has, &follow, ret_fault);

	if (!r)
		r = query_number(exchange, "offset", INT64_MAX, &has, &offset, ret_fault);
	if (r)
		return r;
	ret_part->status = 200;
	ret_part->follow = follow && more;
	ret_part->offset = offset < size || ret_part->follow ? offset : size;
	ret_part->length = size > ret_part->offset ? size - ret_part->offset : 0;
	if (follow || has || !range || exchange->is_head)
		return 0;
	r = outputs_range(range, size, &ret_part->offset, &ret_part->length);
	if (r > 0) {
		ret_part->status = 206;
		exchange_add_field(exchange, "Content-Range",
				   more ? "bytes %llu-%llu/*" : "bytes %llu-%llu/%llu",
				   (unsigned long long)ret_part->offset,
				   (unsigned long long)(ret_part->offset + ret_part->length - 1),
				   (unsigned long long)size);
	}
	if (r >= 0)
		return 0;
	exchange_add_field(exchange, "Content-Range", "bytes */%llu", (unsigned long long)size);
	return fault_set(ret_fault, FAULT_RANGE, "Range", "ask for a part that is there",
			 "there are %llu bytes", (unsigned long long)size);
}

static int output(struct daemon *daemon, struct exchange *exchange, bool errors,
		  struct fault *ret_fault)
{
	_cleanup_fd_ int fd = -1;
	struct outputs_part part = { .request_id = exchange->id, .errors = errors };
	struct desk_request request;
	bool more = false;
	struct stat st;
	int r = request_find(daemon, exchange, &request, ret_fault);

	if (!r && http_streams_full(daemon->http))
		r = fault_set(ret_fault, FAULT_BUSY, "", "try again in a moment",
			      "there are too many streams already");
	if (!r)
		r = hall_open_output(daemon->hall, exchange->id, errors, &fd, &more, ret_fault);
	if (r)
		return r;
	if (fd >= 0 && fstat(fd, &st))
		return -errno;
	part.fd = fd;
	part.length = fd >= 0 ? (uint64_t)st.st_size : 0;
	r = part_choose(exchange, more, &part, ret_fault);
	if (r)
		return r;
	exchange_add_field(exchange, "Accept-Ranges", "bytes");
	r = outputs_send(daemon->outputs, exchange, &part);
	if (!r)
		fd_take(&fd);
	return r;
}

int method_request_stdout(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	return output(daemon, exchange, false, ret_fault);
}

int method_request_stderr(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	return output(daemon, exchange, true, ret_fault);
}
