/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_CONNTRACK_H
#define REEVE_CONNTRACK_H

#include "../base/fault.h"
#include "../model/plan.h"

/*
 * Makes the host forget every flow that an address of @network's sandbox began, in the calling thread's network
 * namespace. Whoever has the address next would get the late packets of those flows, which the host still
 * translates to it. Before the device is up. Returns 0 or FAULT_E_SET.
 */
int conntrack_forget(const struct plan_network *network, struct fault *ret_fault);

#endif
