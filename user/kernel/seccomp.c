// SPDX-License-Identifier: GPL-2.0-only
/*
 * The built-in program. It is compiled when reeve is built, by seccomp_gen.c from the same rules
 * through the same compiler as any profile, so that a start pays for its installation only. The
 * generated header holds one array for each architecture and chooses by the compiler's target.
 */
#include "seccomp.h"

#include "seccomp_default.h"

const struct sock_fprog *seccomp_default(void)
{
	static const struct sock_fprog program = {
		.len = ARRAY_SIZE(seccomp_default_filter),
		/* The kernel's structure has no const; nothing writes through it. */
		.filter = (struct sock_filter *)seccomp_default_filter,
	};

	return &program;
}
