// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an egress mode has room for, and what an operator's prefix changes of an address' class: every
 * combination against a table or a rule that is written down here once more.
 */
#include "../test.h"

#include <stdio.h>

#include "../../include/egress.h"

static const struct use {
	struct egress_use use;
	unsigned int ports;
	enum reason package_managers, public;
} uses[] = {
	/* TCP: protocol, port, opens, sends */
	{ { 6, 443, 1, 1 }, 1, REASON_OK, REASON_OK },
	{ { 6, 443, 1, 1 }, 3, REASON_OK, REASON_OK },
	{ { 6, 443, 1, 1 }, 2, REASON_PORT, REASON_OK },
	{ { 6, 443, 1, 1 }, 0, REASON_ADDRESS_UNKNOWN, REASON_OK },
	{ { 6, 443, 0, 1 }, 0, REASON_OK, REASON_OK }, /* a connection that is open */
	{ { 6, 80, 1, 1 }, 1, REASON_PORT, REASON_OK },
	{ { 6, 80, 1, 1 }, 2, REASON_OK, REASON_OK },
	{ { 6, 80, 0, 1 }, 0, REASON_OK, REASON_OK },
	{ { 6, 22, 1, 1 }, 3, REASON_PORT, REASON_OK },
	{ { 6, 22, 0, 1 }, 3, REASON_PORT, REASON_OK },
	{ { 6, 0, 1, 1 }, 3, REASON_PORT, REASON_OK },
	{ { 6, 53, 1, 1 }, 3, REASON_DNS, REASON_OK },
	{ { 6, 853, 1, 1 }, 3, REASON_DNS, REASON_DNS },
	{ { 6, 853, 0, 1 }, 3, REASON_DNS, REASON_DNS },
	/* UDP that is sent */
	{ { 17, 443, 1, 1 }, 3, REASON_PORT, REASON_OK },
	{ { 17, 443, 0, 1 }, 3, REASON_PORT, REASON_OK },
	{ { 17, 80, 0, 1 }, 3, REASON_PORT, REASON_OK },
	{ { 17, 53, 0, 1 }, 3, REASON_DNS, REASON_OK },
	{ { 17, 853, 0, 1 }, 3, REASON_DNS, REASON_DNS },
	/* connect() of a UDP socket, which sends nothing */
	{ { 17, 443, 1, 0 }, 3, REASON_OK, REASON_OK },
	{ { 17, 0, 1, 0 }, 1, REASON_OK, REASON_OK },
	{ { 17, 65535, 1, 0 }, 1, REASON_OK, REASON_OK },
	{ { 17, 443, 1, 0 }, 0, REASON_ADDRESS_UNKNOWN, REASON_OK },
	{ { 17, 53, 1, 0 }, 3, REASON_DNS, REASON_OK },
	{ { 17, 853, 1, 0 }, 3, REASON_DNS, REASON_DNS },
	/* whatever else a socket may be of */
	{ { 132, 443, 1, 1 }, 3, REASON_PORT, REASON_OK },
};

TEST("package-managers has room for TCP to known addresses at their ports, public for all but DNS over TLS")
{
	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
		const struct use *use = &uses[i];

		printf("row %zu:\n", i);
		EXPECT_EQ(egress_use(POLICY_EGRESS_PACKAGE_MANAGERS, &use->use, use->ports),
			  use->package_managers);
		EXPECT_EQ(egress_use(POLICY_EGRESS_PUBLIC, &use->use, use->ports), use->public);
	}
}

TEST("of 65,536 ports two are open to TCP under package-managers")
{
	unsigned int open = 0;

	for (unsigned int port = 0; port < 65536; port++) {
		struct egress_use use = { 6, (__u16)port, 1, 1 };

		open += egress_use(POLICY_EGRESS_PACKAGE_MANAGERS, &use, 3) == REASON_OK;
	}
	EXPECT_EQ(open, 2);
}

TEST("no rule changes no class, a denying rule denies what was allowed and keeps the reason of what was not")
{
	for (int class = 0; class < REASON_COUNT; class ++) {
		EXPECT_EQ(egress_class((enum reason) class, EGRESS_NO_RULE), class);
		for (int rule = 1; rule < REASON_COUNT; rule++)
			EXPECT_EQ(egress_class((enum reason) class, rule), class ? class : rule);
	}
}

TEST("an allowing rule opens addresses that networks give to hosts, and no other class")
{
	static const enum reason opened[] = {
		REASON_OK,    REASON_PRIVATE,  REASON_SHARED,	     REASON_LINK_LOCAL,
		REASON_CLOUD, REASON_PROTOCOL, REASON_DOCUMENTATION, REASON_BENCHMARK,
	};

	for (int class = 0; class < REASON_COUNT; class ++) {
		bool open = false;

		for (size_t i = 0; i < sizeof(opened) / sizeof(opened[0]); i++)
			open = open || opened[i] == (enum reason) class;
		EXPECT_EQ(egress_class((enum reason) class, REASON_OK), open ? REASON_OK : class);
	}
}

TEST("a translator's prefix is told by its 96 bits, and an unused one is no address'")
{
	const struct host host = { .nat64 = { { 0x2a00000100020064, 0 },
					      { 0x2a00000100020064, 1ull << 32 } } };
	const struct {
		struct decide_addr addr;
		bool translated;
	} rows[] = {
		{ { 0x2a00000100020064, 0x01020304 }, true },
		{ { 0x2a00000100020064, 0x101020304 }, true },
		{ { 0x2a00000100020064, 0x201020304 }, false },
		{ { 0x2a00000100020065, 0x01020304 }, false },
		{ { 0, 1 }, false },
		{ { 0, 0x01020304 }, false },
		{ { 0, 0xffff01020304 }, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct decide_addr inside = { 7, 7 };

		printf("row %zu:\n", i);
		EXPECT_EQ(egress_translated(&host, &rows[i].addr, &inside), rows[i].translated);
		EXPECT_EQ(inside.hi, rows[i].translated ? 0 : 7);
		EXPECT_EQ(inside.lo, rows[i].translated ? 0xffff01020304 : 7);
	}
}

TEST("behind a translator a rule denies as elsewhere and allows nothing, and loopback is not the session's")
{
	for (int class = 0; class < REASON_COUNT; class ++) {
		enum reason alone = class == REASON_LOOPBACK ? REASON_TRANSITION : class;

		EXPECT_EQ(egress_class_translated((enum reason) class, EGRESS_NO_RULE), alone);
		for (int rule = 0; rule < REASON_COUNT; rule++) {
			int as_is = rule == REASON_LOOPBACK ? REASON_TRANSITION : rule;

			EXPECT_EQ(egress_class_translated((enum reason) class, rule),
				  class ? (int)alone : as_is);
		}
	}
}
