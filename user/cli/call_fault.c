// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the daemon said no to, for who wrote the command: a member of the document that it complains of gets the name of its
 * option back, and its value; refusals have the exit codes that runs have for the same.
 */
#include <string.h>

#include "../wire/report_json.h"
#include "call.h"
#include "render.h"
#include "text_show.h"

bool call_is_lost(const struct call_options *options, int r, const struct fault *fault)
{
	return r > 0 && fault->code == FAULT_HOST && strcmp(fault->field, options->socket) == 0;
}

/* What the daemon complains of, by the name that it has here, and with its value. */
static void option_blame(const struct command *command, const struct option_row *row,
			 const struct call_options *options, struct fault *fault)
{
	const char *value = document_text(options->body, row->member);
	const struct fault was = *fault;
	char field[64], remedy[96];

	snprintf(field, sizeof(field), "--%s", row->name);
	snprintf(remedy, sizeof(remedy), "see \"reeve %s --help\"", command->name);
	*fault = (struct fault){};
	if (*value)
		fault_set(fault, was.code, field, remedy, "\"%.64s\": %s", value, was.reason);
	else
		fault_set(fault, was.code, field, remedy, "%s", was.reason);
}

/* Below, too: a lack of "/task" is first of all one of "/task/id". */
static bool is_at_or_below(const char *member, const char *pointer)
{
	size_t n = strlen(pointer);

	return n > 1 && strncmp(member, pointer, n) == 0 && strchr("/", member[n]);
}

/* "--minutes" for "/cap/minutes", where the command has such an option. */
static void field_name(const struct command *command, const struct call_options *options,
		       struct fault *fault)
{
	static const char lack[] = "must have required property '";
	char pointer[sizeof(fault->field) + 64], *quote;

	snprintf(pointer, sizeof(pointer), "%s", fault->field);
	if (strncmp(fault->reason, lack, sizeof(lack) - 1) == 0) {
		snprintf(pointer, sizeof(pointer), "%s/%.60s",
			 strcmp(fault->field, "/") ? fault->field : "",
			 fault->reason + sizeof(lack) - 1);
		quote = strchr(pointer, '\'');
		if (quote)
			*quote = 0;
	}
	for (const struct option_row *const *table = command->options; *table; table++)
		for (const struct option_row *row = *table; row->name; row++) {
			if (!row->member || !is_at_or_below(row->member, pointer))
				continue;
			option_blame(command, row, options, fault);
			return;
		}
}

static int exit_code_of(enum fault_code code)
{
	switch (code) {
	case FAULT_UNSUPPORTED:
		return EXIT_CODE_POLICY;
	case FAULT_CAP_SPENT:
	case FAULT_QUEUE_CLOSED:
		return EXIT_CODE_CAP;
	default:
		return EXIT_CODE_REEVE;
	}
}

/* It may name a file that a sandbox made. */
static void fault_show(const struct fault *fault)
{
	struct fault shown = { .code = fault->code };

	text_show(fault->field, SIZE_MAX, shown.field, sizeof(shown.field));
	text_show(fault->reason, SIZE_MAX, shown.reason, sizeof(shown.reason));
	text_show(fault->remedy, SIZE_MAX, shown.remedy, sizeof(shown.remedy));
	render_fault(&shown);
}

int call_end(const struct command *command, const struct call_options *options, int r,
	     struct fault *fault)
{
	_cleanup_free_ char *text = NULL;

	if (r < 0)
		render_errno(r);
	if (r <= 0)
		return r ? EXIT_CODE_REEVE : 0;
	if (fault->code == FAULT_DOCUMENT)
		field_name(command, options, fault);
	if (options->json && fault_json_print(fault, &text) == 0)
		fputs(text, stdout);
	fault_show(fault);
	return exit_code_of(fault->code);
}
