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

/* Directories of the host that the sandbox writes to. */
enum child_own {
	CHILD_OUT,
	CHILD_WORK,
	CHILD_SITE,
	CHILD_OWN_COUNT,
};

/* The arguments of one step of an open request at most, each with its zero. */
#define CHILD_STEP_BYTES_MAX (REEVE_COMMAND_BYTES_MAX + REEVE_ARGS_MAX)

/* An order of more than its one byte. */
struct child_step_order {
	char order; /* CHILD_STEP */
	char pad[3];
	uint32_t number; /* from 1 on */
	char args[];
};

/* What the init of an open request works in: it cannot get memory by itself. */
struct child_room {
	struct {
		pid_t pid; /* 0: free */
		uint32_t number;
	} running[REEVE_STEPS_RUNNING_MAX];
	char *argv[REEVE_ARGS_MAX + 1], *shell_argv[REEVE_ARGS_MAX + 2];
	union {
		struct child_step_order order;
		char bytes[sizeof(struct child_step_order) + CHILD_STEP_BYTES_MAX];
	};
};

/* Filled by spawn_start before the clone; from then on the child's own copy. */
struct child {
	const struct plan *plan;
	int status_fd, go_fd;
	int owner_fd; /* pidfd of the process that started the sandbox */
	int userns_fd, netns_fd;
	int stdout_fd, stderr_fd;
	int own_trees[CHILD_OWN_COUNT];	   /* detached mounts, made by the parent: */
	int input_trees[REEVE_INPUTS_MAX]; /* a mount can be cloned in its own namespace only */
	size_t n_inputs;
	const struct sock_fprog *seccomp;
	const char *fail_step;
	char **shell_argv; /* room for "/bin/sh", a path, and the plan's arguments from the second on */
	struct child_room *room; /* of an open request; NULL else */
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
	CHILD_REPORT_STEP_FAILED, /* a: index of the isolation step, b: errno */
	CHILD_REPORT_READY,
	CHILD_REPORT_NOT_STARTED,      /* b: errno of the fork of the command */
	CHILD_REPORT_EXIT,	       /* a: exit code or -1, b: signal or 0 */
	CHILD_REPORT_STEP_NOT_STARTED, /* b: errno */
	CHILD_REPORT_STEP_EXIT,	       /* as CHILD_REPORT_EXIT */
};

struct child_report {
	int32_t kind;
	int32_t a, b;
	uint32_t step; /* the number of the order that it is about, or 0 */
};

/* What comes down the go pipe, one byte each but for CHILD_STEP. Of an open request it is a socket. */
#define CHILD_GO 'g'
#define CHILD_TERM 't'
#define CHILD_STEP 's'
#define CHILD_FINISH 'f'

/* Performs every step, waits for CHILD_GO, then runs the command. */
_Noreturn void child_main(struct child *c);

#endif
