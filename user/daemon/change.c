// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hall calls the witness inside the transaction of a change: there the reply is printed and recorded, and the very text is what
 * the client gets. Where nothing changed (Go on an armed session) there is no transaction; the reply is then
 * recorded by itself, for there is nothing that it could be lost with.
 *
 * Refusals are not recorded: they changed nothing, and asked again the answer may be another.
 */
#include "change.h"

#include <errno.h>
#include <string.h>

#include "../base/clock.h"
#include "daemon_parts.h"
#include "dispatch.h"
#include "log.h"
#include "method.h"
#include "problem.h"

struct job {
	struct daemon *daemon;
	struct exchange *exchange;
	TAILQ_ENTRY(job) entry;
};

static int record(struct ledger *ledger, const struct exchange *exchange, int status, char *text)
{
	struct ledger_reply reply = { .status = status, .body = text, .n_body = strlen(text) };

	return ledger_put_reply(ledger, exchange->key, exchange->digest, clock_realtime_ms(), &reply);
}

static int record_alone(struct ledger *ledger, const struct exchange *exchange, int status, char *text)
{
	int r = ledger_begin(ledger);

	if (r)
		return r;
	r = record(ledger, exchange, status, text);
	if (!r)
		r = ledger_commit(ledger);
	if (r)
		ledger_rollback(ledger);
	return r;
}

static int witness(const struct desk *desk, const struct desk_request *request, void *arg)
{
	struct change *change = arg;
	int r = change->print(change->daemon, desk, request, &change->text);

	if (r)
		return r;
	change->revision = desk ? desk->revision : 0;
	return record(hall_ledger(change->daemon->hall), change->exchange, change->status,
		      change->text);
}

void change_begin(struct change *change, struct daemon *daemon, struct exchange *exchange,
		  change_print_fn *print, int status)
{
	*change = (struct change){ daemon, exchange, print, status, NULL, 0 };
	if (exchange->key)
		hall_set_witness(daemon->hall, witness, change);
}

static void reply(struct exchange *exchange, int status, const struct desk *desk,
		  const struct desk_request *request, const char *text)
{
	const struct method *method = exchange->route;

	if (status == 201 && strcmp(method->path, "/v1/sessions") == 0)
		exchange_add_field(exchange, "Location", "/v1/sessions/%s", desk->id);
	else if (status == 201 && request)
		exchange_add_field(exchange, "Location", "/v1/requests/%s", request->id);
	if (desk)
		dispatch_add_etag(exchange, desk, text);
	exchange_reply(exchange, status, method->type, text, strlen(text));
}

int change_end(struct change *change, int r, const struct desk *desk,
	       const struct desk_request *request)
{
	struct daemon *daemon = change->daemon;
	bool recorded = change->text;

	hall_set_witness(daemon->hall, NULL, NULL);
	if (!r && !recorded)
		r = change->print(daemon, desk, request, &change->text);
	if (!r && !recorded && change->exchange->key)
		r = record_alone(hall_ledger(daemon->hall), change->exchange, change->status,
				 change->text);
	if (!r)
		reply(change->exchange, change->status, desk, request, change->text);
	free(change->text);
	change->text = NULL;
	return r;
}

static bool is_being_done(const struct daemon *daemon, const char *key)
{
	const struct job *job;

	TAILQ_FOREACH(job, &daemon->jobs, entry)
	if (job->exchange->key && strcmp(job->exchange->key, key) == 0)
		return true;
	return false;
}

int change_replay(struct daemon *daemon, struct exchange *exchange, struct fault *ret_fault)
{
	const struct method *method = exchange->route;
	struct ledger_reply reply = {};
	int r;

	if (is_being_done(daemon, exchange->key))
		return fault_set(ret_fault, FAULT_IDEMPOTENCY_CONFLICT, "Idempotency-Key",
				 "ask again in a moment", "the first request with it is being done");
	r = ledger_get_reply(hall_ledger(daemon->hall), exchange->key, exchange->digest, &reply);
	if (r == LEDGER_E_CONFLICT)
		return fault_set(ret_fault, FAULT_IDEMPOTENCY_CONFLICT, "Idempotency-Key",
				 "give each change a key of its own",
				 "the key was used for another request");
	if (r != LEDGER_E_REPLAY)
		return r;
	exchange_add_field(exchange, "Idempotency-Replayed", "true");
	exchange_reply(exchange, reply.status, method->type, reply.body, reply.n_body);
	ledger_reply_deinit(&reply);
	return CHANGE_E_REPLAYED;
}

static void job_done(const struct desk *desk, const struct fault *fault, void *arg)
{
	struct job *job = arg;
	struct daemon *daemon = job->daemon;
	struct exchange *exchange = job->exchange;
	const struct method *method = exchange->route;
	_cleanup_free_ char *text = NULL;
	int r = fault ? FAULT_E_SET : change_print_session(daemon, desk, NULL, &text);

	TAILQ_REMOVE(&daemon->jobs, job, entry);
	free(job);
	if (!r && exchange->key)
		r = record_alone(hall_ledger(daemon->hall), exchange, method->status, text);
	if (r)
		problem_reply(exchange, r, fault);
	else
		reply(exchange, method->status, desk, NULL, text);
}

int change_await(struct daemon *daemon, struct exchange *exchange, enum desk_event event,
		 struct fault *ret_fault)
{
	struct job *job = malloc(sizeof(*job));
	const struct desk *desk;
	int r;

	if (!job)
		return -ENOMEM;
	*job = (struct job){ .daemon = daemon, .exchange = exchange };
	TAILQ_INSERT_TAIL(&daemon->jobs, job, entry);
	/* after 0 the job may be over already */
	r = hall_event(daemon->hall, exchange->id, event, job_done, job, &desk, ret_fault);
	if (r) {
		TAILQ_REMOVE(&daemon->jobs, job, entry);
		free(job);
	}
	return r;
}

void change_forget_jobs(struct daemon *daemon)
{
	struct job *job;

	while ((job = TAILQ_FIRST(&daemon->jobs))) {
		TAILQ_REMOVE(&daemon->jobs, job, entry);
		free(job);
	}
}
