// SPDX-License-Identifier: GPL-2.0-only
/*
 * Units for systemd and a server block for nginx. Places come from where the daemon has them, capabilities from the table that
 * is checked at start, so that neither can be another one here.
 *
 * What systemd can take away by a seccomp filter is left out on purpose: requests would inherit it, and have one of their own.
 */
#include "service_files.h"

#include <stdio.h>

#include "../daemon/daemon.h"
#include "../kernel/probe.h"

/* Beside what every run needs. */
static const struct {
	const char *name, *use;
} wipe_capabilities[] = {
	{ "CAP_FOWNER", "directories of a session's users are wiped, whatever their modes" },
	{ "CAP_LINUX_IMMUTABLE", "files that were made immutable are wiped" },
};

static void program_print(void)
{
	char path[REEVE_PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = 0;
	printf("ExecStart=%s daemon\n", n > 0 ? path : "/usr/local/bin/reeve");
}

static void capability_print(const char *name, const char *use)
{
	printf("# %s\nCapabilityBoundingSet=%s\n", use, name);
}

void service_files_print_service(void)
{
	const char *name, *use;

	printf("# Made by \"reeve help --systemd reeve.service\".\n"
	       "[Unit]\n"
	       "Description=Sessions that run other people's commands\n"
	       "Documentation=man:reeve(8)\n"
	       "Requires=reeve.socket\n"
	       "After=reeve.socket network.target\n"
	       "\n"
	       "[Service]\n"
	       "Type=notify\n");
	program_print();
	printf("Restart=on-failure\n"
	       "WatchdogSec=30\n"
	       "# Requests have keepers of their own, that go on while the daemon is stopped or started anew.\n"
	       "KillMode=process\n"
	       "# All controllers are then on from the root of the tree, and systemd keeps out of what is below. Sessions\n"
	       "# have cgroups below " ENGINE_PARENT
	       ", which is no unit's: those of a unit go when it is stopped.\n"
	       "Delegate=yes\n"
	       "OOMPolicy=continue\n"
	       "TasksMax=infinity\n"
	       "LimitNOFILE=65536\n"
	       "\n"
	       "# What the daemon may write.\n"
	       "ProtectSystem=strict\n"
	       "ProtectHome=yes\n"
	       "RuntimeDirectory=reeve\n"
	       "RuntimeDirectoryMode=0711\n"
	       "RuntimeDirectoryPreserve=yes\n"
	       "StateDirectory=reeve\n"
	       "NoNewPrivileges=yes\n"
	       "\n"
	       "# The least that it works with.\n");
	for (size_t i = 0; probe_privilege_row(i, &name, &use); i++)
		capability_print(name, use);
	for (size_t i = 0; i < ARRAY_SIZE(wipe_capabilities); i++)
		capability_print(wipe_capabilities[i].name, wipe_capabilities[i].use);
	printf("\n"
	       "[Install]\n"
	       "WantedBy=multi-user.target\n");
}

void service_files_print_socket(void)
{
	printf("# Made by \"reeve help --systemd reeve.socket\".\n"
	       "[Unit]\n"
	       "Description=Where clients of reeve connect\n"
	       "\n"
	       "[Socket]\n"
	       "ListenStream=" DAEMON_SOCKET "\n"
	       "# Root and, with a SocketGroup=, the members of one group; the daemon asks for the same with --group.\n"
	       "SocketMode=0660\n"
	       "DirectoryMode=0711\n"
	       "\n"
	       "[Install]\n"
	       "WantedBy=sockets.target\n");
}

void service_files_print_nginx(void)
{
	printf("# Made by \"reeve help --nginx\". Serves what sessions published, at <host>/<slug>/.\n"
	       "# The daemon's directory is root's alone. Show nginx this part of it:\n"
	       "#   mount --bind -o ro,nosuid,nodev,noexec " DAEMON_STATE_DIR "/site /srv/reeve-site\n"
	       "server {\n"
	       "\tlisten 127.0.0.1:8081;\n"
	       "\troot /srv/reeve-site;\n"
	       "\tindex index.html;\n"
	       "\tautoindex off;\n"
	       "\tdisable_symlinks on;\n"
	       "\tmax_ranges 1;\n"
	       "\n"
	       "\t# A stranger's pages: no scripts of other hosts' origin, no frames, no guesses of a type.\n"
	       "\tadd_header Content-Security-Policy \"sandbox allow-scripts; frame-ancestors 'none'\" always;\n"
	       "\tadd_header X-Content-Type-Options nosniff always;\n"
	       "\tadd_header Referrer-Policy no-referrer always;\n"
	       "\tadd_header Cross-Origin-Resource-Policy same-origin always;\n"
	       "\n"
	       "\tlocation / {\n"
	       "\t\tlimit_except GET {\n"
	       "\t\t\tdeny all;\n"
	       "\t\t}\n"
	       "\t\ttry_files $uri $uri/ =404;\n"
	       "\t}\n"
	       "\t# Names that begin with a dot, and what is in the making.\n"
	       "\tlocation ~ /\\. {\n"
	       "\t\treturn 404;\n"
	       "\t}\n"
	       "}\n");
}
