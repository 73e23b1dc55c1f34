// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whom a session under "package-managers" may speak to: ports and protocols, known addresses and their end,
 * names and prefixes, the session's own and everybody's; and that all of it goes with its session.
 */
#include "../gate_flow.h"

#include "../../include/flow.h"
#include "../../user/base/clock.h"

TEARDOWN
{
	gate_net_remove();
	gate_remove();
}

static unsigned int port = 1000;

/* The shortest hello with a name. */
static void hello_make(const char *name, struct sample *ret)
{
	const uint8_t n = (uint8_t)strlen(name), total = (uint8_t)(52 + 9 + n);
	const uint8_t head[] = { 22, 3, 1, 0, (uint8_t)(total - 5), 1, 0, 0, (uint8_t)(total - 9),
				 3,  3 };
	const uint8_t lists[] = { 0, 0, 2, 0x13, 1, 1, 0, 0, (uint8_t)(n + 9) };
	const uint8_t sni[] = { 0, 0, 0, (uint8_t)(n + 5), 0, (uint8_t)(n + 3), 0, 0, n };

	memset(ret, 0, sizeof(*ret));
	memcpy(ret->bytes, head, sizeof(head));
	memcpy(ret->bytes + 43, lists, sizeof(lists));
	memcpy(ret->bytes + 52, sni, sizeof(sni));
	memcpy(ret->bytes + 61, name, n);
	ret->len = total;
}

/* The counter that rose from @before; REASON_OK for none. */
static enum reason risen(const struct usage *before)
{
	struct usage after = gate_usage_of(gate.id);
	const __u64 *was = (const __u64 *)&before->denials, *is = (const __u64 *)&after.denials;

	for (int i = 0; i < REASON_COUNT - 1; i++)
		if (is[i] != was[i])
			return (enum reason)(i + 1);
	return REASON_OK;
}

/* What becomes of a hello with @name, in a connection of its own. */
static enum reason tls_to(const char *name)
{
	struct usage before;
	struct sample hello;
	enum fate fate;

	hello_make(name, &hello);
	FLOW_OPEN(.own_port = ++port);
	before = gate_usage_of(gate.id);
	fate = flow_send((struct segment){
		.own_port = port, .seq = FLOW_FIRST + 1, .data = hello.bytes, .len = hello.len });
	EXPECT_EQ(fate, risen(&before) ? RESET_BOTH : PASSED);
	return risen(&before);
}

static void put(uint64_t session, const char *rule, uint32_t ports)
{
	ASSERT_OK(guard_name_put(&gate.guard, session, rule, ports));
}

TEST("a rule for a domain holds for it and all in it, a rule for a name for that alone")
{
	flow_make();
	ASSERT_OK(guard_name_remove(&gate.guard, gate.id, ".example.org"));
	put(gate.id, ".example.org", POLICY_PORT_TLS);
	put(gate.id, "host.example.net", POLICY_PORT_TLS);
	EXPECT_EQ(tls_to("example.org"), REASON_OK);
	EXPECT_EQ(tls_to("a.example.org"), REASON_OK);
	EXPECT_EQ(tls_to("A.b.C.Example.ORG"), REASON_OK);
	EXPECT_EQ(tls_to("evilexample.org"), REASON_NAME);
	EXPECT_EQ(tls_to("example.org.evil"), REASON_NAME);
	EXPECT_EQ(tls_to("xample.org"), REASON_NAME);
	EXPECT_EQ(tls_to("org"), REASON_NAME);
	EXPECT_EQ(tls_to("host.example.net"), REASON_OK);
	EXPECT_EQ(tls_to("ghost.example.net"), REASON_NAME);
	EXPECT_EQ(tls_to("a.host.example.net"), REASON_NAME);
	EXPECT_EQ(tls_to("example.net"), REASON_NAME);
	EXPECT_EQ(tls_to("host.example.net."), REASON_NAME_HIDDEN);
}

TEST("the longer rule decides, ports and denials included, and a session's own before everybody's")
{
	flow_make();
	put(gate.id, "no.example.org", 0);
	put(gate.id, ".plain.example.org", POLICY_PORT_HTTP);
	put(0, ".example.net", POLICY_PORT_TLS);
	put(0, ".plain.example.org", POLICY_PORT_TLS);
	put(gate.id, ".never.example.net", 0);
	put(0, "but.never.example.net", POLICY_PORT_TLS);
	put(gate.id + 1, ".example.com", POLICY_PORT_TLS);
	EXPECT_EQ(tls_to("yes.example.org"), REASON_OK);
	EXPECT_EQ(tls_to("no.example.org"), REASON_NAME);
	EXPECT_EQ(tls_to("a.no.example.org"), REASON_OK);
	EXPECT_EQ(tls_to("plain.example.org"), REASON_PORT);
	EXPECT_EQ(tls_to("example.net"), REASON_OK);
	EXPECT_EQ(tls_to("a.never.example.net"), REASON_NAME);
	EXPECT_EQ(tls_to("but.never.example.net"), REASON_NAME);
	EXPECT_EQ(tls_to("example.com"), REASON_NAME);
}

TEST("user space finds for a name what the device finds, and refuses rules that are no names")
{
	static const char *const bad[] = { "",	 ".",	"..",  "a..b", ".a.",
					   "a.", "*.a", "a b", "a/b",  "\xc3\xa4" };
	static const char *const asked[] = { "example.org", "x.example.org", "evilexample.org",
					     "host.example.net", "a.host.example.net" };
	uint32_t ports;

	flow_make();
	put(0, "host.example.net", POLICY_PORT_TLS);
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
		ASSERT_OK(guard_name_find(&gate.guard, gate.id, asked[i], &ports));
		EXPECT_EQ(tls_to(asked[i]) == REASON_OK, !!(ports & POLICY_PORT_TLS));
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_EQ(guard_name_put(&gate.guard, gate.id, bad[i], POLICY_PORT_TLS), -EINVAL);
}

TEST("rules are listed one owner's at a time, as they were given")
{
	char rule[REEVE_NAME_MAX + 2];
	uint32_t ports;

	flow_make();
	put(gate.id, "host.example.net", POLICY_PORT_HTTP);
	put(0, ".everybody.example", POLICY_PORT_TLS);
	put(gate.id + 1, "neighbour.example", POLICY_PORT_TLS);
	ASSERT_OK(guard_name_next(&gate.guard, gate.id, NULL, rule, &ports));
	EXPECT_STREQ(rule, ".example.org");
	ASSERT_OK(guard_name_next(&gate.guard, gate.id, rule, rule, &ports));
	EXPECT_STREQ(rule, "host.example.net");
	EXPECT_EQ(ports, POLICY_PORT_HTTP);
	EXPECT_EQ(guard_name_next(&gate.guard, gate.id, rule, rule, &ports), -ENOENT);
	ASSERT_OK(guard_name_next(&gate.guard, 0, NULL, rule, &ports));
	EXPECT_STREQ(rule, ".everybody.example");
	EXPECT_EQ(guard_name_next(&gate.guard, 0, rule, rule, &ports), -ENOENT);
}

#define SYN .flags = FRAME_SYN, .seq = FLOW_FIRST

TEST("an address is open at its ports and until its end, and connections outlive it")
{
	struct sample hello = sample_of("made-plain");
	const uint8_t mapped[16] = { [10] = 0xff, 0xff, 93, 184, 216, 34 };

	flow_make();
	ASSERT_OK(guard_address_remove(&gate.guard, gate.id, mapped));
	FLOW(DROPPED, REASON_ADDRESS_UNKNOWN, SYN);
	flow_address(flow_v4, POLICY_PORT_TLS, clock_monotonic_ns() + 300000000);
	FLOW(PASSED, REASON_OK, SYN, .own_port = 1);
	FLOW(DROPPED, REASON_PORT, SYN, .port = 80);
	FLOW(DROPPED, REASON_PORT, SYN, .port = 22);
	usleep(310000);
	FLOW(DROPPED, REASON_ADDRESS_UNKNOWN, SYN, .own_port = 2);
	FLOW(PASSED, REASON_OK, .own_port = 1, .seq = FLOW_FIRST + 1, .data = hello.bytes,
	     .len = hello.len);
	FLOW(PASSED, REASON_OK, .own_port = 1, .seq = FLOW_FIRST + 1);
}

TEST("an address that two names have is open at the ports of both, until the later end")
{
	const uint8_t mapped[16] = { [10] = 0xff, 0xff, 93, 184, 216, 34 };
	uint64_t now = clock_monotonic_ns();
	struct policy_address value;
	uint8_t got[16];

	flow_make();
	ASSERT_OK(guard_address_remove(&gate.guard, gate.id, mapped));
	flow_address(flow_v4, POLICY_PORT_TLS, now + 60 * NSEC_PER_SEC);
	flow_address(flow_v4, POLICY_PORT_HTTP, now + 30 * NSEC_PER_SEC);
	ASSERT_OK(guard_address_next(&gate.guard, gate.id, NULL, got, &value));
	EXPECT_MEMEQ(got, mapped, 16);
	EXPECT_EQ(value.ports, POLICY_PORT_TLS | POLICY_PORT_HTTP);
	EXPECT_EQ(value.expires_ns, now + 60 * NSEC_PER_SEC);
	ASSERT_OK(guard_address_remove(&gate.guard, gate.id, mapped));
	flow_address(flow_v4, POLICY_PORT_HTTP, 1);
	flow_address(flow_v4, POLICY_PORT_TLS, now + 60 * NSEC_PER_SEC);
	ASSERT_OK(guard_address_next(&gate.guard, gate.id, NULL, got, &value));
	EXPECT_EQ(value.ports, POLICY_PORT_TLS);
}

static enum reason udp_to(unsigned int to_port)
{
	struct usage before = gate_usage_of(gate.id);
	struct frame frame;

	frame_begin(&frame, false, false);
	frame_ip(&frame, flow_v4, IPPROTO_UDP);
	frame_udp(&frame);
	frame.bytes[ETH_HLEN + 22] = (uint8_t)(to_port >> 8);
	frame.bytes[ETH_HLEN + 23] = (uint8_t)to_port;
	frame_end(&frame);
	EXPECT_EQ(gate_passes(gate_program("reeve_link_out"), &frame), risen(&before) == REASON_OK);
	return risen(&before);
}

TEST("no UDP passes, and what is DNS is called so; public egress denies DNS over TLS and QUIC alone")
{
	flow_make();
	EXPECT_EQ(udp_to(443), REASON_PORT);
	EXPECT_EQ(udp_to(53), REASON_DNS);
	EXPECT_EQ(udp_to(853), REASON_DNS);
	FLOW(DROPPED, REASON_DNS, SYN, .port = 53);
	FLOW(DROPPED, REASON_DNS, SYN, .port = 853);
	gate.policy.egress = POLICY_EGRESS_PUBLIC;
	gate_update();
	EXPECT_EQ(udp_to(443), REASON_OK);
	EXPECT_EQ(udp_to(53), REASON_OK);
	EXPECT_EQ(udp_to(853), REASON_DNS);
	FLOW(DROPPED, REASON_DNS, SYN, .port = 853);
	FLOW(PASSED, REASON_OK, SYN, .port = 22);
	FLOW(PASSED, REASON_OK, .seq = FLOW_FIRST, .data = "anything", .len = 8);
}

TEST("a pause, a wipe and a denied prefix stop an open connection at its next packet")
{
	struct host_prefix prefix = { 128, { [10] = 0xff, 0xff, 93, 184, 216, 34 } };

	flow_make();
	FLOW_OPEN();
	gate.policy.state = POLICY_PAUSED;
	gate_update();
	FLOW(DROPPED, REASON_PAUSED, .seq = FLOW_FIRST + 1);
	gate.policy.state = POLICY_OPEN;
	gate_update();
	FLOW(PASSED, REASON_OK, .seq = FLOW_FIRST + 1);
	ASSERT_OK(guard_prefix_put(&gate.guard, gate.id, &prefix, REASON_OPERATOR));
	FLOW(DROPPED, REASON_OPERATOR, .seq = FLOW_FIRST + 1);
	ASSERT_OK(guard_prefix_remove(&gate.guard, gate.id, &prefix));
	FLOW(PASSED, REASON_OK, .seq = FLOW_FIRST + 1);
	ASSERT_OK(guard_flows_remove(&gate.guard, gate.id));
	FLOW(RESET, REASON_NAME_HIDDEN, .seq = FLOW_FIRST + 1);
	gate.policy.egress = POLICY_EGRESS_NONE;
	gate_update();
	FLOW(DROPPED, REASON_EGRESS_NONE, .seq = FLOW_FIRST + 1);
}

/* Whether a datagram to @address passes at the device under public egress. */
static bool reaches(const char *address)
{
	struct frame frame;
	uint8_t peer[16];

	ASSERT_EQ(inet_pton(strchr(address, ':') ? AF_INET6 : AF_INET, address, peer), 1);
	frame_begin(&frame, strchr(address, ':'), false);
	frame_ip(&frame, peer, IPPROTO_UDP);
	frame_udp(&frame);
	frame_end(&frame);
	return gate_passes(gate_program("reeve_link_out"), &frame);
}

static void prefix_put(uint64_t session, const char *address, unsigned int len, enum reason reason)
{
	struct host_prefix prefix = { len + 96, { [10] = 0xff, 0xff } };

	ASSERT_EQ(inet_pton(AF_INET, address, prefix.addr + 12), 1);
	ASSERT_OK(guard_prefix_put(&gate.guard, session, &prefix, reason));
}

TEST("an operator's prefix opens private addresses, never loopback, multicast or the host's own")
{
	flow_make();
	gate.policy.egress = POLICY_EGRESS_PUBLIC;
	gate_update();
	EXPECT_FALSE(reaches("10.1.2.3"));
	prefix_put(0, "10.1.0.0", 16, REASON_OK);
	EXPECT_TRUE(reaches("10.1.2.3"));
	EXPECT_TRUE(reaches("64:ff9b::10.1.2.3"));
	EXPECT_FALSE(reaches("10.2.2.3"));
	prefix_put(0, "10.1.2.0", 24, REASON_OPERATOR);
	EXPECT_FALSE(reaches("10.1.2.3"));
	prefix_put(gate.id, "10.1.2.3", 32, REASON_OK);
	EXPECT_TRUE(reaches("10.1.2.3"));
	EXPECT_FALSE(reaches("10.1.2.4"));
	prefix_put(gate.id + 1, "10.3.0.0", 16, REASON_OK);
	EXPECT_FALSE(reaches("10.3.0.1"));
	prefix_put(gate.id, "0.0.0.0", 0, REASON_OK);
	EXPECT_TRUE(reaches("192.168.1.1"));
	EXPECT_FALSE(reaches("127.0.0.1"));
	EXPECT_FALSE(reaches("224.0.0.1"));
	EXPECT_FALSE(reaches("255.255.255.255"));
	EXPECT_FALSE(reaches("0.0.0.0"));
	prefix_put(0, "93.184.216.34", 32, REASON_HOST_ADDRESS);
	EXPECT_FALSE(reaches("93.184.216.34"));
	EXPECT_EQ(gate_denials(gate.id, REASON_HOST_ADDRESS), 1);
}

TEST("an operator's prefix makes an address known, and its name is still asked for")
{
	flow_make();
	ASSERT_OK(guard_rules_remove(&gate.guard, gate.id));
	ASSERT_OK(guard_rules_begin(&gate.guard, gate.id));
	put(gate.id, ".example.org", POLICY_PORT_TLS);
	prefix_put(gate.id, "93.184.216.0", 24, REASON_OK);
	EXPECT_EQ(tls_to("mirror.example.org"), REASON_OK);
	EXPECT_EQ(tls_to("mirror.example.net"), REASON_NAME);
	FLOW(DROPPED, REASON_PORT, SYN, .port = 22);
}

static unsigned int keys_of(enum guard_map which, uint64_t id)
{
	char key[512], next[512], *from = NULL;
	unsigned int n = 0;
	uint64_t owner;

	while (bpf_map_get_next_key(gate.guard.maps[which], from, next) == 0) {
		memcpy(&owner, next + (which == GUARD_FLOWS || which == GUARD_HALF_FLOWS ? 0 : 4),
		       sizeof(owner));
		n += owner == id;
		memcpy(key, next, sizeof(key));
		from = key;
	}
	return n;
}

#define SESSIONS 200

TEST("a session takes all its rules and connections with it, and none of its neighbours'",
     .seconds = 60)
{
	static const enum guard_map maps[] = { GUARD_PREFIXES, GUARD_ADDRESSES, GUARD_NAMES };
	uint8_t addr[16] = { 0x26 };
	uint64_t began;

	flow_make();
	FLOW_OPEN();
	EXPECT_EQ(tls_to("a.example.org"), REASON_OK);
	EXPECT_EQ(keys_of(GUARD_HALF_FLOWS, gate.id), 1);
	EXPECT_EQ(keys_of(GUARD_FLOWS, gate.id), 1);
	prefix_put(gate.id, "10.1.0.0", 16, REASON_OK);
	prefix_put(gate.id, "0.0.0.0", 0, REASON_OK);
	for (uint64_t id = gate.id + 1; id <= gate.id + SESSIONS; id++) {
		ASSERT_OK(guard_session_add(&gate.guard, id, &gate.policy));
		put(id, ".example.org", POLICY_PORT_TLS);
		put(id, "a.example.org", POLICY_PORT_TLS);
		prefix_put(id, "10.1.0.0", 16, REASON_OK);
		for (int i = 0; i < 20; i++) {
			addr[15] = (uint8_t)i;
			ASSERT_OK(guard_address_put(&gate.guard, id, addr, POLICY_PORT_TLS,
						    UINT64_MAX));
		}
	}
	EXPECT_EQ(keys_of(GUARD_ADDRESSES, gate.id + 7), 21);
	began = clock_monotonic_ns();
	for (uint64_t id = gate.id; id <= gate.id + SESSIONS; id += 2)
		ASSERT_OK(guard_session_remove(&gate.guard, id));
	printf("%lu us a session\n", (clock_monotonic_ns() - began) / 1000 / (SESSIONS / 2));
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
		EXPECT_EQ(keys_of(maps[i], gate.id), 0);
		EXPECT_EQ(keys_of(maps[i], gate.id + 8), 0);
		EXPECT_GT(keys_of(maps[i], gate.id + 7), 1);
	}
	EXPECT_EQ(keys_of(GUARD_ADDRESSES, gate.id + 7), 21);
	EXPECT_EQ(keys_of(GUARD_NAMES, gate.id + 7), 3);
	EXPECT_EQ(keys_of(GUARD_FLOWS, gate.id), 0);
	EXPECT_EQ(keys_of(GUARD_HALF_FLOWS, gate.id), 0);
}
