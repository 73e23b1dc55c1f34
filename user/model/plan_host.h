/* SPDX-License-Identifier: GPL-2.0-only */
/* What planning may know of the host and of the opened inputs; gathered beforehand, nothing else is looked at. */
#ifndef REEVE_PLAN_HOST_H
#define REEVE_PLAN_HOST_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

#include "spec.h"

/* One input after it was opened and checked by kernel/input: what planning may know of it. */
struct plan_input {
	enum spec_input_kind kind;
	const char *basename; /* of the resolved path */
};

/* What planning may know of the host; gathered by kernel/, nothing else is looked at. */
struct plan_host {
	const char *session_id, *request_id, *output_name;
	unsigned int slot;
	struct in_addr pool_v4;	 /* a /16 that no route of the host overlaps */
	struct in6_addr pool_v6; /* a /64 of the same kind; zero where the host routes no IPv6 */
	const char *resolv_conf; /* the text that the sandbox gets */
	/* For each entry of plan_host_root(): absent, a directory or file, or a symlink's target. */
	const struct plan_host_entry *root;
	size_t n_root;
	bool has_memory, has_pids, has_cpu; /* controllers that the parent cgroup can give */
	bool has_workspace; /* the session has directories of its own: /workspace, /site */
};

enum plan_host_entry_kind {
	PLAN_HOST_ABSENT,
	PLAN_HOST_PRESENT,
	PLAN_HOST_SYMLINK,
};

struct plan_host_entry {
	enum plan_host_entry_kind kind;
	char link[256];
};

/* The host paths that the image "host" shows, in mount order. */
const char *const *plan_host_root(size_t *ret_n);

#endif
