// SPDX-License-Identifier: GPL-2.0-only
/*
 * The daemon around the acted hall, as a program of its own for tests that drive it from a shell:
 *
 *	daemon DIRECTORY [GROUP]	serves DIRECTORY/reeve.sock until SIGTERM
 */
#include "../../user/daemon/daemon.h"

#include <string.h>

int main(int argc, char **argv)
{
	static const char *const doctor[] = { "/bin/sh", "-c",
					      "sleep 0.2; echo '{\"status\":\"ok\",\"checks\":[]}'",
					      NULL };
	char run_dir[256], socket[256], state_dir[256];
	const struct engine_config config = {
		.parent = "none",
		.pin_dir = "none",
		.run_dir = run_dir,
		.output_root = state_dir,
	};
	const struct daemon_args args = {
		.config = &config,
		.socket = socket,
		.group = argc > 2 ? argv[2] : NULL,
		.state_dir = state_dir,
		.site_base_url = "https://scratch.example.net",
		.doctor = doctor,
	};
	struct fault fault = {};
	int r;

	if (argc < 2)
		return 2;
	snprintf(run_dir, sizeof(run_dir), "%s/run", argv[1]);
	snprintf(socket, sizeof(socket), "%s/reeve.sock", argv[1]);
	snprintf(state_dir, sizeof(state_dir), "%s/state", argv[1]);
	r = daemon_run(&args, &fault);
	if (r)
		fprintf(stderr, "%s\n", r < 0 ? strerror(-r) : fault.reason);
	return r ? 1 : 0;
}
