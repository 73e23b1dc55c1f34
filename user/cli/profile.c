// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profile file as a seccomp plan. Profiles ask what the kernel's version is, as container engines let
 * them; nothing of reeve's own is decided by it.
 */
#include "profile.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/utsname.h>

#include "../base/io.h"
#include "../kernel/seccomp.h"
#include "../model/plan.h"
#include "../wire/oci_seccomp.h"

#define PROFILE_BYTES_MAX (1024 * 1024)

int profile_read(const char *path, struct seccomp_plan *ret, struct fault *ret_fault)
{
	static const char remedy[] = "give a readable profile in the OCI format of at most 1 MiB";
	struct oci_seccomp_host host = {
		.arch = SECCOMP_ARCH_NATIVE,
		.capabilities = PLAN_CAPABILITIES,
	};
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *text = NULL;
	struct utsname kernel;
	size_t n;
	int r;

	if (fd < 0)
		return fault_set_errno(ret_fault, FAULT_USAGE, "--seccomp", remedy, errno, "%s",
				       path);
	r = io_read_all(fd, PROFILE_BYTES_MAX, &text, &n);
	if (r == IO_E_TOO_BIG)
		return fault_set(ret_fault, FAULT_USAGE, "--seccomp", remedy, "%s is too large",
				 path);
	if (r)
		return fault_set_errno(ret_fault, FAULT_USAGE, "--seccomp", remedy, -r, "%s", path);
	if (uname(&kernel) ||
	    sscanf(kernel.release, "%u.%u", &host.kernel_major, &host.kernel_minor) != 2)
		return -EINVAL;
	return oci_seccomp_parse(text, n, &host, ret, ret_fault);
}
