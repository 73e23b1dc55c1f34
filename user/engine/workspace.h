/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a session leaves on disk from one request to the next, below the state directory, which is root's alone:
 *
 *     <state dir>/sessions/<session id>/work   in the sandbox /workspace, its home
 *                                       site   in the sandbox /site
 *
 * Both belong to the first uid of the session's slot, which is root inside. Whatever the sandbox puts there, no
 * function here follows it.
 */
#ifndef REEVE_WORKSPACE_H
#define REEVE_WORKSPACE_H

#include <stdint.h>

#include "../base/fault.h"

struct workspace {
	int work_fd, site_fd; /* O_PATH */
};

#define WORKSPACE_INIT                                                                             \
	{                                                                                          \
		.work_fd = -1, .site_fd = -1                                                       \
	}

/* Makes what is missing of it, for @slot. Returns 0, -errno or FAULT_E_SET. */
int workspace_make(const char *state_dir, const char *session_id, unsigned int slot,
		   struct fault *ret_fault);

/* For request_files; close with workspace_close. Returns 0, -errno or FAULT_E_SET. */
int workspace_open(const char *state_dir, const char *session_id, struct workspace *ret,
		   struct fault *ret_fault);
void workspace_close(struct workspace *workspace);
#define _cleanup_workspace_ _cleanup_(workspace_close)

/* The slot whose ids its files have, for session_open() after a reboot. -ENOENT when there is none. */
int workspace_slot(const char *state_dir, const char *session_id, unsigned int *ret);

/* The session's directory itself, opened for reading; -ENOENT when there is none. */
int workspace_dir_open(const char *state_dir, const char *session_id);

#endif
