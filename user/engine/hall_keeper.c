// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a keeper does in the hall's name, in a process of its own and with a ledger handle of its own: it writes what
 * its request has used each second, and its end. The end is written as what it is but for the state: "finished" is
 * written by the hall, in the transaction that also moves the session on, so that no end is acted upon twice or not
 * at all. A row that runs and has a time of its end is over.
 */
#include <errno.h>
#include <string.h>

#include "hall_parts.h"

/* Each waits for another writer as long as ledger_begin() does. */
#define END_TRIES 60

void job_forked(void *arg)
{
	struct hall_job *job = arg;

	ledger_close_inherited(&job->hall->ledger);
}

static int ledger_have(struct hall_job *job)
{
	struct fault ignored = {};
	int r = 0;

	if (!job->ledger)
		r = ledger_open(job->hall->ledger_path, &job->ledger, &ignored);
	return r > 0 ? -EIO : r;
}

static int row_begin(struct hall_job *job)
{
	int r = ledger_have(job);

	if (!r)
		r = ledger_begin(job->ledger);
	if (!r)
		r = ledger_get_request(job->ledger, job->row.id, &job->row);
	return r > 0 ? -ENOENT : r;
}

static void raise(uint64_t *to, uint64_t value)
{
	if (value > *to)
		*to = value;
}

void job_checkpoint(const struct request_spend *spend, void *arg)
{
	struct hall_job *job = arg;
	struct desk_request *row = &job->row;
	int r = row_begin(job);

	if (!r && !row->finished_at_ms) {
		raise(&row->cpu_ns, spend->cpu_ns);
		/* some of it says that it was let run */
		raise(&row->wall_ns, spend->wall_ns ? spend->wall_ns : 1);
		raise(&row->money_ucents, spend->money_ucents);
		raise(&row->steps, spend->steps);
		raise(&row->bytes_out, spend->bytes_out);
		raise(&row->bytes_in, spend->bytes_in);
		r = ledger_put_request(job->ledger, row);
	}
	if (!r)
		r = ledger_commit(job->ledger);
	if (r && job->ledger)
		ledger_rollback(job->ledger);
}

void job_result_take(const struct keeper_report *report, uint64_t now_ms, struct desk_request *row)
{
	const struct run_result *result = report->result;

	row->finished_at_ms = now_ms;
	row->outcome = result->outcome;
	row->exit_code = result->exit_code;
	row->signal = result->signal;
	row->fault = *report->fault;
	if (!report->started) {
		row->output_name[0] = '\0';
		return;
	}
	raise(&row->cpu_ns, result->cpu_ns);
	raise(&row->wall_ns, result->wall_ns ? result->wall_ns : 1);
	raise(&row->money_ucents, result->money_ucents);
	raise(&row->steps, result->steps);
	raise(&row->bytes_out, result->bytes_out);
	raise(&row->bytes_in, result->bytes_in);
	row->events_lost = result->events_lost;
	for (unsigned int i = 0; i < REASON_COUNT - 1; i++)
		row->denials[i] = result->denials[i].count;
}

static int end_write(struct hall_job *job, const struct keeper_report *report)
{
	int r = row_begin(job);

	if (!r)
		job_result_take(report, hall_now_ms(job->hall), &job->row);
	if (!r)
		r = ledger_put_request(job->ledger, &job->row);
	if (!r)
		r = ledger_put_denials(job->ledger, job->row.id, report->result);
	if (!r)
		r = ledger_commit(job->ledger);
	if (r && job->ledger)
		ledger_rollback(job->ledger);
	return r;
}

static void site_publish(struct hall_job *job, struct keeper_report *report, struct fault *fault)
{
	struct fault left = {};
	int r = hall_site_publish(job->hall->args->state_dir, job->row.session_id, job->row.id,
				  &left);

	if (r < 0)
		fault_set_errno(&left, FAULT_INTERNAL, "/site", "look at the state directory", -r,
				"the site could not be published");
	if (!r || report->fault->code != FAULT_NONE)
		return;
	*fault = left;
	report->fault = fault;
}

void job_ended(const struct keeper_report *report, void *arg)
{
	struct keeper_report told = *report;
	struct hall_job *job = arg;
	struct fault fault;
	int r = -EBUSY;

	if (told.started && told.result->outcome != RUN_WIPED)
		site_publish(job, &told, &fault);
	for (unsigned int i = 0; i < END_TRIES && r; i++) {
		r = end_write(job, &told);
		if (r && r != -EBUSY)
			sleep(1);
	}
	ledger_close(&job->ledger);
}
