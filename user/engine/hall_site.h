/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What sessions publish: copies of what their requests left in /site, below <state dir>/site/<slug>/, that outlive
 * the session's workspace.
 */
#ifndef REEVE_HALL_SITE_H
#define REEVE_HALL_SITE_H

#include <stdint.h>

#include "../base/fault.h"
#include "../model/desk.h"

/* Where the session's site is. */
void hall_site_slug(const char *session_id, char ret[DESK_SLUG_SIZE]);

/*
 * Copies the regular files of the session's /site and puts them in the place of what was published before; an empty
 * one publishes nothing. Returns 0, -errno, or FAULT_E_SET: there is more than can be published. What was there then
 * stays.
 */
int hall_site_publish(const char *state_dir, const char *session_id, const char *request_id,
		      struct fault *ret_fault);

/* The number of what is published, another one after each time; 0 for nothing. */
uint64_t hall_site_inode(const char *state_dir, const char *slug);

/* Returns 0, also when there was nothing, or -errno. */
int hall_site_remove(const char *state_dir, const char *slug);

/* Calls @keep for each name below the sites' directory, and removes those for which it returns false. */
int hall_site_sweep(const char *state_dir, bool (*keep)(const char *name, void *arg), void *arg);
/* How the name of a copy that is being made begins; the request's id follows. */
#define HALL_SITE_NEW ".new-"

#endif
