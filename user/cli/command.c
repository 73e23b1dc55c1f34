// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options are rows with a function that takes the value, or the member of a document that it becomes; getopt_long
 * does the splitting. The first argument that is no option ends them, so that the command to run keeps its own; where
 * none is run here they may stand anywhere in front of "--".
 *
 * They are walked twice: first for --help and --version, then to be set. optind 0 makes glibc and musl begin
 * anew, also where the first walk stopped within an argument.
 */
#include "command.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "call.h"

#define OPTIONS_MAX 40
/* getopt reports by number: rows start above every character that it uses itself */
#define FIRST_ROW 256

static int place_parent(void *to, const char *value, struct fault *ret_fault)
{
	(void)ret_fault;
	((struct engine_config *)to)->parent = value;
	return 0;
}

static int place_pin_dir(void *to, const char *value, struct fault *ret_fault)
{
	(void)ret_fault;
	((struct engine_config *)to)->pin_dir = value;
	return 0;
}

static int place_run_dir(void *to, const char *value, struct fault *ret_fault)
{
	(void)ret_fault;
	((struct engine_config *)to)->run_dir = value;
	return 0;
}

static int place_output_root(void *to, const char *value, struct fault *ret_fault)
{
	(void)ret_fault;
	((struct engine_config *)to)->output_root = value;
	return 0;
}

static int place_config(void *to, const char *value, struct fault *ret_fault)
{
	(void)ret_fault;
	((struct engine_config *)to)->config_file = value;
	return 0;
}

const struct option_row place_options[] = {
	{ "parent", "CGROUP", "parent cgroup below the cgroup2 mount (" ENGINE_PARENT ")",
	  place_parent },
	{ "pin-dir", "DIR", "where programs, maps and links are pinned (" ENGINE_PIN_DIR ")",
	  place_pin_dir },
	{ "run-dir", "DIR", "what is known of live sessions (" ENGINE_RUN_DIR ")", place_run_dir },
	{ "output-root", "DIR",
	  "where each request gets its output directory (" ENGINE_OUTPUT_ROOT ")", place_output_root },
	{ "config", "FILE",
	  "the operator's rules for all sessions (" ENGINE_CONFIG_FILE ", where it is)",
	  place_config },
	{},
};

/* Of every command. They have no setter: command_asks() finds them before anything is set. */
const struct option_row ask_options[] = {
	{ "help", NULL, "print this and do nothing", NULL },
	{ "version", NULL, "print reeve's version and do nothing", NULL },
	{},
};

static const struct option_row *const run_tables[] = { run_options, place_options, ask_options, NULL };
static const struct option_row *const doctor_tables[] = { doctor_options, place_options,
							  ask_options, NULL };
static const struct option_row *const policy_tables[] = { policy_options, place_options,
							  ask_options, NULL };
static const struct option_row *const check_tables[] = { check_options, ask_options, NULL };
static const struct option_row *const validate_tables[] = { validate_options, ask_options, NULL };
static const struct option_row *const daemon_tables[] = { daemon_options, place_options,
							  ask_options, NULL };
static const struct option_row *const gc_tables[] = { gc_options, place_options, ask_options, NULL };
static const struct option_row *const events_tables[] = { events_options, json_options,
							  socket_options, ask_options, NULL };
static const struct option_row *const top_tables[] = { top_options, json_options, socket_options,
						       ask_options, NULL };
static const struct option_row *const group_tables[] = { ask_options, NULL };
static const struct option_row *const help_tables[] = { help_options, ask_options, NULL };

const struct command commands[] = {
	{ "run", "-- COMMAND [ARG...]", "run a command under the policy",
	  "Runs COMMAND in a sandbox of its own under the kernel policy, metered and capped. Its output\n"
	  "streams as it comes; the account follows on stderr, or all of it is one JSON document. Its standard\n"
	  "input is empty: give it files with --file. With --request a sandbox_script document takes the place\n"
	  "of COMMAND.\n\n"
	  "Modes of --egress: none, loopback alone; package-managers, the package registries and what a\n"
	  "configuration adds, by name, on port 443, and on 80 where a rule says so; public, every public address\n"
	  "and no private one. Both need the host to forward packets; \"reeve doctor\" says whether it does.\n"
	  "Public egress and files of the host are not given together.",
	  run_tables, command_run },
	{ "doctor", "", "say what this host has and lacks for each promise",
	  "Proves rather than guesses: loads, attaches, and is denied for real in a throw-away cgroup.\n"
	  "Exit code 0: everything holds; 1: reeve runs, some promises do not hold; 125: it refuses to run.",
	  doctor_tables, command_doctor },
	{ "policy", "show [SESSION] | allow|deny SESSION RULE... | reset SESSION",
	  "show or change what a live session may reach",
	  "SESSION is the id of a live session or the beginning of one alone; show without it lists those that\n"
	  "live, one a line. A RULE is a prefix of addresses, 10.1.2.0/24, or under package-managers a name:\n"
	  "host.example.org, or .example.org for a domain and all in it, with :80 or :443,80 behind it when it is\n"
	  "not at 443. Changes are in effect on the next packet and hold for this session, before the rules for\n"
	  "all; the narrower of two prefixes decides, and of the same one the later. reset takes all of them back.\n"
	  "Denying a name ends the session's connections under package-managers; it may make them again.",
	  policy_tables, command_policy },
	{ "check", "[FILE]", "say whether a configuration is valid",
	  "Reads FILE, or " ENGINE_CONFIG_FILE
	  ", as a run would, and says what it comes to or what is wrong with\n"
	  "it. Nothing is changed. Exit code 0: valid; 125: a run would be refused.\n\n"
	  "The file is one JSON object, each key of which may be left out:\n\n"
	  "  {\n"
	  "    \"deny\": [\"198.51.100.0/24\"],\n"
	  "    \"allow\": [{\"prefix\": \"10.1.2.3/32\"},\n"
	  "              {\"name\": \"mirror.example.org\", \"ports\": [443, 80]}],\n"
	  "    \"package_managers\": {\"names\": [\".registry.example.org\"]},\n"
	  "    \"nat64\": [\"2a00:1:2:64::/96\"]\n"
	  "  }\n\n"
	  "deny: addresses that no session reaches. allow: servers that sessions with a network reach though they\n"
	  "are private, and names beside those of package-managers. package_managers: names in the place of\n"
	  "reeve's own list. nat64: how the network writes IPv4 addresses in IPv6, beside 64:ff9b::/96. More is in\n"
	  "schemas/config.v1.json and schemas/examples/config.v1/ of reeve's source.",
	  check_tables, command_check },
	{ "validate", "CONTRACT[@VERSION] FILE", "say whether a document keeps to a contract",
	  "A contract is what a document of some name and version must be, as a JSON Schema in schemas/ of reeve's\n"
	  "source says it: codes.sandbox-session@1, sandbox_script, or one of reeve's own documents. FILE, or standard\n"
	  "input for \"-\", is checked against it. Prints \"valid\", or each place with what is wrong there, in the order and the words\n"
	  "of the contract's reference validator. Exit code 0: valid; 1: invalid; 125: it could not be judged.",
	  validate_tables, command_validate },
	{ "daemon", "", "serve sessions over HTTP on a unix socket",
	  "Serves in the foreground until SIGTERM or SIGINT; requests that run then go on, and the next start takes\n"
	  "them over. A service manager may hand over the socket, and is told of start, life and end.",
	  daemon_tables, command_daemon },
	{ "gc", "", "remove what dead runs left",
	  "Removes what is left of runs that were killed. With --all also what belongs to the host: pinned\n"
	  "programs, maps and links, the parent cgroup, the nftables table, the run directory.",
	  gc_tables, command_gc },
	{ "session", "COMMAND", "create, arm, watch, change and end sessions of the daemon",
	  "A session has a cap, a queue and a workspace of its own; its requests run one at a time, once it was\n"
	  "given Go. SESSION is an id or the beginning of one alone.",
	  group_tables, NULL, session_commands },
	{ "request", "COMMAND", "submit, follow and end requests of a session",
	  "A request is one command, or with --steps many, run in the sandbox of its session under what is left\n"
	  "of its cap. REQUEST is an id or the beginning of one alone.",
	  group_tables, NULL, request_commands },
	{ "events", "[SESSION]", "show what happens to sessions",
	  "Shows what is kept of events, or with --follow what happens from now on, of one session or of all.\n"
	  "With --follow nothing is lost when the daemon is started anew in between.",
	  events_tables, command_events, .mixed = true },
	{ "top", "", "watch all sessions: what is spent of each cap, queues, denials",
	  "Drawn anew each second on a terminal; once where standard output is none, or with --once or --json.\n"
	  "DENIED counts for the request at work.",
	  top_tables, command_top, .mixed = true },
	{ "help", "[COMMAND...]", "show this, or the help of a command",
	  "Prints what there is to say of COMMAND, or the list of commands; or one of the files that go with\n"
	  "reeve, made from the same table.",
	  help_tables, command_help },
	{},
};

const char reeve_summary[] = "runs other people's commands under a policy that the kernel keeps";

const char reeve_text[] =
	"Each request runs in a sandbox of its own, in a cgroup of its session. BPF programs attached\n"
	"at the parent cgroup deny every private address, meter the CPU time to the nanosecond and stop\n"
	"the session when its cap is reached. They stay attached and keep their promises when reeve is\n"
	"stopped or killed. What a host cannot enforce is named by \"reeve doctor\" and in every result.";

const char reeve_allowed_paths[] =
	"Directories, separated by colons, that a document given with --request may name files and\n"
	"directories in; the output root is always one. DEMESNE_ALLOWED_PATHS, the\n"
	"variable's name with other programs that run sandbox_script documents, means the same; the directories\n"
	"of both are allowed.";

const struct exit_code_row exit_codes[] = {
	{ EXIT_CODE_POLICY, "the request asks for what the policy does not grant" },
	{ EXIT_CODE_CAP, "a cap was reached: CPU time or money; or a session takes nothing more" },
	{ EXIT_CODE_TIME_BOX, "the time box is over" },
	{ EXIT_CODE_REEVE, "reeve's own fault: bad input, a host that lacks a must, a failing step" },
	{ 126, "the command cannot be executed" },
	{ 127, "the command was not found" },
	{ EXIT_CODE_SIGNAL, "and more: the command was ended by the signal of that number less 128" },
	{},
};

static const struct command *find_in(const struct command *table, const char *name)
{
	const struct command *found = NULL;

	for (const struct command *command = table; command->name && !found; command++) {
		if (strcmp(command->name, name) == 0)
			found = command;
		else if (command->group)
			found = find_in(command->group, name);
	}
	return found;
}

const struct command *command_find(const char *name)
{
	return find_in(commands, name);
}

const struct command *command_find_below(const struct command *group, const char *word)
{
	char name[64];

	snprintf(name, sizeof(name), "%s %s", group->name, word);
	return find_in(group->group, name);
}

void command_each(void (*fn)(const struct command *command))
{
	for (const struct command *command = commands; command->name; command++) {
		if (!command->group)
			fn(command);
		for (const struct command *below = command->group; below && below->name; below++)
			fn(below);
	}
}

void option_show(const struct option_row *row, char *ret, size_t size)
{
	char letter[8] = "";

	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	snprintf(ret, size, "%s--%s%s%s", letter, row->name, row->arg ? " " : "",
		 row->arg ? row->arg : "");
}

/* For getopt: where options end, and the short ones. */
static void form_make(const struct command *command, const struct option_row **rows, unsigned int n,
		      char *ret)
{
	*ret = '+';
	ret += command->mixed || command->call ? 0 : 1;
	*ret++ = ':';
	for (unsigned int i = 0; i < n; i++) {
		if (!rows[i]->letter)
			continue;
		*ret++ = rows[i]->letter;
		if (rows[i]->arg)
			*ret++ = ':';
	}
	*ret = 0;
}

static const struct option_row *row_of(const struct option_row **rows, unsigned int n, int at)
{
	for (unsigned int i = 0; i < n; i++)
		if (at == FIRST_ROW + (int)i || at == rows[i]->letter)
			return rows[i];
	return NULL;
}

static int option_take(const struct option_row *row, void *to, const char *value,
		       struct fault *ret_fault)
{
	int r;

	if (row->set)
		return row->set(to, value, ret_fault);
	r = document_put(((struct call_options *)to)->body, row->member, row->kind, value);
	if (r != -EILSEQ)
		return r;
	return fault_set(ret_fault, FAULT_USAGE, row->name, "give UTF-8",
			 "the value of --%s is no UTF-8", row->name);
}

static unsigned int options_collect(const struct command *command, struct option *ret_long,
				    const struct option_row **ret_rows)
{
	unsigned int n = 0;

	for (const struct option_row *const *table = command->options; *table; table++)
		for (const struct option_row *row = *table; row->name && n < OPTIONS_MAX; row++) {
			ret_long[n] = (struct option){
				.name = row->name,
				.has_arg = row->arg ? required_argument : no_argument,
				.val = FIRST_ROW + (int)n,
			};
			ret_rows[n++] = row;
		}
	return n;
}

enum command_ask command_asks(const struct command *command, int argc, char **argv)
{
	struct option long_options[OPTIONS_MAX + 1] = {};
	const struct option_row *rows[OPTIONS_MAX], *row;
	unsigned int n = options_collect(command, long_options, rows);
	char form[2 * OPTIONS_MAX + 3];

	form_make(command, rows, n, form);
	optind = 0;
	opterr = 0;
	/* what is wrong with an option is said by who reads it */
	while ((row = row_of(rows, n, getopt_long(argc, argv, form, long_options, NULL)))) {
		if (row == &ask_options[0])
			return COMMAND_HELP;
		if (row == &ask_options[1])
			return COMMAND_VERSION;
	}
	return COMMAND_WORK;
}

int command_parse(const struct command *command, int argc, char **argv, void *to, int *ret_rest,
		  struct fault *ret_fault)
{
	struct option long_options[OPTIONS_MAX + 1] = {};
	const struct option_row *rows[OPTIONS_MAX], *row;
	char remedy[96], form[2 * OPTIONS_MAX + 3];
	unsigned int n;
	int at, r;

	n = options_collect(command, long_options, rows);
	form_make(command, rows, n, form);
	snprintf(remedy, sizeof(remedy), "see \"reeve %s --help\"", command->name);
	optind = 0;
	opterr = 0;
	while ((at = getopt_long(argc, argv, form, long_options, NULL)) != -1) {
		if (at == ':')
			return fault_set(ret_fault, FAULT_USAGE, argv[optind - 1], remedy,
					 "the option needs a value");
		row = row_of(rows, n, at);
		if (!row)
			return fault_set(ret_fault, FAULT_USAGE, argv[optind - 1], remedy,
					 "reeve %s has no such option, or it is ambiguous",
					 command->name);
		r = option_take(row, to, optarg, ret_fault);
		if (r)
			return r;
	}
	*ret_rest = optind;
	return 0;
}
