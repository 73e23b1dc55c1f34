/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_PROFILE_H
#define REEVE_PROFILE_H

#include "../base/fault.h"
#include "../model/seccomp.h"

/*
 * Reads a seccomp profile in the OCI format, judged for this kernel and for the capabilities of a sandbox.
 * Returns 0, -errno or FAULT_E_SET. Free with seccomp_plan_deinit.
 */
int profile_read(const char *path, struct seccomp_plan *ret, struct fault *ret_fault);

#endif
