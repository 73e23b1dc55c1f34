/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a seccomp program answers, by an interpreter of its instructions, and what it should answer,
 * read straight off the plan's rules. Shared by the unit test and the fuzzer of the compiler.
 */
#ifndef REEVE_SELFTESTS_SECCOMP_CHECK_H
#define REEVE_SELFTESTS_SECCOMP_CHECK_H

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <string.h>

#include "../user/kernel/seccomp.h"

#define CHECK_BROKEN 0xdeadbeefu
#define CHECK_ENOSYS (SECCOMP_RET_ERRNO | ENOSYS)

static inline uint32_t check_audit_arch(enum seccomp_arch arch)
{
	return arch == SECCOMP_ARCH_X86_64 ? AUDIT_ARCH_X86_64 : AUDIT_ARCH_AARCH64;
}

/* Runs @program as the kernel would; CHECK_BROKEN for what the kernel would not take. */
static inline uint32_t check_run(const struct sock_fprog *program, const struct seccomp_data *data)
{
	uint32_t a = 0;

	for (unsigned int pc = 0; pc < program->len; pc++) {
		const struct sock_filter *insn = &program->filter[pc];
		bool holds;

		switch (insn->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			if (insn->k % 4 || insn->k >= sizeof(*data))
				return CHECK_BROKEN;
			memcpy(&a, (const char *)data + insn->k, sizeof(a));
			continue;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= insn->k;
			continue;
		case BPF_JMP | BPF_JA:
			pc += insn->k;
			continue;
		case BPF_RET | BPF_K:
			return insn->k;
		case BPF_JMP | BPF_JEQ | BPF_K:
			holds = a == insn->k;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			holds = a >= insn->k;
			break;
		case BPF_JMP | BPF_JGT | BPF_K:
			holds = a > insn->k;
			break;
		case BPF_JMP | BPF_JSET | BPF_K:
			holds = a & insn->k;
			break;
		default:
			return CHECK_BROKEN;
		}
		pc += holds ? insn->jt : insn->jf;
	}
	return CHECK_BROKEN;
}

static inline bool check_compare(const struct seccomp_compare *compare, uint64_t arg)
{
	const bool holds[] = {
		[SECCOMP_OP_NE] = arg != compare->value,
		[SECCOMP_OP_LT] = arg<compare->value, [SECCOMP_OP_LE] = arg <= compare->value,
				      [SECCOMP_OP_EQ] = arg == compare->value,
				      [SECCOMP_OP_GE] = arg >= compare->value, [SECCOMP_OP_GT] = arg>
					  compare->value,
		[SECCOMP_OP_MASKED_EQ] = (arg & compare->mask) == compare->value,
	};

	return holds[compare->op];
}

static inline uint32_t check_value(struct seccomp_verdict verdict)
{
	const uint32_t values[] = { SECCOMP_RET_ALLOW,	     SECCOMP_RET_LOG,
				    SECCOMP_RET_ERRNO,	     SECCOMP_RET_TRACE,
				    SECCOMP_RET_TRAP,	     SECCOMP_RET_KILL_THREAD,
				    SECCOMP_RET_KILL_PROCESS };

	return values[verdict.action] + verdict.data;
}

/* @numbers: of each rule's call, or negative. */
static inline uint32_t check_expect(const struct seccomp_plan *plan, const int *numbers,
				    enum seccomp_arch arch, const struct seccomp_data *data)
{
	bool known = plan->n_known[arch] == 0;

	if (data->arch != check_audit_arch(arch))
		return SECCOMP_RET_KILL_PROCESS;
	if (arch == SECCOMP_ARCH_X86_64 && (uint32_t)data->nr >= 0x40000000u)
		return CHECK_ENOSYS;
	for (size_t i = 0; i < plan->n_known[arch]; i++)
		known |= (uint32_t)data->nr >= plan->known[arch][i].first &&
			 (uint32_t)data->nr <= plan->known[arch][i].last;
	for (size_t i = 0; known && i < plan->n_rules; i++) {
		bool holds = numbers[i] >= 0 && numbers[i] == data->nr;

		for (unsigned int j = 0; holds && j < plan->rules[i].n_compares; j++)
			holds = check_compare(&plan->rules[i].compares[j],
					      data->args[plan->rules[i].compares[j].arg]);
		if (holds)
			return check_value(plan->rules[i].verdict);
	}
	return known ? check_value(plan->fallback) : CHECK_ENOSYS;
}

#endif
