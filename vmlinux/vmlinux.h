/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of kernel structures that the programs read, and no others; CO-RE finds their offsets on
 * the running kernel. What is in the user-space API comes from <linux/bpf.h>.
 */
#ifndef REEVE_VMLINUX_H
#define REEVE_VMLINUX_H

#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct kernfs_node {
	struct kernfs_node *__parent; /* since 6.15, kernel commit 741c10b096bc */
	__u64 id;
};

struct kernfs_node___before_6_15 {
	struct kernfs_node *parent;
};

struct cgroup {
	int level;
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct sigset_words {
	unsigned long sig[1];
};

typedef struct sigset_words sigset_t;

struct sigpending {
	sigset_t signal;
};

struct signal_struct {
	struct sigpending shared_pending;
	unsigned int flags;
};

struct task_struct {
	unsigned int flags;
	unsigned long jobctl;
	int pid;
	int tgid;
	char comm[16];
	struct css_set *cgroups;
	struct signal_struct *signal;
};

#pragma clang attribute pop

enum pid_type {
	PIDTYPE_PID,
	PIDTYPE_TGID,
};

#endif
