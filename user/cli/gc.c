// SPDX-License-Identifier: GPL-2.0-only
/*
 * "reeve gc": what a killed run left goes by itself with the next run, and by this command at once.
 */
#include "../engine/recover.h"
#include "command.h"
#include "render.h"

struct gc_options {
	struct engine_config config; /* first: place_options write here */
	bool all;
};

static int set_all(void *to, const char *value, struct fault *ret_fault)
{
	(void)value;
	(void)ret_fault;
	((struct gc_options *)to)->all = true;
	return 0;
}

const struct option_row gc_options[] = {
	{ "all", NULL, "also remove what belongs to the host", set_all },
	{},
};

static int gc_sweep(const struct engine_config *config, struct fault *ret_fault)
{
	_cleanup_engine_ struct engine engine = ENGINE_INIT;
	unsigned int swept = 0;
	int r;

	/* without pins there was no run since they were removed, and none is made to look for one */
	if (!guard_exists(config->pin_dir)) {
		fprintf(stderr, "reeve: nothing is pinned at %s: nothing to collect\n",
			config->pin_dir);
		return 0;
	}
	r = engine_open(config, &engine, &swept, ret_fault);
	if (!r)
		fprintf(stderr, "reeve: removed what %u killed runs had left\n", swept);
	return r;
}

static int gc_all(const struct engine_config *config, struct fault *ret_fault)
{
	struct recover_removed removed;
	int r = recover_remove_all(config, &removed, ret_fault);
	const struct {
		bool there;
		const char *what, *name;
	} rows[] = {
		{ !r && removed.pins, "the programs, maps and links at ", config->pin_dir },
		{ !r && removed.table, "the nftables table inet reeve", "" },
		{ !r && removed.parent, "the cgroup ", config->parent },
		{ !r && removed.run_dir, "the run directory ", config->run_dir },
	};
	const char *before = "reeve: removed ";

	if (r)
		return r;
	render_swept(removed.sessions);
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!rows[i].there)
			continue;
		fprintf(stderr, "%s%s%s", before, rows[i].what, rows[i].name);
		before = ", ";
	}
	fprintf(stderr, before[0] == ',' ? "\n" : "reeve: nothing was left\n");
	return 0;
}

int command_gc(int argc, char **argv)
{
	struct gc_options options = { .config = ENGINE_CONFIG_INIT };
	struct fault fault = {};
	int rest = 0;
	int r = command_parse(command_find("gc"), argc, argv, &options, &rest, &fault);

	if (!r && rest < argc)
		r = fault_set(&fault, FAULT_USAGE, argv[rest], "see \"reeve gc --help\"",
			      "reeve gc takes options only");
	if (!r)
		r = options.all ? gc_all(&options.config, &fault) : gc_sweep(&options.config, &fault);
	if (r < 0)
		render_errno(r);
	if (r > 0)
		render_fault(&fault);
	return r ? EXIT_CODE_REEVE : 0;
}
