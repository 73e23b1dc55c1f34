/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_RULES_H
#define REEVE_RULES_H

#include "../model/config.h"
#include "engine.h"

/*
 * Makes the kernel's maps hold the operator's rules for every session, and the engine know them; @config
 * outlives the engine. Nothing is done when they hold already. Under engine_lock, before the slot is taken, so
 * that a session never begins under other rules than those its owner was given. Returns 0, -errno or
 * FAULT_E_SET: sessions live under other rules, or the maps are full.
 */
int rules_apply(struct engine *engine, const struct config *config, struct fault *ret_fault);

#endif
