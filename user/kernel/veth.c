// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pair of devices of a session. The peer is born inside the session's namespace as eth0; the
 * host end stays down until veth_up(), so that the caller's filter is there before the first
 * packet. Removing one end removes both; so does the end of the session's namespace.
 *
 * Both ends have the same hardware address and the flag IFF_NOARP. Such a device sends every packet
 * to its own hardware address, which is the other end's as well: no ARP, no neighbour discovery, no
 * duplicate address detection, no entry in the host's neighbour table, and nothing for a sandbox to
 * spoof.
 *
 * IPv6 link-local addresses are generated on neither end: inside by the namespace's default for
 * devices to come, set before eth0 is born; outside by the device's own mode, set while it is down.
 * The other settings touch no device but the pair.
 */
#include "veth.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/if.h>
#include <linux/ip.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <string.h>

#include "link.h"
#include "netlink.h"
#include "netns.h"

#define SANDBOX_IFNAME "eth0"
#define PREFIX_V4 30
#define PREFIX_V6 126
#define MAC_SIZE 6
/* For devices to come in the session's namespace; eth0 is the only one. */
static const char *const inside_settings[][2] = {
	{ "/proc/sys/net/ipv6/conf/default/addr_gen_mode", "1" },
	{ "/proc/sys/net/ipv6/conf/default/accept_ra", "0" },
	{ "/proc/sys/net/ipv6/conf/default/autoconf", "0" },
	{ "/proc/sys/net/ipv6/conf/default/accept_redirects", "0" },
	{ "/proc/sys/net/ipv6/conf/default/disable_ipv6", "0" },
};

/* On the host end, below /proc/sys/net/ipv6/conf/DEVICE/; IPv4's go with the netlink message. */
static const char *const host_settings_v6[][2] = {
	{ "accept_ra", "0" },
	{ "autoconf", "0" },
	{ "accept_redirects", "0" },
	{ "disable_ipv6", "0" },
};

static const struct {
	int attribute;
	uint32_t value;
} host_settings_v4[] = {
	{ IPV4_DEVCONF_RP_FILTER, 1 },	    { IPV4_DEVCONF_ACCEPT_REDIRECTS, 0 },
	{ IPV4_DEVCONF_SEND_REDIRECTS, 0 }, { IPV4_DEVCONF_ACCEPT_SOURCE_ROUTE, 0 },
	{ IPV4_DEVCONF_PROXY_ARP, 0 },	    { IPV4_DEVCONF_ROUTE_LOCALNET, 0 },
	{ IPV4_DEVCONF_BC_FORWARDING, 0 },
};

static bool has_v4(const struct plan_network *network)
{
	return network->sandbox_v4.s_addr != 0;
}

static bool has_v6(const struct plan_network *network)
{
	return !IN6_IS_ADDR_UNSPECIFIED(&network->sandbox_v6);
}

static int setting_write(const char *path, const char *value)
{
	_cleanup_fd_ int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd < 0 || write(fd, value, strlen(value)) < 0 ? -errno : 0;
}

static bool kernel_has_v6(void)
{
	return access("/proc/sys/net/ipv6", F_OK) == 0;
}

/* Sets what must be set before eth0 is born, and takes a socket out of the session's namespace. */
static int prepare_inside(int netns_fd, bool v6, struct nl_sock **ret)
{
	int home, left, r = 0;

	r = netns_enter(netns_fd, &home);
	if (r < 0)
		return r;
	for (size_t i = 0; v6 && !r && i < ARRAY_SIZE(inside_settings); i++)
		r = setting_write(inside_settings[i][0], inside_settings[i][1]);
	if (!r)
		r = netlink_open(NETLINK_ROUTE, ret);
	left = netns_leave(&home);
	return left < 0 ? -ENOTRECOVERABLE : r;
}

/* Locally administered, and as unique on the host as the session's address. */
static void mac_of(const struct plan_network *network, uint8_t ret[MAC_SIZE])
{
	const uint8_t *tail = has_v4(network) ? (const uint8_t *)&network->host_v4
					      : &network->host_v6.s6_addr[12];

	ret[0] = 0x02;
	ret[1] = 'r';
	memcpy(ret + 2, tail, 4);
}

static int put_peer(struct nl_msg *msg, int netns_fd, const uint8_t *mac)
{
	struct ifinfomsg link = { .ifi_flags = IFF_NOARP, .ifi_change = IFF_NOARP };
	struct nlattr *info = nla_nest_start(msg, IFLA_LINKINFO), *data, *peer;
	int r;

	if (!info || nla_put_string(msg, IFLA_INFO_KIND, "veth") < 0)
		return -ENOMEM;
	data = nla_nest_start(msg, IFLA_INFO_DATA);
	peer = data ? nla_nest_start(msg, VETH_INFO_PEER) : NULL;
	if (!peer || nlmsg_append(msg, &link, sizeof(link), NLMSG_ALIGNTO) < 0)
		return -ENOMEM;
	r = nla_put_string(msg, IFLA_IFNAME, SANDBOX_IFNAME) |
	    nla_put(msg, IFLA_ADDRESS, MAC_SIZE, mac) |
	    nla_put_u32(msg, IFLA_NET_NS_FD, (uint32_t)netns_fd);
	nla_nest_end(msg, peer);
	nla_nest_end(msg, data);
	nla_nest_end(msg, info);
	return r < 0 ? -ENOMEM : 0;
}

static int pair_add(struct nl_sock *host, const struct plan_network *network, int netns_fd)
{
	struct ifinfomsg link = { .ifi_flags = IFF_NOARP, .ifi_change = IFF_NOARP };
	_cleanup_msg_ struct nl_msg *msg =
		netlink_msg(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &link, sizeof(link));
	uint8_t mac[MAC_SIZE];

	mac_of(network, mac);
	if (!msg || (nla_put_string(msg, IFLA_IFNAME, network->host_ifname) |
		     nla_put(msg, IFLA_ADDRESS, MAC_SIZE, mac) |
		     nla_put_u32(msg, IFLA_GROUP, VETH_GROUP)) < 0)
		return -ENOMEM;
	if (put_peer(msg, netns_fd, mac) < 0)
		return -ENOMEM;
	return netlink_do(host, msg);
}

static int put_addr_gen_mode(struct nl_msg *msg)
{
	struct nlattr *inet6 = nla_nest_start(msg, AF_INET6);

	if (!inet6 || nla_put_u8(msg, IFLA_INET6_ADDR_GEN_MODE, IN6_ADDR_GEN_MODE_NONE) < 0)
		return -ENOMEM;
	nla_nest_end(msg, inet6);
	return 0;
}

static int put_host_settings(struct nl_msg *msg, bool v6)
{
	struct nlattr *spec = nla_nest_start(msg, IFLA_AF_SPEC), *inet, *conf;
	int r = 0;

	inet = spec ? nla_nest_start(msg, AF_INET) : NULL;
	conf = inet ? nla_nest_start(msg, IFLA_INET_CONF) : NULL;
	if (!conf)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(host_settings_v4); i++)
		r |= nla_put_u32(msg, host_settings_v4[i].attribute, host_settings_v4[i].value);
	nla_nest_end(msg, conf);
	nla_nest_end(msg, inet);
	if (v6)
		r |= put_addr_gen_mode(msg);
	nla_nest_end(msg, spec);
	return r < 0 ? -ENOMEM : 0;
}

static int host_set_up(struct nl_sock *host, const char *ifname, unsigned int ifindex, bool v6)
{
	struct ifinfomsg link = { .ifi_index = (int)ifindex };
	_cleanup_msg_ struct nl_msg *msg = netlink_msg(RTM_SETLINK, 0, &link, sizeof(link));
	char path[96];
	int r;

	if (!msg || put_host_settings(msg, v6) < 0)
		return -ENOMEM;
	r = netlink_do(host, msg);
	for (size_t i = 0; v6 && !r && i < ARRAY_SIZE(host_settings_v6); i++) {
		snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/%s", ifname,
			 host_settings_v6[i][0]);
		r = setting_write(path, host_settings_v6[i][1]);
	}
	return r;
}

static int family_add(struct nl_sock *sock, unsigned int ifindex, int family, const void *own,
		      const void *gateway)
{
	int r = link_add_address(sock, ifindex, family, own,
				 family == AF_INET ? PREFIX_V4 : PREFIX_V6);

	return r || !gateway ? r : link_add_default_route(sock, ifindex, family, gateway);
}

static int host_end(struct nl_sock *host, const struct plan_network *network,
		    unsigned int *ret_ifindex)
{
	struct link_state link = {};
	int r = link_look(host, network->host_ifname, &link);

	r = r ? r : host_set_up(host, network->host_ifname, link.ifindex, kernel_has_v6());
	if (!r && has_v6(network))
		r = family_add(host, link.ifindex, AF_INET6, &network->host_v6, NULL);
	if (!r && has_v4(network))
		r = family_add(host, link.ifindex, AF_INET, &network->host_v4, NULL);
	if (!r)
		*ret_ifindex = link.ifindex;
	return r;
}

static int sandbox_end(struct nl_sock *inside, const struct plan_network *network)
{
	struct link_state link = {};
	int r = link_look(inside, SANDBOX_IFNAME, &link);

	/* A route needs its device to be up. */
	r = r ? r : link_up(inside, link.ifindex);
	if (!r && has_v6(network))
		r = family_add(inside, link.ifindex, AF_INET6, &network->sandbox_v6,
			       &network->host_v6);
	if (!r && has_v4(network))
		r = family_add(inside, link.ifindex, AF_INET, &network->sandbox_v4,
			       &network->host_v4);
	return r;
}

static int make(const struct plan_network *network, int netns_fd, unsigned int *ret_ifindex,
		const char **ret_step)
{
	_cleanup_netlink_ struct nl_sock *host = NULL, *inside = NULL;
	unsigned int ifindex = 0;
	int r;

	*ret_step = "prepare the sandbox's side";
	r = prepare_inside(netns_fd, kernel_has_v6(), &inside);
	r = r ? r : netlink_open(NETLINK_ROUTE, &host);
	if (r < 0)
		return r;
	*ret_step = "make the pair of devices";
	r = pair_add(host, network, netns_fd);
	if (r < 0)
		return r;
	*ret_step = "set up the host's device";
	r = host_end(host, network, &ifindex);
	if (!r) {
		*ret_step = "set up the sandbox's device";
		r = sandbox_end(inside, network);
	}
	if (!r && has_v6(network)) {
		*ret_step = "wait for the devices' addresses";
		r = link_wait_address_v6(host, &network->host_v6);
		r = r ? r : link_wait_address_v6(inside, &network->sandbox_v6);
	}
	if (r < 0) {
		veth_remove(network->host_ifname);
		return r;
	}
	*ret_ifindex = ifindex;
	return 0;
}

int veth_make(const struct plan_network *network, int netns_fd, unsigned int *ret_ifindex,
	      struct fault *ret_fault)
{
	struct plan_network possible = *network;
	const char *step;
	int r;

	if (!kernel_has_v6())
		possible.sandbox_v6 = possible.host_v6 = (struct in6_addr){};
	r = make(&possible, netns_fd, ret_ifindex, &step);

	if (r == -ENOTRECOVERABLE)
		return r;
	if (r < 0)
		return fault_set_errno(ret_fault, FAULT_START, network->host_ifname,
				       "reeve gc removes devices that a killed run left.", -r,
				       "cannot %s", step);
	return 0;
}

int veth_up(unsigned int ifindex)
{
	_cleanup_netlink_ struct nl_sock *host = NULL;
	struct link_state link;
	int r = netlink_open(NETLINK_ROUTE, &host);

	r = r ? r : link_up(host, ifindex);
	r = r ? r : link_look_at(host, ifindex, -1, &link);
	r = r ? r : link_wait(host, ifindex, -1);
	return r ? r : link_wait(host, link.peer, link.peer_netns);
}

int veth_remove(const char *host_ifname)
{
	_cleanup_netlink_ struct nl_sock *host = NULL;
	struct link_state state = {};
	int r = netlink_open(NETLINK_ROUTE, &host);

	r = r ? r : link_look(host, host_ifname, &state);
	if (r == -ENODEV || (!r && state.group != VETH_GROUP))
		return 0;
	r = r ? r : link_delete(host, state.ifindex);
	return r == -ENODEV ? 0 : r;
}

struct each {
	int (*fn)(const char *host_ifname, unsigned int ifindex, void *arg);
	void *arg;
	int result;
};

static int on_each(struct nlmsghdr *header, void *arg)
{
	const struct ifinfomsg *link = nlmsg_data(header);
	struct nlattr *group = nlmsg_find_attr(header, sizeof(*link), IFLA_GROUP);
	struct nlattr *name = nlmsg_find_attr(header, sizeof(*link), IFLA_IFNAME);
	struct each *each = arg;

	if (!each->result && group && name && nla_get_u32(group) == VETH_GROUP)
		each->result =
			each->fn(nla_get_string(name), (unsigned int)link->ifi_index, each->arg);
	return 0;
}

int veth_each(int (*fn)(const char *host_ifname, unsigned int ifindex, void *arg), void *arg)
{
	struct ifinfomsg link = {};
	_cleanup_netlink_ struct nl_sock *host = NULL;
	_cleanup_msg_ struct nl_msg *msg = netlink_msg(RTM_GETLINK, NLM_F_DUMP, &link, sizeof(link));
	struct each each = { .fn = fn, .arg = arg };
	int r = netlink_open(NETLINK_ROUTE, &host);

	if (r < 0)
		return r;
	if (!msg || nla_put_u32(msg, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS) < 0)
		return -ENOMEM;
	r = netlink_ask(host, msg, on_each, &each);
	return each.result ? each.result : r;
}
