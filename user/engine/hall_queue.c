// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests as their sender sees them. What is queued is ended here, by its row; what runs is ended by its keeper,
 * which is told after the reply is recorded.
 */
#include "hall_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/ulid.h"

static int request_unknown(struct fault *ret_fault, const char *id)
{
	return fault_set(ret_fault, FAULT_REQUEST_UNKNOWN, "/request_id",
			 "list the session's requests", "there is no request %.64s", id);
}

/* Orders carry no limits and no files of the host: those are the session's to say. */
static int spec_judge(const struct spec *spec, bool open, struct fault *ret_fault)
{
	if (spec->n_inputs)
		return fault_set(ret_fault, FAULT_UNSUPPORTED, "/files", "leave them out",
				 "sessions get no files of the host");
	return open && !spec->n_argv ? 0 : spec_check(spec, "/", ret_fault);
}

static int row_begin(struct hall_step *step, bool open, struct desk_request *ret)
{
	const struct hall *hall = step->s->hall;
	char ulid[ULID_LEN + 1];
	int r = ulid_make(hall_now_ms(hall), ulid);

	*ret = (struct desk_request){
		.open = open,
		.exit_code = -1,
		.time_box_ns = step->desk.time_box_minutes * 60 * NSEC_PER_SEC,
		.step_budget = step->desk.step_budget,
		.submitted_at_ms = hall_now_ms(hall),
	};
	if (r)
		return r;
	snprintf(ret->id, sizeof(ret->id), "req_%s", ulid);
	snprintf(ret->session_id, sizeof(ret->session_id), "%s", step->desk.id);
	return ledger_next_position(hall->ledger, &ret->position);
}

static int queue_put(struct hall_step *step, const struct desk_request *row, const char *text,
		     size_t n_text)
{
	struct ledger *ledger = step->s->hall->ledger;
	int r = ledger_put_request(ledger, row);

	if (!r)
		r = ledger_put_spec(ledger, row->id, text, n_text);
	step->queues = true;
	step->n_queue++;
	memcpy(step->queued, row->id, sizeof(step->queued));
	return r ? r : step_note(step, DESK_NOTE_REQUEST_QUEUED, row, NULL);
}

int hall_submit(struct hall *hall, const char *session_id, const struct spec *spec, bool open,
		const char *text, size_t n_text, struct desk_request *ret, struct fault *ret_fault)
{
	_cleanup_step_ struct hall_step step = {};
	struct hall_session *s = hall_session_find(hall, session_id);
	struct desk_request row;
	int r;

	if (!s)
		return hall_unknown(ret_fault, session_id);
	r = spec_judge(spec, open, ret_fault);
	if (!r)
		r = step_begin(s, &step, ret_fault);
	if (!r)
		r = step_event(&step, DESK_EVENT_SUBMIT, ret_fault);
	if (!r)
		r = row_begin(&step, open, &row);
	if (!r)
		r = queue_put(&step, &row, text, n_text);
	if (!r)
		r = step_commit(&step, &row, ret_fault);
	if (r)
		return r;
	*ret = row;
	effects_perform(s, step.effects, RUN_REFUSED);
	return 0;
}

/* The session of a request that is not over, and its row. */
static int request_find(struct hall *hall, const char *id, struct hall_session **ret_s,
			struct desk_request *ret, struct fault *ret_fault)
{
	int r = ledger_get_request(hall->ledger, id, ret);

	if (r == LEDGER_E_NONE)
		return request_unknown(ret_fault, id);
	if (r)
		return r;
	*ret_s = hall_session_find(hall, ret->session_id);
	if (!*ret_s)
		return hall_unknown(ret_fault, ret->session_id);
	if (ret->state == DESK_REQUEST_FINISHED)
		return fault_set(ret_fault, FAULT_REQUEST_FINISHED, "/state", NULL,
				 "request %s is over: %s", id, run_outcome_name(ret->outcome));
	return 0;
}

static int queued_cancel(struct hall_step *step, struct desk_request *row)
{
	const struct hall_session *s = step->s;
	size_t at = 0;
	int r;

	while (at < s->n_queue && strcmp(s->queue[at], row->id) != 0)
		at++;
	if (at == s->n_queue)
		return -ENOENT;
	step->leaves = at;
	step->n_queue--;
	step->desk.revision++;
	r = step_end_row(step, row, RUN_CANCELLED);
	return r ? r : step_note(step, DESK_NOTE_REQUEST_FINISHED, row, NULL);
}

/* Nothing changes but that the reply is recorded. */
static int witness_only(struct hall_session *s, const struct desk_request *row,
			struct fault *ret_fault)
{
	_cleanup_step_ struct hall_step step = {};
	int r;

	if (!s->hall->witness)
		return 0;
	r = step_begin(s, &step, ret_fault);
	return r ? r : step_commit(&step, row, ret_fault);
}

int hall_cancel(struct hall *hall, const char *request_id, struct desk_request *ret,
		struct fault *ret_fault)
{
	_cleanup_step_ struct hall_step step = {};
	struct hall_session *s;
	struct desk_request row;
	int r = request_find(hall, request_id, &s, &row, ret_fault);

	if (r)
		return r;
	if (row.state != DESK_REQUEST_QUEUED) {
		r = witness_only(s, &row, ret_fault);
		if (!r && s->run && !s->run->stopping)
			run_stop(s, RUN_CANCELLED);
		*ret = row;
		return r;
	}
	r = step_begin(s, &step, ret_fault);
	if (!r)
		r = queued_cancel(&step, &row);
	if (!r)
		r = step_commit(&step, &row, ret_fault);
	if (!r)
		*ret = row;
	return r;
}

static int open_find(struct hall *hall, const char *id, struct hall_session **ret_s,
		     struct desk_request *ret, struct fault *ret_fault)
{
	int r = request_find(hall, id, ret_s, ret, ret_fault);

	if (r)
		return r;
	if (!ret->open)
		return fault_set(ret_fault, FAULT_REQUEST_NOT_OPEN, "/steps",
				 "submit it with \"steps\": true",
				 "request %s is one command and takes no more", id);
	if (ret->state == DESK_REQUEST_QUEUED)
		return fault_set(ret_fault, FAULT_REQUEST_NOT_OPEN, "/state",
				 "wait until it runs, or cancel it",
				 "request %s waits in the queue", id);
	if ((*ret_s)->desk.state == DESK_PAUSED)
		return fault_set(ret_fault, FAULT_PAUSED, "/state", "resume the session first",
				 "the session is paused");
	if (!(*ret_s)->run || !(*ret_s)->run->link || (*ret_s)->run->stopping)
		return fault_set(ret_fault, FAULT_REQUEST_NOT_OPEN, "/state", NULL,
				 "request %s is being ended", id);
	return 0;
}

/* The arguments, each with its zero. */
static int args_pack(const struct spec *spec, char **ret, size_t *ret_n)
{
	size_t n = 0;
	char *at;

	for (size_t i = 0; i < spec->n_argv; i++)
		n += strlen(spec->argv[i]) + 1;
	at = *ret = malloc(n);
	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < spec->n_argv; i++)
		at = stpcpy(at, spec->argv[i]) + 1;
	*ret_n = n;
	return 0;
}

struct outgoing {
	const struct keeper_order *order;
	const char *args;
	size_t n_args;
	uint64_t *ret_number;
};

static int outgoing_send(struct hall_session *s, const struct outgoing *outgoing,
			 struct fault *ret_fault)
{
	int r = keeper_link_order(s->run->link, outgoing->order, outgoing->args, outgoing->n_args,
				  outgoing->ret_number);

	if (r != -EAGAIN)
		return r;
	return fault_set(ret_fault, FAULT_BUSY, "/step", "try again in a moment",
			 "request %s takes no more at this moment", s->run->row.id);
}

/* A key's reply says that the keeper has the order: it is recorded when it does, and not when it takes none. */
static int order_witnessed(struct hall_session *s, const struct desk_request *row,
			   const struct outgoing *outgoing, struct fault *ret_fault)
{
	_cleanup_step_ struct hall_step step = {};
	int r;

	if (!s->hall->witness)
		return outgoing_send(s, outgoing, ret_fault);
	r = step_begin(s, &step, ret_fault);
	if (!r)
		r = outgoing_send(s, outgoing, ret_fault);
	return r ? r : step_commit(&step, row, ret_fault);
}

int hall_add_step(struct hall *hall, const char *request_id, const struct spec *spec,
		  uint64_t *ret_step, struct fault *ret_fault)
{
	struct keeper_order order = { .kind = KEEPER_STEP, .n_args = (uint32_t)spec->n_argv };
	_cleanup_free_ char *args = NULL;
	struct hall_session *s;
	struct desk_request row;
	uint64_t number;
	size_t n;
	int r = spec_judge(spec, false, ret_fault);

	if (!r)
		r = open_find(hall, request_id, &s, &row, ret_fault);
	if (!r)
		r = args_pack(spec, &args, &n);
	if (r)
		return r;
	if (s->run->ordered < s->run->steps)
		s->run->ordered = s->run->steps;
	if (s->run->ordered < row.steps)
		s->run->ordered = row.steps;
	row.steps = s->run->ordered + 1;
	r = order_witnessed(s, &row, &(struct outgoing){ &order, args, n, &number }, ret_fault);
	if (r)
		return r;
	s->run->step_orders &= ~(1ull << number % 64);
	s->run->step_orders |= 1ull << number % 64;
	*ret_step = ++s->run->ordered;
	return 0;
}

int hall_finish(struct hall *hall, const char *request_id, struct desk_request *ret,
		struct fault *ret_fault)
{
	const struct keeper_order order = { .kind = KEEPER_FINISH };
	struct hall_session *s;
	struct desk_request row;
	int r = open_find(hall, request_id, &s, &row, ret_fault);

	if (!r)
		r = order_witnessed(s, &row, &(struct outgoing){ &order }, ret_fault);
	if (!r)
		*ret = row;
	return r;
}

static int log_open(const struct hall *hall, const char *output, const char *name)
{
	char path[REEVE_PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%s/%s", hall->args->config->output_root, output,
			 name);
	int fd = n < (int)sizeof(path) ? open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;

	return fd < 0 ? -errno : fd;
}

int hall_open_output(struct hall *hall, const char *request_id, bool errors, int *ret_fd,
		     bool *ret_more, struct fault *ret_fault)
{
	struct desk_request row;
	int r = ledger_get_request(hall->ledger, request_id, &row), fd = -ENOENT;

	if (r == LEDGER_E_NONE)
		return request_unknown(ret_fault, request_id);
	if (r)
		return r;
	if (row.output_name[0])
		fd = log_open(hall, row.output_name, errors ? "stderr.log" : "stdout.log");
	/* what has not begun has put out nothing so far */
	if (fd == -ENOENT)
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fd;
	*ret_fd = fd;
	*ret_more = row.state != DESK_REQUEST_FINISHED;
	return 0;
}

void hall_output_remove(const struct hall *hall, const char *name)
{
	char path[REEVE_PATH_MAX];
	_cleanup_fd_ int fd = -1;

	if (!name[0] || snprintf(path, sizeof(path), "%s/%s", hall->args->config->output_root,
				 name) >= (int)sizeof(path))
		return;
	fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	unlinkat(fd, "stdout.log", 0);
	unlinkat(fd, "stderr.log", 0);
	rmdir(path);
}
