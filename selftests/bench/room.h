/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A place for a measuring process: a cgroup, with a session's entries or without, and a way to run a
 * slice in it. The slice is a child cloned into the cgroup: both sides of a comparison are then the same
 * program at the same addresses, and sockets belong to the right cgroup from the start.
 */
#ifndef REEVE_SELFTESTS_ROOM_H
#define REEVE_SELFTESTS_ROOM_H

#include <sys/types.h>

#include "../../user/engine/engine.h"

struct room {
	const struct engine *engine; /* NULL: outside of every session */
	int cgroup_fd;
	uint64_t cgroup_id;
	char name[40];
	int above_fd; /* the cgroup that it lies in; the engine's or its own */
};

/* Opens the host; loads and pins the programs when nobody did. */
void room_engine(const struct engine_config *config, struct engine *ret);

/* An address that is public for the hooks; sessions for packages know it at 443. */
#define BENCH_PUBLIC "198.20.0.9"
#define BENCH_PUBLIC_V4 0xc6140009u

#define ROOM_OUTSIDE "reeve-bench-outside"

/* A session whose policy is open: @cpu_cap_ns of CPU time, a deadline that is not met. */
void room_session(const struct engine *engine, uint64_t cpu_cap_ns, enum policy_egress egress,
		  struct room *ret);
/* A cgroup beside the parent of sessions, at the same level as a session's. */
void room_outside(struct room *ret);
/* Kills what is in it, and removes it. */
void room_end(struct room *room);

void room_usage(const struct room *room, struct usage *ret);

/* fork() into the room. */
pid_t room_fork(const struct room *room);

/* Runs @run for about @ms in the room, warmed up, and gives the ns of each of its operations. */
struct room_work {
	const struct room *room;
	int (*run)(void *arg); /* one operation; 0 or -errno */
	void *arg;
	int (*prepare)(void *arg); /* in the room, before the clock starts; may be NULL */
	unsigned int ms;
	/* no other process has a part in it: CPU time is what it takes, whatever else runs on the machine */
	bool alone;
};
int room_slice(const struct room_work *work, double *ret_ns);

#endif
