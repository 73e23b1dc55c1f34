// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel policy, proved: the programs are loaded and attached at the throw-away parent, its session
 * gets an entry, and a child in it is denied, and counted, and let through where it must be. Nothing is
 * pinned; the links go with the trial.
 */
#include <errno.h>
#include <string.h>

#include "../kernel/netns.h"
#include "../kernel/probe.h"
#include "../kernel/probe_child.h"
#include "../kernel/proof.h"
#include "../model/verdict.h"
#include "doctor_exam.h"

#define PARENT_LEVEL 1 /* the throw-away parent lies right below the mount */
#define SESSION_NAME "sbs_doctor"

static void btf(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	struct fault fault = {};
	int r = probe_btf(&fault);

	(void)exam;
	(void)row;
	if (r)
		exam_fault(check, DOCTOR_MISSING, r, &fault);
	else
		exam_ok(check, "the kernel tells its types");
}

static void bpffs(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	struct fault fault = {};
	int r = guard_check_pin_dir(exam->config->pin_dir, &fault);

	(void)row;
	if (r)
		exam_fault(check, DOCTOR_MISSING, r, &fault);
	else
		exam_ok(check, "%.200s lies on one", exam->config->pin_dir);
}

static unsigned int hooks_count(const struct guard *guard)
{
	unsigned int n = 0;

	for (const struct guard_hook *hook = guard_hooks; hook->program; hook++)
		n += !hook->optional || guard->unix_hooks;
	return n;
}

static int session_add(struct exam *exam)
{
	_cleanup_fd_ int ring_fd = -1;
	int r = guard_ring_open(&exam->guard, 0, &ring_fd);

	exam->policy = (struct policy){
		.session = SESSION_NAME,
		.generation = 1,
		.state = POLICY_PROOF,
		.egress = POLICY_EGRESS_PUBLIC,
		.cpu_cap_ns = POLICY_UNLIMITED,
		.money_cap_ucents = POLICY_UNLIMITED,
		.deadline_ns = POLICY_UNLIMITED,
	};
	return r ? r : guard_session_add(&exam->guard, exam->session_id, &exam->policy);
}

static void programs(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	struct guard_place place = {
		.parent_fd = exam->parent_fd,
		.parent_id = exam->parent_id,
		.parent_level = PARENT_LEVEL,
	};
	struct fault fault = {};
	int r = netns_identity(&place.netns);

	(void)row;
	if (!r)
		r = guard_trial_make(&place, &exam->trial, &exam->guard, &fault);
	if (!r)
		r = session_add(exam);
	if (r)
		exam_fault(check, DOCTOR_MISSING, r, &fault);
	else
		exam_ok(check, "%u hooks were loaded and attached, and a session entered",
			hooks_count(&exam->guard));
}

static int proof_run(void *arg)
{
	(void)arg;
	return proof_denied();
}

/* The proof of every start, before a policy is opened. */
static void proof(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	const struct probe_child child = {
		.cgroup_fd = exam->session_fd,
		.netns_fd = exam->netns_fd,
		.fn = proof_run,
	};
	struct probe_child_end end = {};
	struct usage usage = {};
	int r = probe_child_run(&child, &end);

	(void)row;
	if (!r)
		r = probe_child_errno(&end);
	if (!r)
		r = guard_session_usage(&exam->guard, exam->session_id, &usage);
	if (r)
		exam_no(check, DOCTOR_MISSING, "report it: the hooks are attached and do not deny",
			"a connect of a session without go was not denied: %s", strerror(-r));
	else if (usage.denials.proof != PROOF_CONNECTS)
		exam_no(check, DOCTOR_MISSING, "run reeve in the cgroup namespace of the host",
			"the kernel counted %llu of %d denied connects",
			(unsigned long long)usage.denials.proof, PROOF_CONNECTS);
	else
		exam_ok(check, "%d of %d connects of a session without go were denied and counted",
			PROOF_CONNECTS, PROOF_CONNECTS);
}

static void acts_run(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	const struct probe_stage stage = {
		.guard = &exam->guard,
		.session = exam->session_id,
		.cgroup_fd = exam->session_fd,
		.netns_fd = exam->netns_fd,
	};
	struct fault fault = {};
	int r = probe_policy(&stage, &exam->policy, exam->acts, &fault);

	(void)row;
	exam->astray = r == -ENOTRECOVERABLE;
	if (r == FAULT_E_SET)
		exam_fault(check, DOCTOR_MISSING, r, &fault);
	else if (r)
		exam_no(check, DOCTOR_MISSING, "report it with the kernel's version",
			"the probe could not be run to its end: %s", strerror(-r));
	else
		exam_ok(check, "opened and shut, with a probe in it: %d acts", PROBE_ACT_COUNT);
}

static void act(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	const struct probe_outcome *outcome = &exam->acts[row->which];
	enum reason reason = probe_act_reason(row->which);

	if (!probe_act_holds(row->which, outcome))
		exam_no(check, DOCTOR_MISSING, "report it with the kernel's version",
			"the hook does not do what it must: the probe got \"%s\", counted %llu as %s",
			outcome->err ? strerror(outcome->err) : "success",
			(unsigned long long)outcome->counted, reason_name(reason));
	else if (reason == REASON_OK)
		exam_ok(check, "allowed, and it works");
	else
		exam_ok(check, "denied with \"%s\", counted as %s", strerror(outcome->err),
			reason_name(reason));
}

static void unix_socket(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	if (exam->guard.unix_hooks)
		act(exam, row, check);
	else
		exam_no(check, DOCTOR_DEGRADED, "run a kernel of 6.7 or later",
			"the kernel has no hooks for unix sockets: those inside a sandbox do not stop "
			"with its session");
}

const struct exam_row exam_policy_rows[] = {
	{ "btf", PROMISE_METER, {}, btf, 0 },
	{ "bpffs", PROMISE_EGRESS, {}, bpffs, 0 },
	{ "programs", PROMISE_EGRESS, { "btf", "cgroups", "capabilities" }, programs, 0 },
	{ "proof", PROMISE_EGRESS, { "programs", "birth-in-cgroup", "network-namespace" }, proof, 0 },
	{ "policy", PROMISE_EGRESS, { "proof" }, acts_run, 0 },
	{ "connect-ipv4", PROMISE_EGRESS, { "policy" }, act, PROBE_CONNECT_V4 },
	{ "connect-ipv6", PROMISE_EGRESS, { "policy" }, act, PROBE_CONNECT_V6 },
	{ "connect-mapped", PROMISE_EGRESS, { "policy" }, act, PROBE_CONNECT_MAPPED },
	{ "datagram-ipv4", PROMISE_EGRESS, { "policy" }, act, PROBE_DATAGRAM_V4 },
	{ "datagram-ipv6", PROMISE_EGRESS, { "policy" }, act, PROBE_DATAGRAM_V6 },
	{ "packet-out", PROMISE_EGRESS, { "policy" }, act, PROBE_PACKET_OUT },
	{ "packet-in", PROMISE_NETWORK, { "policy" }, act, PROBE_PACKET_IN },
	{ "bind-ipv4", PROMISE_NETWORK, { "policy" }, act, PROBE_BIND_V4 },
	{ "bind-ipv6", PROMISE_NETWORK, { "policy" }, act, PROBE_BIND_V6 },
	{ "loopback-ipv4", PROMISE_NETWORK, { "policy" }, act, PROBE_LOOPBACK_V4 },
	{ "loopback-ipv6", PROMISE_NETWORK, { "policy" }, act, PROBE_LOOPBACK_V6 },
	{ "answer-ipv4", PROMISE_NETWORK, { "policy" }, act, PROBE_ANSWER_V4 },
	{ "answer-ipv6", PROMISE_NETWORK, { "policy" }, act, PROBE_ANSWER_V6 },
	{ "peer-name-ipv4", PROMISE_NETWORK, { "policy" }, act, PROBE_PEER_NAME_V4 },
	{ "peer-name-ipv6", PROMISE_NETWORK, { "policy" }, act, PROBE_PEER_NAME_V6 },
	{ "raw-socket", PROMISE_SOCKETS, { "policy" }, act, PROBE_RAW_SOCKET },
	{ "socket-option", PROMISE_SOCKETS, { "policy" }, act, PROBE_SOCKET_OPTION },
	{ "device", PROMISE_DEVICES, { "policy" }, act, PROBE_DEVICE },
	{ "null-device", PROMISE_DEVICES, { "policy" }, act, PROBE_NULL_DEVICE },
	{ "sysctl", PROMISE_SYSCTLS, { "policy" }, act, PROBE_SYSCTL },
	{ "unix-connect", PROMISE_UNIX_SOCKETS, { "policy" }, unix_socket, PROBE_UNIX_CONNECT },
	{ "unix-datagram", PROMISE_UNIX_SOCKETS, { "policy" }, unix_socket, PROBE_UNIX_DATAGRAM },
	{},
};
