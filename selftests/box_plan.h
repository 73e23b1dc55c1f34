/* SPDX-License-Identifier: GPL-2.0-only */
/* The inputs and the plan of the sandbox of box.h. */
#ifndef REEVE_SELFTESTS_BOX_PLAN_H
#define REEVE_SELFTESTS_BOX_PLAN_H

#include "box.h"

static inline void box_add_input(enum spec_input_kind kind, const char *path)
{
	size_t i = box.n_inputs++;
	char *name;

	box.inputs[i] = (struct spec_input){ kind, (char *)path };
	ASSERT_OK(input_open(&box.inputs[i], NULL, "--file", &box.input_fds[i], &name, &box.fault));
	box.plan_inputs[i] = (struct plan_input){ kind, name };
}

/* A program of selftests/live/prog, given as an input: its name inside is /in/NAME. */
static inline void box_add_prog(const char *name)
{
	const char *dir = getenv("PROG");
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir ? dir : "build/prog", name);
	box_add_input(SPEC_INPUT_FILE, strdup(path));
}

static inline int box_plan(const char *const *argv)
{
	struct spec spec = { .argv = (char **)argv, .inputs = box.inputs, .n_inputs = box.n_inputs };
	struct plan_host_entry root[64];
	struct plan_host host = {
		.session_id = "sbs_test",
		.request_id = "sbr_test",
		.output_name = "out",
		.slot = BOX_SLOT,
		.root = root,
	};

	while (argv[spec.n_argv])
		spec.n_argv++;
	plan_host_root(&host.n_root);
	ASSERT_LE(host.n_root, ARRAY_SIZE(root));
	ASSERT_OK(hostroot_read(root, host.n_root));
	return plan_make(&spec, &host, box.plan_inputs, box.n_inputs, &box.plan, &box.fault);
}

#endif
