// SPDX-License-Identifier: GPL-2.0-only
/*
 * Picks the command from the table. Streams are closed by hand at the end: output that could not be
 * written is a failure, whatever the command says.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

#include "command.h"
#include "render.h"

static int unknown(const char *name)
{
	struct fault fault = {};

	fault_set(&fault, FAULT_USAGE, name, "see \"reeve help\"", "there is no such command");
	render_fault(&fault);
	return EXIT_CODE_REEVE;
}

static int version(void)
{
	printf("reeve %s\n", REEVE_VERSION);
	return 0;
}

static int help_of(char *name)
{
	char help[] = "help";
	char *argv[] = { help, name, NULL };

	return command_help(2, argv);
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
	if (!command)
		return unknown(argv[1]);
	switch (command_asks(command, argc - 1, argv + 1)) {
	case COMMAND_HELP:
		return help_of(argv[1]);
	case COMMAND_VERSION:
		return version();
	default:
		return command->run(argc - 1, argv + 1);
	}
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
