/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which system calls a sandbox may make, as data: a verdict for what no rule names, and rules tried
 * in order. The first rule of a call whose comparisons all hold decides. Words are those of the OCI
 * runtime specification, so that what is printed can be compared with any container's profile.
 *
 * Two things hold for every plan, whatever its rules say: a process of a foreign architecture is
 * killed, and an x32 call is ENOSYS.
 */
#ifndef REEVE_MODEL_SECCOMP_H
#define REEVE_MODEL_SECCOMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SECCOMP_NAME_SIZE 48
#define SECCOMP_ARGS 6
/* What SECCOMP_RET_DATA can carry that the kernel still takes for an errno. */
#define SECCOMP_ERRNO_MAX 4095

/* X(NAME, OCI name, takes data, permits): data is an errno, or the tracer's message */
#define SECCOMP_ACTIONS(X)                                                                         \
	X(ALLOW, "SCMP_ACT_ALLOW", false, true)                                                    \
	X(LOG, "SCMP_ACT_LOG", false, true)                                                        \
	X(ERRNO, "SCMP_ACT_ERRNO", true, false)                                                    \
	X(TRACE, "SCMP_ACT_TRACE", true, false)                                                    \
	X(TRAP, "SCMP_ACT_TRAP", false, false)                                                     \
	X(KILL_THREAD, "SCMP_ACT_KILL_THREAD", false, false)                                       \
	X(KILL_PROCESS, "SCMP_ACT_KILL_PROCESS", false, false)

/* X(NAME, OCI name): unsigned, on all 64 bits of the argument */
#define SECCOMP_OPS(X)                                                                             \
	X(NE, "SCMP_CMP_NE")                                                                       \
	X(LT, "SCMP_CMP_LT")                                                                       \
	X(LE, "SCMP_CMP_LE")                                                                       \
	X(EQ, "SCMP_CMP_EQ")                                                                       \
	X(GE, "SCMP_CMP_GE")                                                                       \
	X(GT, "SCMP_CMP_GT")                                                                       \
	X(MASKED_EQ, "SCMP_CMP_MASKED_EQ")

/* X(NAME, OCI name) */
#define SECCOMP_ARCHS(X)                                                                           \
	X(X86_64, "SCMP_ARCH_X86_64")                                                              \
	X(AARCH64, "SCMP_ARCH_AARCH64")

enum seccomp_action {
#define X(NAME, name, data, permits) SECCOMP_ACTION_##NAME,
	SECCOMP_ACTIONS(X)
#undef X
	SECCOMP_ACTION_COUNT,
};

enum seccomp_op {
#define X(NAME, name) SECCOMP_OP_##NAME,
	SECCOMP_OPS(X)
#undef X
	SECCOMP_OP_COUNT,
};

enum seccomp_arch {
#define X(NAME, name) SECCOMP_ARCH_##NAME,
	SECCOMP_ARCHS(X)
#undef X
	SECCOMP_ARCH_COUNT,
};

struct seccomp_verdict {
	enum seccomp_action action;
	uint16_t data;
};

struct seccomp_compare {
	unsigned int arg;
	enum seccomp_op op;
	uint64_t mask; /* of MASKED_EQ: (argument & mask) == value */
	uint64_t value;
};

struct seccomp_rule {
	char name[SECCOMP_NAME_SIZE]; /* of the system call */
	struct seccomp_verdict verdict;
	unsigned int n_compares; /* 0: the rule decides every call of that name */
	struct seccomp_compare compares[SECCOMP_ARGS];
};

/* System call numbers first to last. */
struct seccomp_span {
	uint32_t first, last;
};

struct seccomp_plan {
	struct seccomp_verdict fallback;
	uint32_t architectures; /* that the rules are written for: bits 1 << enum seccomp_arch */
	const struct seccomp_rule *rules;
	size_t n_rules;
	/* A number outside these is ENOSYS; none at all: every number is looked at. Ascending. */
	const struct seccomp_span *known[SECCOMP_ARCH_COUNT];
	size_t n_known[SECCOMP_ARCH_COUNT];
	struct seccomp_rule *owned; /* freed by seccomp_plan_deinit, NULL in the default */
};

/* The built-in rules. */
const struct seccomp_plan *seccomp_plan_default(void);
void seccomp_plan_deinit(struct seccomp_plan *plan);
#define _cleanup_seccomp_plan_ _cleanup_(seccomp_plan_deinit)

const char *seccomp_action_name(enum seccomp_action action);
bool seccomp_action_takes_data(enum seccomp_action action);
bool seccomp_action_permits(enum seccomp_action action);
const char *seccomp_op_name(enum seccomp_op op);
const char *seccomp_arch_name(enum seccomp_arch arch);

#endif
