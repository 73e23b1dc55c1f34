// SPDX-License-Identifier: GPL-2.0-only
/*
 * The meter: every span of CPU time that the scheduler accounts to a task is added to its session, at
 * the same place and with the same number as cpu.stat. When the session may not run any more, the task
 * that was charged is killed here; whoever else of the session runs is killed at its own next span. A paused
 * session's tasks are frozen: one that runs all the same was thawed by somebody else.
 *
 * The task of the event is not always current: signalling current would kill a stranger.
 */
#include "vmlinux.h"

#include "session.bpf.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#define PF_EXITING 0x4
#define SIGNAL_GROUP_EXIT 0x4
#define JOBCTL_TRAP_FREEZE (1ul << 23)
#define SIGKILL 9
#define SIGKILL_BIT (1ul << (SIGKILL - 1))

/* Since 6.13 (kernel commit 6280cf718db0); before it only the running task can be signalled. */
extern int bpf_send_signal_task(struct task_struct *task, int sig, enum pid_type type,
				__u64 value) __ksym __weak;

/* A function of its own, or clang hoists the offset of a field that the kernel lacks out of its branch. */
static __noinline struct kernfs_node *node_parent_before_6_15(struct kernfs_node___before_6_15 *node)
{
	return node->parent;
}

static __always_inline struct kernfs_node *node_parent(struct kernfs_node *node)
{
	if (bpf_core_field_exists(struct kernfs_node, __parent))
		return node->__parent;
	return node_parent_before_6_15((void *)node);
}

/* The id of the task's ancestor cgroup at session_level, or 0 where it sits above that level. */
static __always_inline __u64 task_session_cgroup(struct task_struct *task)
{
	struct cgroup *cgroup = task->cgroups->dfl_cgrp;
	int above = cgroup->level - (int)session_level;
	struct kernfs_node *node;

	if (above < 0 || above > REEVE_CGROUP_DEPTH_MAX)
		return 0;
	node = cgroup->kn;
	for (int i = 0; i < REEVE_CGROUP_DEPTH_MAX && i < above; i++)
		node = node_parent(node);
	return node->id;
}

/* Signals to a task that already dies only keep the kernel's one signal slot a CPU busy. */
static __always_inline int task_is_dying(struct task_struct *task)
{
	struct signal_struct *signal = task->signal;

	return task->flags & PF_EXITING || signal->flags & SIGNAL_GROUP_EXIT ||
	       signal->shared_pending.signal.sig[0] & SIGKILL_BIT;
}

/* In the freezer or bound for it: it runs in the kernel only, to get there or because a signal came. */
static __always_inline int task_is_frozen(struct task_struct *task)
{
	return (task->jobctl & JOBCTL_TRAP_FREEZE) != 0;
}

static __always_inline void task_kill(struct task_struct *task, struct usage *usage)
{
	if (task_is_dying(task))
		return;
	__sync_fetch_and_add(&usage->kills, 1);
	if (bpf_send_signal_task)
		bpf_send_signal_task(task, SIGKILL, PIDTYPE_TGID, 0);
	else if (task->pid == (int)bpf_get_current_pid_tgid())
		bpf_send_signal(SIGKILL);
}

/* One event for each generation of the policy, whichever CPU sees the end first. */
static __always_inline void stop_report(struct session *session, enum reason reason)
{
	struct attempt attempt = { .hook = EVENT_METER };
	__u64 seen = session->usage->stopped_generation;
	__u64 now = session->policy->generation;

	if (seen == now ||
	    __sync_val_compare_and_swap(&session->usage->stopped_generation, seen, now) != seen)
		return;
	session_report(session, &attempt, reason, 0);
}

SEC("tp_btf/sched_stat_runtime")
int BPF_PROG(reeve_meter, struct task_struct *task, __u64 runtime_ns)
{
	__u64 cgroup = task_session_cgroup(task);
	struct session session = { .cgroup = cgroup };
	enum reason reason;

	if (!cgroup)
		return 0;
	session.usage = bpf_map_lookup_elem(&usages, &cgroup);
	if (!session.usage)
		return 0;
	__sync_fetch_and_add(&session.usage->cpu_ns, runtime_ns);
	session.policy = bpf_map_lookup_elem(&policies, &cgroup);
	if (!session.policy)
		return 0;
	reason = session_state(&session, bpf_ktime_get_ns());
	if (!reason_stops(reason) || (reason == REASON_PAUSED && task_is_frozen(task)))
		return 0;
	stop_report(&session, reason);
	task_kill(task, session.usage);
	return 0;
}
