// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an upstream is asked, and what its replies come to: chains, loops, times, embedded addresses,
 * rotations; and what is no reply to the query however much it looks like one.
 */
#include <stdio.h>

#include "../../user/model/dns.h"
#include "../dns_message.h"
#include "../test.h"

#define REPLY 0x8180
#define TC 0x0200

static struct dns_message message;
static struct dns_digest digest;
static struct dns_query query = { .id = 0x4321, .type = ns_t_a, .name = "www.example.org" };

static int read_reply(void)
{
	uint8_t *bytes = malloc(message.n ? message.n : 1);
	int r;

	memcpy(bytes, message.bytes, message.n);
	memset(&digest, 0xee, sizeof(digest));
	r = dns_reply_read(bytes, message.n, &query, &digest);
	free(bytes);
	return r;
}

static void begin(unsigned int flags, unsigned int an, unsigned int ns)
{
	dns_begin(&message, 0x4321, flags, 1, an, ns, 0);
	dns_put_question(&message, query.name, query.type, ns_c_in);
}

TEST("a query is one question with recursion desired, and EDNS only when wanted")
{
	uint8_t bytes[DNS_QUERY_BYTES_MAX];
	struct dns_question question;
	size_t n = dns_query_write(&query, false, bytes);

	EXPECT_EQ(n, 12 + 17 + 4);
	ASSERT_OK(dns_question_read(bytes, n, &question));
	EXPECT_EQ(question.rcode, ns_r_noerror);
	EXPECT_EQ(question.id, 0x4321);
	EXPECT_TRUE(question.recursion);
	EXPECT_STREQ(question.name, query.name);
	EXPECT_FALSE(question.edns);
	n = dns_query_write(&query, true, bytes);
	ASSERT_OK(dns_question_read(bytes, n, &question));
	EXPECT_EQ(question.rcode, ns_r_noerror);
	EXPECT_EQ(question.udp_bytes, DNS_UDP_BYTES_MAX);
}

TEST("the longest name can be asked for")
{
	struct dns_query longest = { .id = 1, .type = ns_t_aaaa };
	uint8_t bytes[DNS_QUERY_BYTES_MAX];
	struct dns_question question;

	for (size_t i = 0; i < 253; i++)
		longest.name[i] = i % 2 ? '.' : 'a';
	ASSERT_OK(dns_question_read(bytes, dns_query_write(&longest, true, bytes), &question));
	EXPECT_EQ(question.rcode, ns_r_noerror);
	EXPECT_STREQ(question.name, longest.name);
}

TEST("another id, name, type, class or direction is no reply to the query")
{
	const struct dns_query others[] = {
		{ 0x4322, ns_t_a, "www.example.org" },
		{ 0x4321, ns_t_aaaa, "www.example.org" },
		{ 0x4321, ns_t_a, "www.example.orgs" },
		{ 0x4321, ns_t_a, "ww.example.org" },
	};

	for (size_t i = 0; i < 4; i++) {
		dns_begin(&message, others[i].id, REPLY, 1, 1, 0, 0);
		dns_put_question(&message, others[i].name, others[i].type, ns_c_in);
		dns_put_address(&message, query.name, 60, "93.184.215.1");
		EXPECT_EQ(read_reply(), DNS_E_FOREIGN);
	}
	dns_begin(&message, 0x4321, REPLY, 1, 0, 0, 0);
	dns_put_question(&message, query.name, ns_t_a, ns_c_chaos);
	EXPECT_EQ(read_reply(), DNS_E_FOREIGN);
	begin(0x0100, 0, 0);
	EXPECT_EQ(read_reply(), DNS_E_FOREIGN);
	begin(REPLY | 5 << 11, 0, 0);
	EXPECT_EQ(read_reply(), DNS_E_FOREIGN);
	dns_begin(&message, 0x4321, REPLY, 0, 0, 0, 0);
	EXPECT_EQ(read_reply(), DNS_E_FOREIGN);
	message.n = 11;
	EXPECT_EQ(read_reply(), DNS_E_FOREIGN);
}

TEST("a reply has the addresses of the name, in whatever case, and the shortest time")
{
	begin(REPLY, 3, 0);
	dns_put_address(&message, "WWW.example.ORG", 300, "93.184.215.1");
	dns_put_address(&message, "@12", 60, "93.184.215.2");
	dns_put_address(&message, "@12", 90, "10.0.0.1");
	ASSERT_OK(read_reply());
	ASSERT_EQ(digest.n_addrs, 3);
	EXPECT_EQ(digest.addrs[1].lo, decide_from_v4(0x5db8d702).lo);
	EXPECT_EQ(digest.addrs[2].lo, decide_from_v4(0x0a000001).lo);
	EXPECT_EQ(digest.ttl, 60);
	EXPECT_EQ(digest.rcode, ns_r_noerror);
	EXPECT_FALSE(digest.cut);
}

TEST("records of other names, types and classes are no answer")
{
	begin(REPLY, 4, 0);
	dns_put_address(&message, "evil.example.org", 300, "93.184.215.1");
	dns_put_address(&message, "www.example.org.evil.net", 300, "93.184.215.1");
	dns_put_address(&message, "@12", 300, "2606:2800:21f::1");
	dns_put_record(&message, "@12", ns_t_txt, 1, "\1a", 2);
	ASSERT_OK(read_reply());
	EXPECT_EQ(digest.n_addrs, 0);
	EXPECT_EQ(digest.ttl, UINT32_MAX);
}

TEST("a chain is followed in any order of its records, and its time is the least of all")
{
	begin(REPLY, 4, 0);
	dns_put_address(&message, "edge.cdn.net", 500, "93.184.215.7");
	dns_put_cname(&message, "b.cdn.net", 20, "edge.cdn.net");
	dns_put_address(&message, "other.cdn.net", 1, "93.184.215.8");
	dns_put_cname(&message, "www.example.org", 300, "B.cdn.net");
	ASSERT_OK(read_reply());
	ASSERT_EQ(digest.n_addrs, 1);
	EXPECT_EQ(digest.addrs[0].lo, decide_from_v4(0x5db8d707).lo);
	EXPECT_EQ(digest.chain, 2);
	EXPECT_STREQ(digest.end, "edge.cdn.net");
	EXPECT_EQ(digest.ttl, 20);
	EXPECT_FALSE(digest.cut);
}

TEST("addresses beside a name that stands for another are none of its addresses")
{
	begin(REPLY, 3, 0);
	dns_put_address(&message, "www.example.org", 300, "93.184.215.1");
	dns_put_cname(&message, "www.example.org", 300, "b.cdn.net");
	dns_put_address(&message, "b.cdn.net", 300, "93.184.215.2");
	ASSERT_OK(read_reply());
	ASSERT_EQ(digest.n_addrs, 1);
	EXPECT_EQ(digest.addrs[0].lo, decide_from_v4(0x5db8d702).lo);
}

TEST("a chain that ends in the middle is cut, unless the zone says that there is nothing")
{
	begin(REPLY, 1, 0);
	dns_put_cname(&message, "www.example.org", 300, "b.cdn.net");
	ASSERT_OK(read_reply());
	EXPECT_TRUE(digest.cut);
	EXPECT_STREQ(digest.end, "b.cdn.net");
	begin(REPLY, 1, 1);
	dns_put_cname(&message, "www.example.org", 300, "b.cdn.net");
	dns_put_record(&message, "cdn.net", ns_t_soa, 60, "\0\0aaaabbbbccccddddeeee", 22);
	ASSERT_OK(read_reply());
	EXPECT_FALSE(digest.cut);
	begin(REPLY | ns_r_nxdomain, 1, 0);
	dns_put_cname(&message, "www.example.org", 300, "b.cdn.net");
	ASSERT_OK(read_reply());
	EXPECT_FALSE(digest.cut);
	EXPECT_EQ(digest.rcode, ns_r_nxdomain);
}

TEST("a chain that turns back or does not end is a broken reply")
{
	char from[32], to[32];

	begin(REPLY, 1, 0);
	dns_put_cname(&message, "www.example.org", 300, "www.example.org");
	EXPECT_EQ(read_reply(), DNS_E_BROKEN);
	begin(REPLY, 2, 0);
	dns_put_cname(&message, "www.example.org", 300, "a.net");
	dns_put_cname(&message, "a.net", 300, "www.example.org");
	EXPECT_EQ(read_reply(), DNS_E_BROKEN);
	for (unsigned int n = DNS_CHAIN_MAX; n <= DNS_CHAIN_MAX + 1; n++) {
		begin(REPLY, n + 1, 0);
		dns_put_cname(&message, "www.example.org", 300, "n1.net");
		for (unsigned int i = 1; i < n; i++) {
			snprintf(from, sizeof(from), "n%u.net", i);
			snprintf(to, sizeof(to), "n%u.net", i + 1);
			dns_put_cname(&message, from, 300, to);
		}
		snprintf(to, sizeof(to), "n%u.net", n);
		dns_put_address(&message, to, 300, "93.184.215.7");
		EXPECT_EQ(read_reply(), n <= DNS_CHAIN_MAX ? 0 : DNS_E_BROKEN);
	}
}

TEST("a chain leads to names of hosts only")
{
	static const char *const targets[] = { "a b.net", "*.net", "", "a\\.net" };

	for (size_t i = 0; i < 4; i++) {
		begin(REPLY, 1, 0);
		dns_put_cname(&message, "www.example.org", 300, targets[i]);
		EXPECT_EQ(read_reply(), DNS_E_BROKEN);
	}
}

TEST("the name that another stands for is told, not followed, where it is asked for")
{
	query.type = ns_t_cname;
	begin(REPLY, 2, 0);
	dns_put_cname(&message, "www.example.org", 30, "b.cdn.net");
	dns_put_cname(&message, "b.cdn.net", 20, "edge.cdn.net");
	ASSERT_OK(read_reply());
	EXPECT_EQ(digest.chain, 1);
	EXPECT_STREQ(digest.end, "b.cdn.net");
	EXPECT_EQ(digest.ttl, 30);
	EXPECT_FALSE(digest.cut);
}

TEST("a time of 0 stays 0, and one with its highest bit set is 0")
{
	static const uint32_t ttls[][2] = {
		{ 0, 0 }, { 1, 1 }, { 0x7fffffff, 0x7fffffff }, { 0x80000000, 0 }, { 0xffffffff, 0 }
	};

	for (size_t i = 0; i < 5; i++) {
		begin(REPLY, 1, 0);
		dns_put_address(&message, "@12", ttls[i][0], "93.184.215.1");
		ASSERT_OK(read_reply());
		EXPECT_EQ(digest.ttl, ttls[i][1]);
	}
}

TEST("every embedding of a private address comes out so that the address table denies it")
{
	static const char *const addresses[] = {
		"::ffff:10.0.0.1",
		"::ffff:169.254.169.254",
		"::ffff:127.0.0.1",
		"64:ff9b::10.0.0.1",
		"64:ff9b::7f00:1",
		"64:ff9b:1::a00:1",
		"2002:a00:1::1",
		"2001::a00:1",
		"::10.0.0.1",
		"::ffff:0:10.0.0.1",
		"::1",
		"::",
		"fe80::1",
		"fec0::1",
		"fd00:ec2::254",
		"ff02::1",
		"::ffff:0.0.0.0",
		"2001:db8::1",
	};

	query.type = ns_t_aaaa;
	for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++) {
		begin(REPLY, 2, 0);
		dns_put_address(&message, "@12", 60, addresses[i]);
		dns_put_address(&message, "@12", 60, "64:ff9b::93.184.215.1");
		ASSERT_OK(read_reply());
		ASSERT_EQ(digest.n_addrs, 2);
		EXPECT_NE(decide_class(&digest.addrs[0]), REASON_OK);
		EXPECT_EQ(decide_class(&digest.addrs[1]), REASON_OK);
	}
}

TEST("an address record of another length is a broken reply")
{
	for (size_t n = 0; n <= 16; n++) {
		if (n == 4)
			continue;
		begin(REPLY, 1, 0);
		dns_put_record(&message, "@12", ns_t_a, 60, "0123456789abcdef", n);
		EXPECT_EQ(read_reply(), DNS_E_BROKEN);
	}
}

TEST("a rotation of 200 addresses is read whole, one of more than fit is cut, one without end refused")
{
	static const unsigned int counts[] = { 200, DNS_ADDRESSES_MAX, DNS_ADDRESSES_MAX + 1, 1024,
					       1025 };
	char address[32];

	for (size_t i = 0; i < 5; i++) {
		begin(REPLY, counts[i], 0);
		for (unsigned int n = 0; n < counts[i]; n++) {
			snprintf(address, sizeof(address), "93.184.%u.%u", n / 256, n % 256);
			dns_put_address(&message, "@12", 1 + n % 30, address);
		}
		if (counts[i] > 1024) {
			EXPECT_EQ(read_reply(), DNS_E_BROKEN);
			continue;
		}
		ASSERT_OK(read_reply());
		EXPECT_EQ(digest.n_addrs,
			  counts[i] < DNS_ADDRESSES_MAX ? counts[i] : DNS_ADDRESSES_MAX);
		EXPECT_EQ(digest.ttl, 1);
	}
}

TEST("a truncated reply is one, wherever behind its question it is cut")
{
	size_t whole;

	begin(REPLY | TC, 2, 0);
	dns_put_address(&message, "@12", 60, "93.184.215.1");
	dns_put_address(&message, "@12", 60, "93.184.215.2");
	whole = message.n;
	for (message.n = 0; message.n <= whole; message.n++) {
		EXPECT_EQ(read_reply(), message.n < 12 + 17 + 4 ? DNS_E_FOREIGN : 0);
		if (message.n >= 12 + 17 + 4)
			EXPECT_TRUE(digest.truncated);
	}
}

TEST("a reply cut anywhere without saying so is broken")
{
	size_t whole;

	begin(REPLY, 2, 0);
	dns_put_cname(&message, "@12", 60, "a.net");
	dns_put_address(&message, "a.net", 60, "93.184.215.2");
	whole = message.n;
	for (message.n = 12 + 17 + 4; message.n < whole; message.n++)
		EXPECT_EQ(read_reply(), DNS_E_BROKEN);
	message.n = whole;
	EXPECT_OK(read_reply());
	message.n++;
	EXPECT_EQ(read_reply(), DNS_E_BROKEN);
}

TEST("compression loops end")
{
	static const char *const names[] = { "@33", "@45", "@16383" };

	for (size_t i = 0; i < 3; i++) {
		begin(REPLY, 1, 0);
		dns_put_address(&message, names[i], 60, "93.184.215.1");
		EXPECT_EQ(read_reply(), DNS_E_BROKEN);
		begin(REPLY, 1, 0);
		dns_put_cname(&message, "@12", 60, names[i]);
		EXPECT_EQ(read_reply(), DNS_E_BROKEN);
	}
}

TEST("a server's complaint counts without its question, an answer does not")
{
	static const unsigned int complaints[] = { ns_r_formerr, ns_r_servfail, ns_r_notimpl,
						   ns_r_refused };

	for (size_t i = 0; i < 4; i++) {
		dns_begin(&message, 0x4321, REPLY | complaints[i], 0, 0, 0, 0);
		ASSERT_OK(read_reply());
		EXPECT_EQ(digest.rcode, complaints[i]);
		EXPECT_EQ(digest.n_addrs, 0);
	}
	dns_begin(&message, 0x4321, REPLY | ns_r_nxdomain, 0, 0, 0, 0);
	EXPECT_EQ(read_reply(), DNS_E_FOREIGN);
}
