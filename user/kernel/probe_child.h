/* SPDX-License-Identifier: GPL-2.0-only */
/* A process that tries something and ends. */
#ifndef REEVE_PROBE_CHILD_H
#define REEVE_PROBE_CHILD_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

struct probe_child {
	int cgroup_fd;	     /* where it is born; -1: where the caller is */
	int netns_fd;	     /* its network; -1: the caller's */
	uint64_t namespaces; /* new ones, as flags of clone3 */
	int (*fn)(void *arg); /* system calls only: the child is a copy of a possibly threaded process */
	void *arg;
};

struct probe_child_end {
	int result; /* of fn: 0 or -errno; 0 when a signal ended it */
	int signal;
	bool late; /* it did not end by itself */
};

/* The end as one number: 0 or -errno. */
static inline int probe_child_errno(const struct probe_child_end *end)
{
	return end->late ? -ETIMEDOUT : end->signal ? -EINTR : end->result;
}

#define PROBE_CHILD_TIMEOUT_MS 2000

/*
 * Runs it to its end, but no longer than PROBE_CHILD_TIMEOUT_MS: then it is killed. It also dies with the
 * caller. Returns 0, or -errno when it could not be started.
 */
int probe_child_run(const struct probe_child *child, struct probe_child_end *ret);

#endif
