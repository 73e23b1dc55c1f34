/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One request in a session: its cgroup, namespaces and device, and the sandbox started in them. One owner
 * struct; what ends it copes with a half-made one and is the end of a normal life as well. A session has one
 * request at a time, whose maker is the only writer of the session's policy until request_settle().
 */
#ifndef REEVE_ENGINE_REQUEST_H
#define REEVE_ENGINE_REQUEST_H

#include "../kernel/dnssock.h"
#include "../kernel/spawn.h"
#include "../model/plan.h"
#include "session.h"

struct request {
	struct session *session;
	const struct plan *plan;
	int cgroup_fd; /* below the session's */
	int userns_fd, netns_fd;
	int ring_fd;
	struct dnssock dns; /* open while the session has a network */
	struct spawn spawn;
	struct usage before; /* the session's account as it was found */
	uint64_t wall_before_ns, money_before_ucents;
	uint64_t settled_ucents; /* of the session without this request: what a budget says */
	uint64_t own_ucents;	 /* what the request and its steps cost by themselves */
	uint64_t steps;
	uint64_t box_left_ns; /* of the time box when it was opened or thawed last */
	bool open;	      /* its steps come one by one */
	bool made;	      /* something of it may exist in the kernel */
	bool started;	      /* it was let run */
	bool frozen;
};

#define REQUEST_INIT                                                                               \
	{                                                                                          \
		.cgroup_fd = -1, .userns_fd = -1, .netns_fd = -1, .ring_fd = -1,                   \
		.dns = DNSSOCK_INIT, .spawn = SPAWN_INIT,                                          \
	}

/* What the sandbox is given beside the plan; borrowed. */
struct request_files {
	const int *input_fds;
	size_t n_inputs;
	int out_fd;
	int work_fd, site_fd; /* where the plan mounts them */
	int stdout_fd, stderr_fd;
	const struct sock_fprog *seccomp;
	bool open;
};

/* The policy of a session that is made for the plan's request alone. */
struct policy request_policy(const struct plan *plan);

/*
 * Makes everything of the plan in the session and starts the sandbox up to its wait for go. When it returns
 * 0, every must is attached, pinned, and proved by denied connects that the kernel counted. Else -errno or
 * FAULT_E_SET, and request_release() removes what there is.
 */
int request_make(struct session *session, const struct plan *plan,
		 const struct request_files *files, struct request *ret, struct fault *ret_fault);

/*
 * Opens the policy and lets the command run, unless the session must stop already: prices of the request
 * may reach its cap. The time box starts now.
 */
int request_go(struct request *request, struct fault *ret_fault);

/*
 * Nothing of it runs and nothing is sent until request_thaw(), which goes on with the same processes; time
 * box and wall clock stand still. Return 0 or -errno: then the request must be killed.
 */
int request_freeze(struct request *request);
int request_thaw(struct request *request);

/*
 * One command more in an open request; its number is request->steps, from 1. It is paid for first: what it costs
 * may reach a cap, and then it is not started. Returns 0, REQUEST_E_CAPPED, or as spawn_step().
 */
#define REQUEST_E_CAPPED 1
int request_step(struct request *request, const char *args, size_t n, size_t n_args);

/* Takes the session's new caps, and what was spent beside this request. */
int request_set_budget(struct request *request, const struct session_budget *budget);

/* Whether the session's wall time, and no time box, is what a deadline was reached by. */
bool request_wall_is_spent(const struct request *request);

/* What the request itself used until now. */
struct request_spend {
	uint64_t cpu_ns, wall_ns, money_ucents, steps, bytes_out, bytes_in;
};
int request_spend(const struct request *request, struct request_spend *ret);

/* Kills what runs in the request's cgroup and waits until it is empty. Returns 0 or -errno. */
int request_kill(struct request *request);

/*
 * Puts the policy to @state, CLOSED or WIPED, so that its account does not change any more; *ret is what the
 * request used.
 */
int request_settle(struct request *request, enum policy_state state, struct usage *ret);

/* Kills and reaps what there is, and closes everything. The rest is removed with the session. */
void request_release(struct request *request);

/* The same, and removes the rest from a session that lives on. FAULT_E_SET names what is left. */
int request_end(struct request *request, struct fault *ret_fault);

#endif
