// SPDX-License-Identifier: GPL-2.0-only
/*
 * One thread, one loop. Everything that waits is a callback: connections, the hall's keepers, wipes that are being
 * proved, the examination of the host. The end is a signal: no new connections, what is owed is still sent, then the
 * hall lets go, and what runs goes on without it.
 */
#include "daemon.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <string.h>

#include "../base/clock.h"
#include "../wire/problem_json.h"
#include "change.h"
#include "daemon_parts.h"
#include "dispatch.h"
#include "door.h"
#include "log.h"
#include "method.h"
#include "problem.h"
#include "service.h"

/* For replies that are owed at the end: wipes may take longer, and go on at the next start. */
#define PARTING_SECONDS 3

struct service {
	struct daemon daemon;
	struct door *door;
	struct event *signals[2], *watchdog, *parting, *forget;
};

static int output_open(const char *request_id, bool errors, int *ret_fd, void *arg)
{
	struct fault fault = {};
	bool more;
	int r = hall_open_output(((struct daemon *)arg)->hall, request_id, errors, ret_fd, &more,
				 &fault);

	return r > 0 ? -ENOENT : r;
}

static void on_empty(void *arg)
{
	event_base_loopbreak(((struct daemon *)arg)->base);
}

int daemon_init(struct daemon *daemon, struct event_base *base, const struct daemon_args *args,
		const struct http_limits *limits)
{
	const struct http_args http = {
		.limits = *limits,
		.handle = dispatch,
		.replied = daemon_replied,
		.empty = on_empty,
		.arg = daemon,
	};
	const struct outputs_args outputs = { .open = output_open, .arg = daemon };
	int r;

	daemon->args = args;
	daemon->base = base;
	TAILQ_INIT(&daemon->jobs);
	r = daemon->contracts ? 0 : contracts_new(&daemon->contracts);
	if (!r)
		r = method_openapi(&daemon->openapi);
	if (!r)
		r = followers_new(base, hall_ledger(daemon->hall), REEVE_HTTP_HEARTBEAT_MS,
				  &daemon->followers);
	if (!r)
		r = outputs_new(base, &outputs, &daemon->outputs);
	if (!r)
		r = examiner_new(base, args->doctor, &daemon->examiner);
	if (!r)
		r = http_new(base, &http, &daemon->http);
	return r;
}

/* The hall is closed by now, so that it comes back to nothing that goes here. */
void daemon_deinit(struct daemon *daemon)
{
	change_forget_jobs(daemon);
	examiner_free(&daemon->examiner);
	http_free(&daemon->http);
	outputs_free(&daemon->outputs);
	followers_free(&daemon->followers);
	contracts_free(&daemon->contracts);
	free(daemon->openapi);
	daemon->openapi = NULL;
}

void daemon_replied(const struct exchange *exchange, void *arg)
{
	metrics_note_reply(&((struct daemon *)arg)->metrics, exchange);
}

void daemon_notify(const struct hall_note *note, uint64_t seq, const char *body, size_t n_body,
		   void *arg)
{
	struct daemon *daemon = arg;
	struct followers_item item = { seq, note->desk->id, note->type, body, n_body };

	metrics_note_event(&daemon->metrics, note->type);
	/* the hall may find things out while it opens, before there is anyone to tell */
	if (!daemon->followers)
		return;
	followers_publish(daemon->followers, &item);
	if (note->request)
		outputs_note(daemon->outputs, note->request->id,
			     note->request->state == DESK_REQUEST_FINISHED);
}

static int turn_away(struct http *http, int fd)
{
	struct fault fault = {};
	const struct problem problem = {
		.fault = &fault,
		.status = (unsigned int)problem_status(FAULT_PEER),
		.title = http_phrase(problem_status(FAULT_PEER)),
	};
	_cleanup_free_ char *text = NULL;

	fault_set(&fault, FAULT_PEER, "", "become a member of the socket's group",
		  "only root and the socket's group may connect");
	if (problem_json_print(&problem, &text)) {
		close(fd);
		return -ENOMEM;
	}
	return http_turn_away(http, fd, problem_status(FAULT_PEER), "application/problem+json", text);
}

static void take(int fd, bool is_allowed, void *arg)
{
	struct http *http = ((struct service *)arg)->daemon.http;
	int r = is_allowed ? http_take(http, fd) : turn_away(http, fd);

	if (r)
		log_result(LOG_WARN, "cannot serve a connection", r, NULL);
}

static void on_parting(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	event_base_loopbreak(((struct service *)arg)->daemon.base);
}

static void on_signal(evutil_socket_t number, short what, void *arg)
{
	static const struct timeval parting = { PARTING_SECONDS, 0 };
	struct service *service = arg;

	(void)what;
	if (!service->door)
		return;
	log_line(LOG_NOTE, "ends by signal %d; what runs goes on", (int)number);
	service_notify("STOPPING=1");
	door_close(&service->door);
	event_add(service->parting, &parting);
	http_shutdown(service->daemon.http);
}

static void on_watchdog(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
	service_notify("WATCHDOG=1");
}

static int watchdog_begin(struct service *service)
{
	/* twice as often as is asked for */
	uint64_t us = service_watchdog_us() / 2;
	struct timeval tv = { (time_t)(us / 1000000), (suseconds_t)(us % 1000000) };

	if (!us)
		return 0;
	service->watchdog = event_new(service->daemon.base, -1, EV_PERSIST, on_watchdog, service);
	return service->watchdog && event_add(service->watchdog, &tv) == 0 ? 0 : -ENOMEM;
}

/* What nobody asks for any more makes room, every hour. */
static void on_forget(evutil_socket_t fd, short what, void *arg)
{
	struct ledger *ledger = hall_ledger(((struct service *)arg)->daemon.hall);
	int r = ledger_begin(ledger);

	(void)fd;
	(void)what;
	if (!r)
		r = ledger_forget_replies(ledger, clock_realtime_ms() - REEVE_IDEMPOTENCY_MS);
	if (!r)
		r = ledger_forget_events(ledger, REEVE_EVENTS_KEPT);
	if (!r)
		r = ledger_commit(ledger);
	if (r) {
		ledger_rollback(ledger);
		log_result(LOG_WARN, "cannot forget old replies and events", r, NULL);
	}
}

static int forget_begin(struct service *service)
{
	static const struct timeval hour = { 3600, 0 };

	service->forget = event_new(service->daemon.base, -1, EV_PERSIST, on_forget, service);
	return service->forget && event_add(service->forget, &hour) == 0 ? 0 : -ENOMEM;
}

static int signals_begin(struct service *service)
{
	static const int numbers[] = { SIGTERM, SIGINT };

	for (unsigned int i = 0; i < ARRAY_SIZE(numbers); i++) {
		service->signals[i] =
			evsignal_new(service->daemon.base, numbers[i], on_signal, service);
		if (!service->signals[i] || event_add(service->signals[i], NULL))
			return -ENOMEM;
	}
	service->parting = evtimer_new(service->daemon.base, on_parting, service);
	return service->parting ? 0 : -ENOMEM;
}

static int serve(struct service *service, const struct daemon_args *args, struct fault *ret_fault)
{
	static const struct http_limits usual = HTTP_LIMITS_INIT;
	struct daemon *daemon = &service->daemon;
	const struct door_args door = {
		.run_dir = args->config->run_dir,
		.socket = args->socket,
		.group = args->group,
		.take = take,
		.arg = service,
	};
	const struct hall_args hall = {
		.config = args->config,
		.rules = args->rules,
		.state_dir = args->state_dir,
		.describe = daemon_describe,
		.notify = daemon_notify,
		.read_spec = daemon_read_spec,
		.arg = daemon,
	};
	int r;

	daemon->args = args;
	r = signals_begin(service);
	/* the lock comes before the hall, which may be another daemon's */
	if (!r)
		r = door_open(daemon->base, &door, &service->door, ret_fault);
	/* orders that are still to be run are read while the hall opens */
	if (!r)
		r = contracts_new(&daemon->contracts);
	if (!r)
		r = hall_open(daemon->base, &hall, &daemon->hall, ret_fault);
	if (!r)
		r = daemon_init(daemon, daemon->base, args, args->limits ? args->limits : &usual);
	if (!r)
		r = watchdog_begin(service);
	if (!r)
		r = forget_begin(service);
	if (r)
		return r;
	log_line(LOG_NOTE, "serves %s", args->socket);
	service_notify("READY=1");
	event_base_dispatch(daemon->base);
	return 0;
}

static void event_drop(struct event *event)
{
	if (event)
		event_free(event);
}

int daemon_run(const struct daemon_args *args, struct fault *ret_fault)
{
	struct service service = {};
	int r;

	/* a client that went away is an error of write(), not the end of the daemon */
	signal(SIGPIPE, SIG_IGN);
	service.daemon.base = event_base_new();
	if (!service.daemon.base)
		return -ENOMEM;
	TAILQ_INIT(&service.daemon.jobs);
	r = serve(&service, args, ret_fault);
	door_close(&service.door);
	hall_close(&service.daemon.hall);
	daemon_deinit(&service.daemon);
	for (unsigned int i = 0; i < ARRAY_SIZE(service.signals); i++)
		event_drop(service.signals[i]);
	event_drop(service.parting);
	event_drop(service.watchdog);
	event_drop(service.forget);
	event_base_free(service.daemon.base);
	return r;
}
