/* SPDX-License-Identifier: GPL-2.0-only */
/* The daemon: all sessions of a host behind HTTP on a unix socket. */
#ifndef REEVE_DAEMON_H
#define REEVE_DAEMON_H

#include "../engine/hall.h"
#include "http.h"

#define DAEMON_SOCKET ENGINE_RUN_DIR "/" ENGINE_SOCKET
#define DAEMON_STATE_DIR ENGINE_OUTPUT_ROOT "/state"

struct daemon_args {
	const struct engine_config *config;
	const struct config *rules;
	const char *socket;
	const char *group; /* may connect beside root; NULL for none */
	const char *state_dir;
	const char *site_base_url; /* of scratch sites; NULL where there are none */
	/* What prints the examination of the host as a document: a program and its arguments, ends with NULL. */
	const char *const *doctor;
	const struct http_limits *limits; /* NULL for those of include/limits.h */
};

/* Serves until SIGTERM or SIGINT; what runs goes on. Returns 0, -errno or FAULT_E_SET. */
int daemon_run(const struct daemon_args *args, struct fault *ret_fault);

#endif
