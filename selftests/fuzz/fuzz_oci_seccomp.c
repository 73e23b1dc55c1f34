// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bytes as a seccomp profile. What is refused has a fault that says so; what is taken compiles to a
 * program that decides, near every value of its rules, as the rules do when they are read one by
 * one.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../../user/wire/oci_seccomp.h"
#include "../seccomp_check.h"

#define RULES_CHECKED 64

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_near(const struct seccomp_plan *plan, const struct sock_fprog *program,
		       enum seccomp_arch arch, const int *numbers, size_t i)
{
	const struct seccomp_rule *rule = &plan->rules[i];
	struct seccomp_data data = { .nr = numbers[i], .arch = check_audit_arch(arch) };

	for (int turn = 0; turn < 4; turn++) {
		for (unsigned int j = 0; j < rule->n_compares; j++)
			data.args[rule->compares[j].arg] =
				rule->compares[j].value + (turn & 1) - (uint64_t)(turn >> 1);
		if (check_run(program, &data) != check_expect(plan, numbers, arch, &data))
			abort();
		data.nr ^= turn;
	}
}

static void check_program(const struct seccomp_plan *plan, enum seccomp_arch arch)
{
	_cleanup_seccomp_program_ struct sock_fprog program = { 0 };
	_cleanup_free_ int *numbers = NULL;
	struct fault fault = { 0 };
	int r = seccomp_compile(plan, arch, &program, &fault);

	if (r == FAULT_E_SET && *fault.reason)
		return;
	if (r)
		abort();
	numbers = calloc(plan->n_rules + 1, sizeof(*numbers));
	for (size_t i = 0; i < plan->n_rules; i++)
		numbers[i] = seccomp_number(plan->rules[i].name, arch);
	for (size_t i = 0; i < plan->n_rules && i < RULES_CHECKED; i++)
		check_near(plan, &program, arch, numbers, i);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	for (int arch = 0; arch < SECCOMP_ARCH_COUNT; arch++) {
		const struct oci_seccomp_host host = {
			.arch = (enum seccomp_arch)arch,
			.capabilities = 0xa80425fb,
			.kernel_major = 6,
			.kernel_minor = 1,
		};
		_cleanup_seccomp_plan_ struct seccomp_plan plan = { 0 };
		struct fault fault = { 0 };
		int r = oci_seccomp_parse((const char *)bytes, size, &host, &plan, &fault);

		if (r == FAULT_E_SET && *fault.field == '/' && *fault.reason && *fault.remedy)
			continue;
		if (r)
			abort();
		check_program(&plan, host.arch);
	}
	return 0;
}
