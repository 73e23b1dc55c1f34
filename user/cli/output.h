/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_OUTPUT_H
#define REEVE_OUTPUT_H

#include "command.h"

/* "reeve request output" */
extern const struct option_row output_options[];

#endif
