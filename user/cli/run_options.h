/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_RUN_OPTIONS_H
#define REEVE_RUN_OPTIONS_H

#include "../model/spec.h"
#include "command.h"

struct run_options {
	struct engine_config config; /* first: place_options write here */
	struct spec spec;
	const char *request, *image;
	bool has_egress;
	enum spec_egress egress;
	bool json, dry_run;
};

#endif
