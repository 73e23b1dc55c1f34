/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One examination of the host, inside the engine: its rows, and what they leave to each other.
 */
#ifndef REEVE_DOCTOR_EXAM_H
#define REEVE_DOCTOR_EXAM_H

#include "../kernel/guard_load.h"
#include "../kernel/probe_policy.h"
#include "../model/doctor.h"
#include "doctor.h"
#include "engine.h"
#include "output.h"

#define EXAM_NAME "reeve-doctor-"
#define EXAM_NEEDS_MAX 3

/* Thrown away at the end, in the opposite order, however much of it there is. */
struct exam {
	const struct engine_config *config;
	const struct doctor_rules *rules;
	char name[sizeof(EXAM_NAME) + 10]; /* of the cgroup, and of what else needs one */
	int userns_fd;
	int host_netns_fd, netns_fd; /* stand for the host's network and a session's */
	int mount_fd;		     /* the cgroup2 mount */
	int parent_fd, session_fd;   /* the cgroup, and a session's below it */
	uint64_t parent_id, session_id;
	struct guard_trial *trial;
	struct guard guard;
	struct policy policy; /* of the session, as the kernel has it */
	struct probe_outcome acts[PROBE_ACT_COUNT];
	char output_root[REEVE_PATH_MAX + sizeof(EXAM_NAME) + 12];
	bool output_root_made;
	struct output_dir output;
	bool astray; /* the thread is not in the host's network any more: nothing else can be tried */
};

struct exam_row {
	const char *name;
	enum promise promise;
	const char *needs[EXAM_NEEDS_MAX]; /* earlier rows without which this one cannot be tried */
	void (*run)(struct exam *exam, const struct exam_row *row, struct doctor_check *check);
	unsigned int which; /* for a function that serves several rows */
};

/* In this order; each ends with a NULL name. */
extern const struct exam_row exam_host_rows[], exam_cgroup_rows[], exam_policy_rows[],
	exam_meter_rows[], exam_network_rows[], exam_sandbox_rows[], exam_state_rows[];

/* Whether @name, "reeve-doctor-" and a number, is what a doctor left that is dead. */
bool exam_is_dead(const char *name);

void exam_ok(struct doctor_check *check, const char *fmt, ...) _printf_(2, 3);
void exam_no(struct doctor_check *check, enum doctor_status status, const char *remedy,
	     const char *fmt, ...) _printf_(4, 5);

/* @r is what a function returned that may have filled @fault; not 0. */
void exam_fault(struct doctor_check *check, enum doctor_status status, int r,
		const struct fault *fault);

/* Opens the session's policy, a generation further, with these bounds. Returns 0 or -errno. */
int exam_policy_open(struct exam *exam, uint64_t cpu_cap_ns, uint64_t deadline_ns);

/* Removes what a sandbox of an examination has in its output directory. */
void exam_output_empty(int dir_fd);

#endif
