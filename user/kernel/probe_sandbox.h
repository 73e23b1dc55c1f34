/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's parts that the sandbox is built of, each used once. */
#ifndef REEVE_PROBE_SANDBOX_H
#define REEVE_PROBE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One part. Tried in a child with namespaces of its own, so that nothing of it is left. */
struct probe_part {
	uint64_t namespaces;  /* for probe_child */
	int (*fn)(void *arg); /* for probe_child; takes no argument */
	const char *text;     /* what is there when it succeeds */
	const char *remedy;
};

enum probe_part_id {
	PROBE_PART_NAMESPACES,
	PROBE_PART_MOUNT_API,
	PROBE_PART_OVERLAY,
	PROBE_PART_PROCFS,
	PROBE_PART_SECCOMP,
	PROBE_PART_PIDFD,
	PROBE_PART_COUNT,
};

extern const struct probe_part probe_parts[PROBE_PART_COUNT];

/*
 * Whether the file system at @path can show its files under the owners of another user namespace. Returns
 * 0 or -errno; makes no mount that anybody could see.
 */
int probe_idmapped_mount(const char *path, int userns_fd, bool *ret);

/* Burns CPU time: for ever, or as many nanoseconds as @arg, a uint64_t, says. */
int probe_spin(void *arg);

#endif
