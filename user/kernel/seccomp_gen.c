// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs while reeve is built and prints seccomp_default.h: the built-in rules, compiled for every
 * architecture that they are written for, whatever machine this is. A rule of a name that neither
 * libseccomp nor the compiler knows fails the build.
 */
#include "seccomp.h"

#include <stdio.h>

static const char *const targets[] = {
	[SECCOMP_ARCH_X86_64] = "__x86_64__",
	[SECCOMP_ARCH_AARCH64] = "__aarch64__",
};

static int print_filter(enum seccomp_arch arch)
{
	_cleanup_seccomp_program_ struct sock_fprog program = { 0 };
	struct fault fault = { 0 };
	int r;

	r = seccomp_compile(seccomp_plan_default(), arch, &program, &fault);
	if (r) {
		fprintf(stderr, "%s: %s (%d)\n", seccomp_arch_name(arch), fault.reason, r);
		return 1;
	}
	printf("#ifdef %s\n", targets[arch]);
	printf("static const struct sock_filter seccomp_default_filter[%u] = {\n", program.len);
	for (unsigned int i = 0; i < program.len; i++)
		printf("\t{0x%02x, %u, %u, 0x%08x},\n", program.filter[i].code,
		       program.filter[i].jt, program.filter[i].jf, program.filter[i].k);
	printf("};\n#endif\n");
	return 0;
}

int main(void)
{
	int r = 0;

	printf("/* SPDX-License-Identifier: GPL-2.0-only */\n");
	printf("/* Printed by user/kernel/seccomp_gen.c from user/model/seccomp.c. */\n");
	for (int arch = 0; arch < SECCOMP_ARCH_COUNT; arch++)
		r |= print_filter((enum seccomp_arch)arch);
	return r || fflush(stdout) ? 1 : 0;
}
