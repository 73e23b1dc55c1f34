/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A seccomp plan as the program that the kernel takes. The caller installs it with one
 * seccomp(SECCOMP_SET_MODE_FILTER), after no_new_privs.
 */
#ifndef REEVE_KERNEL_SECCOMP_H
#define REEVE_KERNEL_SECCOMP_H

#include <linux/filter.h>

#include "../base/fault.h"
#include "../model/seccomp.h"

#if defined(__x86_64__)
#define SECCOMP_ARCH_NATIVE SECCOMP_ARCH_X86_64
#elif defined(__aarch64__)
#define SECCOMP_ARCH_NATIVE SECCOMP_ARCH_AARCH64
#else
#error "no seccomp rules for this architecture"
#endif

/* The built-in rules for this architecture, compiled when reeve was built; never freed. */
const struct sock_fprog *seccomp_default(void);

/*
 * Compiles @plan for @arch: a tree of number ranges, comparisons at its leaves. Returns 0, -ENOMEM,
 * -EINVAL when the plan is not written for @arch, or FAULT_E_SET: a rule that would be lost (a call
 * that nobody here knows by name, under a fallback that permits), or more instructions than the
 * kernel takes. Free with seccomp_program_deinit.
 */
int seccomp_compile(const struct seccomp_plan *plan, enum seccomp_arch arch, struct sock_fprog *ret,
		    struct fault *ret_fault);
void seccomp_program_deinit(struct sock_fprog *program);
#define _cleanup_seccomp_program_ _cleanup_(seccomp_program_deinit)

/* The number of the call @name; -ENOSYS when @arch has none, -ENOENT when the name is unknown. */
int seccomp_number(const char *name, enum seccomp_arch arch);

#endif
