/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A seccomp profile as others write it: the "seccomp" object of the OCI runtime specification, and
 * the form that Docker and moby keep on disk (archMap, includes, excludes), as a plan.
 *
 * Refused, and not guessed: an unknown key, action, operator, architecture or capability; a profile
 * that is not written for this architecture; SCMP_ACT_NOTIFY and filter flags; two rules of one
 * call with different verdicts, and two comparisons of one argument in one rule, which runtimes
 * read differently. Architectures beside the native one are accepted and, as under every plan, stay
 * closed.
 */
#ifndef REEVE_WIRE_OCI_SECCOMP_H
#define REEVE_WIRE_OCI_SECCOMP_H

#include "../base/fault.h"
#include "../model/seccomp.h"

/* What includes and excludes are judged by. */
struct oci_seccomp_host {
	enum seccomp_arch arch;
	uint64_t capabilities; /* the sandbox's, bit 1 << CAP_* */
	unsigned int kernel_major, kernel_minor;
};

/* Returns 0, -ENOMEM, or FAULT_E_SET with a JSON pointer. Free *ret with seccomp_plan_deinit. */
int oci_seccomp_parse(const char *text, size_t length, const struct oci_seccomp_host *host,
		      struct seccomp_plan *ret, struct fault *ret_fault);

#endif
