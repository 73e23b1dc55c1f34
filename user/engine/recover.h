/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_RECOVER_H
#define REEVE_RECOVER_H

#include "engine.h"
#include "slot.h"

/*
 * Removes all that is left of one session: its processes, kernel entries, device and cgroups, in this
 * order; safe to repeat. Returns 0 or FAULT_E_SET that names what is left.
 */
int recover_session(const struct engine *engine, const struct slot_record *record,
		    unsigned int slot, struct fault *ret_fault);

/* The same for every slot whose owner is dead. Under engine_lock. */
int recover_sweep(const struct engine *engine, unsigned int *ret_swept, struct fault *ret_fault);

/* Live sessions: slots whose lock is held. */
int recover_count_live(int slots_fd, unsigned int *ret);

/* What was there, and is not any more. */
struct recover_removed {
	unsigned int sessions; /* of killed runs */
	bool pins, table, parent, run_dir;
};

/*
 * Removes what belongs to the host: pins, parent cgroup, nftables table, run directory. Refused with
 * FAULT_BUSY while a session lives, also one of another run directory. Works when the pins are damaged or
 * of another build.
 */
int recover_remove_all(const struct engine_config *config, struct recover_removed *ret,
		       struct fault *ret_fault);

#endif
