/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The keeper of a running request: a process of its own, which makes the sandbox, sees it to its end and
 * outlives whoever started it. The sandbox lives as long as its keeper does. What is to become of the result is
 * its starter's to say, by callbacks that run in the keeper; whoever talks to it does so by keeper_link.h.
 */
#ifndef REEVE_KEEPER_H
#define REEVE_KEEPER_H

#include "keeper_link.h"

struct keeper_report {
	const struct run_result *result;
	const struct fault *fault; /* FAULT_NONE, or why it failed or what is left of it */
	bool started; /* a command, or an open request, was let run; else no output is there */
};

struct keeper_args {
	struct session *session; /* a kept one, closed, paused or wiped; its copy in the caller is then old */
	const struct plan *plan;
	const struct session_budget *budget;
	const char *state_dir; /* where the plan mounts the session's workspace */
	const int *input_fds;
	size_t n_inputs;
	const struct sock_fprog *seccomp;
	bool own_seccomp; /* it is not the default one */
	bool open;
	uint64_t step_budget;
	/* Called first of all in the keeper, while it still holds what its starter has open; or NULL. */
	void (*forked)(void *arg);
	/*
	 * Called in the keeper, which holds none of its starter's descriptors but the standard error: the request is
	 * over, and of it nothing is left but its output directory and workspace, or the fault says what.
	 */
	void (*ended)(const struct keeper_report *report, void *arg);
	/* Called in the keeper when the request was let run, and each second from then on. */
	void (*checkpoint)(const struct request_spend *spend, void *arg);
	void *arg;
};

/*
 * Forks the keeper, whose channel then takes connections. The caller's loop does not wait for the sandbox: that it
 * could not be made is told by the result, as RUN_FAILED. *ret_pid is a child of the caller, to be waited for
 * when the channel says that the request is over. Returns 0, -errno or FAULT_E_SET: no keeper was made.
 */
int keeper_start(const struct keeper_args *args, pid_t *ret_pid, struct fault *ret_fault);

#endif
