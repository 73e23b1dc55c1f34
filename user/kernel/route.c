// SPDX-License-Identifier: GPL-2.0-only
/*
 * Routes as the kernel dumps and tells them. It filters a dump by type (NETLINK_GET_STRICT_CHK), so
 * that a router's full table is sent only to one who asks for all types.
 */
#include "route.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "netlink.h"

#define DUMP_TRIES 20

struct decide_addr route_address(int family, const void *bytes)
{
	struct decide_addr addr = decide_from_v4(0);
	uint32_t v4;

	if (family == AF_INET) {
		memcpy(&v4, bytes, sizeof(v4));
		return decide_from_v4(ntohl(v4));
	}
	memcpy(&addr, bytes, sizeof(addr));
	addr.hi = be64toh(addr.hi);
	addr.lo = be64toh(addr.lo);
	return addr;
}

bool route_read(struct nlmsghdr *header, struct route *ret)
{
	const struct rtmsg *message = nlmsg_data(header);
	const int size = message->rtm_family == AF_INET ? 4 : 16;
	struct nlattr *to, *device;

	if ((header->nlmsg_type != RTM_NEWROUTE && header->nlmsg_type != RTM_DELROUTE) ||
	    !nlmsg_valid_hdr(header, sizeof(*message)) ||
	    (message->rtm_family != AF_INET && message->rtm_family != AF_INET6))
		return false;
	to = nlmsg_find_attr(header, sizeof(*message), RTA_DST);
	device = nlmsg_find_attr(header, sizeof(*message), RTA_OIF);
	*ret = (struct route){
		.family = message->rtm_family,
		.type = message->rtm_type,
		.len = message->rtm_dst_len + (message->rtm_family == AF_INET ? ROUTE_V4_BITS : 0),
		.ifindex = device ? nla_get_u32(device) : 0,
	};
	if (ret->family == AF_INET)
		ret->to = decide_from_v4(0);
	if (to && nla_len(to) >= size)
		ret->to = route_address(ret->family, nla_data(to));
	return true;
}

struct walk {
	int family;
	int (*fn)(const struct route *route, void *arg);
	void *arg;
	int result;
};

static int on_route(struct nlmsghdr *header, void *arg)
{
	struct walk *walk = arg;
	struct route route;

	/* A kernel without IPv6 answers with the routes of all families. */
	if (!walk->result && route_read(header, &route) && route.family == walk->family)
		walk->result = walk->fn(&route, walk->arg);
	return 0;
}

int route_walk(int family, unsigned char type, int (*fn)(const struct route *route, void *arg),
	       void *arg)
{
	struct rtmsg header = { .rtm_family = (uint8_t)family, .rtm_type = type };
	_cleanup_netlink_ struct nl_sock *sock = NULL;
	struct walk walk = { .family = family, .fn = fn, .arg = arg };
	const int on = 1;
	int r = netlink_open(NETLINK_ROUTE, &sock);

	if (r < 0)
		return r;
	if (setsockopt(nl_socket_get_fd(sock), SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on,
		       sizeof(on)) < 0)
		return -errno;
	for (int tries = 0; tries < DUMP_TRIES; tries++) {
		_cleanup_msg_ struct nl_msg *msg =
			netlink_msg(RTM_GETROUTE, NLM_F_DUMP, &header, sizeof(header));

		r = netlink_ask(sock, msg, on_route, &walk);
		if (r != -EAGAIN || walk.result)
			break;
	}
	return walk.result ? walk.result : r;
}
