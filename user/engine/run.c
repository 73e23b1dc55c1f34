// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run in the order of its promises: everything that can be refused is refused before anything is made
 * (inputs, profile, host, plan); then the output directory, the session and its sandbox; then its life;
 * then the end, which is proved. Whatever fails on the way, session_close() removes what there is.
 */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "../kernel/cgroup.h"
#include "../kernel/seccomp.h"
#include "facts.h"
#include "life.h"
#include "rules.h"

struct opened_inputs {
	int fds[REEVE_INPUTS_MAX];
	char *names[REEVE_INPUTS_MAX];
	struct plan_input plan[REEVE_INPUTS_MAX];
	size_t n;
};

static void inputs_close(struct opened_inputs *inputs)
{
	for (size_t i = 0; i < inputs->n; i++) {
		fd_close(&inputs->fds[i]);
		free(inputs->names[i]);
	}
}

static int inputs_open(const struct run_args *args, struct opened_inputs *ret, struct fault *ret_fault)
{
	static const char *const option[] = { "--file", "--directory" };
	static const char *const pointer[] = { "/files", "/directories" };
	const struct spec *spec = args->spec;
	size_t seen[2] = {};
	char field[64];

	for (size_t i = 0; i < spec->n_inputs; i++) {
		const struct spec_input *input = &spec->inputs[i];
		int r;

		if (spec->foreign)
			snprintf(field, sizeof(field), "%s/%zu", pointer[input->kind],
				 seen[input->kind]++);
		else
			snprintf(field, sizeof(field), "%s", option[input->kind]);
		r = input_open(input, spec->foreign ? args->roots : NULL, field, &ret->fds[i],
			       &ret->names[i], ret_fault);
		if (r)
			return r;
		ret->plan[i].kind = input->kind;
		ret->plan[i].basename = ret->names[i];
		ret->n = i + 1;
	}
	return 0;
}

int run_plan(const struct engine_config *config, const struct run_args *args, struct plan *ret,
	     struct fault *ret_fault)
{
	_cleanup_(inputs_close) struct opened_inputs inputs = {};
	_cleanup_fd_ int mount_fd = -1;
	struct facts facts = {};
	unsigned int controllers;
	int r = spec_check(args->spec, args->field_prefix, ret_fault);

	if (!r)
		r = inputs_open(args, &inputs, ret_fault);
	if (!r)
		r = cgroup_mount_open(&mount_fd, ret_fault);
	if (!r)
		r = cgroup_parent_controllers(mount_fd, config->parent, &controllers, ret_fault);
	if (!r)
		r = facts_name(&facts);
	if (!r)
		r = facts_read(args->spec, controllers, 0, &facts, ret_fault);
	return r ? r : plan_make(args->spec, &facts.host, inputs.plan, inputs.n, ret, ret_fault);
}

static int slot_open(struct engine *engine, const struct config *rules, struct facts *facts,
		     struct slot *ret, struct fault *ret_fault)
{
	_cleanup_fd_ int lock = -1;
	int r = engine_lock(engine->run_fd, &lock);

	if (r == -ESTALE)
		return fault_set(ret_fault, FAULT_BUSY, "--run-dir", "start the request again",
				 "%s was removed while the request started", engine->config->run_dir);
	if (!r)
		r = rules_apply(engine, rules, ret_fault);
	if (!r)
		r = facts_name(facts);
	return r ? r : slot_take(engine, facts->session_id, ret, ret_fault);
}

struct run {
	const struct run_args *args;
	struct engine engine;
	struct slot slot;
	struct facts facts;
	struct plan plan;
	struct opened_inputs inputs;
	struct sock_fprog filter;
	struct session session;
	struct request request;
	struct run_report *report;
};

static void run_deinit(struct run *run)
{
	slot_release(&run->slot);
	inputs_close(&run->inputs);
	seccomp_program_deinit(&run->filter);
	plan_deinit(&run->plan);
	engine_close(&run->engine);
}

/* All that can be refused. */
static int run_prepare(struct run *run, const struct engine_config *config, struct fault *ret_fault)
{
	const struct run_args *args = run->args;
	unsigned int controllers;
	int r = spec_check(args->spec, args->field_prefix, ret_fault);

	if (!r)
		r = inputs_open(args, &run->inputs, ret_fault);
	if (!r && args->seccomp)
		r = seccomp_compile(args->seccomp, SECCOMP_ARCH_NATIVE, &run->filter, ret_fault);
	if (!r)
		r = engine_open(config, &run->engine, &run->report->swept, ret_fault);
	if (!r)
		r = slot_open(&run->engine, args->rules, &run->facts, &run->slot, ret_fault);
	if (!r)
		r = cgroup_read_controllers(run->engine.parent_fd, &controllers);
	if (!r)
		r = facts_read(args->spec, controllers, run->slot.number, &run->facts, ret_fault);
	if (!r)
		r = plan_make(args->spec, &run->facts.host, run->inputs.plan, run->inputs.n,
			      &run->plan, ret_fault);
	return r;
}

static void enforced_fill(const struct run *run, struct run_result *result)
{
	const struct plan_host *host = &run->facts.host;

	for (unsigned int i = 0; i < PROMISE_COUNT; i++)
		result->enforced[i] = promise_is_must((enum promise)i);
	/* what a given profile permits is its author's promise */
	if (run->args->seccomp)
		result->enforced[PROMISE_SECCOMP] = result->enforced[PROMISE_SOCKETS] = false;
	result->enforced[PROMISE_UNIX_SOCKETS] = run->engine.guard.unix_hooks;
	result->enforced[PROMISE_MEMORY] = host->has_memory;
	result->enforced[PROMISE_PIDS] = host->has_pids;
	result->enforced[PROMISE_CPU] = host->has_cpu;
	result->limits = run->plan.limits;
}

static void result_begin(const struct run *run, struct run_result *result)
{
	snprintf(result->session_id, sizeof(result->session_id), "%s", run->plan.session_id);
	snprintf(result->request_id, sizeof(result->request_id), "%s", run->plan.request_id);
	result->steps = 1;
	result->cap.cpu_ns = run->plan.policy.cpu_cap_ns;
	result->cap.money_ucents = run->plan.policy.money_cap_ucents;
	result->cap.time_box_ns = run->plan.time_box_ns;
	result->output_dir = run->report->dir.path;
	enforced_fill(run, result);
}

static int run_live(struct run *run, struct fault *ret_fault)
{
	int out[2] = { -1, -1 }, err[2] = { -1, -1 };
	struct request_files files = {
		.input_fds = run->inputs.fds,
		.n_inputs = run->inputs.n,
		.out_fd = run->report->dir.fd,
		.seccomp = run->args->seccomp ? &run->filter : seccomp_default(),
	};
	struct life_args life = {
		.dir = &run->report->dir,
		.stdout_watch = run->args->stdout_fd,
		.stderr_watch = run->args->stderr_fd,
		.signals = true,
	};
	const struct policy policy = request_policy(&run->plan);
	int r = 0;

	if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
		r = -errno;
	/* a command may open its output for reading and take what was announced here: a read never waits */
	if (!r && (fcntl(out[0], F_SETFL, O_NONBLOCK) || fcntl(err[0], F_SETFL, O_NONBLOCK)))
		r = -errno;
	files.stdout_fd = out[1];
	files.stderr_fd = err[1];
	if (!r)
		r = session_make(&run->engine, run->plan.session_id, &run->slot, &policy,
				 &run->session, ret_fault);
	if (!r)
		r = request_make(&run->session, &run->plan, &files, &run->request, ret_fault);
	fd_close(&out[1]);
	fd_close(&err[1]);
	if (r) {
		fd_close(&out[0]);
		fd_close(&err[0]);
		return r;
	}
	life.stdout_pipe = out[0];
	life.stderr_pipe = err[0];
	return life_run(&run->request, &life, &run->report->result, ret_fault);
}

static void output_remove(struct run_report *report)
{
	if (report->dir.fd < 0)
		return;
	unlinkat(report->dir.fd, "stdout.log", 0);
	unlinkat(report->dir.fd, "stderr.log", 0);
	rmdir(report->dir.path);
	output_dir_deinit(&report->dir);
}

/* The last @max bytes of a log; the whole length goes to the result. */
static int log_tail(int fd, size_t max, char **ret_bytes, struct run_output *ret)
{
	_cleanup_free_ char *bytes = NULL;
	struct stat st;
	size_t n;
	ssize_t got;

	if (fstat(fd, &st))
		return -errno;
	n = (uint64_t)st.st_size < max ? (size_t)st.st_size : max;
	bytes = malloc(n + 1);
	if (!bytes)
		return -ENOMEM;
	got = pread(fd, bytes, n, st.st_size - (off_t)n);
	if (got != (ssize_t)n)
		return got < 0 ? -errno : -EIO;
	ret->bytes = bytes;
	ret->n_bytes = n;
	ret->total_bytes = (uint64_t)st.st_size;
	*ret_bytes = bytes;
	bytes = NULL;
	return 0;
}

static int report_output(struct run_report *report)
{
	int r = log_tail(report->dir.stdout_fd, REEVE_STDOUT_SHOWN_BYTES, &report->stdout_bytes,
			 &report->result.output);

	return r ? r
		 : log_tail(report->dir.stderr_fd, REEVE_STDERR_SHOWN_BYTES, &report->stderr_bytes,
			    &report->result.errors);
}

int run_request(const struct engine_config *config, const struct run_args *args,
		struct run_report *ret_report, struct fault *ret_fault)
{
	_cleanup_(run_deinit) struct run run = {
		.args = args,
		.engine = ENGINE_INIT,
		.slot = SLOT_INIT,
		.session = SESSION_INIT,
		.request = REQUEST_INIT,
		.report = ret_report,
	};
	struct fault end = {};
	int r = run_prepare(&run, config, ret_fault);

	if (!r)
		r = output_dir_make(config->output_root, run.plan.output_name, &ret_report->dir,
				    ret_fault);
	if (r)
		return r;
	result_begin(&run, &ret_report->result);
	r = run_live(&run, ret_fault);
	/* the first fault is the one to tell, but what is left must be told too */
	request_release(&run.request);
	if (session_close(&run.session, &end)) {
		ret_report->result.enforced[PROMISE_CLEANUP] = false;
		if (!r)
			*ret_fault = end;
		r = r ? r : FAULT_E_SET;
	}
	ret_report->started = run.request.started;
	if (!ret_report->started)
		output_remove(ret_report);
	return r ? r : report_output(ret_report);
}

void run_report_deinit(struct run_report *report)
{
	output_dir_deinit(&report->dir);
	free(report->stdout_bytes);
	free(report->stderr_bytes);
}
