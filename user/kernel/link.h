/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One network device, in the network namespace where @sock was opened, wherever the calling thread
 * is. Each function returns 0 or -errno, -ENODEV when there is no such device.
 */
#ifndef REEVE_LINK_H
#define REEVE_LINK_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

struct nl_sock;

struct link_state {
	unsigned int ifindex, group;
	unsigned int peer; /* index of the other end, in the namespace */
	int peer_netns;	   /* that the caller's knows by this number */
	bool running;
};

int link_look(struct nl_sock *sock, const char *ifname, struct link_state *ret);

/* Looks in the namespace that the one of @sock knows by the number @netns; -1 for that of @sock. */
int link_look_at(struct nl_sock *sock, unsigned int ifindex, int netns, struct link_state *ret);

int link_up(struct nl_sock *sock, unsigned int ifindex);
int link_delete(struct nl_sock *sock, unsigned int ifindex);
int link_add_address(struct nl_sock *sock, unsigned int ifindex, int family, const void *address,
		     uint8_t prefixlen);
int link_add_default_route(struct nl_sock *sock, unsigned int ifindex, int family,
			   const void *gateway);

/* Waits until the device, found as link_look_at() does, passes packets. -ETIMEDOUT after 2 s. */
int link_wait(struct nl_sock *sock, unsigned int ifindex, int netns);

/* Waits until packets to @address are delivered. -ETIMEDOUT after 2 s. */
int link_wait_address_v6(struct nl_sock *sock, const struct in6_addr *address);

#endif
