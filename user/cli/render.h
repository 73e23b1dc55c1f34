/* SPDX-License-Identifier: GPL-2.0-only */
/* The one place that renders for people; what is not asked for by name goes to stderr. */
#ifndef REEVE_RENDER_H
#define REEVE_RENDER_H

#include "../base/fault.h"
#include "../model/config.h"
#include "../model/doctor.h"
#include "../model/policy_view.h"
#include "../model/result.h"

void render_fault(const struct fault *fault);

/* A function's result without a fault of its own: an errno that nobody expected. */
void render_errno(int err);

/* The account of a run. */
void render_result(const struct run_result *result);

void render_swept(unsigned int swept);

/* To stdout: these are what was asked for. */
void render_doctor(const struct doctor_report *report);
void render_policy(const struct policy_view *view);
void render_policy_line(const struct policy_view *view);	   /* of a list */
void render_config(const struct config *config, const char *file); /* NULL: the defaults */

#endif
