/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_ENGINE_POLICY_H
#define REEVE_ENGINE_POLICY_H

#include "../model/policy_view.h"
#include "engine.h"

enum policy_act {
	POLICY_SHOW,
	POLICY_ALLOW,
	POLICY_DENY,
	POLICY_RESET, /* of all the session's own rules */
};

struct policy_args {
	enum policy_act act;
	const char *session;	  /* the id of a live session, or the beginning of one alone */
	const struct rule *rules; /* for allow and deny; their verdict is the act's */
	size_t n_rules;
};

/*
 * Changes a live session's own rules, whoever owns it, and reads what the kernel then holds. The change is in
 * effect on the next packet when this returns. Returns 0, -errno or FAULT_E_SET: which session is not clear,
 * or a rule cannot hold for it; then none is put.
 */
int policy_act(const struct engine_config *config, const struct policy_args *args,
	       struct policy_view *ret, struct fault *ret_fault);

/*
 * Calls @fn for what the kernel holds of each live session; one that is only starting is left out. A result
 * other than 0 ends the walk and is returned. Returns 0, -errno or FAULT_E_SET, also when no run was here.
 */
int policy_each(const struct engine_config *config,
		int (*fn)(const struct policy_view *view, void *arg), void *arg,
		struct fault *ret_fault);

#endif
