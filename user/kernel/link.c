// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is asked of the kernel about one device. Each request goes over a socket that its caller
 * opened in the right network namespace; nothing is remembered here.
 *
 * The kernel finishes two things by workers, after it has answered: that a device with carrier
 * passes packets, and that it delivers to a new IPv6 address. A sandbox that is faster loses its
 * first packet, and its first SYN is sent again only after a second. The waits look until it is so,
 * 0.1 ms apart.
 */
#include "link.h"

#include <errno.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <time.h>

#include "../base/clock.h"
#include "netlink.h"

#define READY_WAIT_NS (2 * NSEC_PER_SEC)

static const struct timespec ready_pause = { .tv_nsec = NSEC_PER_MSEC / 10 };

int link_add_address(struct nl_sock *sock, unsigned int ifindex, int family, const void *address,
		     uint8_t prefixlen)
{
	struct ifaddrmsg header = { .ifa_family = (uint8_t)family,
				    .ifa_prefixlen = prefixlen,
				    .ifa_flags = IFA_F_PERMANENT | IFA_F_NODAD,
				    .ifa_index = ifindex };
	_cleanup_msg_ struct nl_msg *msg =
		netlink_msg(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, &header, sizeof(header));
	int size = family == AF_INET ? 4 : 16;

	if (!msg ||
	    (nla_put(msg, IFA_LOCAL, size, address) | nla_put(msg, IFA_ADDRESS, size, address)) < 0)
		return -ENOMEM;
	return netlink_do(sock, msg);
}

int link_add_default_route(struct nl_sock *sock, unsigned int ifindex, int family, const void *gateway)
{
	struct rtmsg header = { .rtm_family = (uint8_t)family,
				.rtm_table = RT_TABLE_MAIN,
				.rtm_protocol = RTPROT_STATIC,
				.rtm_scope = RT_SCOPE_UNIVERSE,
				.rtm_type = RTN_UNICAST };
	_cleanup_msg_ struct nl_msg *msg =
		netlink_msg(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, &header, sizeof(header));

	if (!msg || (nla_put(msg, RTA_GATEWAY, family == AF_INET ? 4 : 16, gateway) |
		     nla_put_u32(msg, RTA_OIF, ifindex)) < 0)
		return -ENOMEM;
	return netlink_do(sock, msg);
}

static int on_link(struct nlmsghdr *header, void *arg)
{
	const struct ifinfomsg *link = nlmsg_data(header);
	struct nlattr *attrs[IFLA_MAX + 1];
	struct link_state *state = arg;

	if (nlmsg_parse(header, sizeof(*link), attrs, IFLA_MAX, NULL) < 0)
		return -EBADMSG;
	*state = (struct link_state){
		.ifindex = (unsigned int)link->ifi_index,
		.group = attrs[IFLA_GROUP] ? nla_get_u32(attrs[IFLA_GROUP]) : 0,
		.peer = attrs[IFLA_LINK] ? nla_get_u32(attrs[IFLA_LINK]) : 0,
		.peer_netns = attrs[IFLA_LINK_NETNSID] ? nla_get_s32(attrs[IFLA_LINK_NETNSID]) : -1,
		.running = attrs[IFLA_OPERSTATE] && nla_get_u8(attrs[IFLA_OPERSTATE]) == IF_OPER_UP,
	};
	return 0;
}

int link_look(struct nl_sock *sock, const char *ifname, struct link_state *ret)
{
	struct ifinfomsg link = {};
	_cleanup_msg_ struct nl_msg *msg = netlink_msg(RTM_GETLINK, 0, &link, sizeof(link));

	if (!msg || nla_put_string(msg, IFLA_IFNAME, ifname) < 0)
		return -ENOMEM;
	return netlink_ask(sock, msg, on_link, ret);
}

int link_look_at(struct nl_sock *sock, unsigned int ifindex, int netns, struct link_state *ret)
{
	struct ifinfomsg link = { .ifi_index = (int)ifindex };
	_cleanup_msg_ struct nl_msg *msg = netlink_msg(RTM_GETLINK, 0, &link, sizeof(link));

	if (!msg || (netns >= 0 && nla_put_s32(msg, IFLA_TARGET_NETNSID, netns) < 0))
		return -ENOMEM;
	return netlink_ask(sock, msg, on_link, ret);
}

int link_up(struct nl_sock *sock, unsigned int ifindex)
{
	struct ifinfomsg link = { .ifi_index = (int)ifindex,
				  .ifi_flags = IFF_UP,
				  .ifi_change = IFF_UP };
	_cleanup_msg_ struct nl_msg *msg = netlink_msg(RTM_SETLINK, 0, &link, sizeof(link));

	return netlink_do(sock, msg);
}

int link_delete(struct nl_sock *sock, unsigned int ifindex)
{
	struct ifinfomsg link = { .ifi_index = (int)ifindex };
	_cleanup_msg_ struct nl_msg *msg = netlink_msg(RTM_DELLINK, 0, &link, sizeof(link));

	return netlink_do(sock, msg);
}

/*
 * Of two ends the one that comes up last passes packets at once, the other when a worker of the
 * kernel has seen its carrier: until then it drops them, and the sandbox's first SYN would be sent
 * again after a second. Being asked makes newer kernels look at once.
 */
int link_wait(struct nl_sock *sock, unsigned int ifindex, int netns)
{
	uint64_t end = clock_monotonic_ns() + READY_WAIT_NS;
	struct link_state state;
	int r;

	for (;;) {
		r = link_look_at(sock, ifindex, netns, &state);
		if (r < 0 || state.running)
			return r;
		if (clock_monotonic_ns() > end)
			return -ETIMEDOUT;
		nanosleep(&ready_pause, NULL);
	}
}

static int on_type(struct nlmsghdr *header, void *arg)
{
	const struct rtmsg *route = nlmsg_data(header);
	unsigned char *type = arg;

	*type = route->rtm_type;
	return 0;
}

/*
 * An IPv6 address is there at once, but the kernel delivers packets to it only when a worker has
 * put its route into the local table, also without duplicate address detection.
 */
int link_wait_address_v6(struct nl_sock *sock, const struct in6_addr *address)
{
	struct rtmsg header = { .rtm_family = AF_INET6, .rtm_dst_len = 128 };
	uint64_t end = clock_monotonic_ns() + READY_WAIT_NS;
	unsigned char type = RTN_UNSPEC;
	int r;

	for (;;) {
		_cleanup_msg_ struct nl_msg *msg =
			netlink_msg(RTM_GETROUTE, 0, &header, sizeof(header));

		if (!msg || nla_put(msg, RTA_DST, sizeof(*address), address) < 0)
			return -ENOMEM;
		r = netlink_ask(sock, msg, on_type, &type);
		if (!r && type == RTN_LOCAL)
			return 0;
		if (r < 0 && r != -ENETUNREACH && r != -EHOSTUNREACH)
			return r;
		if (clock_monotonic_ns() > end)
			return -ETIMEDOUT;
		nanosleep(&ready_pause, NULL);
	}
}
