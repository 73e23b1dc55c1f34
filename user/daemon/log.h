/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_LOG_H
#define REEVE_LOG_H

#include "../base/fault.h"

/* The levels of syslog(3), by number. */
enum log_level {
	LOG_ERROR = 3,
	LOG_WARN = 4,
	LOG_NOTE = 5,
	LOG_INFORM = 6,
};

/*
 * One line to stderr: "<N>text" where the journal reads it, "reeve: text" elsewhere. What is no printable
 * ASCII is shown as \xNN, so that no text from outside makes lines of its own.
 */
void log_line(enum log_level level, const char *fmt, ...) _printf_(2, 3);
/* @r as functions return it: -errno, or FAULT_E_SET with @fault. */
void log_result(enum log_level level, const char *what, int r, const struct fault *fault);

#endif
