/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What runs between clone3 and the command, as pid 1 of the sandbox. The child is a copy of a possibly
 * threaded process: system calls only, no malloc, no stdio, nothing that takes a lock.
 */
#ifndef REEVE_CHILD_H
#define REEVE_CHILD_H

#include <stddef.h>
#include <stdint.h>

#include "../model/plan.h"

struct sock_fprog;

/* Filled by spawn_start before the clone; from then on the child's own copy. */
struct child {
	const struct plan *plan;
	int status_fd, go_fd;
	int owner_fd; /* pidfd of the process that started the sandbox */
	int userns_fd, netns_fd;
	int stdout_fd, stderr_fd;
	int out_tree;			   /* detached mounts, made by the parent: */
	int input_trees[REEVE_INPUTS_MAX]; /* a mount can be cloned in its own namespace only */
	size_t n_inputs;
	const struct sock_fprog *seccomp;
	const char *fail_step;
	char **shell_argv; /* room for "/bin/sh", a path, and the plan's arguments from the second on */
};

/* One isolation step. @run returns 0 or -errno. */
struct child_step {
	const char *name;
	int (*run)(struct child *c);
	const char *guards;
	const char *remedy;
};

const struct child_step *child_steps(size_t *ret_n);

/* What goes up the status pipe. */
enum child_report_kind {
	CHILD_REPORT_STEP_FAILED, /* a: index of the step, b: errno */
	CHILD_REPORT_READY,
	CHILD_REPORT_NOT_STARTED, /* b: errno of the fork of the command */
	CHILD_REPORT_EXIT,	  /* a: exit code or -1, b: signal or 0 */
};

struct child_report {
	int32_t kind;
	int32_t a, b;
};

/* What comes down the go pipe, one byte each. */
#define CHILD_GO 'g'
#define CHILD_TERM 't'

/* Performs every step, waits for CHILD_GO, then runs the command. */
_Noreturn void child_main(struct child *c);

#endif
