// SPDX-License-Identifier: GPL-2.0-only
/*
 * Help is the table of commands, printed: as text for a terminal, as the manual page reeve(8), as completions for a shell. What
 * all of them say stands in the table once. The files that go with an installation are printed here as well.
 */
#include <string.h>

#include "../daemon/method.h"
#include "command.h"
#include "completion.h"
#include "render.h"
#include "service_files.h"

struct help_options {
	void (*print)(void);
};

static void man_print(void);

/* What these options print, by their value where they have one. */
static const struct {
	const char *option, *value;
	void (*print)(void);
} files[] = {
	{ "--man", NULL, man_print },
	{ "--completion", "bash", completion_print_bash },
	{ "--systemd", "reeve.service", service_files_print_service },
	{ "--systemd", "reeve.socket", service_files_print_socket },
	{ "--nginx", NULL, service_files_print_nginx },
};

static int choose(struct help_options *options, const char *option, const char *value,
		  struct fault *ret_fault)
{
	char allowed[128] = "";

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		size_t n = strlen(allowed);

		if (strcmp(files[i].option, option) != 0)
			continue;
		if (!files[i].value || strcmp(files[i].value, value) == 0) {
			options->print = files[i].print;
			return 0;
		}
		snprintf(allowed + n, sizeof(allowed) - n, "%s%s", n ? ", " : "", files[i].value);
	}
	return fault_set(ret_fault, FAULT_USAGE, option, "give one of these",
			 "\"%.64s\" is none of: %s", value, allowed);
}

static int set_man(void *to, const char *value, struct fault *ret_fault)
{
	return choose(to, "--man", value, ret_fault);
}

static int set_completion(void *to, const char *value, struct fault *ret_fault)
{
	return choose(to, "--completion", value, ret_fault);
}

static int set_systemd(void *to, const char *value, struct fault *ret_fault)
{
	return choose(to, "--systemd", value, ret_fault);
}

static int set_nginx(void *to, const char *value, struct fault *ret_fault)
{
	return choose(to, "--nginx", value, ret_fault);
}

const struct option_row help_options[] = {
	{ "man", NULL, "print the manual page, in the form that man(1) reads", set_man },
	{ "completion", "SHELL", "print the completions for a shell: bash", set_completion },
	{ "systemd", "UNIT", "print a unit of systemd: reeve.service or reeve.socket", set_systemd },
	{ "nginx", NULL, "print a server block of nginx for scratch sites", set_nginx },
	{},
};

static void usage_print(const struct command *command)
{
	printf("reeve %s%s%s%s", command->name, *command->options ? " [OPTION...]" : "",
	       *command->usage ? " " : "", command->usage);
}

static void summary_print(const struct command *command)
{
	printf("  reeve %-18s %s\n", command->name, command->summary);
}

static void command_print(const struct command *command)
{
	char left[64];

	usage_print(command);
	printf("\n\n%s\n\n", command->text);
	for (const struct command *below = command->group; below && below->name; below++)
		summary_print(below);
	for (const struct option_row *const *table = command->options; *table; table++)
		for (const struct option_row *row = *table; row->name; row++) {
			option_show(row, left, sizeof(left));
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
			option_show(row, left, sizeof(left));
			printf(".TP\n.B ");
			man_text(left);
			man_text(row->help);
		}
}

static void man_synopsis(const struct command *command)
{
	printf(".B ");
	usage_print(command);
	printf("\n.br\n");
}

static void man_print(void)
{
	printf(".TH REEVE 8\n.SH NAME\nreeve \\- %s\n.SH SYNOPSIS\n", reeve_summary);
	command_each(man_synopsis);
	printf(".SH DESCRIPTION\n");
	man_text(reeve_text);
	printf(".SH COMMANDS\n");
	command_each(man_command);
	printf(".SH EXIT STATUS\nThat of the command, and:\n");
	for (const struct exit_code_row *row = exit_codes; row->code; row++) {
		printf(".TP\n.B %d\n", row->code);
		man_text(row->text);
	}
	printf(".SH ENVIRONMENT\n.TP\n.B REEVE_ALLOWED_PATHS\n");
	man_text(reeve_allowed_paths);
	printf(".SH FILES\n");
	man_text("These options say where they are:");
	for (const struct option_row *row = place_options; row->name; row++) {
		char left[64];

		option_show(row, left, sizeof(left));
		printf(".TP\n.B ");
		man_text(left);
		man_text(row->help);
	}
	printf(".SH SEE ALSO\n.BR bpftool (8),\n.BR cgroups (7),\n.BR user_namespaces (7)\n");
}

static void list_print(void)
{
	printf("reeve: %s\n\n", reeve_summary);
	for (const struct command *command = commands; command->name; command++)
		summary_print(command);
	printf("\n\"reeve COMMAND --help\" says more, \"reeve --version\" which reeve this is.\n");
}

/* "session" and "go" stand for the command "session go". */
static const struct command *command_of(int argc, char **argv)
{
	const struct command *command = command_find(argv[0]);

	for (int i = 1; i < argc && command; i++)
		command = command->group ? command_find_below(command, argv[i]) : NULL;
	return command;
}

int command_help(int argc, char **argv)
{
	struct help_options options = {};
	const struct command *command = NULL;
	struct fault fault = {};
	int rest = argc;
	int r = command_parse(command_find("help"), argc, argv, &options, &rest, &fault);

	if (!r && rest < argc) {
		command = command_of(argc - rest, argv + rest);
		if (!command)
			r = fault_set(&fault, FAULT_USAGE, argv[argc - 1], "see \"reeve help\"",
				      "there is no such command");
	}
	if (r) {
		render_fault(&fault);
		return EXIT_CODE_REEVE;
	}
	if (options.print)
		options.print();
	else if (command)
		command_print(command);
	else
		list_print();
	return 0;
}
