// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order of the examination, and how a finding is written down. The rows are tables by subject. What a
 * row makes for later ones is in the exam, which owns it and lets it go at the end.
 *
 * A row whose ground is missing is not run and says so: it is missing as well, never silently ok.
 *
 * What is made bears the number of this process. What a doctor that was killed in the middle leaves has no
 * process in it, and the next one removes it; signals that a person sends wait until the end.
 */
#include "doctor.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/str.h"
#include "../kernel/cgroup.h"
#include "doctor_exam.h"

#define EMPTY_TIMEOUT_NS (2 * NSEC_PER_SEC)
#define ASK_KERNEL "look at the kernel's log"

static const struct exam_row *const tables[] = {
	exam_host_rows,	   exam_cgroup_rows,  exam_policy_rows, exam_meter_rows,
	exam_network_rows, exam_sandbox_rows, exam_state_rows,
};

bool exam_is_dead(const char *name)
{
	uint64_t pid;

	return strncmp(name, EXAM_NAME, strlen(EXAM_NAME)) == 0 &&
	       str_to_u64(name + strlen(EXAM_NAME), INT32_MAX, &pid) && pid > 0 &&
	       kill((pid_t)pid, 0) && errno == ESRCH;
}

static void text_put(char *to, size_t size, const char *fmt, va_list args)
{
	if (vsnprintf(to, size, fmt, args) >= (int)size)
		memcpy(to + size - sizeof("..."), "...", sizeof("..."));
}

void exam_ok(struct doctor_check *check, const char *fmt, ...)
{
	va_list args;

	check->status = DOCTOR_OK;
	va_start(args, fmt);
	text_put(check->detail, sizeof(check->detail), fmt, args);
	va_end(args);
}

void exam_no(struct doctor_check *check, enum doctor_status status, const char *remedy,
	     const char *fmt, ...)
{
	va_list args;

	check->status = status;
	snprintf(check->remedy, sizeof(check->remedy), "%s", remedy);
	va_start(args, fmt);
	text_put(check->detail, sizeof(check->detail), fmt, args);
	va_end(args);
}

void exam_fault(struct doctor_check *check, enum doctor_status status, int r,
		const struct fault *fault)
{
	if (r == FAULT_E_SET)
		exam_no(check, status, fault->remedy[0] ? fault->remedy : ASK_KERNEL, "%s: %s",
			fault->field, fault->reason);
	else
		exam_no(check, status, ASK_KERNEL, "%s", strerror(-r));
}

static bool is_missing(const struct doctor_report *report, const char *name)
{
	for (size_t i = 0; i < report->n_checks; i++)
		if (strcmp(report->checks[i].name, name) == 0)
			return report->checks[i].status == DOCTOR_MISSING;
	return true;
}

/* The first ground of @row that is missing; NULL when it can be tried. */
static const char *ground_missing(const struct doctor_report *report, const struct exam_row *row)
{
	for (size_t i = 0; i < EXAM_NEEDS_MAX && row->needs[i]; i++)
		if (is_missing(report, row->needs[i]))
			return row->needs[i];
	return NULL;
}

static void row_run(const struct exam_row *row, struct exam *exam, struct doctor_report *report)
{
	struct doctor_check *check = &report->checks[report->n_checks];
	const char *ground = ground_missing(report, row);

	/* one place is the last row's */
	assert(report->n_checks < DOCTOR_CHECKS_MAX - 1);
	*check = (struct doctor_check){ .name = row->name, .promise = row->promise };
	if (exam->astray)
		exam_no(check, DOCTOR_MISSING, "run \"reeve doctor\" again",
			"not tried: the way back from a network namespace was lost");
	else if (ground)
		exam_no(check, DOCTOR_MISSING, "see to that one first", "not tried: it needs %s",
			ground);
	else
		row->run(exam, row, check);
	report->n_checks++;
}

/* Links before their cgroup, processes before both. Returns 0 or what keeps the cgroup. */
static int exam_end(struct exam *exam)
{
	int r = 0;

	if (exam->parent_fd >= 0) {
		cgroup_kill(exam->parent_fd);
		cgroup_wait_empty(exam->parent_fd, EMPTY_TIMEOUT_NS);
	}
	guard_trial_free(exam->trial);
	guard_close(&exam->guard);
	fd_close(&exam->session_fd);
	fd_close(&exam->parent_fd);
	if (exam->mount_fd >= 0)
		r = cgroup_remove(exam->mount_fd, exam->name);
	fd_close(&exam->mount_fd);
	fd_close(&exam->userns_fd);
	fd_close(&exam->netns_fd);
	fd_close(&exam->host_netns_fd);
	if (exam->output.fd >= 0) {
		exam_output_empty(exam->output.fd);
		r = rmdir(exam->output.path) && !r ? -errno : r;
		output_dir_deinit(&exam->output);
	}
	if (exam->output_root_made)
		r = rmdir(exam->output_root) && !r ? -errno : r;
	return r;
}

static void end_report(struct exam *exam, struct doctor_report *report)
{
	struct doctor_check *check = &report->checks[report->n_checks++];
	int r = exam_end(exam);

	*check = (struct doctor_check){ .name = "left-overs", .promise = PROMISE_CLEANUP };
	if (r)
		exam_no(check, DOCTOR_DEGRADED, "remove what bears that name by hand",
			"%s cannot be removed whole: %s", exam->name, strerror(-r));
	else
		exam_ok(check, "nothing of this examination is left");
}

void doctor_examine(const struct engine_config *config, const struct doctor_rules *rules,
		    struct doctor_report *ret)
{
	struct exam exam = {
		.config = config,
		.rules = rules,
		.userns_fd = -1,
		.host_netns_fd = -1,
		.netns_fd = -1,
		.mount_fd = -1,
		.parent_fd = -1,
		.session_fd = -1,
		.guard = GUARD_INIT,
		.output = OUTPUT_DIR_INIT,
	};
	sigset_t wait, before;

	sigemptyset(&wait);
	sigaddset(&wait, SIGINT);
	sigaddset(&wait, SIGTERM);
	sigaddset(&wait, SIGHUP);
	sigprocmask(SIG_BLOCK, &wait, &before);
	snprintf(exam.name, sizeof(exam.name), EXAM_NAME "%d", getpid());
	ret->n_checks = 0;
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (const struct exam_row *row = tables[i]; row->name; row++)
			row_run(row, &exam, ret);
	end_report(&exam, ret);
	sigprocmask(SIG_SETMASK, &before, NULL);
}
