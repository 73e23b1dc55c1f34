// SPDX-License-Identifier: GPL-2.0-only
/*
 * What reeve has on this host already: nothing of it is touched. What a run would refuse here is missing
 * here as well.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "../kernel/cgroup.h"
#include "../kernel/netns.h"
#include "../kernel/probe.h"
#include "doctor_exam.h"
#include "recover.h"

static void parent_cgroup(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	_cleanup_fd_ int fd = -1;
	struct fault fault = {};
	uint64_t id;
	int r = cgroup_parent_open(exam->mount_fd, exam->config->parent, false, &fd, &id, &fault);

	(void)row;
	if (r == -ENOENT)
		exam_ok(check, "%.160s is not there: the first run makes it", exam->config->parent);
	else if (r)
		exam_fault(check, DOCTOR_MISSING, r, &fault);
	else
		exam_ok(check, "%.160s is there; \"reeve gc --all\" removes it",
			exam->config->parent);
}

static void configuration(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	const struct doctor_rules *rules = exam->rules;
	const char *file = exam->config->config_file;

	(void)row;
	if (rules->result)
		exam_fault(check, DOCTOR_MISSING, rules->result, rules->fault);
	else
		exam_ok(check, "%.160s: %zu prefixes denied, %zu allowed, %zu names",
			file ? file : ENGINE_CONFIG_FILE ", where it is",
			config_count_prefixes(rules->config, REASON_OPERATOR),
			config_count_prefixes(rules->config, REASON_OK), rules->config->n_names);
}

/* Opens them as a run would, which loads nothing where something is pinned. */
static int pins_open(struct exam *exam, struct fault *ret_fault)
{
	const struct engine_config *config = exam->config;
	struct guard_place place = {
		.pin_dir = config->pin_dir,
		.parent_level = engine_path_level(config->parent),
	};
	_cleanup_guard_ struct guard guard = GUARD_INIT;
	_cleanup_fd_ int fd = -1;
	int r = cgroup_parent_open(exam->mount_fd, config->parent, false, &fd, &place.parent_id,
				   ret_fault);

	/* a run would make the parent, with an id that no link hangs on */
	if (r && r != -ENOENT)
		return r;
	place.parent_fd = fd;
	r = netns_identity(&place.netns);
	return r ? r : guard_open(&place, &guard, ret_fault);
}

static void pins(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	const char *dir = exam->config->pin_dir;
	struct probe_pins pinned = {};
	struct fault fault = {};
	int r;

	(void)row;
	if (!guard_exists(dir)) {
		exam_ok(check, "nothing at %.160s: the first run pins it", dir);
		return;
	}
	r = probe_pins(dir, &pinned);
	r = r ? r : pins_open(exam, &fault);
	if (r)
		exam_fault(check, DOCTOR_MISSING, r, &fault);
	else
		exam_ok(check,
			"%u links, %u programs and %u maps of this build at %.100s; \"reeve gc --all\" "
			"removes them",
			pinned.links, pinned.progs, pinned.maps, dir);
}

static void sessions(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	_cleanup_fd_ int run_fd = open(exam->config->run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_fd_ int lock = -1, slots_fd = -1;
	unsigned int live = 0;
	int r = 0;

	(void)row;
	if (run_fd >= 0)
		slots_fd = openat(run_fd, "slots", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	/* looking at a slot takes its lock for a moment, which a sweep must not meet */
	if (slots_fd >= 0)
		r = engine_lock(run_fd, &lock);
	if (slots_fd >= 0 && !r)
		r = recover_count_live(slots_fd, &live);
	if (r)
		exam_no(check, DOCTOR_MISSING, "look at the owner and mode of the run directory",
			"%.160s cannot be read: %s", exam->config->run_dir, strerror(-r));
	else
		exam_ok(check, "%u of %d are live", live, REEVE_SLOTS_MAX);
}

const struct exam_row exam_state_rows[] = {
	{ "parent-cgroup", PROMISE_CLEANUP, { "cgroup2" }, parent_cgroup, 0 },
	{ "configuration", PROMISE_EGRESS, {}, configuration, 0 },
	{ "pins", PROMISE_EGRESS, { "bpffs", "cgroup2" }, pins, 0 },
	{ "sessions", PROMISE_CLEANUP, {}, sessions, 0 },
	{},
};
