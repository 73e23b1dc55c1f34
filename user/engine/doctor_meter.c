// SPDX-License-Identifier: GPL-2.0-only
/*
 * The account, proved: a session's counter against cpu.stat, and a process that never ends against the
 * cap and the time box. Nobody but the kernel ends it; when it still runs after two seconds it is
 * killed from here, and the cap does not hold.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "../base/clock.h"
#include "../kernel/cgroup.h"
#include "../kernel/probe.h"
#include "../kernel/probe_child.h"
#include "../kernel/probe_sandbox.h"
#include "doctor_exam.h"

#define BURN_NS (20 * NSEC_PER_MSEC)
#define CAP_NS (10 * NSEC_PER_MSEC)
#define BOX_NS (10 * NSEC_PER_MSEC)
/* cpu.stat tells microseconds and is read at another moment. */
#define METER_ERROR_NS NSEC_PER_MSEC
#define MSEC(ns) ((double)(ns) / NSEC_PER_MSEC)

static int spin(struct exam *exam, uint64_t *limit_ns, struct probe_child_end *ret)
{
	const struct probe_child child = {
		.cgroup_fd = exam->session_fd,
		.netns_fd = exam->netns_fd,
		.fn = probe_spin,
		.arg = limit_ns,
	};

	return probe_child_run(&child, ret);
}

int exam_policy_open(struct exam *exam, uint64_t cpu_cap_ns, uint64_t deadline_ns)
{
	/* the probe before has moved the generation on; it may be no older one */
	struct policy now;
	int r = guard_session_policy(&exam->guard, exam->session_id, &now);

	if (r)
		return r;
	exam->policy.generation = now.generation + 1;
	exam->policy.state = POLICY_OPEN;
	exam->policy.cpu_cap_ns = cpu_cap_ns;
	exam->policy.deadline_ns = deadline_ns;
	return guard_session_update(&exam->guard, exam->session_id, &exam->policy);
}

struct account {
	uint64_t metered_ns, told_ns;
};

static int account_read(struct exam *exam, struct account *ret)
{
	struct usage usage;
	int r = guard_session_usage(&exam->guard, exam->session_id, &usage);

	if (!r)
		r = cgroup_read_cpu_ns(exam->session_fd, &ret->told_ns);
	if (!r)
		ret->metered_ns = usage.cpu_ns;
	return r;
}

/* What ran in the cgroup before the programs were attached is in cpu.stat alone: differences count. */
static void meter(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	struct probe_child_end end = {};
	struct account before = {}, after = {};
	uint64_t burn_ns = BURN_NS, metered_ns, told_ns;
	int r = exam_policy_open(exam, POLICY_UNLIMITED, POLICY_UNLIMITED);

	(void)row;
	r = r ? r : account_read(exam, &before);
	r = r ? r : spin(exam, &burn_ns, &end);
	r = r ? r : probe_child_errno(&end);
	r = r ? r : cgroup_wait_empty(exam->session_fd, NSEC_PER_SEC);
	r = r ? r : account_read(exam, &after);
	metered_ns = after.metered_ns - before.metered_ns;
	told_ns = after.told_ns - before.told_ns;
	if (r)
		exam_no(check, DOCTOR_MISSING, "report it with the kernel's version",
			"20 ms could not be burnt and read: %s", strerror(-r));
	else if (metered_ns < BURN_NS || metered_ns > told_ns + METER_ERROR_NS ||
		 told_ns > metered_ns + METER_ERROR_NS)
		exam_no(check, DOCTOR_MISSING, "report it with the kernel's version",
			"the meter says %.3f ms, cpu.stat %.3f ms", MSEC(metered_ns), MSEC(told_ns));
	else
		exam_ok(check, "%.3f ms were charged, cpu.stat says %.3f ms", MSEC(metered_ns),
			MSEC(told_ns));
}

/* Whether the kernel, and nobody else, ended the spinner. */
static bool ended_by_kernel(int r, const struct probe_child_end *end)
{
	return !r && !end->late && end->signal == SIGKILL;
}

static void cap(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	struct probe_child_end end = {};
	struct usage before = {}, after = {};
	bool signals_any_task = false;
	int r = guard_session_usage(&exam->guard, exam->session_id, &before);

	(void)row;
	r = r ? r : exam_policy_open(exam, before.cpu_ns + CAP_NS, POLICY_UNLIMITED);
	r = r ? r : spin(exam, NULL, &end);
	r = r ? r : guard_session_usage(&exam->guard, exam->session_id, &after);
	r = r ? r : probe_kernel_function("bpf_send_signal_task", &signals_any_task);
	if (!ended_by_kernel(r, &end) || after.kills == before.kills) {
		exam_no(check, DOCTOR_MISSING, "report it with the kernel's version",
			"a process with a cap of 10 ms was not ended by the kernel: %s",
			r	   ? strerror(-r)
			: end.late ? "it ran on"
				   : "it ended otherwise");
		return;
	}
	exam_ok(check, "the kernel killed a spinning process %.1f ms past a cap of 10 ms%s",
		MSEC(after.cpu_ns - exam->policy.cpu_cap_ns),
		signals_any_task ? ", and can signal any task"
				 : "; it can signal only the running task, so that many processes "
				   "overshoot further (bpf_send_signal_task is from 6.13)");
}

static void time_box(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	struct probe_child_end end = {};
	uint64_t start = clock_monotonic_ns(), took = 0;
	int r = exam_policy_open(exam, POLICY_UNLIMITED, start + BOX_NS);

	(void)row;
	r = r ? r : spin(exam, NULL, &end);
	took = clock_monotonic_ns() - start;
	if (!ended_by_kernel(r, &end))
		exam_no(check, DOCTOR_MISSING, "report it with the kernel's version",
			"a process with a time box of 10 ms was not ended by the kernel: %s",
			r	   ? strerror(-r)
			: end.late ? "it ran on"
				   : "it ended otherwise");
	else
		exam_ok(check, "the kernel killed a spinning process after %.1f of 10 ms",
			MSEC(took));
}

const struct exam_row exam_meter_rows[] = {
	{ "meter", PROMISE_METER, { "policy" }, meter, 0 },
	{ "cap", PROMISE_CAP, { "meter" }, cap, 0 },
	{ "time-box", PROMISE_TIME_BOX, { "meter" }, time_box, 0 },
	{},
};
