/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_ENGINE_DOCTOR_H
#define REEVE_ENGINE_DOCTOR_H

#include "../model/doctor.h"
#include "engine.h"

/*
 * Examines the host for every promise, by doing what a run does where that can be undone at once: the
 * programs are loaded and attached to a throw-away cgroup, and a probe in it must be denied. Nothing is
 * left. What is pinned already is listed.
 */
void doctor_examine(const struct engine_config *config, struct doctor_report *ret);

#endif
