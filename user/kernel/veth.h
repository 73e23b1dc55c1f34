/* SPDX-License-Identifier: GPL-2.0-only */
/* The pair of devices that ties a session's network namespace to the host. */
#ifndef REEVE_VETH_H
#define REEVE_VETH_H

#include <stdbool.h>

#include "../base/fault.h"
#include "../model/plan.h"

/*
 * Every host end carries this device group from its birth. The packet filter and gc know our
 * devices by it, so that a stranger's "rv0" is never filtered or removed. The letters "reev".
 */
#define VETH_GROUP 0x72656576

/*
 * Makes @network->host_ifname here and its peer "eth0" in @netns_fd, both with their addresses, the
 * default routes inside. A family whose sandbox address is all zeros, or that the kernel does not
 * have, is left out. The host end is still down, so that the caller's filter on *ret_ifindex is
 * there before the first packet: see veth_up(). Returns 0, FAULT_E_SET, or -ENOTRECOVERABLE as
 * netns_make() does; on failure no device is left.
 */
int veth_make(const struct plan_network *network, int netns_fd, unsigned int *ret_ifindex,
	      struct fault *ret_fault);

/* Brings up the host end, and returns when both ends pass packets. Returns 0 or -errno. */
int veth_up(unsigned int ifindex);

/*
 * Removes the pair by its host end and waits for the kernel, 10 to 50 ms. Returns 0, also when no
 * device of ours has that name, or -errno.
 */
int veth_remove(const char *host_ifname);

/*
 * Calls @fn for each host end of ours in the calling thread's network namespace; a result other
 * than 0 ends the walk and is returned. Which of them still have a session is the caller's
 * knowledge.
 */
int veth_each(int (*fn)(const char *host_ifname, unsigned int ifindex, void *arg), void *arg);

#endif
