// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of commands as three arrays of bash, and one function that looks into them. Ids are asked of reeve itself, at the
 * socket that the line names.
 */
#include "completion.h"

#include <string.h>

#include "command.h"

static const char function[] =
	"# The values of one key in documents, one a line.\n"
	"_reeve_ids() {\n"
	"\tlocal socket=() i\n"
	"\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	"\t\t[ \"${COMP_WORDS[i]}\" != --socket ] || socket=(--socket \"${COMP_WORDS[i + 1]}\")\n"
	"\tdone\n"
	"\t\"${COMP_WORDS[0]}\" \"$1\" list --json \"${socket[@]}\" 2>/dev/null |\n"
	"\t\tsed -n \"s/.*\\\"$1_id\\\":\\\"\\([a-z]*_[0-9A-Z]*\\)\\\".*/\\1/p\"\n"
	"}\n"
	"\n"
	"_reeve() {\n"
	"\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words\n"
	"\tlocal command=${COMP_WORDS[1]} first=2 i given=0\n"
	"\tCOMPREPLY=()\n"
	"\tif [ \"$COMP_CWORD\" -gt 2 ] && [ -n \"${_reeve_below[$command]-}\" ]; then\n"
	"\t\tcommand+=\" ${COMP_WORDS[2]}\" first=3\n"
	"\tfi\n"
	"\tif [ \"$COMP_CWORD\" = 1 ]; then\n"
	"\t\twords=$_reeve_commands\n"
	"\telif [ \"$COMP_CWORD\" = 2 ] && [ -n \"${_reeve_below[$command]-}\" ]; then\n"
	"\t\twords=${_reeve_below[$command]}\n"
	"\telse\n"
	"\t\tfor ((i = first; i < COMP_CWORD; i++)); do\n"
	"\t\t\tcase ${COMP_WORDS[i]} in\n"
	"\t\t\t--) return ;;\n"
	"\t\t\t-*) [[ \" ${_reeve_valued[$command]-} \" != *\" ${COMP_WORDS[i]} \"* ]] || ((i++)) ;;\n"
	"\t\t\t*) ((given++)) ;;\n"
	"\t\t\tesac\n"
	"\t\tdone\n"
	"\t\t[[ \" ${_reeve_valued[$command]-} \" != *\" $before \"* ]] || return\n"
	"\t\tcase $word,$given,${_reeve_takes[$command]-} in\n"
	"\t\t-*) words=${_reeve_options[$command]-} ;;\n"
	"\t\t*,0,session | *,0,request) words=$(_reeve_ids \"${_reeve_takes[$command]}\") ;;\n"
	"\t\t*,0,command) words=$_reeve_commands ;;\n"
	"\t\t*) return ;;\n"
	"\t\tesac\n"
	"\tfi\n"
	"\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
	"}\n"
	"complete -o default -F _reeve reeve\n";

/* What the first argument is, by the usage that people read. */
static const struct {
	const char *usage, *takes;
} kinds[] = {
	{ "SESSION", "session" },
	{ "[SESSION]", "session" },
	{ "REQUEST", "request" },
	{ "[COMMAND...]", "command" },
};

static void options_print(const struct command *command)
{
	printf("\t[\"%s\"]=\"", command->name);
	for (const struct option_row *const *table = command->options; *table; table++)
		for (const struct option_row *row = *table; row->name; row++)
			printf("--%s ", row->name);
	printf("--help\"\n");
}

static void valued_print(const struct command *command)
{
	printf("\t[\"%s\"]=\"", command->name);
	for (const struct option_row *const *table = command->options; *table; table++)
		for (const struct option_row *row = *table; row->name; row++)
			if (row->arg)
				printf("--%s ", row->name);
	printf("\"\n");
}

static void takes_print(const struct command *command)
{
	size_t n = strcspn(command->usage, " ");

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strlen(kinds[i].usage) == n && strncmp(kinds[i].usage, command->usage, n) == 0)
			printf("\t[\"%s\"]=%s\n", command->name, kinds[i].takes);
}

static void array_print(const char *name, void (*print)(const struct command *command))
{
	printf("declare -gA _reeve_%s=(\n", name);
	command_each(print);
	printf(")\n");
}

void completion_print_bash(void)
{
	printf("# Completions of reeve for bash, made by \"reeve help --completion bash\".\n"
	       "_reeve_commands=\"");
	for (const struct command *command = commands; command->name; command++)
		printf("%s%s", command == commands ? "" : " ", command->name);
	printf("\"\ndeclare -gA _reeve_below=(\n");
	for (const struct command *command = commands; command->name; command++) {
		if (!command->group)
			continue;
		printf("\t[\"%s\"]=\"", command->name);
		for (const struct command *below = command->group; below->name; below++)
			printf("%s ", strchr(below->name, ' ') + 1);
		printf("\"\n");
	}
	printf(")\n");
	array_print("options", options_print);
	array_print("valued", valued_print);
	array_print("takes", takes_print);
	fputs(function, stdout);
}
