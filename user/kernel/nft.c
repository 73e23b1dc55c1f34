// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes, checks and removes the table whose rules are in nft_rules.c.
 *
 * Whole is what a dump over netlink shows: a sum over chains, rules and set elements must equal the
 * one in the name of an empty chain, the seal, that is put there after the table was made. The name
 * also has a sum of the rules' text, so that another build's table is replaced. A process that dies
 * before it has put the seal leaves a table that drops as it should and is made again by the next.
 *
 * The check costs 0.3 ms; asking libnftables costs ten times that. The library is opened only to
 * make or remove the table: linked, it would cost each start of the program 0.6 ms, also of those
 * without network.
 */
#include "nft.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h> /* before the kernel's own of the same types */
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <nftables/libnftables.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "netlink.h"
#include "nft_rules.h"

#define LIBRARY "libnftables.so.1"
#define TABLE NFT_RULES_TABLE
#define SEAL "seal_"
#define LOOK_TRIES 20
#define MAKE_TRIES 20
#define FIELD "nftables table inet " TABLE

/* FNV-1a, for changes that happen; against one who forges sums the host's root needs no help. */
static uint64_t sum_add(uint64_t sum, const void *bytes, size_t n)
{
	for (const uint8_t *p = bytes; n > 0; p++, n--)
		sum = (sum ^ *p) * 0x100000001b3ull;
	return sum;
}

#define SUM_NEW 0xcbf29ce484222325ull

struct look {
	uint64_t sum;
	const int *attributes; /* what of a message is summed up; ends with 0 */
	char seal[64];
	unsigned int seals;
};

static int on_object(struct nlmsghdr *header, void *arg)
{
	struct nlattr *table = nlmsg_find_attr(header, sizeof(struct nfgenmsg), NFTA_RULE_TABLE);
	struct look *look = arg;

	if (!table || strcmp(nla_get_string(table), TABLE) != 0)
		return 0;
	for (const int *a = look->attributes; *a; a++) {
		struct nlattr *attr = nlmsg_find_attr(header, sizeof(struct nfgenmsg), *a);

		if (attr)
			look->sum = sum_add(look->sum, attr, (size_t)attr->nla_len);
	}
	return 0;
}

static int on_chain(struct nlmsghdr *header, void *arg)
{
	struct nlattr *table = nlmsg_find_attr(header, sizeof(struct nfgenmsg), NFTA_CHAIN_TABLE);
	struct nlattr *name = nlmsg_find_attr(header, sizeof(struct nfgenmsg), NFTA_CHAIN_NAME);
	struct look *look = arg;

	if (!table || !name || strcmp(nla_get_string(table), TABLE) != 0)
		return 0;
	if (strncmp(nla_get_string(name), SEAL, strlen(SEAL)) != 0)
		return on_object(header, arg);
	look->seals++;
	snprintf(look->seal, sizeof(look->seal), "%s", nla_get_string(name));
	return 0;
}

/* A long list comes in several messages, cut anywhere between elements. */
static int on_elements(struct nlmsghdr *header, void *arg)
{
	struct nlattr *list =
		nlmsg_find_attr(header, sizeof(struct nfgenmsg), NFTA_SET_ELEM_LIST_ELEMENTS);
	struct look *look = arg;
	struct nlattr *element;
	int left;

	if (!list)
		return 0;
	nla_for_each_nested(element, list, left)
		look->sum = sum_add(look->sum, element, (size_t)element->nla_len);
	return 0;
}

/* Handles, uses and counts are left out: they change by themselves. */
static const struct question {
	int type, flags;
	int (*fn)(struct nlmsghdr *header, void *arg);
	int attributes[6];
} questions[] = {
	{ NFT_MSG_GETTABLE, 0, on_object, { NFTA_TABLE_NAME, NFTA_TABLE_FLAGS } },
	{ NFT_MSG_GETCHAIN,
	  NLM_F_DUMP,
	  on_chain,
	  { NFTA_CHAIN_NAME, NFTA_CHAIN_HOOK, NFTA_CHAIN_POLICY, NFTA_CHAIN_TYPE, NFTA_CHAIN_FLAGS } },
	{ NFT_MSG_GETRULE, NLM_F_DUMP, on_object, { NFTA_RULE_CHAIN, NFTA_RULE_EXPRESSIONS } },
};

static const struct question elements_question = { NFT_MSG_GETSETELEM, NLM_F_DUMP, on_elements, {} };

static int ask(struct nl_sock *sock, const struct question *question, const char *set,
	       struct look *look)
{
	struct nfgenmsg header = { .nfgen_family = NFPROTO_INET, .version = NFNETLINK_V0 };
	_cleanup_msg_ struct nl_msg *msg = netlink_msg(NFNL_SUBSYS_NFTABLES << 8 | question->type,
						       question->flags, &header, sizeof(header));

	/* Attribute 1 is the table in every kind of message. */
	if (!msg || nla_put_string(msg, NFTA_RULE_TABLE, TABLE) < 0)
		return -ENOMEM;
	if (set && nla_put_string(msg, NFTA_SET_ELEM_LIST_SET, set) < 0)
		return -ENOMEM;
	look->attributes = question->attributes;
	return netlink_ask(sock, msg, question->fn, look);
}

static int look_once(struct nl_sock *sock, struct look *ret)
{
	struct look look = { .sum = SUM_NEW };
	int r = 0;

	for (size_t i = 0; !r && i < ARRAY_SIZE(questions); i++)
		r = ask(sock, &questions[i], NULL, &look);
	for (size_t i = 0; !r && nft_rules_set(i); i++) {
		r = ask(sock, &elements_question, nft_rules_set(i), &look);
		/* Without the set no rule names it, so the sum differs. */
		if (r == -ENOENT)
			r = 0;
	}
	if (!r)
		*ret = look;
	return r;
}

/* Returns 0, -ENOENT without a table, or -errno. */
static int table_look(struct look *ret)
{
	_cleanup_netlink_ struct nl_sock *sock = NULL;
	int r = netlink_open(NETLINK_NETFILTER, &sock);

	/* A kernel without nf_tables has no table either. */
	if (r == -EPROTONOSUPPORT)
		return -ENOENT;
	if (r < 0)
		return r;
	/* -EAGAIN: someone changed his rules meanwhile. */
	for (int tries = 0; tries < LOOK_TRIES; tries++) {
		r = look_once(sock, ret);
		if (r != -EAGAIN)
			break;
	}
	return r;
}

static void seal_name(const char *text, const struct look *look, char *ret, size_t size)
{
	snprintf(ret, size, SEAL "%016" PRIx64 "_%016" PRIx64, sum_add(SUM_NEW, text, strlen(text)),
		 look->sum);
}

static bool is_whole(const char *text, const struct look *look)
{
	char seal[64];

	seal_name(text, look, seal, sizeof(seal));
	return look->seals == 1 && strcmp(look->seal, seal) == 0;
}

int nft_check(enum nft_state *ret_state)
{
	_cleanup_free_ char *text = NULL;
	struct look look = {};
	int r = nft_rules_text(&text);

	r = r ? r : table_look(&look);
	if (r == -ENOENT) {
		*ret_state = NFT_ABSENT;
		return 0;
	}
	if (r < 0)
		return r;
	*ret_state = is_whole(text, &look) ? NFT_WHOLE : NFT_DAMAGED;
	return 0;
}

struct library {
	typeof(nft_ctx_new) *ctx_new;
	typeof(nft_ctx_free) *ctx_free;
	typeof(nft_ctx_buffer_error) *buffer_error;
	typeof(nft_ctx_get_error_buffer) *get_error;
	typeof(nft_run_cmd_from_buffer) *run;
};

/* The library stays open: its own libraries keep state that outlives a dlclose(). */
static int library_open(struct library *ret, struct fault *ret_fault)
{
	void *handle = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
	struct library library = {};

	if (!handle)
		return fault_set(ret_fault, FAULT_HOST, LIBRARY,
				 "Install libnftables (package libnftables1).",
				 "cannot open the library: %s", dlerror());
	library.ctx_new = dlsym(handle, "nft_ctx_new");
	library.ctx_free = dlsym(handle, "nft_ctx_free");
	library.buffer_error = dlsym(handle, "nft_ctx_buffer_error");
	library.get_error = dlsym(handle, "nft_ctx_get_error_buffer");
	library.run = dlsym(handle, "nft_run_cmd_from_buffer");
	if (!library.ctx_new || !library.ctx_free || !library.buffer_error || !library.get_error ||
	    !library.run)
		return fault_set(ret_fault, FAULT_HOST, LIBRARY, "Install libnftables 1.0 or newer.",
				 "the library lacks a function that reeve needs");
	*ret = library;
	return 0;
}

/* Runs commands, as one transaction. */
static int run(const char *commands, struct fault *ret_fault)
{
	struct library library = {};
	struct nft_ctx *ctx;
	int r = library_open(&library, ret_fault);

	if (r)
		return r;
	ctx = library.ctx_new(NFT_CTX_DEFAULT);
	if (!ctx)
		return -ENOMEM;
	library.buffer_error(ctx);
	if (library.run(ctx, commands) != 0) {
		const char *error = library.get_error(ctx);

		r = fault_set(ret_fault, FAULT_HOST, FIELD,
			      "The kernel needs nf_tables with fib, ct, nat and masquerade for inet.",
			      "the kernel refuses the rules: %.*s", (int)strcspn(error, "\n"), error);
	}
	library.ctx_free(ctx);
	return r;
}

static int look_back(struct look *ret, struct fault *ret_fault)
{
	int r = table_look(ret);

	if (r < 0)
		return fault_set_errno(ret_fault, FAULT_HOST, FIELD, NULL, -r,
				       "cannot read the rules back");
	return 0;
}

static int make_sealed(const char *text, struct fault *ret_fault)
{
	struct look look = {};
	char seal[64], command[128];
	int r = run(text, ret_fault);

	r = r ? r : look_back(&look, ret_fault);
	if (r)
		return r;
	seal_name(text, &look, seal, sizeof(seal));
	snprintf(command, sizeof(command), "add chain inet " TABLE " %s\n", seal);
	return run(command, ret_fault);
}

/*
 * Beside the commit of another who makes the table as well, a dump may show a part of its rules or none:
 * the kernel stops at the first table of the name, also at the one that goes. The seal of such a sum
 * would lie in his table. So each looks at what came of it; a table without a seal is newer than ours,
 * and its maker is about to look.
 */
int nft_make(struct fault *ret_fault)
{
	_cleanup_free_ char *text = NULL;
	int r = nft_rules_text(&text);

	for (int tries = 0; !r && tries < MAKE_TRIES; tries++) {
		struct look look = {};

		r = make_sealed(text, ret_fault);
		r = r ? r : look_back(&look, ret_fault);
		if (!r && (look.seals == 0 || is_whole(text, &look)))
			return 0;
	}
	if (r)
		return r;
	return fault_set(ret_fault, FAULT_HOST, FIELD, "Find out who changes the table.",
			 "the table is changed by others as soon as it is made");
}

/* Changes are taken only as a batch in one packet, also when it is one change. */
struct removal {
	struct nlmsghdr begin;
	struct nfgenmsg begin_body;
	struct nlmsghdr remove;
	struct nfgenmsg remove_body;
	struct nlattr table;
	char name[NLA_ALIGN(sizeof(TABLE))];
	struct nlmsghdr end;
	struct nfgenmsg end_body;
};

static int removal_run(int fd)
{
	const struct nfgenmsg body = { .res_id = htons(NFNL_SUBSYS_NFTABLES) };
	const struct removal removal = {
		.begin = { NLMSG_LENGTH(sizeof(body)), NFNL_MSG_BATCH_BEGIN, NLM_F_REQUEST, 1, 0 },
		.begin_body = body,
		.remove = { offsetof(struct removal, end) - offsetof(struct removal, remove),
			    NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_DELTABLE, NLM_F_REQUEST | NLM_F_ACK,
			    2, 0 },
		.remove_body = { .nfgen_family = NFPROTO_INET },
		.table = { NLA_HDRLEN + sizeof(TABLE), NFTA_TABLE_NAME },
		.name = TABLE,
		.end = { NLMSG_LENGTH(sizeof(body)), NFNL_MSG_BATCH_END, NLM_F_REQUEST, 3, 0 },
		.end_body = body,
	};
	struct {
		struct nlmsghdr header;
		struct nlmsgerr error;
		char rest[256];
	} answer;
	ssize_t n;

	if (send(fd, &removal, sizeof(removal), 0) < 0)
		return -errno;
	n = recv(fd, &answer, sizeof(answer), 0);
	if (n < 0)
		return -errno;
	if ((size_t)n < offsetof(typeof(answer), rest) || answer.header.nlmsg_type != NLMSG_ERROR)
		return -EBADMSG;
	return answer.error.error;
}

int nft_remove(void)
{
	_cleanup_netlink_ struct nl_sock *sock = NULL;
	struct look look;
	int r = table_look(&look);

	if (!r)
		r = netlink_open(NETLINK_NETFILTER, &sock);
	if (!r)
		r = removal_run(nl_socket_get_fd(sock));
	return r == -ENOENT ? 0 : r;
}

int nft_watch_open(int *ret_fd)
{
	return netlink_listen(NETLINK_NETFILTER, (const unsigned int[]){ NFNLGRP_NFTABLES, 0 },
			      ret_fd);
}

static bool is_ours(struct nlmsghdr *header)
{
	struct nlattr *table;

	if (!nlmsg_valid_hdr(header, sizeof(struct nfgenmsg)) ||
	    header->nlmsg_type == (NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWGEN))
		return false;
	table = nlmsg_find_attr(header, sizeof(struct nfgenmsg), NFTA_RULE_TABLE);
	return table && strcmp(nla_get_string(table), TABLE) == 0;
}

int nft_watch_drain(int fd, bool *ret_changed)
{
	return netlink_drain(fd, is_ours, ret_changed);
}
