/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_LIFE_H
#define REEVE_LIFE_H

#include "../model/result.h"
#include "output.h"
#include "request.h"

struct life_args {
	const struct output_dir *dir;
	int stdout_pipe, stderr_pipe; /* read ends; taken over */
	int stdout_watch, stderr_watch;
};

/*
 * From go to the moment when no process of the request is left and its output is whole: time box, caps,
 * cancelling signals. Fills the outcome, exit, account and denials of @result. Returns 0, or -errno or
 * FAULT_E_SET when the request could not be seen to its end; it must be ended in either case.
 */
int life_run(struct request *request, const struct life_args *args, struct run_result *result,
	     struct fault *ret_fault);

#endif
