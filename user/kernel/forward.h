/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What other rules of the host do with what sessions send: every table at the hook "forward" must let a packet
 * pass, and a firewall that drops what it does not know drops sessions' packets.
 */
#ifndef REEVE_FORWARD_H
#define REEVE_FORWARD_H

#include "../base/fault.h"

/*
 * The first base chain at "forward", of another table than ours, that drops or rejects all that it has no rule
 * for, while no rule of its table names the devices of sessions: a fault that names it, with the rules to add.
 * What its rules let pass is not known. Returns 0 when there is none, -errno or FAULT_E_SET.
 */
int forward_check(struct fault *ret_fault);

#endif
