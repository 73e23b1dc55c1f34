// SPDX-License-Identifier: GPL-2.0-only
/*
 * Picks the command from the table. Streams are closed by hand at the end: output that could not be
 * written is a failure, whatever the command says.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

#include "call.h"
#include "command.h"
#include "render.h"

static int unknown(const char *name, const char *remedy)
{
	struct fault fault = {};

	fault_set(&fault, FAULT_USAGE, name, remedy, "there is no such command");
	render_fault(&fault);
	return EXIT_CODE_REEVE;
}

static int perform(const struct command *command, int argc, char **argv);

static int version(void)
{
	printf("reeve %s\n", REEVE_VERSION);
	return 0;
}

static int help_of(const char *name)
{
	char help[] = "help";
	char *argv[] = { help, (char *)name, NULL };

	return command_help(2, argv);
}

/* "reeve session" by itself says what there is below it, and is not enough. */
static int in_group(const struct command *group, int argc, char **argv)
{
	const struct command *command = argc > 1 ? command_find_below(group, argv[1]) : NULL;
	char remedy[64];

	if (argc < 2) {
		help_of(group->name);
		return EXIT_CODE_REEVE;
	}
	snprintf(remedy, sizeof(remedy), "see \"reeve %s --help\"", group->name);
	return command ? perform(command, argc - 1, argv + 1) : unknown(argv[1], remedy);
}

static int perform(const struct command *command, int argc, char **argv)
{
	switch (command_asks(command, argc, argv)) {
	case COMMAND_HELP:
		return help_of(command->name);
	case COMMAND_VERSION:
		return version();
	default:
		break;
	}
	if (command->group)
		return in_group(command, argc, argv);
	return command->call ? call_perform(command, argc, argv) : command->run(argc, argv);
}

static int dispatch(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		command_help(1, argv);
		return EXIT_CODE_REEVE;
	}
	if (strcmp(argv[1], "--help") == 0)
		return command_help(1, argv);
	if (strcmp(argv[1], "--version") == 0)
		return version();
	command = command_find(argv[1]);
	return command ? perform(command, argc - 1, argv + 1)
		       : unknown(argv[1], "see \"reeve help\"");
}

/* A standard stream that the caller closed would be the number of the next file that is opened. */
static void streams_hold(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	fd_close(&fd);
}

int main(int argc, char **argv)
{
	int code;

	streams_hold();
	/* a reader that went away is an error of write(), not the end of the session's keeper */
	signal(SIGPIPE, SIG_IGN);
	code = dispatch(argc, argv);
	if (fflush(stdout) && errno != EPIPE) {
		render_errno(-errno);
		return EXIT_CODE_REEVE;
	}
	return code;
}
