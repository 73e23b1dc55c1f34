// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the host's control groups can do, in a throw-away parent below the mount and a session's cgroup
 * below that; the later rows work in the two.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../kernel/cgroup.h"
#include "../kernel/probe.h"
#include "../kernel/probe_child.h"
#include "doctor_exam.h"

#define SESSION "session"
#define KILLED "killed"

static void mount_find(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	struct fault fault = {};
	int r = cgroup_mount_open(&exam->mount_fd, &fault);

	(void)row;
	if (r)
		exam_fault(check, DOCTOR_MISSING, r, &fault);
	else
		exam_ok(check, "mounted, and shown from its root on");
}

static void dir_close(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* What a killed doctor left has no process, or cannot be removed and is another's. */
static void dead_remove(int mount_fd)
{
	int fd = openat(mount_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_(dir_close) DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (exam_is_dead(entry->d_name))
			cgroup_remove(mount_fd, entry->d_name);
}

static void cgroups_make(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	int r;

	(void)row;
	dead_remove(exam->mount_fd);
	r = cgroup_create(exam->mount_fd, exam->name, &exam->parent_fd, &exam->parent_id);
	if (!r)
		r = cgroup_create(exam->parent_fd, SESSION, &exam->session_fd, &exam->session_id);
	if (!r)
		r = cgroup_set_max_depth(exam->session_fd, REEVE_CGROUP_DEPTH_MAX);
	if (r)
		exam_no(check, DOCTOR_MISSING, "mount cgroup2 writable, and let reeve write to it",
			"%s cannot be made below the cgroup2 mount: %s", exam->name, strerror(-r));
	else
		exam_ok(check, "%s was made below the cgroup2 mount, and a session's in it",
			exam->name);
}

struct where {
	int cgroup_fd;
	char path[64]; /* the end of the line in /proc/self/cgroup */
};

static int is_inside(void *arg)
{
	const struct where *where = arg;
	_cleanup_fd_ int fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
	char text[4096];
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	if (n < 0)
		return -errno;
	text[n] = '\0';
	return strstr(text, where->path) ? 0 : -EXDEV;
}

static int kill_own(void *arg)
{
	const struct where *where = arg;
	int r = cgroup_kill(where->cgroup_fd);

	return r ? r : -EALREADY;
}

static int run_in(struct where *where, int (*fn)(void *arg), struct probe_child_end *ret)
{
	const struct probe_child child = {
		.cgroup_fd = where->cgroup_fd,
		.netns_fd = -1,
		.fn = fn,
		.arg = where,
	};

	return probe_child_run(&child, ret);
}

static void born_inside(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	struct where where = { .cgroup_fd = exam->session_fd };
	struct probe_child_end end = {};
	int r;

	(void)row;
	snprintf(where.path, sizeof(where.path), "/%s/" SESSION "\n", exam->name);
	r = run_in(&where, is_inside, &end);
	if (!r && end.signal)
		/* from 6.14 on: the clone takes the count of kills from its caller's cgroup */
		exam_no(check, DOCTOR_MISSING, "start reeve in another cgroup",
			"the kernel kills each process that is started into another cgroup from this "
			"one, whose cgroup.kill was written before");
	else if (r || end.result)
		exam_no(check, DOCTOR_MISSING,
			"run a kernel of 6.1 or later, and reeve in the host's cgroup namespace",
			"no process can be started in a cgroup: %s", strerror(r ? -r : -end.result));
	else
		exam_ok(check, "a process was born in the session's cgroup, held by a descriptor");
}

/* In a cgroup of its own: one that was killed once takes no new process. */
static void kill_all(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	_cleanup_fd_ int fd = -1;
	struct where where = {};
	struct probe_child_end end = {};
	uint64_t id;
	int r = cgroup_create(exam->parent_fd, KILLED, &fd, &id);

	(void)row;
	where.cgroup_fd = fd;
	if (!r)
		r = run_in(&where, kill_own, &end);
	if (!r && end.signal != SIGKILL)
		r = end.result ? end.result : -ETIMEDOUT;
	if (!r)
		r = cgroup_wait_empty(fd, NSEC_PER_SEC);
	if (!r)
		r = cgroup_freeze(fd, true);
	if (!r)
		r = cgroup_remove(exam->parent_fd, KILLED);
	if (r)
		exam_no(check, DOCTOR_MISSING, "run a kernel of 6.1 or later",
			"a cgroup cannot be killed, frozen and removed: %s", strerror(-r));
	else
		exam_ok(check, "cgroup.kill ended a process, the cgroup was seen empty and removed");
}

static const struct {
	enum cgroup_controller bit;
	const char *name, *switch_on, *text;
	struct plan_limits limits;
} controllers[] = {
	{ CGROUP_MEMORY,
	  "memory",
	  "cgroup_enable=memory",
	  "2 GiB",
	  { .memory_bytes = REEVE_MEMORY_BYTES_DEFAULT } },
	{ CGROUP_PIDS, "pids", "cgroup_enable=pids", "1024", { .pids = REEVE_PIDS_DEFAULT } },
	{ CGROUP_CPU, "cpu", "cgroup_enable=cpu", "half a processor", { .cpu_millis = 500 } },
};

static void controller_absent(struct exam *exam, const struct exam_row *row,
			      struct doctor_check *check)
{
	const char *name = controllers[row->which].name;
	enum probe_controller holder = PROBE_CONTROLLER_ABSENT;
	unsigned int at_root = 0;
	char remedy[256];

	if (cgroup_read_controllers(exam->mount_fd, &at_root) == 0 &&
	    at_root & controllers[row->which].bit) {
		snprintf(remedy, sizeof(remedy),
			 "give it on: write +%s to cgroup.subtree_control of each cgroup above %s",
			 name, exam->config->parent);
		exam_no(check, DOCTOR_DEGRADED, remedy,
			"cgroup2 has the controller %s, the parent cgroup is not given it", name);
		return;
	}
	probe_controller(name, &holder);
	if (holder == PROBE_CONTROLLER_V1)
		exam_no(check, DOCTOR_DEGRADED, "boot with systemd.unified_cgroup_hierarchy=1",
			"cgroup v1 holds the controller %s", name);
	else if (holder == PROBE_CONTROLLER_DISABLED) {
		snprintf(remedy, sizeof(remedy), "boot with %s", controllers[row->which].switch_on);
		exam_no(check, DOCTOR_DEGRADED, remedy,
			"the controller %s was switched off at boot", name);
	} else
		exam_no(check, DOCTOR_DEGRADED, "run a kernel that has it, outside of a container",
			"cgroup2 does not offer the controller %s", name);
}

/* A parent that is refused has a row of its own: here the throw-away one stands for it. */
static int offered_read(struct exam *exam, unsigned int *ret)
{
	struct fault ignored = {};
	int r = cgroup_parent_controllers(exam->mount_fd, exam->config->parent, ret, &ignored);

	return r == FAULT_E_SET ? cgroup_read_controllers(exam->parent_fd, ret) : r;
}

static void controller(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	unsigned int bit = controllers[row->which].bit, offered = 0;
	struct fault fault = {};
	int r = offered_read(exam, &offered);

	if (r || !(offered & bit)) {
		controller_absent(exam, row, check);
		return;
	}
	r = cgroup_enable_controllers(exam->parent_fd, bit);
	if (!r)
		r = cgroup_write_limits(exam->session_fd, &controllers[row->which].limits, &fault);
	if (r)
		exam_fault(check, DOCTOR_DEGRADED, r, &fault);
	else
		exam_ok(check, "a limit of %s was set", controllers[row->which].text);
}

const struct exam_row exam_cgroup_rows[] = {
	{ "cgroup2", PROMISE_EGRESS, {}, mount_find, 0 },
	{ "cgroups", PROMISE_CLEANUP, { "cgroup2", "capabilities" }, cgroups_make, 0 },
	{ "birth-in-cgroup", PROMISE_METER, { "cgroups" }, born_inside, 0 },
	{ "cgroup-kill", PROMISE_CLEANUP, { "birth-in-cgroup" }, kill_all, 0 },
	{ "memory-controller", PROMISE_MEMORY, { "cgroups" }, controller, 0 },
	{ "pids-controller", PROMISE_PIDS, { "cgroups" }, controller, 1 },
	{ "cpu-controller", PROMISE_CPU, { "cgroups" }, controller, 2 },
	{},
};
