// SPDX-License-Identifier: GPL-2.0-only
/*
 * The classifier against the address policy. The rows of address-policy.csv are read a second time, by a
 * reader that shares nothing with decide.h (address_table.h), and both must say the same of every edge
 * of every row, in every embedding, and of a million addresses. The rows themselves are compared as well:
 * none is missing and none is there that the policy does not name.
 */
#include "../test.h"

#include <stdint.h>

#include "../../include/decide.h"
#include "../address_forms.h"

#define RANDOM_ADDRESSES 1000000

static struct address_table table;

static void table_read(void)
{
	ASSERT_TRUE(address_table_read(ADDRESS_TABLE, &table));
	ASSERT_GE(table.n, 40);
}

static struct decide_addr decide_from(int family, address_bits bits)
{
	struct decide_addr addr = { (__u64)(bits >> 64), (__u64)bits };

	return family == 4 ? decide_from_v4((__u32)bits) : addr;
}

static enum reason class_of(int family, address_bits bits)
{
	struct decide_addr addr = decide_from(family, bits);

	return decide_class(&addr);
}

static bool agree(int family, address_bits bits)
{
	char text[INET6_ADDRSTRLEN];
	bool allowed = address_allowed(&table, family, bits);
	enum reason class = class_of(family, bits);

	if (allowed == (class == REASON_OK))
		return true;
	printf("%s: the table says %s, the classifier reason %d\n",
	       address_text(family, bits, text), allowed ? "allow" : "deny", class);
	return false;
}

static void edge_agrees(const struct address_row *row, int edge, const char *form, int family,
			address_bits bits, void *arg)
{
	unsigned int *n = arg;

	if (!agree(family, bits)) {
		printf("which is edge %d of %s as %s\n", edge, row->prefix, form);
		EXPECT_TRUE(false);
	}
	(*n)++;
}

TEST("the classifier agrees with every row of the policy at its edges and beside them, in each embedding")
{
	unsigned int n = 0;

	table_read();
	address_each(&table, edge_agrees, &n);
	EXPECT_GT(n, 600);
}

TEST("the first and last address of a row that denies are denied, and of one that allows allowed")
{
	address_bits bits;

	table_read();
	for (size_t i = 0; i < table.n; i++) {
		const struct address_row *row = &table.rows[i];

		if (strcmp(row->action, "decode") == 0)
			continue;
		for (int edge = 0; edge < 2; edge++) {
			ASSERT_TRUE(address_edge(row, edge, &bits));
			EXPECT_EQ(class_of(row->family, bits) == REASON_OK,
				  strcmp(row->action, "allow") == 0);
		}
	}
}

/* Rows in angle brackets: what the host's watch, its operator and nobody else can know. */
static const char *const known_by_host[] = {
	"<every local address of the host>/32",
	"<every directed broadcast of the host>/32",
	"<operator extra: VPN ranges, on-link public nets, NAT/EIP address>",
	"<network-specific NAT64 prefix>",
	"<every local address of the host>/128",
};

TEST("the rows that only a host can fill are the known ones")
{
	table_read();
	ASSERT_EQ(table.n_by_host, sizeof(known_by_host) / sizeof(known_by_host[0]));
	for (size_t i = 0; i < table.n_by_host; i++)
		EXPECT_STREQ(table.by_host[i].prefix, known_by_host[i]);
}

/* Rows of decide.h, and what they are for the bijection. */
static const struct own_row {
	int family;
	address_bits net;
	unsigned int len;
	const char *action;
	bool refines; /* names a part of a denied row for the sake of its reason */
} own_rows[] = {
#define X(a, b, c, d, n, NAME) { 4, DECIDE_V4_NET(a, b, c, d), n, "deny", false },
	DECIDE_V4(X)
#undef X
#define X(hi, lo, n, NAME)                                                                         \
	{ 6, (address_bits)hi##ull << 64 | lo##ull, n, REASON_##NAME ? "deny" : "allow",           \
	  (n) == 128 && (hi##ull) == 0 },
		DECIDE_V6(X)
#undef X
			{ 6, DECIDE_MAPPED_LO, 96, "decode", false },
	{ 6, (address_bits)DECIDE_NAT64_HI << 64, 96, "decode", false },
};

#define OWN_ROWS (sizeof(own_rows) / sizeof(own_rows[0]))

static bool same_row(const struct own_row *own, const struct address_row *row)
{
	return own->family == row->family && own->net == row->net && own->len == row->len &&
	       strcmp(own->action, row->action) == 0;
}

TEST("every row of the policy is a row of the classifier, once, and it has no other")
{
	unsigned int found, refining = 0;

	table_read();
	for (size_t i = 0; i < table.n; i++) {
		found = 0;
		for (size_t j = 0; j < OWN_ROWS; j++)
			found += same_row(&own_rows[j], &table.rows[i]);
		if (found != 1)
			printf("%s is there %u times\n", table.rows[i].prefix, found);
		EXPECT_EQ(found, 1);
	}
	for (size_t j = 0; j < OWN_ROWS; j++)
		refining += own_rows[j].refines;
	/* :: and ::1, which lie in the denied ::/96 */
	EXPECT_EQ(refining, 2);
	EXPECT_EQ(OWN_ROWS - refining, table.n);
}

static uint64_t random_state;

/* splitmix64: the same numbers everywhere */
static uint64_t random_next(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static address_bits random_bits(void)
{
	address_bits hi = random_next();

	return hi << 64 | random_next();
}

/* Most addresses of 128 bits are boring: half are drawn near a row, one bit of the prefix flipped or not. */
static address_bits random_near_row(const struct address_row *row)
{
	unsigned int width = row->family == 4 ? 32 : 128,
		     flip = (unsigned int)(random_next() % width);
	address_bits inside = row->net | (random_bits() & address_mask(row->family, row->len));

	return random_next() & 1 ? inside : inside ^ (address_bits)1 << flip;
}

TEST("the classifier agrees with the policy on a million addresses", .seconds = 60)
{
	unsigned int wrong = 0, allowed = 0;

	table_read();
	random_state = 20261201;
	for (unsigned int i = 0; i < RANDOM_ADDRESSES; i++) {
		const struct address_row *row = &table.rows[random_next() % table.n];
		int family = i & 1 ? row->family : i & 2 ? 4 : 6;
		address_bits bits = i & 1   ? random_near_row(row)
				    : i & 2 ? random_next() & 0xffffffff
				    : i & 4 ? random_bits()
					    : embed(&embeddings[random_next() % EMBEDDINGS],
						    random_next() & 0xffffffff);

		wrong += !agree(family, bits);
		allowed += class_of(family, bits) == REASON_OK;
		if (wrong == 10)
			break;
	}
	EXPECT_EQ(wrong, 0);
	EXPECT_GT(allowed, RANDOM_ADDRESSES / 8);
	EXPECT_LT(allowed, RANDOM_ADDRESSES / 8 * 7);
}

TEST("an embedding that nobody can decode is denied, whatever it embeds")
{
	static const char *const whole[] = { "siit", "6to4", "compatible", "local-nat64", "teredo" };

	random_state = 1;
	for (size_t i = 0; i < EMBEDDINGS; i++) {
		bool decoded = true;

		for (size_t j = 0; j < sizeof(whole) / sizeof(whole[0]); j++)
			decoded &= strcmp(embeddings[i].name, whole[j]) != 0;
		for (unsigned int n = 0; n < 10000 && !decoded; n++)
			EXPECT_NE(class_of(6, embed(&embeddings[i], random_next() & 0xffffffff)),
				  REASON_OK);
		/* 8.8.8.8 is public */
		EXPECT_EQ(class_of(6, embed(&embeddings[i], 0x08080808)) == REASON_OK, decoded);
	}
}

static const struct named {
	const char *address;
	enum reason reason;
} named[] = {
	{ "0.0.0.0", REASON_THIS_HOST },
	{ "127.0.0.1", REASON_LOOPBACK },
	{ "10.1.2.3", REASON_PRIVATE },
	{ "100.100.100.200", REASON_SHARED },
	{ "168.63.129.16", REASON_CLOUD },
	{ "169.254.169.254", REASON_LINK_LOCAL },
	{ "169.254.170.2", REASON_LINK_LOCAL },
	{ "192.0.0.192", REASON_PROTOCOL },
	{ "255.255.255.255", REASON_RESERVED },
	{ "224.0.0.1", REASON_MULTICAST },
	{ "8.8.8.8", REASON_OK },
	{ "::", REASON_THIS_HOST },
	{ "::1", REASON_LOOPBACK },
	{ "::ffff:127.0.0.1", REASON_LOOPBACK },
	{ "::ffff:169.254.169.254", REASON_LINK_LOCAL },
	{ "64:ff9b::169.254.169.254", REASON_LINK_LOCAL },
	{ "64:ff9b::127.0.0.1", REASON_TRANSITION },
	{ "64:ff9b::8.8.8.8", REASON_OK },
	{ "::127.0.0.1", REASON_TRANSITION },
	{ "fd00:ec2::254", REASON_PRIVATE },
	{ "fd20:ce::254", REASON_PRIVATE },
	{ "fe80::1", REASON_LINK_LOCAL },
	{ "ff02::1", REASON_MULTICAST },
	{ "2001:4860:4860::8888", REASON_OK },
	{ "4000::1", REASON_RESERVED },
};

TEST("the addresses that matter most have the class that their reason tells")
{
	unsigned char bytes[16];

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		bool v6 = strchr(named[i].address, ':');
		address_bits bits = 0;

		ASSERT_EQ(inet_pton(v6 ? AF_INET6 : AF_INET, named[i].address, bytes), 1);
		for (int j = 0; j < (v6 ? 16 : 4); j++)
			bits = bits << 8 | bytes[j];
		if (class_of(v6 ? 6 : 4, bits) != named[i].reason)
			printf("%s:\n", named[i].address);
		EXPECT_EQ(class_of(v6 ? 6 : 4, bits), named[i].reason);
	}
}

TEST("what is judged in place of a NAT64 address is what it embeds; all else is judged as it is")
{
	struct decide_addr nat64 = decide_from(6, embed(&embeddings[1], 0x0a000001));
	struct decide_addr mapped = decide_from(6, embed(&embeddings[0], 0x0a000001));
	struct decide_addr sixtofour = decide_from(6, embed(&embeddings[3], 0x0a000001));
	struct decide_addr v4 = decide_from_v4(0x0a000001), got;

	got = decide_decode(&nat64);
	EXPECT_MEMEQ(&got, &v4, sizeof(v4));
	got = decide_decode(&mapped);
	EXPECT_MEMEQ(&got, &v4, sizeof(v4));
	got = decide_decode(&sixtofour);
	EXPECT_MEMEQ(&got, &sixtofour, sizeof(got));
}

TEST("only the egress modes with a way out let a public address pass, and loopback is the session's own")
{
	static const unsigned int modes[] = { POLICY_EGRESS_NONE, POLICY_EGRESS_PUBLIC,
					      POLICY_EGRESS_PACKAGE_MANAGERS, 3, ~0u };
	struct policy policy = {};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		policy.egress = (enum policy_egress)modes[i];
		EXPECT_EQ(decide_peer(&policy, REASON_LOOPBACK), REASON_OK);
		EXPECT_EQ(decide_peer(&policy, REASON_OK),
			  i == 1 || i == 2 ? REASON_OK : REASON_EGRESS_NONE);
		for (int reason = REASON_OK + 1; reason < REASON_COUNT; reason++)
			if (reason != REASON_LOOPBACK)
				EXPECT_EQ(decide_peer(&policy, (enum reason)reason), reason);
	}
}
