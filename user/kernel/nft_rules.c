// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rules of the table "inet reeve" as text for libnftables. They only ever drop, and a drop is
 * final whatever the tables of others accept. Sessions are known by the device group that their
 * host ends are born with, so the rules are the same for none and for thousands of sessions.
 *
 *	prerouting   a source that does not lead back through the device that it came by
 *	input        everything for the host itself, by whichever of its addresses
 *	forward      from a session: what the address table denies, after the host's own translations,
 *	             but for what the filter at the device marked as allowed and nobody translated;
 *	             to a session: all but answers
 *	output       to a session: all but errors about its own packets
 *	postrouting  masquerade for sessions
 *
 * Protocols are numbers: their names are looked up in /etc/protocols, which a small host does not
 * have. The chains come late, behind those of others at the same hook, and see what these made of a
 * packet. The sets are made from the rows of prefixes.h. What stands there before an allowing row
 * is denied first, so a row that is misplaced would deny too much, never too little.
 */
#include "nft_rules.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#include "../../include/decide.h"
#include "../../include/egress.h"
#include "../base/macro.h"
#include "veth.h"

#define TABLE NFT_RULES_TABLE
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define FROM_SESSION "iifgroup " TEXT(VETH_GROUP)
#define TO_SESSION "oifgroup " TEXT(VETH_GROUP)
#define ALLOWED "meta mark and " TEXT(EGRESS_MARK_ALLOWED) " == " TEXT(EGRESS_MARK_ALLOWED)

/* The sets come between the two. */
static const char text_begin[] =
	"add table inet " TABLE "\n"
	"delete table inet " TABLE "\n"
	"table inet " TABLE " {\n"
	"	counter spoofed { comment \"source that is not the session's\"; }\n"
	"	counter to_host { comment \"to an address of the host\"; }\n"
	"	counter untracked { comment \"without a connection, so without NAT\"; }\n"
	"	counter denied { comment \"to a denied address, after translation\"; }\n"
	"	counter inbound { comment \"to a session, and not an answer\"; }\n";

static const char text_end[] =
	"	chain from_session {\n"
	"		ct state invalid,untracked counter name untracked drop\n"
	"		fib daddr type != unicast counter name denied drop\n"
	"		" ALLOWED " ct status and dnat != dnat return\n"
	"		ip daddr @denied_v4 counter name denied drop\n"
	"		ip6 daddr @denied_v6 counter name denied drop\n"
	"		ip6 daddr != @allowed_v6 counter name denied drop\n"
	"	}\n"
	"	chain to_session {\n"
	"		ct state established return\n"
	"		ct state related meta l4proto 1 return\n"
	"		ct state related meta l4proto 58 return\n"
	"		counter name inbound drop\n"
	"	}\n"
	"	chain prerouting {\n"
	"		type filter hook prerouting priority -300; policy accept;\n"
	"		" FROM_SESSION " fib saddr . iif oif missing counter name spoofed drop\n"
	"	}\n"
	"	chain input {\n"
	"		type filter hook input priority 10; policy accept;\n"
	"		" FROM_SESSION " counter name to_host drop\n"
	"	}\n"
	"	chain forward {\n"
	"		type filter hook forward priority 10; policy accept;\n"
	"		" FROM_SESSION " jump from_session\n"
	"		" TO_SESSION " jump to_session\n"
	"	}\n"
	"	chain output {\n"
	"		type filter hook output priority 10; policy accept;\n"
	"		" TO_SESSION " ct state != related counter name inbound drop\n"
	"	}\n"
	"	chain postrouting {\n"
	"		type nat hook postrouting priority 100; policy accept;\n"
	"		" FROM_SESSION " masquerade\n"
	"	}\n"
	"}\n";

static const struct row_v4 {
	uint32_t address;
	uint8_t len;
} rows_v4[] = {
#define X(a, b, c, d, len, NAME) { DECIDE_V4_NET(a, b, c, d), len },
	DECIDE_V4(X)
#undef X
};

static const struct row_v6 {
	uint64_t hi, lo;
	uint8_t len;
	enum reason reason;
} rows_v6[] = {
#define X(hi, lo, len, NAME) { hi##ull, lo##ull, len, REASON_##NAME },
	DECIDE_V6(X)
#undef X
};

static void put_v6(FILE *text, uint64_t hi, uint64_t lo, unsigned int len)
{
	uint64_t words[2] = { htobe64(hi), htobe64(lo) };
	char address[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, words, address, sizeof(address));
	fprintf(text, " %s/%u,", address, len);
}

static void put_v4(FILE *text, uint32_t host_order, unsigned int len)
{
	struct in_addr address = { htonl(host_order) };
	char shown[INET_ADDRSTRLEN];

	inet_ntop(AF_INET, &address, shown, sizeof(shown));
	fprintf(text, " %s/%u,", shown, len);
}

static void put_denied_v4(FILE *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows_v4); i++)
		put_v4(text, rows_v4[i].address, rows_v4[i].len);
}

/* The row of length 0 is what the rules do with an address that is in neither set. */
static void put_denied_v6(FILE *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows_v6); i++)
		if (rows_v6[i].len != 0 && rows_v6[i].reason != REASON_OK)
			put_v6(text, rows_v6[i].hi, rows_v6[i].lo, rows_v6[i].len);
	for (size_t i = 0; i < ARRAY_SIZE(rows_v4); i++)
		put_v6(text, DECIDE_NAT64_HI, rows_v4[i].address, 96u + rows_v4[i].len);
}

static void put_allowed_v6(FILE *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows_v6); i++)
		if (rows_v6[i].reason == REASON_OK)
			put_v6(text, rows_v6[i].hi, rows_v6[i].lo, rows_v6[i].len);
	put_v6(text, DECIDE_NAT64_HI, 0, 96);
}

static const struct set {
	const char *name, *type;
	void (*put)(FILE *text);
} sets[] = {
	{ "denied_v4", "ipv4_addr", put_denied_v4 },
	{ "denied_v6", "ipv6_addr", put_denied_v6 },
	{ "allowed_v6", "ipv6_addr", put_allowed_v6 },
};

const char *nft_rules_set(size_t i)
{
	return i < ARRAY_SIZE(sets) ? sets[i].name : NULL;
}

int nft_rules_text(char **ret)
{
	_cleanup_free_ char *bytes = NULL;
	size_t n;
	FILE *text = open_memstream(&bytes, &n);

	if (!text)
		return -ENOMEM;
	fputs(text_begin, text);
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++) {
		fprintf(text, "	set %s { type %s; flags interval; auto-merge; elements = {",
			sets[i].name, sets[i].type);
		sets[i].put(text);
		fputs(" } }\n", text);
	}
	fputs(text_end, text);
	if (fclose(text) != 0)
		return -ENOMEM;
	*ret = bytes;
	bytes = NULL;
	return 0;
}
