/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_COMPLETION_H
#define REEVE_COMPLETION_H

/* Completions for bash, made from the table of commands, on stdout. */
void completion_print_bash(void);

#endif
