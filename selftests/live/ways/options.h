/* SPDX-License-Identifier: GPL-2.0-only */
/* Attempts by what goes along with an allowed address: options of the header, groups, devices. */
#ifndef REEVE_SELFTESTS_LIVE_WAYS_OPTIONS_H
#define REEVE_SELFTESTS_LIVE_WAYS_OPTIONS_H

#include <linux/seg6.h>
#include <netinet/ip.h>

#include "inet.h"

/* A loose source route over the target; the other address is an allowed one. */
static inline int try_source_route(const struct target *t)
{
	unsigned char option[8] = { IPOPT_NOP, IPOPT_LSRR, 7, 4 };
	int fd = way_socket(t, SOCK_DGRAM, 0);
	struct target last = *t;

	memcpy(option + 4, &t->name.v4.sin_addr, 4);
	if (setsockopt(fd, IPPROTO_IP, IP_OPTIONS, option, sizeof(option)) < 0)
		return -1;
	way_name_set(AF_INET, t->public_text, &last.name);
	return way_sendto(fd, &last);
}

static const unsigned char record_route[8] = { IPOPT_NOP, IPOPT_RR, 7, 4 };

static inline int try_record_route(const struct target *t)
{
	int fd = way_socket(t, SOCK_DGRAM, 0);

	if (setsockopt(fd, IPPROTO_IP, IP_OPTIONS, record_route, sizeof(record_route)) < 0)
		return -1;
	return way_sendto(fd, t);
}

/* The same option, as the companion of one message: no setsockopt. */
static inline int try_record_route_message(const struct target *t)
{
	_Alignas(struct cmsghdr) unsigned char control[CMSG_SPACE(sizeof(record_route))] = { 0 };
	struct iovec iov = { (void *)"x", 1 };
	struct msghdr message = { .msg_name = (void *)&t->name,
				  .msg_namelen = t->len,
				  .msg_iov = &iov,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = IPPROTO_IP;
	header->cmsg_type = IP_RETOPTS;
	header->cmsg_len = CMSG_LEN(sizeof(record_route));
	memcpy(CMSG_DATA(header), record_route, sizeof(record_route));
	return (int)sendmsg(way_socket(t, SOCK_DGRAM, 0), &message, 0);
}

/* A routing header, of the kind that needs no privilege: over the target to an allowed address. */
static inline int try_routing_header(const struct target *t)
{
	struct {
		struct ipv6_sr_hdr header;
		struct in6_addr segments[2];
	} route = { .header = { .hdrlen = 4, .type = 4, .segments_left = 1, .first_segment = 1 } };
	int fd = way_socket(t, SOCK_DGRAM, 0);
	struct target last = *t;

	route.segments[1] = t->name.v6.sin6_addr;
	if (setsockopt(fd, IPPROTO_IPV6, IPV6_RTHDR, &route, sizeof(route)) < 0)
		return -1;
	way_name_set(AF_INET6, t->public_text, &last.name);
	return way_sendto(fd, &last);
}

static inline int try_multicast(const struct target *t)
{
	char device[IF_NAMESIZE];
	int fd = way_socket(t, SOCK_DGRAM, 0), index = (int)way_device(device);
	struct ip_mreqn by = { .imr_ifindex = index };
	int r = t->family == AF_INET
			? setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &by, sizeof(by))
			: setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, &index, sizeof(index));

	return r < 0 ? -1 : way_sendto(fd, t);
}

static inline int try_broadcast(const struct target *t)
{
	int fd = way_socket(t, SOCK_DGRAM, 0), on = 1;
	char device[IF_NAMESIZE];

	way_device(device);
	setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on));
	if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device, sizeof(device)) < 0)
		return -1;
	return way_sendto(fd, t);
}

#endif
