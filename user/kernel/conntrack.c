// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entries of the host's connection tracking, found by the address that began them and deleted one by one: a
 * filtered deletion is newer than kernels that reeve runs on, a filtered dump is not.
 *
 * An entry goes by what the kernel calls it, its tuple, zone and id, so that one which was made anew meanwhile is not
 * taken for it; and one that went by itself is what was wanted.
 */
#include "conntrack.h"

#include <errno.h>
#include <netinet/in.h> /* before the kernel's own of the same types */
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <string.h>

#include "netlink.h"

#define TRIES 20
/* The source address of a tuple, in CTA_FILTER_ORIG_FLAGS; Linux 5.8, net/netfilter/nf_conntrack_netlink.c. */
#define FILTER_IP_SRC 1u

struct source {
	uint8_t family;
	int attribute;
	const void *addr;
	int n;
};

struct forget {
	const struct source *source;
	struct nl_sock *sock; /* another than that of the dump */
};

static struct nlattr *find(struct nlattr *in, int attribute)
{
	return in ? nla_find(nla_data(in), nla_len(in), attribute) : NULL;
}

static int copy(struct nl_msg *msg, const struct nlattr *attr)
{
	return attr ? nla_put(msg, attr->nla_type, nla_len(attr), nla_data(attr)) : 0;
}

static int on_entry(struct nlmsghdr *header, void *arg)
{
	const struct forget *forget = arg;
	const struct source *source = forget->source;
	struct nlattr *tuple = nlmsg_find_attr(header, sizeof(struct nfgenmsg), CTA_TUPLE_ORIG);
	struct nlattr *from = find(find(tuple, CTA_TUPLE_IP), source->attribute);
	_cleanup_msg_ struct nl_msg *msg = NULL;
	int r;

	if (!from || nla_len(from) != source->n ||
	    memcmp(nla_data(from), source->addr, (size_t)source->n) != 0)
		return 0;
	msg = netlink_msg(NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_DELETE, NLM_F_ACK,
			  nlmsg_data(header), sizeof(struct nfgenmsg));
	if (!msg || copy(msg, tuple) ||
	    copy(msg, nlmsg_find_attr(header, sizeof(struct nfgenmsg), CTA_ZONE)) ||
	    copy(msg, nlmsg_find_attr(header, sizeof(struct nfgenmsg), CTA_ID)))
		return -ENOMEM;
	r = netlink_do(forget->sock, msg);
	return r == -ENOENT ? 0 : r;
}

static struct nl_msg *dump_msg(const struct source *source)
{
	struct nfgenmsg header = { .nfgen_family = source->family, .version = NFNETLINK_V0 };
	_cleanup_msg_ struct nl_msg *msg = netlink_msg(NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_GET,
						       NLM_F_DUMP, &header, sizeof(header));
	struct nlattr *tuple, *ip, *filter;
	struct nl_msg *whole;

	if (!msg || !(tuple = nla_nest_start(msg, CTA_TUPLE_ORIG | NLA_F_NESTED)) ||
	    !(ip = nla_nest_start(msg, CTA_TUPLE_IP | NLA_F_NESTED)) ||
	    nla_put(msg, source->attribute, source->n, source->addr))
		return NULL;
	nla_nest_end(msg, ip);
	nla_nest_end(msg, tuple);
	filter = nla_nest_start(msg, CTA_FILTER | NLA_F_NESTED);
	if (!filter || nla_put_u32(msg, CTA_FILTER_ORIG_FLAGS, FILTER_IP_SRC) ||
	    nla_put_u32(msg, CTA_FILTER_REPLY_FLAGS, 0))
		return NULL;
	nla_nest_end(msg, filter);
	whole = msg;
	msg = NULL;
	return whole;
}

static int source_forget(const struct source *source)
{
	_cleanup_netlink_ struct nl_sock *sock = NULL, *second = NULL;
	struct forget forget = { .source = source };
	int r = netlink_open(NETLINK_NETFILTER, &sock);

	if (!r)
		r = netlink_open(NETLINK_NETFILTER, &second);
	if (r)
		return r;
	forget.sock = second;
	for (int tries = 0; tries < TRIES; tries++) {
		_cleanup_msg_ struct nl_msg *msg = dump_msg(source);

		r = msg ? netlink_ask(sock, msg, on_entry, &forget) : -ENOMEM;
		if (r != -EAGAIN)
			break;
	}
	return r;
}

int conntrack_forget(const struct plan_network *network, struct fault *ret_fault)
{
	const struct source sources[] = {
		{ AF_INET, CTA_IP_V4_SRC, &network->sandbox_v4, sizeof(network->sandbox_v4) },
		{ AF_INET6, CTA_IP_V6_SRC, &network->sandbox_v6, sizeof(network->sandbox_v6) },
	};
	const struct in6_addr none = {};
	int r = 0;

	/* a family that the session does not have */
	for (size_t i = 0; !r && i < ARRAY_SIZE(sources); i++)
		if (memcmp(sources[i].addr, &none, (size_t)sources[i].n) != 0)
			r = source_forget(&sources[i]);
	if (r)
		return fault_set_errno(
			ret_fault, FAULT_ENFORCEMENT, "connection tracking",
			"load the kernel's nf_conntrack_netlink, or use --egress none", -r,
			"flows of an earlier session with these addresses cannot be removed");
	return 0;
}
