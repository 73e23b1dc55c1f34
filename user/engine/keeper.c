// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fork without an exec: what was decided is in memory already, and what is to be done is done by the functions
 * that every run uses. The keeper lets go of all that its starter had open but what it needs. SIGTERM, which the
 * host sends when it goes down, interrupts the request.
 *
 * The order at the end is the promise: nothing of the request is left, then the callback has recorded that, then
 * the channel's name goes, then those who are connected are told. Whoever finds no keeper finds the record.
 */
#include "keeper.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

#include "../base/clock.h"
#include "keeper_server.h"
#include "life.h"
#include "offshoot.h"
#include "workspace.h"

#define NAME "reeve-keeper"

struct keeper {
	const struct keeper_args *args;
	int listen_fd, signal_fd;
	struct session *session;
	struct request request;
	struct workspace workspace;
	struct output_dir dir;
	struct event_base *base;
	struct event *second, *terminated;
	struct keeper_server *server;
	struct life *life; /* while it runs */
	struct keeper_end end;
};

static int signals_take(struct keeper *keeper)
{
	static const int ignored[] = { SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };
	sigset_t mask;

	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&mask);
	sigaddset(&mask, SIGTERM);
	if (sigprocmask(SIG_SETMASK, &mask, NULL))
		return -errno;
	keeper->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	return keeper->signal_fd < 0 ? -errno : 0;
}

static int stand_alone(struct keeper *keeper)
{
	const struct keeper_args *args = keeper->args;
	int kept[REEVE_INPUTS_MAX + 2] = { keeper->listen_fd, keeper->session->cgroup_fd }, r;
	size_t n = 2;

	for (size_t i = 0; i < args->n_inputs && n < ARRAY_SIZE(kept); i++)
		kept[n++] = args->input_fds[i];
	r = offshoot_begin(keeper->session->engine, kept, n, NAME);
	return r ? r : signals_take(keeper);
}

static void status(struct keeper_note *ret, void *arg)
{
	const struct keeper *keeper = arg;

	ret->state = !keeper->life	      ? KEEPER_OVER
		     : keeper->request.frozen ? KEEPER_FROZEN
					      : KEEPER_RUNNING;
	ret->pid = getpid();
	ret->step = (uint32_t)keeper->request.steps;
	ret->started_ns = keeper->end.result.events_since_ns;
	request_spend(&keeper->request, &ret->spend);
}

static void changed_tell(struct keeper *keeper)
{
	struct keeper_note note = { .version = KEEPER_VERSION, .kind = KEEPER_CHANGED };

	status(&note, keeper);
	keeper_server_tell(keeper->server, &note);
}

static int freeze(struct keeper *keeper, bool frozen)
{
	bool before = keeper->request.frozen;
	int r = frozen ? life_freeze(keeper->life) : life_thaw(keeper->life);

	if (before != keeper->request.frozen)
		changed_tell(keeper);
	return r;
}

static int order_perform(struct keeper *keeper, const struct keeper_order *order, const char *args)
{
	struct life *life = keeper->life;

	switch (order->kind) {
	case KEEPER_CANCEL:
		life_stop(life, RUN_CANCELLED, true);
		return 0;
	case KEEPER_CAP:
		life_stop(life, RUN_CAPPED, false);
		return 0;
	case KEEPER_WIPE:
		life_stop(life, RUN_WIPED, false);
		return 0;
	case KEEPER_FREEZE:
		return freeze(keeper, true);
	case KEEPER_THAW:
		return freeze(keeper, false);
	case KEEPER_BUDGET:
		return life_set_budget(life, &order->budget);
	case KEEPER_STEP:
		return life_step(life, args, order->n_bytes, order->n_args);
	case KEEPER_FINISH:
		return life_finish(life);
	default:
		return -EPROTO;
	}
}

static int order_take(const struct keeper_order *order, const char *args,
		      struct keeper_note *ret_note, void *arg)
{
	struct keeper *keeper = arg;
	int r = keeper->life ? order_perform(keeper, order, args) : LIFE_E_ENDING;

	status(ret_note, keeper);
	return r;
}

static void step_ended(const struct spawn_exit *exit, void *arg)
{
	struct keeper *keeper = arg;
	struct keeper_note note = { .version = KEEPER_VERSION, .kind = KEEPER_STEP_ENDED };

	status(&note, keeper);
	note.step = exit->step;
	note.exit_code = exit->exit_code;
	note.signal = exit->signal;
	note.err = exit->err;
	keeper_server_tell(keeper->server, &note);
}

static void checkpoint(int fd, short what, void *arg)
{
	const struct keeper *keeper = arg;
	struct request_spend spend;

	(void)fd;
	(void)what;
	if (request_spend(&keeper->request, &spend) == 0)
		keeper->args->checkpoint(&spend, keeper->args->arg);
}

static void begun(struct life *life, void *arg)
{
	const struct timeval second = { .tv_sec = 1 };
	struct keeper *keeper = arg;

	keeper->life = life;
	event_add(keeper->second, &second);
	checkpoint(-1, 0, keeper);
}

static void terminated(int fd, short what, void *arg)
{
	struct keeper *keeper = arg;
	struct signalfd_siginfo info;

	(void)what;
	if (read(fd, &info, sizeof(info)) == sizeof(info) && keeper->life)
		life_stop(keeper->life, RUN_INTERRUPTED, true);
}

static int loop_make(struct keeper *keeper)
{
	const struct keeper_server_args server = { order_take, status, keeper };

	keeper->base = event_base_new();
	if (!keeper->base)
		return -ENOMEM;
	keeper->second = event_new(keeper->base, -1, EV_PERSIST, checkpoint, keeper);
	keeper->terminated =
		event_new(keeper->base, keeper->signal_fd, EV_READ | EV_PERSIST, terminated, keeper);
	if (!keeper->second || !keeper->terminated || event_add(keeper->terminated, NULL))
		return -ENOMEM;
	return keeper_server_new(keeper->base, keeper->listen_fd, &server, &keeper->server);
}

static bool workspace_is_planned(const struct plan *plan)
{
	for (size_t i = 0; i < plan->n_mounts; i++)
		if (plan->mounts[i].kind == PLAN_MOUNT_WORK)
			return true;
	return false;
}

static void result_begin(struct keeper *keeper)
{
	const struct keeper_args *args = keeper->args;
	const struct plan *plan = args->plan;
	struct run_result *result = &keeper->end.result;

	snprintf(result->session_id, sizeof(result->session_id), "%s", plan->session_id);
	snprintf(result->request_id, sizeof(result->request_id), "%s", plan->request_id);
	result->outcome = RUN_FAILED;
	result->exit_code = -1;
	result->cap.cpu_ns = args->budget->cpu_cap_ns;
	result->cap.money_ucents = args->budget->money_cap_ucents;
	result->cap.time_box_ns = plan->time_box_ns;
	result->limits = plan->limits;
	for (unsigned int i = 0; i < PROMISE_COUNT; i++)
		result->enforced[i] = promise_is_must((enum promise)i);
	if (args->own_seccomp)
		result->enforced[PROMISE_SECCOMP] = result->enforced[PROMISE_SOCKETS] = false;
	result->enforced[PROMISE_UNIX_SOCKETS] = keeper->session->engine->guard.unix_hooks;
	result->enforced[PROMISE_MEMORY] = plan->limits.memory_bytes;
	result->enforced[PROMISE_PIDS] = plan->limits.pids;
	result->enforced[PROMISE_CPU] = plan->limits.cpu_millis;
}

/* All that comes before go. */
static int sandbox_make(struct keeper *keeper, int ret_pipes[2], struct fault *ret_fault)
{
	const struct keeper_args *args = keeper->args;
	int out[2] = { -1, -1 }, err[2] = { -1, -1 }, r = 0;
	struct request_files files = {
		.input_fds = args->input_fds,
		.n_inputs = args->n_inputs,
		.seccomp = args->seccomp,
		.open = args->open,
	};

	if (workspace_is_planned(args->plan))
		r = workspace_open(args->state_dir, keeper->session->id, &keeper->workspace,
				   ret_fault);
	if (!r)
		r = output_dir_make(keeper->session->engine->config->output_root,
				    args->plan->output_name, &keeper->dir, ret_fault);
	if (!r && (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC) ||
		   fcntl(out[0], F_SETFL, O_NONBLOCK) || fcntl(err[0], F_SETFL, O_NONBLOCK)))
		r = -errno;
	files.out_fd = keeper->dir.fd;
	files.work_fd = keeper->workspace.work_fd;
	files.site_fd = keeper->workspace.site_fd;
	files.stdout_fd = out[1];
	files.stderr_fd = err[1];
	if (!r)
		r = session_set_budget(keeper->session, args->budget);
	if (!r)
		r = request_make(keeper->session, args->plan, &files, &keeper->request, ret_fault);
	fd_close(&out[1]);
	fd_close(&err[1]);
	ret_pipes[0] = out[0];
	ret_pipes[1] = err[0];
	return r;
}

static int live(struct keeper *keeper, struct fault *ret_fault)
{
	int pipes[2] = { -1, -1 };
	struct life_args life = {
		.dir = &keeper->dir,
		.stdout_watch = -1,
		.stderr_watch = -1,
		.step_budget = keeper->args->step_budget,
		.base = keeper->base,
		.begun = begun,
		.step_ended = step_ended,
		.arg = keeper,
	};
	int r = sandbox_make(keeper, pipes, ret_fault);

	if (r) {
		fd_close(&pipes[0]);
		fd_close(&pipes[1]);
		return r;
	}
	life.stdout_pipe = pipes[0];
	life.stderr_pipe = pipes[1];
	r = life_run(&keeper->request, &life, &keeper->end.result, ret_fault);
	keeper->life = NULL;
	event_del(keeper->second);
	return r;
}

/* What it used is spent, however it went. */
static void account_fail(struct keeper *keeper)
{
	struct run_result *result = &keeper->end.result;
	struct request_spend spend;
	struct usage usage;

	if (request_kill(&keeper->request) ||
	    request_settle(&keeper->request, POLICY_CLOSED, &usage) ||
	    request_spend(&keeper->request, &spend))
		return;
	run_result_set_usage(result, &usage);
	result->wall_ns = spend.wall_ns;
	result->money_ucents = spend.money_ucents;
	result->steps = spend.steps;
}

/* A request that was let run has a known end also where its last moments could not be seen. */
static void outcome_fail(struct keeper *keeper, int r, struct fault *fault)
{
	struct run_result *result = &keeper->end.result;

	if (r < 0)
		fault_set_errno(fault, FAULT_INTERNAL, keeper->args->plan->request_id,
				"look at the kernel's log", -r,
				"the request was not seen to its end");
	if (!keeper->request.started) {
		result->outcome = RUN_FAILED;
		return;
	}
	if (result->outcome == RUN_EXITED)
		result->outcome = RUN_INTERRUPTED;
	account_fail(keeper);
}

static void output_remove(struct keeper *keeper)
{
	if (keeper->dir.fd < 0)
		return;
	unlinkat(keeper->dir.fd, "stdout.log", 0);
	unlinkat(keeper->dir.fd, "stderr.log", 0);
	rmdir(keeper->dir.path);
}

static void end(struct keeper *keeper)
{
	struct keeper_end *end = &keeper->end;
	const struct keeper_report report = { &end->result, &end->fault, keeper->request.started };
	struct fault left = {};

	if (request_end(&keeper->request, &left)) {
		end->result.enforced[PROMISE_CLEANUP] = false;
		if (end->fault.code == FAULT_NONE)
			end->fault = left;
	}
	if (report.started)
		end->result.output_dir = keeper->dir.path;
	else
		output_remove(keeper);
	keeper->args->ended(&report, keeper->args->arg);
	keeper_socket_remove(keeper->session->engine->run_fd, keeper->args->plan->request_id);
	end->note.version = KEEPER_VERSION;
	end->note.kind = KEEPER_ENDED;
	end->note.state = KEEPER_OVER;
	end->note.pid = getpid();
	end->note.step = (uint32_t)end->result.steps;
	end->started = report.started;
	end->result.output_dir = NULL;
	if (keeper->server)
		keeper_server_end(keeper->server, end);
}

static _Noreturn void keeper_main(const struct keeper_args *args, int listen_fd)
{
	struct keeper keeper = {
		.args = args,
		.listen_fd = listen_fd,
		.session = args->session,
		.request = REQUEST_INIT,
		.workspace = WORKSPACE_INIT,
		.dir = OUTPUT_DIR_INIT,
	};
	int r = stand_alone(&keeper);

	result_begin(&keeper);
	if (!r)
		r = session_reload(keeper.session);
	if (!r)
		r = loop_make(&keeper);
	if (!r)
		r = live(&keeper, &keeper.end.fault);
	if (r)
		outcome_fail(&keeper, r, &keeper.end.fault);
	end(&keeper);
	_exit(0);
}

int keeper_start(const struct keeper_args *args, pid_t *ret_pid, struct fault *ret_fault)
{
	const struct engine *engine = args->session->engine;
	_cleanup_fd_ int listen_fd = -1;
	int r = keeper_socket_listen(engine->run_fd, args->plan->request_id, &listen_fd);
	pid_t pid;

	if (r)
		return fault_set_errno(ret_fault, FAULT_HOST, "--run-dir",
				       "give a directory that root can write, with --run-dir", -r,
				       "the channel of request %s cannot be made in %s",
				       args->plan->request_id, engine->config->run_dir);
	pid = offshoot_fork();
	if (pid == 0) {
		if (args->forked)
			args->forked(args->arg);
		keeper_main(args, listen_fd);
	}
	if (pid < 0) {
		r = -errno;
		keeper_socket_remove(engine->run_fd, args->plan->request_id);
		return r;
	}
	*ret_pid = pid;
	return 0;
}
