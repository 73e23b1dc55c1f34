/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of commands. --help, the man page and the parser are made from it; nothing is said twice.
 */
#ifndef REEVE_COMMAND_H
#define REEVE_COMMAND_H

#include <stdio.h>

#include "../base/fault.h"
#include "../engine/engine.h"
#include "../wire/document.h"

/* Exit codes of reeve itself; everything else is the command's, as a shell gives it. */
enum exit_code {
	EXIT_CODE_POLICY = 122,	  /* the request asks for what the policy does not grant */
	EXIT_CODE_CAP = 123,	  /* a cap was reached */
	EXIT_CODE_TIME_BOX = 124, /* as timeout(1) */
	EXIT_CODE_REEVE = 125,	  /* reeve's own fault, bad input too, as env(1) and docker(1) */
	EXIT_CODE_SIGNAL = 128,	  /* and the number of the signal */
};

struct option_row {
	const char *name; /* without its dashes */
	const char *arg;  /* what stands behind it, or NULL for a flag */
	const char *help;
	int (*set)(void *to, const char *value, struct fault *ret_fault);
	char letter; /* the short form, or 0 */
	/* In the place of @set: where the value goes in what is sent; @to then starts with a struct call_options. */
	const char *member;
	enum document_kind kind;
};

struct call;

struct command {
	const char *name;  /* "gc"; below a group both words: "session go" */
	const char *usage; /* behind the options */
	const char *summary;
	const char *text;
	const struct option_row *const *options; /* tables, each ends with a NULL name */
	int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns an exit code */
	const struct command *group; /* the commands below it, in the place of @run; ends with a NULL name */
	const struct call *call; /* what to ask of the daemon, in the place of @run */
	bool mixed;		 /* options may stand behind other arguments too, up to "--" */
};

extern const struct command commands[]; /* ends with a NULL name */

/* What the manual page says beside the table. */
extern const char reeve_summary[], reeve_text[], reeve_allowed_paths[];

/* Exit codes with their meaning, for the help. */
struct exit_code_row {
	int code;
	const char *text;
};
extern const struct exit_code_row exit_codes[];

/*
 * Reads the options of @command in front of the first other argument (or behind "--") into @to. Returns
 * 0 with the index of that argument, or FAULT_E_SET.
 */
int command_parse(const struct command *command, int argc, char **argv, void *to, int *ret_rest,
		  struct fault *ret_fault);

const struct command *command_find(const char *name);

/* Whether @row stands for @name in @group: the last word of its name. */
const struct command *command_find_below(const struct command *group, const char *word);

/* Each command that can be run, those of a group in its place. */
void command_each(void (*fn)(const struct command *command));

/* How an option is shown: "-f, --follow", "--cap N". */
void option_show(const struct option_row *row, char *ret, size_t size);

/* What the arguments of @command ask for instead of its work, where its options go. */
enum command_ask {
	COMMAND_WORK,
	COMMAND_HELP,
	COMMAND_VERSION,
};
enum command_ask command_asks(const struct command *command, int argc, char **argv);

/* --parent, --pin-dir, --run-dir, --output-root and --config; @to starts with a struct engine_config. */
extern const struct option_row place_options[];

/* The commands. */
int command_run(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_policy(int argc, char **argv);
int command_check(int argc, char **argv);
int command_validate(int argc, char **argv);
int command_daemon(int argc, char **argv);
int command_gc(int argc, char **argv);
int command_events(int argc, char **argv);
int command_output(int argc, char **argv);
int command_top(int argc, char **argv);
int command_help(int argc, char **argv);

extern const struct option_row run_options[], doctor_options[], policy_options[], check_options[],
	validate_options[], daemon_options[], gc_options[], help_options[];
extern const struct option_row socket_options[], json_options[], events_options[], top_options[],
	ask_options[]; /* the last ones are --help and --version, of every command */
extern const struct command session_commands[], request_commands[];

#endif
