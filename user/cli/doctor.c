// SPDX-License-Identifier: GPL-2.0-only
/* "reeve doctor": the report of the engine, for people or as a document. */
#include <errno.h>

#include "../engine/doctor.h"

#include "../wire/report_json.h"
#include "command.h"
#include "config_file.h"
#include "render.h"

struct doctor_options {
	struct engine_config config; /* first: place_options write here */
	bool json;
};

static int set_json(void *to, const char *value, struct fault *ret_fault)
{
	(void)value;
	(void)ret_fault;
	((struct doctor_options *)to)->json = true;
	return 0;
}

const struct option_row doctor_options[] = {
	{ "json", NULL, "print the report as a JSON document", set_json },
	{},
};

static int report_show(const struct doctor_report *report, bool json)
{
	_cleanup_free_ char *text = NULL;
	int r;

	if (!json) {
		render_doctor(report);
		return 0;
	}
	r = doctor_json_print(report, &text);
	if (!r)
		fputs(text, stdout);
	return r;
}

int command_doctor(int argc, char **argv)
{
	static const int codes[] = {
		[DOCTOR_OK] = 0,
		[DOCTOR_DEGRADED] = 1,
		[DOCTOR_MISSING] = EXIT_CODE_REEVE,
	};
	struct doctor_options options = { .config = ENGINE_CONFIG_INIT };
	_cleanup_free_ struct doctor_report *report = calloc(1, sizeof(*report));
	_cleanup_config_ struct config rules = {};
	struct doctor_rules read = { .config = &rules };
	struct fault fault = {}, rules_fault = {};
	int rest = 0;
	int r = report ? command_parse(command_find("doctor"), argc, argv, &options, &rest, &fault)
		       : -ENOMEM;

	if (!r && rest < argc)
		r = fault_set(&fault, FAULT_USAGE, argv[rest], "see \"reeve doctor --help\"",
			      "reeve doctor takes options only");
	if (!r) {
		read.result = config_file_read(options.config.config_file, &rules, &rules_fault);
		read.fault = &rules_fault;
		doctor_examine(&options.config, &read, report);
		r = report_show(report, options.json);
	}
	if (r < 0)
		render_errno(r);
	if (r > 0)
		render_fault(&fault);
	return r ? EXIT_CODE_REEVE : codes[doctor_report_status(report)];
}
