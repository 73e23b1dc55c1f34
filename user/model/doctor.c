// SPDX-License-Identifier: GPL-2.0-only
/*
 * The report on a host as data. The statuses are ordered from good to bad, so that the worst of a
 * report is its greatest: an empty report is ok, one missing check makes the whole missing.
 */
#include "doctor.h"

static const char *const names[] = {
#define X(NAME, name) [DOCTOR_##NAME] = #name,
	DOCTOR_STATUSES(X)
#undef X
};

const char *doctor_status_name(enum doctor_status status)
{
	return names[status];
}

size_t doctor_report_count(const struct doctor_report *report, enum doctor_status status)
{
	size_t i, n = 0;

	for (i = 0; i < report->n_checks; i++)
		n += report->checks[i].status == status;
	return n;
}

enum doctor_status doctor_report_status(const struct doctor_report *report)
{
	enum doctor_status worst = DOCTOR_OK;
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		if (report->checks[i].status > worst)
			worst = report->checks[i].status;
	return worst;
}
