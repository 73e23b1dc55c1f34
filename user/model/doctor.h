/* SPDX-License-Identifier: GPL-2.0-only */
/* What was found of the host, one check a row; filled by the engine, shown by the command line. */
#ifndef REEVE_DOCTOR_H
#define REEVE_DOCTOR_H

#include <stddef.h>

#include "promise.h"

#define DOCTOR_CHECKS_MAX 64

/* X(NAME, name) */
#define DOCTOR_STATUSES(X)                                                                         \
	X(OK, ok)                                                                                  \
	X(DEGRADED, degraded) /* reeve runs, and says in each result what does not hold */         \
	X(MISSING, missing)   /* reeve refuses to run */

enum doctor_status {
#define X(NAME, name) DOCTOR_##NAME,
	DOCTOR_STATUSES(X)
#undef X
};

struct doctor_check {
	const char *name; /* short, stable, lower case with hyphens; a string constant */
	enum promise promise;
	enum doctor_status status;
	char detail[256]; /* what was found */
	char remedy[512]; /* empty when ok */
};

struct doctor_report {
	struct doctor_check checks[DOCTOR_CHECKS_MAX];
	size_t n_checks;
};

const char *doctor_status_name(enum doctor_status status);

/* How many checks of the report have this status. */
size_t doctor_report_count(const struct doctor_report *report, enum doctor_status status);

/* The worst status in the report. */
enum doctor_status doctor_report_status(const struct doctor_report *report);

#endif
