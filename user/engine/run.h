/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One request from its spec to its result: what "reeve run" does without a daemon.
 */
#ifndef REEVE_RUN_H
#define REEVE_RUN_H

#include "../kernel/input.h"
#include "../model/config.h"
#include "../model/result.h"
#include "../model/seccomp.h"
#include "engine.h"
#include "output.h"

struct run_args {
	const struct spec *spec;
	const struct seccomp_plan *seccomp; /* NULL: the default */
	const struct config *rules;	    /* the operator's */
	const struct input_roots *roots;    /* for a foreign spec's inputs */
	const char *field_prefix;	    /* as for spec_check() */
	int stdout_fd, stderr_fd;	    /* watchers of the command's output; -1 for none */
};

/* A result and what it points into. */
struct run_report {
	struct run_result result;
	struct output_dir dir;
	char *stdout_bytes, *stderr_bytes;
	unsigned int swept; /* sessions of dead owners that were removed first */
	bool started;	    /* the command ran; without it there is no output directory */
};

#define RUN_REPORT_INIT                                                                            \
	{                                                                                          \
		.dir = OUTPUT_DIR_INIT                                                             \
	}

/*
 * Runs the request and waits for its end; SIGINT, SIGTERM and SIGHUP cancel it. Returns 0 when the
 * command was started and seen to its end, whatever became of it; else -errno or FAULT_E_SET. A report
 * that is not started has left nothing, not even the output directory.
 */
int run_request(const struct engine_config *config, const struct run_args *args,
		struct run_report *ret_report, struct fault *ret_fault);
void run_report_deinit(struct run_report *report);
#define _cleanup_run_report_ _cleanup_(run_report_deinit)

/* The plan for @args on this host, with the ids that a first session would get. Makes nothing. */
int run_plan(const struct engine_config *config, const struct run_args *args, struct plan *ret,
	     struct fault *ret_fault);

#endif
