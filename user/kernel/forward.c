// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the base chains at "forward" and the rules of all tables out of nf_tables, where iptables-nft and
 * firewalld have theirs as well. Tables of the older ip_tables are not seen here.
 *
 * A chain drops what it does not know by its policy, or by a rule without a condition (firewalld's, and "REJECT"
 * at the end of a chain). A rule that compares a device with the name or the group of sessions' is taken for
 * the operator's word that they may pass: what rules do as a whole cannot be computed here.
 */
#include "forward.h"

#include <errno.h>
#include <netinet/in.h> /* before the kernel's own of the same types */
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nf_tables_compat.h>
#include <linux/netfilter/nfnetlink.h>
#include <stdio.h>
#include <string.h>

#include "../model/plan.h"
#include "netlink.h"
#include "nft_rules.h"
#include "veth.h"

#define CHAINS_MAX 64
#define TRIES 20

struct chain {
	uint8_t family;
	char table[64], name[64];
	bool drops;	     /* whatever no rule of it accepts */
	bool by_policy;	     /* or by a rule without a condition */
	bool names_sessions; /* some rule of its table does */
};

struct look {
	struct chain chains[CHAINS_MAX];
	size_t n;
};

/* iptables has a name of its own for what others call by the family. */
static const struct family {
	uint8_t number;
	const char *name;
} families[] = { { NFPROTO_INET, "inet" }, { NFPROTO_IPV4, "ip" }, { NFPROTO_IPV6, "ip6" } };

static const char *family_name(uint8_t family)
{
	for (size_t i = 0; i < ARRAY_SIZE(families); i++)
		if (families[i].number == family)
			return families[i].name;
	return NULL;
}

static uint8_t family_of(struct nlmsghdr *header)
{
	return ((struct nfgenmsg *)nlmsg_data(header))->nfgen_family;
}

static const char *text_of(struct nlmsghdr *header, int attribute)
{
	struct nlattr *attr = nlmsg_find_attr(header, sizeof(struct nfgenmsg), attribute);

	return attr ? nla_get_string(attr) : "";
}

static bool is_at_forward(struct nlmsghdr *header)
{
	struct nlattr *hook = nlmsg_find_attr(header, sizeof(struct nfgenmsg), NFTA_CHAIN_HOOK);
	struct nlattr *number = hook ? nla_find(nla_data(hook), nla_len(hook), NFTA_HOOK_HOOKNUM)
				     : NULL;

	return number && ntohl(nla_get_u32(number)) == NF_INET_FORWARD;
}

static int on_chain(struct nlmsghdr *header, void *arg)
{
	struct nlattr *policy = nlmsg_find_attr(header, sizeof(struct nfgenmsg), NFTA_CHAIN_POLICY);
	struct look *look = arg;
	struct chain *chain = &look->chains[look->n];

	if (!family_name(family_of(header)) || !is_at_forward(header) || look->n == CHAINS_MAX ||
	    strcmp(text_of(header, NFTA_CHAIN_TABLE), NFT_RULES_TABLE) == 0)
		return 0;
	*chain = (struct chain){ .family = family_of(header) };
	snprintf(chain->table, sizeof(chain->table), "%s", text_of(header, NFTA_CHAIN_TABLE));
	snprintf(chain->name, sizeof(chain->name), "%s", text_of(header, NFTA_CHAIN_NAME));
	chain->by_policy = chain->drops = policy && ntohl(nla_get_u32(policy)) == NF_DROP;
	look->n++;
	return 0;
}

static struct nlattr *find(struct nlattr *in, int attribute)
{
	return in ? nla_find(nla_data(in), nla_len(in), attribute) : NULL;
}

/* The comparison of a device's name with a beginning of sessions' names, or of its group with theirs. */
static bool compares_sessions(struct nlattr *data)
{
	static const char prefix[] = PLAN_IFNAME_PREFIX;
	const uint32_t group = VETH_GROUP;
	struct nlattr *value = find(find(data, NFTA_CMP_DATA), NFTA_DATA_VALUE);
	size_t n = value ? (size_t)nla_len(value) : 0;

	if (n == sizeof(group) && memcmp(nla_data(value), &group, n) == 0)
		return true;
	return n >= strlen(prefix) && memcmp(nla_data(value), prefix, strlen(prefix)) == 0;
}

static bool is_drop(const char *name, struct nlattr *data)
{
	struct nlattr *verdict, *code, *target;

	if (strcmp(name, "reject") == 0)
		return true;
	if (strcmp(name, "target") == 0) {
		target = find(data, NFTA_TARGET_NAME);
		return target && strcmp(nla_get_string(target), "REJECT") == 0;
	}
	if (strcmp(name, "immediate") != 0)
		return false;
	verdict = find(find(data, NFTA_IMMEDIATE_DATA), NFTA_DATA_VERDICT);
	code = find(verdict, NFTA_VERDICT_CODE);
	return code && ntohl(nla_get_u32(code)) == NF_DROP;
}

/* What a rule comes to, expression by expression. */
struct rule_view {
	bool conditional, drops, names_sessions;
	bool device; /* a device's name or group is what is compared next */
};

static bool loads_device(struct nlattr *data)
{
	static const uint32_t keys[] = { NFT_META_IIFNAME, NFT_META_OIFNAME, NFT_META_IIFGROUP,
					 NFT_META_OIFGROUP };
	struct nlattr *key = find(data, NFTA_META_KEY);

	for (size_t i = 0; key && i < ARRAY_SIZE(keys); i++)
		if (ntohl(nla_get_u32(key)) == keys[i])
			return true;
	return false;
}

static void expression_look(struct nlattr *expression, struct rule_view *rule)
{
	struct nlattr *name = find(expression, NFTA_EXPR_NAME);
	struct nlattr *data = find(expression, NFTA_EXPR_DATA);
	const char *text = name ? nla_get_string(name) : "";

	if (is_drop(text, data))
		rule->drops = true;
	else if (strcmp(text, "counter") != 0 && strcmp(text, "log") != 0)
		rule->conditional = true;
	if (strcmp(text, "cmp") == 0 && rule->device && compares_sessions(data))
		rule->names_sessions = true;
	rule->device = strcmp(text, "meta") == 0 && loads_device(data);
}

static int on_rule(struct nlmsghdr *header, void *arg)
{
	struct nlattr *list = nlmsg_find_attr(header, sizeof(struct nfgenmsg), NFTA_RULE_EXPRESSIONS);
	struct rule_view rule = {};
	struct look *look = arg;
	struct nlattr *expression;
	int left;

	if (!list)
		return 0;
	nla_for_each_nested(expression, list, left) expression_look(expression, &rule);
	for (size_t i = 0; i < look->n; i++) {
		struct chain *chain = &look->chains[i];

		if (chain->family != family_of(header) ||
		    strcmp(chain->table, text_of(header, NFTA_RULE_TABLE)) != 0)
			continue;
		chain->names_sessions |= rule.names_sessions;
		if (strcmp(chain->name, text_of(header, NFTA_RULE_CHAIN)) == 0)
			chain->drops |= rule.drops && !rule.conditional;
	}
	return 0;
}

static int ask(struct nl_sock *sock, int type, int (*fn)(struct nlmsghdr *header, void *arg),
	       struct look *look)
{
	struct nfgenmsg header = { .nfgen_family = NFPROTO_UNSPEC, .version = NFNETLINK_V0 };
	_cleanup_msg_ struct nl_msg *msg =
		netlink_msg(NFNL_SUBSYS_NFTABLES << 8 | type, NLM_F_DUMP, &header, sizeof(header));

	return netlink_ask(sock, msg, fn, look);
}

/* Chains first: rules are looked at for them. */
static int look_at_rules(struct look *ret)
{
	_cleanup_netlink_ struct nl_sock *sock = NULL;
	int r = netlink_open(NETLINK_NETFILTER, &sock);

	/* a kernel without nf_tables has no table in it */
	if (r == -EPROTONOSUPPORT)
		return 0;
	for (int tries = 0; !r && tries < TRIES; tries++) {
		ret->n = 0;
		r = ask(sock, NFT_MSG_GETCHAIN, on_chain, ret);
		if (!r)
			r = ask(sock, NFT_MSG_GETRULE, on_rule, ret);
		if (r != -EAGAIN)
			break;
		r = 0;
	}
	return r;
}

static int fault_drops(const struct chain *chain, struct fault *ret_fault)
{
	const char *family = family_name(chain->family);
	char remedy[512];

	snprintf(remedy, sizeof(remedy),
		 "accept sessions' packets there, and keep the rules in your firewall's own configuration "
		 "(Docker: chain DOCKER-USER): nft insert rule %s %s %s iifname \"" PLAN_IFNAME_PREFIX
		 "*\" accept; nft insert rule %s %s %s oifname \"" PLAN_IFNAME_PREFIX
		 "*\" ct state established,related accept",
		 family, chain->table, chain->name, family, chain->table, chain->name);
	return fault_set(
		ret_fault, FAULT_HOST, "forward", remedy,
		"table %s %s, chain %s drops every forwarded packet that it has no rule for (%s), and "
		"no rule of the table names sessions' devices",
		family, chain->table, chain->name,
		chain->by_policy ? "its policy" : "a rule for all");
}

int forward_check(struct fault *ret_fault)
{
	_cleanup_free_ struct look *look = calloc(1, sizeof(*look));
	int r = look ? look_at_rules(look) : -ENOMEM;

	for (size_t i = 0; !r && i < look->n; i++)
		if (look->chains[i].drops && !look->chains[i].names_sessions)
			r = fault_drops(&look->chains[i], ret_fault);
	return r;
}
