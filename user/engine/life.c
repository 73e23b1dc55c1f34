// SPDX-License-Identifier: GPL-2.0-only
/*
 * The running part of a request, one event loop. The kernel enforces; this loop only makes ends quicker
 * and gentler: it sends TERM before the time box's KILL, writes cgroup.kill when the meter reports a cap,
 * and collects the output. It ends when the command's end is known and both pipes are at end of file,
 * which the death of all writers guarantees.
 *
 * A reason to stop is written once: the first one is the outcome, whatever follows from it.
 */
#include "life_parts.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <string.h>

#include "../base/clock.h"
#include "../kernel/cgroup.h"
#include "../kernel/events.h"
#include "hostwatch.h"
#include "life_dns.h"

/* Wall time costs money only with a rate for it; nothing else would notice a sleeper's cap. */
#define TICK_US 100000

static const int cancel_signals[LIFE_SIGNALS] = { SIGINT, SIGTERM, SIGHUP };

static void life_check_end(struct life *life)
{
	if (life->ended && life->open_pumps == 0)
		event_base_loopbreak(life->base);
}

static void life_note_error(struct life *life, int r)
{
	if (!life->error)
		life->error = r;
}

void life_kill(struct life *life)
{
	life_note_error(life, cgroup_kill(life->request->cgroup_fd));
}

static const struct timeval grace = {
	.tv_sec = REEVE_TERM_GRACE_MS / 1000,
	.tv_usec = REEVE_TERM_GRACE_MS % 1000 * 1000,
};

/* The first reason wins. What is frozen does not hear TERM, and is not thawed to hear it. */
void life_stop(struct life *life, enum run_outcome outcome, bool gently)
{
	if (life->ended)
		return;
	if (!life->stopping)
		life->result->outcome = outcome;
	/* before the kill: whoever is forked meanwhile finds every way out closed */
	if (outcome == RUN_WIPED)
		life_note_error(life, session_set_state(life->request->session, POLICY_WIPED));
	if (!gently || life->stopping || life->request->frozen || spawn_term(&life->request->spawn))
		life_kill(life);
	else
		event_add(life->timers[LIFE_GRACE], &grace);
	life->stopping = true;
}

static void status_readable(int fd, short what, void *arg)
{
	struct life *life = arg;
	struct spawn_exit exit;
	int r = spawn_read_exit(&life->request->spawn, &exit);

	(void)fd;
	(void)what;
	if (!r && exit.step) {
		life->exit = exit;
		life->running--;
		life->args->step_ended(&exit, life->args->arg);
		return;
	}
	/* of an open request the last step's end stands, unless init was killed */
	if (!r && (!life->request->open || exit.signal))
		life->exit = exit;
	if (r) {
		life->exit = (struct spawn_exit){ .exit_code = -1 };
		life->result->outcome = RUN_FAILED;
		fault_set_errno(life->fault, FAULT_START, "command",
				"give a seccomp profile that lets init start it: vfork, execve, wait4",
				-r, "the sandbox's init could not start the command");
	}
	event_del(life->status);
	life->ended = true;
	life_kill(life);
	/* who was stopped does not hold its session open by a reader that does not read */
	if (life->stopping)
		event_add(life->timers[LIFE_GRACE], &grace);
	life_check_end(life);
}

static void event_seen(const struct event *event, void *arg)
{
	struct life *life = arg;

	/* another session's or request's, or the start-up proof, which is not the command's doing */
	if (event->cgroup != life->request->session->cgroup_id || event->reason == REASON_PROOF ||
	    event->time_ns < life->result->events_since_ns)
		return;
	if (event->hook != EVENT_METER) {
		run_result_note_event(life->result, event);
		return;
	}
	/* an older generation's end says nothing about this policy */
	if (event->generation == life->request->session->policy.generation)
		life_stop(life, life_outcome(life, event->reason), false);
}

static void ring_readable(int fd, short what, void *arg)
{
	struct life *life = arg;

	(void)fd;
	(void)what;
	life_note_error(life, events_drain(life->events));
}

/* The kernel may have told of a cap first. */
static void time_box_over(int fd, short what, void *arg)
{
	ring_readable(fd, what, arg);
	life_stop(arg, RUN_TIMED_OUT, true);
}

static void watchers_forget(struct life *life)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(life->pumps); i++)
		output_pump_unwatch(life->pumps[i]);
}

static void grace_over(int fd, short what, void *arg)
{
	struct life *life = arg;

	(void)fd;
	(void)what;
	if (life->ended)
		watchers_forget(life);
	else
		life_kill(life);
}

void life_check_caps(struct life *life)
{
	enum reason reason;

	if (!life->request->frozen && session_must_stop(life->request->session, &reason))
		life_stop(life, life_outcome(life, reason), false);
}

static void tick(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	life_check_caps(arg);
}

static void cancelled(int signal_number, short what, void *arg)
{
	struct life *life = arg;

	(void)what;
	if (!life->stopping)
		life->result->cancelled_by = signal_number;
	watchers_forget(life);
	life_stop(life, RUN_CANCELLED, true);
}

static void host_changed_badly(int err, void *arg)
{
	struct life *life = arg;

	fault_set_errno(life->fault, FAULT_ENFORCEMENT, "host",
			"run \"reeve doctor\"; look at who changes the host's network", -err,
			"the policy could not follow a change of the host's network");
	life_stop(life, RUN_INTERRUPTED, false);
}

static void pump_ended(int err, void *arg)
{
	struct life *life = arg;

	life->open_pumps--;
	if (err) {
		fault_set_errno(life->fault, FAULT_HOST, "--output-root",
				"make room there, or give another directory", -err,
				"the output cannot be written");
		life_stop(life, RUN_INTERRUPTED, false);
	}
	life_check_end(life);
}

static int pumps_make(struct life *life, const struct life_args *args)
{
	int r = output_pump_new(life->base, args->stdout_pipe, args->dir->stdout_fd,
				args->stdout_watch, pump_ended, life, &life->pumps[0]);

	if (r) {
		int other = args->stderr_pipe;

		fd_close(&other);
		return r;
	}
	r = output_pump_new(life->base, args->stderr_pipe, args->dir->stderr_fd, args->stderr_watch,
			    pump_ended, life, &life->pumps[1]);
	life->open_pumps = 2;
	return r;
}

static int timers_make(struct life *life)
{
	static void (*const handlers[])(int, short, void *) = {
		[LIFE_TIME_BOX] = time_box_over,
		[LIFE_GRACE] = grace_over,
		[LIFE_TICK] = tick,
	};

	for (unsigned int i = 0; i < LIFE_TIMER_COUNT; i++) {
		life->timers[i] = event_new(life->base, -1, i == LIFE_TICK ? EV_PERSIST : 0,
					    handlers[i], life);
		if (!life->timers[i])
			return -ENOMEM;
	}
	return 0;
}

int life_timers_set(struct life *life)
{
	const struct session *session = life->request->session;
	uint64_t box_us = life->request->box_left_ns / 1000;
	struct timeval box = {
		.tv_sec = (time_t)(box_us / 1000000),
		.tv_usec = (suseconds_t)(box_us % 1000000),
	};
	struct timeval tick_time = { .tv_usec = TICK_US };
	bool ticks = session->policy.rates.wall_minute_ucents ||
		     session->wall_cap_ns != POLICY_UNLIMITED;

	if (event_add(life->timers[LIFE_TIME_BOX], &box))
		return -ENOMEM;
	return ticks && event_add(life->timers[LIFE_TICK], &tick_time) ? -ENOMEM : 0;
}

static int signals_make(struct life *life)
{
	struct sigaction before;

	for (unsigned int i = 0; life->args->signals && i < LIFE_SIGNALS; i++) {
		/* as nohup(1) has it */
		if (sigaction(cancel_signals[i], NULL, &before) == 0 && before.sa_handler == SIG_IGN)
			continue;
		life->signals[i] = evsignal_new(life->base, cancel_signals[i], cancelled, life);
		if (!life->signals[i] || event_add(life->signals[i], NULL))
			return -ENOMEM;
	}
	return 0;
}

static int watches_make(struct life *life)
{
	const struct request *request = life->request;
	int r = events_new(request->ring_fd, event_seen, life, &life->events);

	if (r)
		return r;
	life->status = event_new(life->base, request->spawn.status_fd, EV_READ | EV_PERSIST,
				 status_readable, life);
	life->ring = event_new(life->base, events_fd(life->events), EV_READ | EV_PERSIST,
			       ring_readable, life);
	if (!life->status || !life->ring || event_add(life->status, NULL) ||
	    event_add(life->ring, NULL))
		return -ENOMEM;
	if (!request->plan->network.veth)
		return 0;
	r = life_dns_new(life->base, request, life->result, &life->dns);
	return r ? r
		 : hostwatch_new(life->base, request->session->engine, host_changed_badly, life,
				 &life->watch);
}

static void life_deinit(struct life *life)
{
	struct event *all[] = { life->status, life->ring };

	hostwatch_free(life->watch);
	life_dns_free(life->dns);
	for (unsigned int i = 0; i < ARRAY_SIZE(life->pumps); i++)
		output_pump_free(life->pumps[i]);
	for (unsigned int i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i])
			event_free(all[i]);
	for (unsigned int i = 0; i < LIFE_TIMER_COUNT; i++)
		if (life->timers[i])
			event_free(life->timers[i]);
	for (unsigned int i = 0; i < LIFE_SIGNALS; i++)
		if (life->signals[i])
			event_free(life->signals[i]);
	events_free(life->events);
	if (life->base && !life->args->base)
		event_base_free(life->base);
}

int life_run(struct request *request, const struct life_args *args, struct run_result *result,
	     struct fault *ret_fault)
{
	_cleanup_(life_deinit) struct life life = {
		.request = request,
		.args = args,
		.result = result,
		.fault = ret_fault,
		.base = args->base,
	};
	int r;

	result->outcome = RUN_EXITED;
	if (!life.base)
		life.base = event_base_new();
	r = life.base ? pumps_make(&life, args) : -ENOMEM;
	if (!r)
		r = watches_make(&life);
	if (!r)
		r = signals_make(&life);
	if (!r)
		r = timers_make(&life);
	if (!r)
		r = request_go(request, ret_fault);
	if (!r)
		r = life_timers_set(&life);
	if (r)
		return r;
	result->events_since_ns = request->session->policy.running_since_ns;
	life.opened_generation = request->session->policy.generation;
	if (args->begun)
		args->begun(&life, args->arg);
	life_check_caps(&life);
	event_base_dispatch(life.base);
	r = life_settle(&life);
	return r ? r : ret_fault->code != FAULT_NONE ? FAULT_E_SET : 0;
}
