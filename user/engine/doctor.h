/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_ENGINE_DOCTOR_H
#define REEVE_ENGINE_DOCTOR_H

#include "../model/config.h"
#include "../model/doctor.h"
#include "engine.h"

/* The operator's configuration as it was read: @result is 0, -errno or FAULT_E_SET with a fault. */
struct doctor_rules {
	const struct config *config;
	int result;
	const struct fault *fault;
};

/*
 * Examines the host for every promise, by doing what a run does where that can be undone at once: the
 * programs are loaded and attached to a throw-away cgroup, and a probe in it must be denied. Nothing is
 * left. What is pinned already is listed.
 */
void doctor_examine(const struct engine_config *config, const struct doctor_rules *rules,
		    struct doctor_report *ret);

#endif
