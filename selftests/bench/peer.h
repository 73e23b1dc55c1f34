/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The other ways to run a command in a sandbox, each told to make what reeve makes: the namespaces and,
 * row by row, the mounts of the same plan.
 */
#ifndef REEVE_SELFTESTS_PEER_H
#define REEVE_SELFTESTS_PEER_H

#include <spawn.h>

#include "../../user/engine/engine.h"
#include "../../user/model/plan.h"

#define PEER_ARGS_MAX 320

/* Where the bench may make things: directories of its own, given in the environment by the run script. */
struct peer_place {
	struct engine_config config;
	const char *reeve; /* the program */
	const char *work;  /* scratch */
};

/* A command line, and the files that it reads by number. */
struct peer {
	const char *name;
	char *argv[PEER_ARGS_MAX];
	size_t n_argv;
	posix_spawn_file_actions_t actions;
	char log[256]; /* its stderr */
	char **id;     /* the argument that must be new for each start, or NULL */
	unsigned int starts;
};

void peer_place_init(struct peer_place *ret);

/* Each makes a peer that runs @command, which ends with NULL. */
void peer_plain(const struct peer_place *place, const char *const *command, struct peer *ret);
void peer_reeve(const struct peer_place *place, const char *const *command, struct peer *ret);
void peer_bwrap(const struct peer_place *place, const char *const *command, struct peer *ret);
/* @runtime: "runc" or "crun". The bundle is made below the scratch directory. */
void peer_oci(const struct peer_place *place, const char *runtime, const char *const *command,
	      struct peer *ret);
void peer_deinit(struct peer *peer);

pid_t peer_start(struct peer *peer);

/* Ends the bench when a start did not end well, with what the command had to say. */
void peer_check(const struct peer *peer, int status);

/* A bench_slice: one start, waited for; @arg is the peer. */
int peer_slice(void *arg, double *ret_ns);

#endif
