// SPDX-License-Identifier: GPL-2.0-only
/*
 * "reeve run": options or a document become a spec, the engine runs it, and the account is told once. The
 * options that narrow (egress, image) also apply to a document; those that say what to run do not.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

#include "../base/io.h"
#include "../base/str.h"
#include "../engine/run.h"
#include "../model/seccomp.h"
#include "../wire/plan_json.h"
#include "../wire/report_json.h"
#include "../wire/request.h"
#include "../wire/result_json.h"
#include "command.h"
#include "config_file.h"
#include "profile.h"
#include "render.h"
#include "run_options.h"

#define ALLOWED_ROOTS_MAX 64

/* The document says what is run; the caps, limits and profile of the options hold for it. */
static int request_take(struct run_options *options, struct spec *document, struct fault *ret_fault)
{
	struct spec *ours = &options->spec;
	int r = 0;

	if (ours->n_inputs)
		r = fault_set(ret_fault, FAULT_USAGE, "--request",
			      "name all files and directories in the document",
			      "--file and --directory do not go with a document");
	else if (document->background)
		r = fault_set(ret_fault, FAULT_UNSUPPORTED, "/background",
			      "leave background out: reeve run waits for the end",
			      "reeve run has no background jobs");
	if (r) {
		spec_deinit(document);
		return r;
	}
	document->cpu_cap_ns = ours->cpu_cap_ns;
	document->money_cap_ucents = ours->money_cap_ucents;
	document->rates = ours->rates;
	document->time_box_ns = ours->time_box_ns;
	document->memory_bytes = ours->memory_bytes;
	document->pids = ours->pids;
	document->cpu_millis = ours->cpu_millis;
	document->seccomp_profile = ours->seccomp_profile;
	ours->seccomp_profile = NULL;
	spec_deinit(ours);
	*ours = *document;
	return 0;
}

static int request_read(struct run_options *options, struct fault *ret_fault)
{
	static const char remedy[] = "give a readable file of at most 1 MiB, or - for stdin";
	_cleanup_fd_ int fd = -1;
	_cleanup_free_ char *bytes = NULL;
	struct spec spec;
	size_t n;
	int r;

	fd = strcmp(options->request, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
						: open(options->request, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fault_set_errno(ret_fault, FAULT_USAGE, "--request", remedy, errno, "%s",
				       options->request);
	r = io_read_all(fd, REEVE_REQUEST_BYTES_MAX, &bytes, &n);
	if (r == IO_E_TOO_BIG)
		return fault_set(ret_fault, FAULT_REQUEST, "--request", remedy,
				 "%s is larger than %d bytes", options->request,
				 REEVE_REQUEST_BYTES_MAX);
	if (r)
		return fault_set_errno(ret_fault, FAULT_USAGE, "--request", remedy, -r, "%s",
				       options->request);
	r = request_parse(bytes, n, &spec, ret_fault);
	return r ? r : request_take(options, &spec, ret_fault);
}

static int spec_read(struct run_options *options, int argc, char **argv, struct fault *ret_fault)
{
	int r;

	if (options->request && argc > 0)
		return fault_set(ret_fault, FAULT_USAGE, argv[0], "leave out one of the two",
				 "a command and --request exclude each other");
	if (options->request)
		r = request_read(options, ret_fault);
	else
		r = spec_set_argv(&options->spec, (const char *const *)argv, (size_t)argc, ret_fault);
	if (!r && options->image)
		r = spec_set_image(&options->spec, options->image);
	if (!r && options->has_egress)
		r = spec_set_egress(&options->spec, options->egress, ret_fault);
	return r;
}

static const char *const allowed_variables[] = { "REEVE_ALLOWED_PATHS", "DEMESNE_ALLOWED_PATHS" };

/* The roots of both variables and the output root; @ret_owned holds the text that the paths point into. */
static int roots_read(const char **ret_paths, size_t *ret_n,
		      char *ret_owned[ARRAY_SIZE(allowed_variables)])
{
	size_t n = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(allowed_variables); i++) {
		const char *value = getenv(allowed_variables[i]);
		char *rest, *path;

		ret_owned[i] = strdup(value ? value : "");
		if (!ret_owned[i])
			return -ENOMEM;
		rest = ret_owned[i];
		while ((path = strsep(&rest, ":")) && n < ALLOWED_ROOTS_MAX) {
			path = str_trim(path);
			if (*path)
				ret_paths[n++] = path;
		}
	}
	*ret_n = n;
	return 0;
}

static int exit_code_of(const struct run_result *result)
{
	switch (result->outcome) {
	case RUN_TIMED_OUT:
		return EXIT_CODE_TIME_BOX;
	case RUN_CAPPED:
		return EXIT_CODE_CAP;
	case RUN_CANCELLED:
		return EXIT_CODE_SIGNAL + SIGINT;
	case RUN_FAILED:
	case RUN_INTERRUPTED:
		return EXIT_CODE_REEVE;
	default:
		return result->signal ? EXIT_CODE_SIGNAL + result->signal : result->exit_code;
	}
}

static int fail(const struct run_options *options, int r, const struct fault *fault)
{
	_cleanup_free_ char *text = NULL;

	if (r < 0)
		render_errno(r);
	else if (options->json && fault_json_print(fault, &text) == 0)
		fputs(text, stdout);
	if (r > 0)
		render_fault(fault);
	return fault->code == FAULT_UNSUPPORTED ? EXIT_CODE_POLICY : EXIT_CODE_REEVE;
}

static int plan_show(const struct run_options *options, const struct run_args *args)
{
	_cleanup_plan_ struct plan plan = {};
	_cleanup_free_ char *text = NULL;
	struct fault fault = {};
	int r = run_plan(&options->config, args, &plan, &fault);

	if (!r)
		r = plan_json_print(&plan, &options->spec,
				    args->seccomp ? args->seccomp : seccomp_plan_default(), &text);
	if (r)
		return fail(options, r, &fault);
	fputs(text, stdout);
	return 0;
}

static int result_show(const struct run_options *options, const struct run_report *report)
{
	_cleanup_free_ char *text = NULL;
	int r;

	if (!options->json) {
		render_result(&report->result);
		return exit_code_of(&report->result);
	}
	r = result_json_print(&report->result, &text);
	if (r) {
		render_errno(r);
		return EXIT_CODE_REEVE;
	}
	fputs(text, stdout);
	return exit_code_of(&report->result);
}

static int run_with(const struct run_options *options, const struct config *rules,
		    const struct seccomp_plan *seccomp)
{
	_cleanup_run_report_ struct run_report report = RUN_REPORT_INIT;
	const char *paths[ALLOWED_ROOTS_MAX];
	char *owned[ARRAY_SIZE(allowed_variables)] = {};
	struct input_roots roots = { .paths = paths, .output_root = options->config.output_root };
	struct run_args args = {
		.spec = &options->spec,
		.seccomp = seccomp,
		.rules = rules,
		.roots = &roots,
		.field_prefix = options->request ? "/" : "--",
		.stdout_fd = options->json ? -1 : STDOUT_FILENO,
		.stderr_fd = options->json ? -1 : STDERR_FILENO,
	};
	struct fault fault = {};
	int r = roots_read(paths, &roots.n_paths, owned), code = EXIT_CODE_REEVE;

	if (!r && options->dry_run) {
		code = plan_show(options, &args);
	} else {
		if (!r)
			r = run_request(&options->config, &args, &report, &fault);
		render_swept(report.swept);
		if (report.started)
			code = result_show(options, &report);
		if (r)
			code = fail(options, r, &fault);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(owned); i++)
		free(owned[i]);
	return code;
}

int command_run(int argc, char **argv)
{
	struct run_options options = { .config = ENGINE_CONFIG_INIT };
	_cleanup_seccomp_plan_ struct seccomp_plan seccomp = {};
	_cleanup_config_ struct config rules = {};
	struct fault fault = {};
	int rest = 0, code;
	int r;

	spec_init(&options.spec);
	r = command_parse(command_find("run"), argc, argv, &options, &rest, &fault);
	if (!r)
		r = spec_read(&options, argc - rest, argv + rest, &fault);
	if (!r && options.spec.seccomp_profile)
		r = profile_read(options.spec.seccomp_profile, &seccomp, &fault);
	if (!r)
		r = config_file_read(options.config.config_file, &rules, &fault);
	if (r)
		code = fail(&options, r, &fault);
	else
		code = run_with(&options, &rules, options.spec.seccomp_profile ? &seccomp : NULL);
	spec_deinit(&options.spec);
	return code;
}
