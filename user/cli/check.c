// SPDX-License-Identifier: GPL-2.0-only
/* "reeve check": the configuration as a run would read it, and what it comes to. */
#include <errno.h>

#include "../wire/config.h"
#include "../wire/report_json.h"
#include "command.h"
#include "config_file.h"
#include "render.h"

struct check_options {
	bool json;
};

static int set_json(void *to, const char *value, struct fault *ret_fault)
{
	(void)value;
	(void)ret_fault;
	((struct check_options *)to)->json = true;
	return 0;
}

const struct option_row check_options[] = {
	{ "json", NULL, "print what it comes to, or the fault, as a JSON document", set_json },
	{},
};

static int valid_show(const struct config *config, const char *path, bool json)
{
	const char *file = config_file_is_there(path) ? path ? path : ENGINE_CONFIG_FILE : NULL;
	_cleanup_free_ char *text = NULL;
	int r;

	if (!json) {
		render_config(config, file);
		return 0;
	}
	r = config_summary_print(config, file, &text);
	if (!r)
		fputs(text, stdout);
	return r;
}

int command_check(int argc, char **argv)
{
	struct check_options options = {};
	_cleanup_config_ struct config config = {};
	_cleanup_free_ char *text = NULL;
	struct fault fault = {};
	int rest = 0;
	int r = command_parse(command_find("check"), argc, argv, &options, &rest, &fault);
	const char *path = !r && rest < argc ? argv[rest] : NULL;

	if (!r && rest + 1 < argc)
		r = fault_set(&fault, FAULT_USAGE, argv[rest + 1], "see \"reeve check --help\"",
			      "reeve check reads one file");
	if (!r)
		r = config_file_read(path, &config, &fault);
	if (!r)
		r = valid_show(&config, path, options.json);
	if (r < 0)
		render_errno(r);
	if (r > 0 && options.json && fault_json_print(&fault, &text) == 0)
		fputs(text, stdout);
	if (r > 0)
		render_fault(&fault);
	return r ? EXIT_CODE_REEVE : 0;
}
