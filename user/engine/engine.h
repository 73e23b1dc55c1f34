/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One host as reeve uses it: the parent cgroup, the pinned programs, the run directory. Opening it also
 * clears away what dead owners left.
 */
#ifndef REEVE_ENGINE_H
#define REEVE_ENGINE_H

#include "../base/fault.h"
#include "../kernel/guard.h"

struct config;

#define ENGINE_PARENT "reeve.slice"
#define ENGINE_PIN_DIR "/sys/fs/bpf/reeve"
#define ENGINE_RUN_DIR "/run/reeve"
#define ENGINE_OUTPUT_ROOT "/var/lib/reeve"
/* In the run directory: locked by a daemon that serves its sessions, and where it listens unless it is told otherwise. */
#define ENGINE_DAEMON_LOCK "daemon.lock"
#define ENGINE_SOCKET "reeve.sock"
#define ENGINE_CONFIG_FILE "/etc/reeve/config.json"

/* Where everything is; the strings are the caller's and outlive the engine. */
struct engine_config {
	const char *parent; /* path below the cgroup2 mount */
	const char *pin_dir;
	const char *run_dir;
	const char *output_root;
	const char *config_file; /* NULL: ENGINE_CONFIG_FILE, which need not be there */
};

#define ENGINE_CONFIG_INIT                                                                         \
	{                                                                                          \
		.parent = ENGINE_PARENT, .pin_dir = ENGINE_PIN_DIR, .run_dir = ENGINE_RUN_DIR,     \
		.output_root = ENGINE_OUTPUT_ROOT,                                                 \
	}

struct engine {
	const struct engine_config *config;
	/* the operator's, in force for all sessions; set by rules_apply() */
	const struct config *rules;
	int run_fd;    /* the run directory */
	int slots_fd;  /* its slots/ */
	int parent_fd; /* the parent cgroup */
	uint64_t parent_id;
	struct guard guard;
};

#define ENGINE_INIT                                                                                \
	{                                                                                          \
		.run_fd = -1, .slots_fd = -1, .parent_fd = -1, .guard = GUARD_INIT,                \
	}

/*
 * Opens the host, loading and pinning the programs when nobody did. *ret_swept counts the sessions of
 * dead owners that were removed on the way. Returns 0, -errno or FAULT_E_SET.
 */
int engine_open(const struct engine_config *config, struct engine *ret, unsigned int *ret_swept,
		struct fault *ret_fault);

/*
 * Opens what a run has made and makes nothing; *ret_lock is engine_lock. Returns 0, -errno or FAULT_E_SET, also
 * when nothing is there.
 */
int engine_open_existing(const struct engine_config *config, struct engine *ret, int *ret_lock,
			 struct fault *ret_fault);
void engine_close(struct engine *engine);
#define _cleanup_engine_ _cleanup_(engine_close)

/*
 * Whether the run directory is that of the config's parent and pin directory; *ret_fresh when it is nobody's
 * yet. Under engine_lock. Returns 0, -errno or FAULT_E_SET.
 */
int engine_place_check(const struct engine_config *config, int run_fd, bool *ret_fresh,
		       struct fault *ret_fault);

/*
 * The lock that guards set-up, sweeping and the taking of slots; released by closing it. -ESTALE when the
 * run directory was removed meanwhile.
 */
int engine_lock(int run_fd, int *ret_fd);

/* How deep @path is below the cgroup2 mount. */
unsigned int engine_path_level(const char *path);

#endif
