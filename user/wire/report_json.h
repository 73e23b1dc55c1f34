/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_REPORT_JSON_H
#define REEVE_REPORT_JSON_H

#include "../base/fault.h"
#include "../model/doctor.h"
#include "json.h"

/* Each prints one document with a newline at its end; *ret is freed by the caller. 0 or -ENOMEM. */

/* schemas/fault.v1.json */
int fault_json_print(const struct fault *fault, char **ret);
/* schemas/doctor.v1.json */
int doctor_json_print(const struct doctor_report *report, char **ret);

/* A fault as a member of another document; null for NULL and for one that is not set. False when memory is out. */
bool fault_json_add(cJSON *object, const char *key, const struct fault *fault);

#endif
