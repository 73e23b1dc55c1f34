/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Slots: numbers that stand for one live session each, and from which its uid range, its addresses, its
 * device and its ring of events follow. A slot is a file: locked while its owner lives, and holding the
 * session's id and cgroup id from before anything of the session exists until all of it is gone. A kept slot
 * has no owner: the ledger knows its session, and no sweep touches it.
 */
#ifndef REEVE_SLOT_H
#define REEVE_SLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine.h"

struct slot {
	unsigned int number;
	int fd; /* the lock */
	bool kept;
};

#define SLOT_INIT                                                                                  \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/* What a slot file holds; an empty session_id: nobody. */
struct slot_record {
	char session_id[REEVE_SESSION_ID_SIZE];
	uint64_t cgroup_id; /* 0 until the cgroup exists */
	pid_t owner;	    /* as its own pid namespace numbers it */
	bool kept;	    /* lives without an owner, until its session is closed */
};

/*
 * Takes the lowest free slot for @session_id. Under engine_lock, after a sweep. Returns 0, -errno, or
 * FAULT_E_SET when all are taken.
 */
int slot_take(const struct engine *engine, const char *session_id, struct slot *ret,
	      struct fault *ret_fault);

/*
 * The same for a session that outlives its makers, from the highest number down, so that whoever takes the
 * lowest does not meet it. @wanted, unless it is SLOT_ANY, is the only number that will do.
 */
int slot_take_kept(const struct engine *engine, const char *session_id, unsigned int wanted,
		   struct slot *ret, struct fault *ret_fault);
#define SLOT_ANY REEVE_SLOTS_MAX

/* Writes down the cgroup's id, before the kernel gets an entry for it. */
int slot_set_cgroup(const struct slot *slot, const char *session_id, uint64_t cgroup_id);

/* Opens the slot of a kept session. Returns 0, -ENOENT when it is another's or nobody's, or -errno. */
int slot_open_kept(const struct engine *engine, const char *session_id, unsigned int number,
		   struct slot *ret);

/* Gives the slot back; only when nothing of the session is left. */
void slot_release(struct slot *slot);

/* Closes without giving back: the next sweep finds what is recorded. */
void slot_abandon(struct slot *slot);

int slot_read(int fd, struct slot_record *ret);

/*
 * Calls @fn for each slot file, with its descriptor and whether its session is alive: its owner is, or it is
 * kept. Under engine_lock. A result other than 0 ends the walk and is returned.
 */
int slot_each(int slots_fd, int (*fn)(unsigned int slot, int fd, bool alive, void *arg), void *arg);

#endif
