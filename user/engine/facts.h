/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_FACTS_H
#define REEVE_FACTS_H

#include "../base/uuid.h"
#include "../model/plan.h"

#define FACTS_ROOT_MAX 64

/* The ids of a run, and what planning may know of the host, with the storage of both. */
struct facts {
	char session_id[REEVE_SESSION_ID_SIZE], request_id[REEVE_SESSION_ID_SIZE];
	char output_name[UUID_LEN + 1];
	struct plan_host_entry root[FACTS_ROOT_MAX];
	struct plan_host host;
};

/* New ids alone: a slot is taken in their name before the rest is looked at. Returns 0 or -errno. */
int facts_name(struct facts *facts);

/*
 * Looks at the host for @spec in slot @slot. @controllers, a mask of enum cgroup_controller, is what the
 * parent cgroup can give. Only looks. Returns 0, -errno or FAULT_E_SET.
 */
int facts_read(const struct spec *spec, unsigned int controllers, unsigned int slot,
	       struct facts *facts, struct fault *ret_fault);

#endif
