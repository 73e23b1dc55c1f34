/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a command prints: whole in a file of the output directory, and as it comes to whoever watches.
 * Memory stays bounded: a watcher that does not read makes the command wait, like a pipe.
 */
#ifndef REEVE_OUTPUT_H
#define REEVE_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/fault.h"

struct event_base;

/* The output directory of one request: <output root>/<name>, root's, writable for the sandbox. */
struct output_dir {
	int fd;
	int stdout_fd, stderr_fd; /* the two logs in it */
	char path[4096];
};

#define OUTPUT_DIR_INIT                                                                            \
	{                                                                                          \
		.fd = -1, .stdout_fd = -1, .stderr_fd = -1                                         \
	}

/*
 * Makes the directory and the empty logs. The directory is sticky and the logs are root's: the sandbox
 * can put files beside them, and neither remove nor replace them.
 */
int output_dir_make(const char *root, const char *name, struct output_dir *ret,
		    struct fault *ret_fault);
void output_dir_deinit(struct output_dir *dir);
#define _cleanup_output_dir_ _cleanup_(output_dir_deinit)

struct output_pump;

/*
 * Moves what comes out of @pipe_fd (taken over) to @log_fd, and to @watch_fd unless that is negative, while
 * @base runs. @ended is called once: with 0 at end of file, or with the -errno of a log that cannot be
 * written. A watcher that goes away is forgotten, the log goes on.
 */
int output_pump_new(struct event_base *base, int pipe_fd, int log_fd, int watch_fd,
		    void (*ended)(int err, void *arg), void *arg, struct output_pump **ret);
/* Forgets the watcher, who may have stopped reading for ever; the log goes on. */
void output_pump_unwatch(struct output_pump *pump);
void output_pump_free(struct output_pump *pump);

#endif
