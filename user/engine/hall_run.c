// SPDX-License-Identifier: GPL-2.0-only
/*
 * A request runs from the commit of its row on, not from its keeper's start: a crash in between leaves a row without a
 * keeper, which is "interrupted" and never started again. It is over when its keeper is gone and its row says
 * how it ended; a keeper that died without a word leaves that to be found out here.
 */
#include "hall_parts.h"

#include <errno.h>
#include <event2/event.h>
#include <string.h>
#include <sys/wait.h>

#include "../kernel/cgroup.h"
#include "../kernel/seccomp.h"

#define AGAIN_MS 1000

static void again(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	run_attach(arg);
}

struct hall_run *run_new(struct hall_session *s, const struct desk_request *row)
{
	struct hall_run *run = calloc(1, sizeof(*run));

	if (!run)
		return NULL;
	run->row = *row;
	run->again = evtimer_new(s->hall->base, again, s);
	run->owed = evtimer_new(s->hall->base, run_give_owed, s);
	if (run->again && run->owed)
		return run;
	run_free(run, s->hall);
	return NULL;
}

void run_free(struct hall_run *run, struct hall *hall)
{
	if (!run)
		return;
	keeper_link_free(run->link);
	if (run->again)
		event_free(run->again);
	if (run->owed)
		event_free(run->owed);
	if (run->child)
		chores_reap(hall, run->child);
	free(run);
}

void run_later(struct hall_session *s, unsigned int ms)
{
	const struct timeval wait = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };

	event_add(s->run->again, &wait);
}

static int spec_read(struct hall_session *s, struct spec *ret, struct fault *ret_fault)
{
	const struct hall_args *args = s->hall->args;
	const struct desk_request *row = &s->run->row;
	_cleanup_free_ char *text = NULL;
	size_t n;
	int r = ledger_get_spec(s->hall->ledger, row->id, &text, &n);

	if (!r)
		r = args->read_spec(&s->desk, text, n, ret, ret_fault, args->arg);
	if (r)
		return r == LEDGER_E_NONE && !ret_fault->code ? -ENOENT : r;
	/* what is the session's to say, whatever the order says */
	ret->time_box_ns = row->time_box_ns;
	ret->rates = s->desk.rates;
	ret->egress = s->desk.egress;
	return 0;
}

static int plan_read(struct hall_session *s, struct plan *ret, struct fault *ret_fault)
{
	_cleanup_spec_ struct spec spec = {};
	const struct desk_request *row = &s->run->row;
	struct facts facts = {};
	unsigned int controllers;
	int r = spec_read(s, &spec, ret_fault);

	if (!r)
		r = cgroup_read_controllers(s->hall->engine.parent_fd, &controllers);
	if (!r)
		r = facts_read(&spec, controllers, s->session.slot.number, &facts, ret_fault);
	if (r)
		return r;
	snprintf(facts.session_id, sizeof(facts.session_id), "%s", s->desk.id);
	snprintf(facts.request_id, sizeof(facts.request_id), "%s", row->id);
	snprintf(facts.output_name, sizeof(facts.output_name), "%.36s", row->output_name);
	facts.host.has_workspace = true;
	return plan_make(&spec, &facts.host, NULL, 0, ret, ret_fault);
}

static int keeper_make(struct hall_session *s, struct fault *ret_fault)
{
	_cleanup_plan_ struct plan plan = {};
	struct hall_run *run = s->run;
	struct session_budget budget = account_budget(s);
	struct hall_job job = { .hall = s->hall, .row = run->row };
	const struct keeper_args args = {
		.session = &s->session,
		.plan = &plan,
		.budget = &budget,
		.state_dir = s->hall->args->state_dir,
		.seccomp = seccomp_default(),
		.open = run->row.open,
		.step_budget = run->row.step_budget,
		.forked = job_forked,
		.ended = job_ended,
		.checkpoint = job_checkpoint,
		.arg = &job,
	};
	int r = plan_read(s, &plan, ret_fault);

	if (!r)
		r = keeper_start(&args, &run->child, ret_fault);
	run->keeper = run->child;
	return r;
}

static bool has_denials(const struct desk_request *row)
{
	for (unsigned int i = 0; i < REASON_COUNT - 1; i++)
		if (row->denials[i])
			return true;
	return false;
}

static int over_tell(struct hall_step *step, const struct desk_request *row)
{
	const struct fault *fault = row->fault.code ? &row->fault : NULL;
	bool published = false;
	int r = chores_take_site(step, row->finished_at_ms, &published);

	if (!r)
		r = step_note(step, DESK_NOTE_REQUEST_FINISHED, row, fault);
	if (!r && has_denials(row))
		r = step_note(step, DESK_NOTE_DENIAL, row, NULL);
	if (!r && published)
		r = step_note(step, DESK_NOTE_SITE_PUBLISHED, row, NULL);
	return r;
}

/* @row says how it ended. */
static int over_commit(struct hall_session *s, struct desk_request *row)
{
	_cleanup_step_ struct hall_step step = {};
	struct fault fault = {};
	int r = step_begin(s, &step, &fault);

	if (r)
		return r;
	row->state = DESK_REQUEST_FINISHED;
	step.running = false;
	account_take_row(&step.pieces, row);
	step_take_pieces(&step);
	r = ledger_put_request(s->hall->ledger, row);
	if (!r)
		r = over_tell(&step, row);
	/* where a session may not have had a request, it ends all the same */
	if (!r && step_event(&step, DESK_EVENT_FINISH, &fault) < 0)
		r = -EIO;
	if (!r)
		r = step_commit(&step, NULL, &fault);
	if (r)
		return r;
	run_hold(s, false);
	effects_perform(s, step.effects, RUN_INTERRUPTED);
	wipe_go_on(s);
	return 0;
}

void run_start(struct hall_session *s)
{
	struct desk_request row = s->run->row;
	struct fault fault = {};
	int r = keeper_make(s, &fault);

	if (!r) {
		run_attach(s);
		return;
	}
	if (r < 0)
		fault_set_errno(&fault, FAULT_INTERNAL, row.id, "look at the kernel's log", -r,
				"the request could not be started");
	row.finished_at_ms = hall_now_ms(s->hall);
	row.outcome = RUN_FAILED;
	row.exit_code = -1;
	row.output_name[0] = '\0';
	row.fault = fault;
	if (over_commit(s, &row))
		run_later(s, AGAIN_MS);
}

struct others {
	const char *id;
	uint64_t cpu_ns, wall_ns, bytes_out, bytes_in;
};

static int others_add(const struct desk_request *row, void *arg)
{
	struct others *others = arg;

	if (strcmp(row->id, others->id) == 0)
		return 0;
	others->cpu_ns += row->cpu_ns;
	others->wall_ns += row->wall_ns;
	others->bytes_out += row->bytes_out;
	others->bytes_in += row->bytes_in;
	return 0;
}

static void rest_take(uint64_t *value, uint64_t total, uint64_t others)
{
	if (total > others && total - others > *value)
		*value = total - others;
}

/* What the kernel has counted and no other request has used is this one's. */
static int row_settle(struct hall_session *s, struct desk_request *row)
{
	const struct desk_spend *spend = &s->desk.spend;
	struct others others = { .id = row->id };
	int r = account_meter(s);

	if (!r)
		r = ledger_each_request(s->hall->ledger, s->desk.id, others_add, &others);
	if (r)
		return r;
	rest_take(&row->wall_ns, spend->wall_ns, others.wall_ns);
	if (!row->wall_ns) {
		hall_output_remove(s->hall, row->output_name);
		row->output_name[0] = '\0';
		return 0;
	}
	rest_take(&row->cpu_ns, spend->cpu_ns, others.cpu_ns);
	rest_take(&row->bytes_out, spend->bytes_out, others.bytes_out);
	rest_take(&row->bytes_in, spend->bytes_in, others.bytes_in);
	return 0;
}

static int keeper_lost(struct hall_session *s, struct desk_request *row)
{
	struct fault fault = {};
	int r = session_reclaim(&s->session, &fault);

	if (!r)
		r = row_settle(s, row);
	if (r < 0)
		return r;
	keeper_socket_remove(s->hall->engine.run_fd, row->id);
	row->finished_at_ms = hall_now_ms(s->hall);
	row->outcome = s->run->stopping ? s->run->stop : RUN_INTERRUPTED;
	row->exit_code = -1;
	row->fault = fault;
	if (row->outcome == RUN_INTERRUPTED)
		fault_set(&row->fault, FAULT_INTERNAL, row->id, "submit it again",
			  "the request's keeper was ended from outside, or the host went down");
	return 0;
}

void run_over(struct hall_session *s, const struct keeper_end *end)
{
	struct desk_request row;
	int r = ledger_get_request(s->hall->ledger, s->run->row.id, &row);

	if (!r && !row.finished_at_ms && end) {
		const struct keeper_report report = { &end->result, &end->fault, end->started };

		job_result_take(&report, hall_now_ms(s->hall), &row);
	} else if (!r && !row.finished_at_ms) {
		r = keeper_lost(s, &row);
	}
	if (!r)
		r = over_commit(s, &row);
	if (r)
		run_later(s, AGAIN_MS);
}

void run_attach(struct hall_session *s)
{
	const struct keeper_link_args args = run_link_args(s);
	struct hall_run *run = s->run;
	int r;

	keeper_link_free(run->link);
	run->link = NULL;
	run->told = false;
	r = keeper_link_open(s->hall->base, s->hall->engine.run_fd, run->row.id, &args, &run->link);
	if (r == -ENOENT || r == -ECONNREFUSED)
		run_over(s, NULL);
	else if (r)
		run_later(s, AGAIN_MS);
}
