// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks at the host's network; changes nothing.
 *
 * What is the host's own is what its routing tables deliver to itself: the types local, broadcast
 * and anycast. Every address of every device has such a route, and so has a prefix that the host
 * takes as a whole. A default route of type local is no address but the catch-all of a transparent
 * proxy.
 */
#include "hostnet.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>

#include "../base/macro.h"
#include "netlink.h"
#include "route.h"

#define FORWARD_V4 "/proc/sys/net/ipv4/ip_forward"
#define FORWARD_V6 "/proc/sys/net/ipv6/conf/all/forwarding"

static const struct own_type {
	int family;
	unsigned char type;
	enum hostnet_kind kind;
} own_types[] = {
	{ AF_INET, RTN_LOCAL, HOSTNET_LOCAL },
	{ AF_INET, RTN_BROADCAST, HOSTNET_BROADCAST },
	{ AF_INET6, RTN_LOCAL, HOSTNET_LOCAL },
	{ AF_INET6, RTN_ANYCAST, HOSTNET_ANYCAST },
};

struct each_own {
	int (*fn)(enum hostnet_kind kind, const struct host_prefix *prefix, void *arg);
	void *arg;
	enum hostnet_kind kind;
};

/* Whether the entry would change a verdict: what the table denies needs none. */
static bool is_news(const struct route *route)
{
	return !route_is_default(route) && decide_class(&route->to) == REASON_OK;
}

static int own_route(const struct route *route, void *arg)
{
	const struct each_own *each = arg;
	struct host_prefix prefix = { .prefixlen = route->len };
	const uint64_t words[2] = { htobe64(route->to.hi), htobe64(route->to.lo) };

	if (!is_news(route))
		return 0;
	memcpy(prefix.addr, words, sizeof(prefix.addr));
	return each->fn(each->kind, &prefix, each->arg);
}

int hostnet_each_own(int (*fn)(enum hostnet_kind kind, const struct host_prefix *prefix, void *arg),
		     void *arg)
{
	struct each_own each = { .fn = fn, .arg = arg };
	int r = 0;

	for (size_t i = 0; !r && i < ARRAY_SIZE(own_types); i++) {
		each.kind = own_types[i].kind;
		r = route_walk(own_types[i].family, own_types[i].type, own_route, &each);
	}
	return r;
}

int hostnet_watch_open(int *ret_fd)
{
	static const unsigned int groups[] = { RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR,
					       RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE, 0 };

	return netlink_listen(NETLINK_ROUTE, groups, ret_fd);
}

static bool address_matters(struct nlmsghdr *header)
{
	const struct ifaddrmsg *message = nlmsg_data(header);
	struct nlattr *address;
	struct decide_addr addr;

	if (!nlmsg_valid_hdr(header, sizeof(*message)))
		return false;
	address = nlmsg_find_attr(header, sizeof(*message), IFA_LOCAL);
	if (!address)
		address = nlmsg_find_attr(header, sizeof(*message), IFA_ADDRESS);
	if (!address || nla_len(address) < (message->ifa_family == AF_INET ? 4 : 16))
		return false;
	addr = route_address(message->ifa_family, nla_data(address));
	return decide_class(&addr) == REASON_OK;
}

static bool change_matters(struct nlmsghdr *header)
{
	struct route route;

	/* The flush of a device's routes is not told, the end of its addresses is. */
	if (header->nlmsg_type == RTM_NEWADDR || header->nlmsg_type == RTM_DELADDR)
		return address_matters(header);
	if (!route_read(header, &route) || !is_news(&route))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(own_types); i++)
		if (own_types[i].family == route.family && own_types[i].type == route.type)
			return true;
	return false;
}

int hostnet_watch_drain(int fd, bool *ret_changed)
{
	return netlink_drain(fd, change_matters, ret_changed);
}

/* A family that the kernel does not have is not forwarded. */
static int switch_read(const char *path, bool *ret)
{
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char value = '0';

	if (fd < 0 && errno != ENOENT)
		return -errno;
	if (fd >= 0 && read(fd, &value, 1) < 0)
		return -errno;
	*ret = value != '0';
	return 0;
}

static int default_route(const struct route *route, void *arg)
{
	bool *found = arg;

	*found |= route_is_default(route);
	return 0;
}

int hostnet_forwarding(struct hostnet_forwarding *ret)
{
	struct hostnet_forwarding found = {};
	int r = switch_read(FORWARD_V4, &found.v4);

	r = r ? r : switch_read(FORWARD_V6, &found.v6);
	r = r ? r : route_walk(AF_INET, RTN_UNICAST, default_route, &found.default_v4);
	r = r ? r : route_walk(AF_INET6, RTN_UNICAST, default_route, &found.default_v6);
	if (!r)
		*ret = found;
	return r;
}

int hostnet_require_forwarding(struct fault *ret_fault)
{
	struct hostnet_forwarding found;
	int r = hostnet_forwarding(&found);

	if (r < 0)
		return r;
	if (!found.v4 && (found.default_v4 || !found.default_v6))
		return fault_set(
			ret_fault, FAULT_HOST, "net.ipv4.ip_forward",
			found.v6 ? "sysctl -w net.ipv4.ip_forward=1, and the same line in /etc/sysctl.d "
				   "to keep it; or use --egress none."
				 : "sysctl -w net.ipv4.ip_forward=1, for IPv6 "
				   "net.ipv6.conf.all.forwarding=1 as well, and the same lines in "
				   "/etc/sysctl.d to keep them; or use --egress none.",
			"is 0: the host forwards no IPv4 packets of sandboxes, public egress needs 1");
	if (!found.v6 && found.default_v6)
		return fault_set(
			ret_fault, FAULT_HOST, "net.ipv6.conf.all.forwarding",
			"sysctl -w net.ipv6.conf.all.forwarding=1; where the host's own default "
			"route comes from a router's advertisements, first set "
			"net.ipv6.conf.DEVICE.accept_ra=2. Or use --egress none.",
			"is 0 while the host has an IPv6 default route: public egress needs 1");
	return 0;
}
