// SPDX-License-Identifier: GPL-2.0-only
/*
 * Help is the table of commands, printed: as text for a terminal, or as the manual page reeve(8). What both
 * say stands in the table once.
 */
#include "../daemon/method.h"
#include "command.h"
#include "render.h"

struct help_options {
	bool man;
};

static int set_man(void *to, const char *value, struct fault *ret_fault)
{
	(void)value;
	(void)ret_fault;
	((struct help_options *)to)->man = true;
	return 0;
}

const struct option_row help_options[] = {
	{ "man", NULL, "print the manual page, in the form that man(1) reads", set_man },
	{},
};

static void option_left(const struct option_row *row, char *ret, size_t size)
{
	snprintf(ret, size, "--%s%s%s", row->name, row->arg ? " " : "", row->arg ? row->arg : "");
}

static void usage_print(const struct command *command)
{
	printf("reeve %s%s%s%s", command->name, *command->options ? " [OPTION...]" : "",
	       *command->usage ? " " : "", command->usage);
}

static void command_print(const struct command *command)
{
	char left[64];

	usage_print(command);
	printf("\n\n%s\n\n", command->text);
	for (const struct option_row *const *table = command->options; *table; table++)
		for (const struct option_row *row = *table; row->name; row++) {
			option_left(row, left, sizeof(left));
			printf("  %-24s %s\n", left, row->help);
		}
	if (command->run == command_daemon) {
		printf("\nMethods; GET /openapi.json says all of them:\n");
		for (const struct method *method = methods; method->name; method++)
			printf("  %-5s %-32s %s\n", method->verb, method->path, method->summary);
	}
	if (command->run != command_run)
		return;
	printf("\nExit codes, beside those of the command itself:\n");
	for (const struct exit_code_row *row = exit_codes; row->code; row++)
		printf("  %-5d %s\n", row->code, row->text);
}

/* A line of roff must not begin with a dot or a quote, and its hyphens are written as such. */
static void man_text(const char *text)
{
	bool start = true;

	for (; *text; text++) {
		if (start && (*text == '.' || *text == '\''))
			printf("\\&");
		if (*text == '-' || *text == '\\')
			putchar('\\');
		putchar(*text);
		start = *text == '\n';
	}
	putchar('\n');
}

static void man_command(const struct command *command)
{
	char left[64];

	printf(".SS \"");
	usage_print(command);
	printf("\"\n");
	man_text(command->text);
	for (const struct option_row *const *table = command->options; *table; table++)
		for (const struct option_row *row = *table; row->name; row++) {
			option_left(row, left, sizeof(left));
			printf(".TP\n.B ");
			man_text(left);
			man_text(row->help);
		}
}

static void man_print(void)
{
	printf(".TH REEVE 8\n.SH NAME\nreeve \\- %s\n.SH SYNOPSIS\n", reeve_summary);
	for (const struct command *command = commands; command->name; command++) {
		printf(".B ");
		usage_print(command);
		printf("\n.br\n");
	}
	printf(".SH DESCRIPTION\n");
	man_text(reeve_text);
	printf(".SH COMMANDS\n");
	for (const struct command *command = commands; command->name; command++)
		man_command(command);
	printf(".SH EXIT STATUS\nThat of the command, and:\n");
	for (const struct exit_code_row *row = exit_codes; row->code; row++) {
		printf(".TP\n.B %d\n", row->code);
		man_text(row->text);
	}
	printf(".SH ENVIRONMENT\n.TP\n.B REEVE_ALLOWED_PATHS\n");
	man_text(reeve_allowed_paths);
	printf(".SH FILES\n");
	for (const struct option_row *row = place_options; row->name; row++) {
		printf(".TP\n.B ");
		man_text(row->name);
		man_text(row->help);
	}
	printf(".SH SEE ALSO\n.BR bpftool (8),\n.BR cgroups (7),\n.BR user_namespaces (7)\n");
}

int command_help(int argc, char **argv)
{
	struct help_options options = {};
	const struct command *command;
	struct fault fault = {};
	int rest = argc;
	int r = command_parse(command_find("help"), argc, argv, &options, &rest, &fault);

	command = !r && rest < argc ? command_find(argv[rest]) : NULL;
	if (!r && rest < argc && !command)
		r = fault_set(&fault, FAULT_USAGE, argv[rest], "see \"reeve help\"",
			      "there is no such command");
	if (r) {
		render_fault(&fault);
		return EXIT_CODE_REEVE;
	}
	if (options.man) {
		man_print();
	} else if (command) {
		command_print(command);
	} else {
		printf("reeve: %s\n\n", reeve_summary);
		for (command = commands; command->name; command++)
			printf("  reeve %-12s %s\n", command->name, command->summary);
		printf("\n\"reeve COMMAND --help\" says more, \"reeve --version\" which reeve this is.\n");
	}
	return 0;
}
