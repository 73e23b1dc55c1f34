/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's side of one session and its one request: cgroups, entries, namespaces, device, and the
 * sandbox started in them. One owner struct; freeing it copes with a half-built one and is the end of a
 * normal life as well.
 */
#ifndef REEVE_SESSION_H
#define REEVE_SESSION_H

#include "../kernel/dnssock.h"
#include "../kernel/spawn.h"
#include "../model/plan.h"
#include "engine.h"
#include "slot.h"

struct session {
	const struct engine *engine;
	const struct plan *plan;
	struct slot *slot;
	struct policy policy; /* as the kernel has it now */
	uint64_t cgroup_id;
	int cgroup_fd;	/* the session's */
	int request_fd; /* the request's, below it */
	int userns_fd, netns_fd;
	int ring_fd;
	struct dnssock dns; /* open while the session has a network */
	struct spawn spawn;
	bool made;    /* something of it may exist in the kernel */
	bool started; /* the command was let run */
};

#define SESSION_INIT                                                                               \
	{                                                                                          \
		.cgroup_fd = -1, .request_fd = -1, .userns_fd = -1, .netns_fd = -1, .ring_fd = -1, \
		.dns = DNSSOCK_INIT, .spawn = SPAWN_INIT,                                          \
	}

/* What the sandbox is given beside the plan; borrowed. */
struct session_files {
	const int *input_fds;
	size_t n_inputs;
	int out_fd;
	int stdout_fd, stderr_fd;
	const struct sock_fprog *seccomp;
};

/*
 * Makes everything of the plan and starts the sandbox up to its wait for go. When it returns 0, every
 * must is attached, pinned, and proved by denied connects that the kernel counted. Else -errno or
 * FAULT_E_SET, and session_end() removes what there is.
 */
int session_make(const struct engine *engine, const struct plan *plan, struct slot *slot,
		 const struct session_files *files, struct session *ret, struct fault *ret_fault);

/*
 * Opens the policy and lets the command run, unless the session must stop already: prices of the request
 * may reach its cap. The time box starts now.
 */
int session_go(struct session *session, struct fault *ret_fault);

/* Whether a cap or the deadline is reached, and which. */
bool session_must_stop(const struct session *session, enum reason *ret_reason);

/* Kills what runs in the request's cgroup and waits until it is empty. Returns 0 or -errno. */
int session_kill(struct session *session);

/* Closes the policy, so that its account does not change any more, and reads the usage. */
int session_settle(struct session *session, struct usage *ret);

/*
 * Removes all of the session and gives its slot back. FAULT_E_SET names what could not be removed; the
 * slot then stays recorded, for the next sweep.
 */
int session_end(struct session *session, struct fault *ret_fault);

#endif
