// SPDX-License-Identifier: GPL-2.0-only
/* "reeve daemon": the options, the rules, and then daemon_run() until a signal. */
#include "../daemon/daemon.h"

#include <string.h>

#include "command.h"
#include "config_file.h"
#include "render.h"

/* "doctor --json", a pair for each place, and the end. */
#define DOCTOR_ARGS_MAX 16

struct daemon_options {
	struct engine_config config; /* first: place_options write here */
	const char *socket, *group, *state_dir, *site_url;
};

static int set_socket(void *to, const char *value, struct fault *ret_fault)
{
	(void)ret_fault;
	((struct daemon_options *)to)->socket = value;
	return 0;
}

static int set_group(void *to, const char *value, struct fault *ret_fault)
{
	(void)ret_fault;
	((struct daemon_options *)to)->group = value;
	return 0;
}

static int set_state_dir(void *to, const char *value, struct fault *ret_fault)
{
	(void)ret_fault;
	((struct daemon_options *)to)->state_dir = value;
	return 0;
}

static int set_site_url(void *to, const char *value, struct fault *ret_fault)
{
	(void)ret_fault;
	((struct daemon_options *)to)->site_url = value;
	return 0;
}

const struct option_row daemon_options[] = {
	{ "socket", "PATH", "where clients connect (" DAEMON_SOCKET ")", set_socket },
	{ "group", "NAME", "whose members may connect, beside root (none)", set_group },
	{ "state-dir", "DIR", "the ledger, workspaces and sites (" DAEMON_STATE_DIR ")",
	  set_state_dir },
	{ "site-url", "URL", "what scratch sites are found below", set_site_url },
	{},
};

/* The examination of the host is this program again, at the same places. */
static void doctor_args(const struct engine_config *config, const char *ret[DOCTOR_ARGS_MAX])
{
	const char *const places[][2] = {
		{ "--parent", config->parent },	     { "--pin-dir", config->pin_dir },
		{ "--run-dir", config->run_dir },    { "--output-root", config->output_root },
		{ "--config", config->config_file },
	};
	size_t n = 0;

	ret[n++] = "/proc/self/exe";
	ret[n++] = "doctor";
	ret[n++] = "--json";
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (places[i][1]) {
			ret[n++] = places[i][0];
			ret[n++] = places[i][1];
		}
	ret[n] = NULL;
}

int command_daemon(int argc, char **argv)
{
	struct daemon_options options = {
		.config = ENGINE_CONFIG_INIT,
		.socket = DAEMON_SOCKET,
		.state_dir = DAEMON_STATE_DIR,
	};
	_cleanup_config_ struct config rules = {};
	const char *doctor[DOCTOR_ARGS_MAX];
	struct daemon_args args = { .config = &options.config, .rules = &rules, .doctor = doctor };
	struct fault fault = {};
	int rest = 0;
	int r = command_parse(command_find("daemon"), argc, argv, &options, &rest, &fault);

	if (!r && rest < argc)
		r = fault_set(&fault, FAULT_USAGE, argv[rest], "see \"reeve daemon --help\"",
			      "reeve daemon takes options only");
	if (!r)
		r = config_file_read(options.config.config_file, &rules, &fault);
	if (!r) {
		doctor_args(&options.config, doctor);
		args.socket = options.socket;
		args.group = options.group;
		args.state_dir = options.state_dir;
		args.site_base_url = options.site_url;
		r = daemon_run(&args, &fault);
	}
	if (r < 0)
		render_errno(r);
	if (r > 0)
		render_fault(&fault);
	return r ? EXIT_CODE_REEVE : 0;
}
