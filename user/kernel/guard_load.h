/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_GUARD_LOAD_H
#define REEVE_GUARD_LOAD_H

#include "guard.h"

/* By enum guard_map: what the BPF object calls them, and their pins. */
extern const char *const guard_map_names[];

/* A hash of the BPF object in this binary: pins of another one are not ours. */
uint64_t guard_load_build(void);

/* The directories beside @pin_dir in which a guard is built and taken apart; bpffs takes no dot in a name. */
#define GUARD_LOADING "-loading"
#define GUARD_REMOVING "-removing"

/* Removes what who was killed while loading or removing has left there. */
int guard_remove_halves(const char *pin_dir, struct fault *ret_fault);

/* Loads, attaches and pins everything at @place, all or nothing. */
int guard_load(const struct guard_place *place, struct fault *ret_fault);

/*
 * Loads and attaches at @place without pinning, for as long as the returned object lives: what doctor
 * proves with. Free with guard_trial_free.
 */
struct guard_trial;
int guard_trial_make(const struct guard_place *place, struct guard_trial **ret,
		     struct guard *ret_guard, struct fault *ret_fault);
void guard_trial_free(struct guard_trial *trial);

#endif
