/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Starts the sandbox of a plan: clone3 into the request's cgroup, the isolation table of child.c, and
 * then a wait for "go". Not a byte of the command runs before spawn_go.
 */
#ifndef REEVE_SPAWN_H
#define REEVE_SPAWN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "../base/fault.h"
#include "../model/plan.h"

struct sock_fprog;

/*
 * Every descriptor is borrowed, stays open in the caller, and is 3 or more. input_fds[i] belongs to the
 * plan's input i, opened by input_open. stdout_fd and stderr_fd are the write ends of pipes.
 */
struct spawn_args {
	const struct plan *plan;
	int cgroup_fd;
	int userns_fd;
	int netns_fd;
	const int *input_fds;
	size_t n_inputs;
	int out_fd;
	int work_fd, site_fd; /* where the plan mounts them */
	int stdout_fd, stderr_fd;
	const struct sock_fprog *seccomp;
	bool open;	       /* commands come by spawn_step(); the plan's own is not run */
	const char *fail_step; /* of selftests: the name of a step that is made to fail; NULL else */
};

struct spawn {
	pid_t pid;     /* of the sandbox's init, as the host numbers it */
	int pidfd;     /* readable when init and, with it, all of its pid namespace are dead */
	int status_fd; /* readable when a command has ended, or at end of file */
	int go_fd;     /* closing it ends the sandbox */
};

#define SPAWN_INIT                                                                                 \
	{                                                                                          \
		.pid = -1, .pidfd = -1, .status_fd = -1, .go_fd = -1                               \
	}

/* How a command ended: exit_code is -1 when a signal ended it. */
struct spawn_exit {
	int exit_code;
	int signal;
	uint32_t step; /* which one of an open request; 0: all of it, or the only one */
	int err;       /* positive errno: the step could not be started */
};

/*
 * Returns 0 when the child has passed every step and waits; -errno; or FAULT_E_SET with the step, its
 * errno and its remedy, the child then being dead and reaped. The calling thread owns the sandbox: the
 * kernel kills the sandbox when that thread ends.
 */
int spawn_start(const struct spawn_args *args, struct spawn *ret, struct fault *ret_fault);

/* Lets the command run. */
int spawn_go(struct spawn *spawn);

/*
 * Has init send SIGTERM to every process of the sandbox but itself. Like spawn_go it writes to a pipe: the
 * process ignores SIGPIPE, and gets -EPIPE when init is dead.
 */
int spawn_term(struct spawn *spawn);

/*
 * Has the init of an open request start one more command as its child, with the plan's environment, working
 * directory and streams. @args are @n_args strings in @n bytes, each with its zero. Never blocks: -EAGAIN when
 * init has not yet taken what was ordered before, or as spawn_check_step().
 */
int spawn_step(struct spawn *spawn, uint32_t number, const char *args, size_t n, size_t n_args);

/* -E2BIG or -EINVAL for arguments that init could not take. */
int spawn_check_step(const char *args, size_t n, size_t n_args);

/* Has the init of an open request end, and with it all that still runs in it. Never blocks either. */
int spawn_finish(struct spawn *spawn);

/*
 * Reads the end of the command, or of the next step that ended; blocks until there is one. An init that died
 * without a word was killed, and all commands with it: signal 9.
 */
int spawn_read_exit(struct spawn *spawn, struct spawn_exit *ret);

/* Waits until init is dead and takes its zombie. */
int spawn_reap(struct spawn *spawn);

/* Kills what still runs, reaps it and closes the descriptors. Copes with SPAWN_INIT and a second call. */
void spawn_deinit(struct spawn *spawn);
#define _cleanup_spawn_ _cleanup_(spawn_deinit)

#endif
