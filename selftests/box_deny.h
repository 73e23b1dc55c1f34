/* SPDX-License-Identifier: GPL-2.0-only */
/* A program of two instructions in place of the policy: every connect below @cgroup_fd gets EPERM. */
#ifndef REEVE_SELFTESTS_BOX_DENY_H
#define REEVE_SELFTESTS_BOX_DENY_H

#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "../user/base/macro.h"

static inline int box_deny(int cgroup_fd, enum bpf_attach_type type)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr load = {
		.prog_type = BPF_PROG_TYPE_CGROUP_SOCK_ADDR,
		.insns = (uintptr_t)code,
		.insn_cnt = ARRAY_SIZE(code),
		.license = (uintptr_t) "GPL",
		.expected_attach_type = type,
	};
	_cleanup_fd_ int fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof(load));
	union bpf_attr attach = { .target_fd = cgroup_fd, .attach_bpf_fd = fd, .attach_type = type };

	return fd < 0 || syscall(SYS_bpf, BPF_PROG_ATTACH, &attach, sizeof(attach)) < 0 ? -errno : 0;
}

#endif
