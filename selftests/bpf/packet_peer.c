// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whom a session's packets may reach and come from: the address policy at all four programs that see
 * packets, the host's own addresses, the session's state, and what happens when an entry is missing or
 * garbled: the answer is no, and never a crash of the arithmetic behind it.
 */
#include "../gate_run.h"

#include "../../include/decide.h"
#include "../address_forms.h"

TEARDOWN
{
	gate_net_remove();
	gate_remove();
}

static void peer_frame(struct frame *ret, int family, address_bits bits, bool inbound)
{
	uint8_t peer[16];
	int n = family == 4 ? 4 : 16;

	for (int i = n - 1; i >= 0; i--, bits >>= 8)
		peer[i] = (uint8_t)bits;
	frame_begin(ret, family == 6, inbound);
	frame_ip(ret, peer, IPPROTO_UDP);
	frame_udp(ret);
	frame_end(ret);
}

static address_bits bits_of(const char *text, int *ret_family)
{
	uint8_t bytes[16];
	address_bits bits = 0;

	*ret_family = strchr(text, ':') ? 6 : 4;
	ASSERT_EQ(inet_pton(*ret_family == 4 ? AF_INET : AF_INET6, text, bytes), 1);
	for (int i = 0; i < (*ret_family == 4 ? 4 : 16); i++)
		bits = bits << 8 | bytes[i];
	return bits;
}

static bool peer_passes(const struct gate_program *program, const char *address)
{
	struct frame frame;
	int family;
	address_bits bits = bits_of(address, &family);

	peer_frame(&frame, family, bits, program->inbound);
	return gate_passes(program, &frame);
}

static enum reason class_of(int family, address_bits bits)
{
	struct decide_addr v6 = { (__u64)(bits >> 64), (__u64)bits };
	struct decide_addr v4 = decide_from_v4((__u32)bits);

	return decide_class(family == 4 ? &v4 : &v6);
}

/* Loopback is the session's own at its sockets, and nobody's on a wire. */
static enum reason wanted(const struct gate_program *program, int family, address_bits bits)
{
	enum reason class = class_of(family, bits);

	return class == REASON_LOOPBACK && !program->device ? REASON_OK : class;
}

static struct address_table table;

static void edge_check(const struct address_row *row, int edge, const char *form, int family,
		       address_bits bits, void *arg)
{
	unsigned int *n = arg;

	for (const struct gate_program *program = gate_programs; program->name; program++) {
		enum reason want = wanted(program, family, bits);
		uint64_t before = want ? gate_denials(gate.id, want) : 0;
		struct frame frame;
		bool passed;

		peer_frame(&frame, family, bits, program->inbound);
		passed = gate_passes(program, &frame);
		if (passed != (want == REASON_OK))
			printf("%s, edge %d of %s as %s:\n", program->name, edge, row->prefix, form);
		EXPECT_EQ(passed, want == REASON_OK);
		if (want)
			EXPECT_EQ(gate_denials(gate.id, want), before + 1);
		if (class_of(family, bits) != REASON_LOOPBACK)
			EXPECT_EQ(passed, address_allowed(&table, family, bits));
		(*n)++;
	}
}

static void edges_check(void *arg)
{
	unsigned int n = 0;

	(void)arg;
	address_each(&table, edge_check, &n);
	EXPECT_GT(n, 2400);
}

TEST("every row of the address policy holds at its edges and beside them, at each program, in each form")
{
	ASSERT_TRUE(address_table_read(ADDRESS_TABLE, &table));
	gate_make();
	gate_net_make();
	ASSERT_OK(gate_run_in(gate.session_fd, edges_check, NULL));
}

static const struct gate_program *const device_out = &gate_programs[0];
static const char *const public_peers[] = { "93.184.216.34", "2606:2800:220::1",
					    "64:ff9b::93.184.216.34" };

TEST("what the host would deliver to itself is refused at the device by its routes alone")
{
	static const char *const own[] = { GATE_HOST_V4, GATE_HOST_V6 };

	gate_make();
	gate_net_make();
	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		EXPECT_FALSE(peer_passes(device_out, own[i]));
		EXPECT_EQ(gate_denials(gate.id, REASON_HOST_ADDRESS), i + 1);
	}
	EXPECT_TRUE(peer_passes(device_out, "93.184.215.10"));
	ASSERT_OK(system("ip address add 93.184.215.10/32 dev lo"));
	EXPECT_FALSE(peer_passes(device_out, "93.184.215.10"));
}

TEST("a host that does not forward keeps its own addresses from the session all the same")
{
	gate_make();
	gate_net_make();
	ASSERT_OK(system("sysctl -qw net.ipv4.ip_forward=0 net.ipv6.conf.all.forwarding=0"));
	EXPECT_FALSE(peer_passes(device_out, GATE_HOST_V4));
	EXPECT_FALSE(peer_passes(device_out, GATE_HOST_V6));
}

static void prefix_of(const char *address, unsigned int len, struct host_prefix *ret)
{
	int family;
	address_bits bits = bits_of(address, &family);

	if (family == 4)
		bits |= DECIDE_MAPPED_LO;
	ret->prefixlen = len + (family == 4 ? 96 : 0);
	for (int i = 15; i >= 0; i--, bits >>= 8)
		ret->addr[i] = (uint8_t)bits;
}

static void prefixes_check(void *arg)
{
	const struct gate_program *program;
	uint64_t before;

	(void)arg;
	for (program = gate_programs; program->name; program++) {
		before = gate_denials(gate.id, REASON_OPERATOR);
		EXPECT_FALSE(peer_passes(program, "93.184.216.0"));
		EXPECT_FALSE(peer_passes(program, "93.184.216.255"));
		EXPECT_FALSE(peer_passes(program, "64:ff9b::93.184.216.34"));
		EXPECT_FALSE(peer_passes(program, "::ffff:93.184.216.34"));
		EXPECT_FALSE(peer_passes(program, "2606:2800:220:ffff::1"));
		EXPECT_EQ(gate_denials(gate.id, REASON_OPERATOR), before + 5);
		EXPECT_TRUE(peer_passes(program, "93.184.217.0"));
		EXPECT_TRUE(peer_passes(program, "93.184.214.255"));
		EXPECT_TRUE(peer_passes(program, "2606:2800:221::"));
	}
}

TEST("a prefix that the operator adds is denied whole, in each form, and its neighbours are not")
{
	struct host_prefix v4, v6;

	gate_make();
	gate_net_make();
	prefix_of("93.184.216.0", 24, &v4);
	prefix_of("2606:2800:220::", 48, &v6);
	ASSERT_OK(guard_prefix_put(&gate.guard, 0, &v4, REASON_OPERATOR));
	ASSERT_OK(guard_prefix_put(&gate.guard, 0, &v6, REASON_OPERATOR));
	ASSERT_OK(gate_run_in(gate.session_fd, prefixes_check, NULL));
}

#define TRANSLATOR "2a00:1:2:64::"

/* What is behind the translator, or in its prefix, and why it is refused. */
static const struct behind {
	const char *address;
	enum reason reason;
} behind[] = {
	{ TRANSLATOR "93.184.216.34", REASON_OK },
	{ TRANSLATOR "10.0.0.1", REASON_PRIVATE },
	{ TRANSLATOR "10.0.0.2", REASON_PRIVATE }, /* allowed by name of its IPv4 address */
	{ TRANSLATOR "169.254.169.254", REASON_LINK_LOCAL },
	{ TRANSLATOR "127.0.0.1", REASON_TRANSITION },
	{ TRANSLATOR "93.184.215.9", REASON_HOST_ADDRESS },
	{ TRANSLATOR "1.1.1.7", REASON_OPERATOR }, /* for all */
	{ TRANSLATOR "1.1.2.7", REASON_OPERATOR }, /* the session's own */
	{ TRANSLATOR "1.1.2.8", REASON_OK },	   /* an exception in it */
	{ TRANSLATOR "8.8.8.8", REASON_OPERATOR }, /* in the translator's form */
	{ "2a00:1:2:64:0:1:a00:1", REASON_OK },	   /* beside the prefix */
	{ "2a00:1:2:63::a00:1", REASON_OK },
	{ "2a00:1:2:65::a00:1", REASON_OK },
};

static void behind_check(void *arg)
{
	(void)arg;
	for (size_t i = 0; i < ARRAY_SIZE(behind); i++) {
		enum reason reason = behind[i].reason;
		struct decide_addr addr;
		address_bits bits;
		int family;

		bits = bits_of(behind[i].address, &family);
		addr = (struct decide_addr){ (__u64)(bits >> 64), (__u64)bits };
		printf("%s:\n", behind[i].address);
		EXPECT_EQ(guard_prefix_class(&gate.guard, gate.id, &addr), reason);
		for (const struct gate_program *program = gate_programs; program->name; program++) {
			uint64_t before = reason ? gate_denials(gate.id, reason) : 0;

			EXPECT_EQ(peer_passes(program, behind[i].address), reason == REASON_OK);
			if (reason)
				EXPECT_EQ(gate_denials(gate.id, reason), before + 1);
		}
	}
}

TEST("behind an operator's translator the address inside is judged by the table and by every rule, as well as the outer one")
{
	static const struct {
		const char *address;
		unsigned int len;
		bool own;
		enum reason reason;
	} rules[] = {
		{ GATE_HOST_V4, 32, false, REASON_HOST_ADDRESS },
		{ "1.1.1.0", 24, false, REASON_OPERATOR },
		{ "1.1.2.0", 24, true, REASON_OPERATOR },
		{ "1.1.2.8", 32, true, REASON_OK },
		{ "10.0.0.2", 32, true, REASON_OK },
		{ TRANSLATOR "8.8.8.8", 128, true, REASON_OPERATOR },
	};
	struct host_prefix translators[2], rule;

	gate_make();
	gate_net_make();
	prefix_of("2a00:3::", 32, &translators[0]);
	prefix_of(TRANSLATOR, 96, &translators[1]);
	ASSERT_OK(guard_host_set_rules(&gate.guard, 0, translators, 2));
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		prefix_of(rules[i].address, rules[i].len, &rule);
		ASSERT_OK(guard_prefix_put(&gate.guard, rules[i].own ? gate.id : 0, &rule,
					   rules[i].reason));
	}
	ASSERT_OK(gate_run_in(gate.session_fd, behind_check, NULL));
	ASSERT_OK(guard_host_set_rules(&gate.guard, 0, NULL, 0));
	EXPECT_TRUE(peer_passes(device_out, TRANSLATOR "10.0.0.1"));
}

/* Runs as a process of the session; all of public_peers must be refused at each program. */
static void all_refused(void *arg)
{
	uint64_t id = arg ? *(uint64_t *)arg : gate.id;
	uint64_t before = gate_denials_all(id);

	for (const struct gate_program *program = gate_programs; program->name; program++)
		for (size_t i = 0; i < ARRAY_SIZE(public_peers); i++)
			EXPECT_FALSE(peer_passes(program, public_peers[i]));
	EXPECT_EQ(gate_denials_all(id), before + 4 * ARRAY_SIZE(public_peers));
}

static void all_pass(void *arg)
{
	(void)arg;
	for (const struct gate_program *program = gate_programs; program->name; program++)
		for (size_t i = 0; i < ARRAY_SIZE(public_peers); i++)
			EXPECT_TRUE(peer_passes(program, public_peers[i]));
}

TEST("a host prefix whose reason is no reason denies, and is counted as the operator's")
{
	static const int garbage[] = { REASON_COUNT, 0x7fffffff, -1, -2147483647 - 1 };
	struct host_prefix prefix;

	gate_make();
	gate_net_make();
	prefix_of("93.184.216.34", 32, &prefix);
	for (size_t i = 0; i < ARRAY_SIZE(garbage); i++) {
		ASSERT_OK(guard_prefix_put(&gate.guard, 0, &prefix, (enum reason)garbage[i]));
		EXPECT_FALSE(peer_passes(device_out, "93.184.216.34"));
		EXPECT_EQ(gate_denials(gate.id, REASON_OPERATOR), i + 1);
	}
}

TEST("no reason of a host prefix lets an address pass, whichever it is and whatever the egress mode")
{
	struct host_prefix prefix;

	gate_make();
	gate_net_make();
	prefix_of("93.184.216.34", 32, &prefix);
	for (unsigned int egress = 0; egress <= POLICY_EGRESS_PACKAGE_MANAGERS; egress++) {
		gate.policy.egress = (enum policy_egress)egress;
		gate_update();
		for (int reason = 1; reason < REASON_COUNT; reason++) {
			ASSERT_OK(guard_prefix_put(&gate.guard, 0, &prefix, (enum reason)reason));
			EXPECT_FALSE(peer_passes(device_out, "93.184.216.34"));
		}
	}
}

/* Each way in which a policy says no, and the reason that counts. */
static const struct no {
	const char *name;
	size_t offset, size;
	uint64_t value;
	enum reason reason;
} nos[] = {
#define FIELD(field) offsetof(struct policy, field), sizeof(((struct policy *)0)->field)
	{ "closed", FIELD(state), POLICY_CLOSED, REASON_NOT_ARMED },
	{ "proof", FIELD(state), POLICY_PROOF, REASON_PROOF },
	{ "paused", FIELD(state), POLICY_PAUSED, REASON_PAUSED },
	{ "wiped", FIELD(state), POLICY_WIPED, REASON_WIPED },
	{ "state beyond the last", FIELD(state), POLICY_WIPED + 1, REASON_NOT_ARMED },
	{ "state of all ones", FIELD(state), ~0u, REASON_NOT_ARMED },
	{ "egress none", FIELD(egress), POLICY_EGRESS_NONE, REASON_EGRESS_NONE },
	{ "egress beyond the last", FIELD(egress), 3, REASON_EGRESS_NONE },
	{ "egress of all ones", FIELD(egress), ~0u, REASON_EGRESS_NONE },
	{ "CPU cap", FIELD(cpu_cap_ns), 0, REASON_CAP_CPU },
	{ "deadline", FIELD(deadline_ns), 1, REASON_DEADLINE },
	{ "money cap", FIELD(money_cap_ucents), 6, REASON_CAP_MONEY },
#undef FIELD
};

TEST("a policy that says no, or whose state or egress is no number of ours, denies every packet")
{
	struct policy good;

	gate_make();
	gate_net_make();
	gate.policy.money_settled_ucents = 7;
	good = gate.policy;
	gate_update();
	ASSERT_OK(gate_run_in(gate.session_fd, all_pass, NULL));
	for (size_t i = 0; i < ARRAY_SIZE(nos); i++) {
		uint64_t before = gate_denials(gate.id, nos[i].reason);

		gate.policy = good;
		memcpy((char *)&gate.policy + nos[i].offset, &nos[i].value, nos[i].size);
		/* a stopping reason would kill a process of the session: the device has none */
		gate_update();
		for (int j = 0; j < 2; j++)
			EXPECT_FALSE(peer_passes(&gate_programs[j], public_peers[0]));
		if (gate_denials(gate.id, nos[i].reason) != before + 2)
			printf("%s:\n", nos[i].name);
		EXPECT_EQ(gate_denials(gate.id, nos[i].reason), before + 2);
		if (!reason_stops(nos[i].reason))
			EXPECT_OK(gate_run_in(gate.session_fd, all_refused, NULL));
	}
}

TEST("without a policy every packet is refused, and counted where no session is")
{
	uint64_t none = 0;

	gate_make();
	gate_net_make();
	ASSERT_OK(bpf_map_delete_elem(gate.guard.maps[GUARD_POLICIES], &gate.id));
	EXPECT_OK(gate_run_in(gate.session_fd, all_refused, &none));
	EXPECT_GT(gate_denials(0, REASON_NO_SESSION), 0);
}

static void all_refused_uncounted(void *arg)
{
	(void)arg;
	for (const struct gate_program *program = gate_programs; program->name; program++)
		for (size_t i = 0; i < ARRAY_SIZE(public_peers); i++)
			EXPECT_FALSE(peer_passes(program, public_peers[i]));
}

TEST("without a usage every packet is refused, though nobody is there to count")
{
	uint64_t none = 0;

	gate_make();
	gate_net_make();
	ASSERT_OK(bpf_map_delete_elem(gate.guard.maps[GUARD_USAGES], &gate.id));
	EXPECT_OK(gate_run_in(gate.session_fd, all_refused_uncounted, NULL));
	ASSERT_OK(bpf_map_delete_elem(gate.guard.maps[GUARD_USAGES], &none));
	ASSERT_OK(bpf_map_delete_elem(gate.guard.maps[GUARD_POLICIES], &gate.id));
	EXPECT_OK(gate_run_in(gate.session_fd, all_refused_uncounted, NULL));
}

TEST("a device that no session owns passes nothing")
{
	uint32_t ifindex;

	gate_make();
	gate_net_make();
	ifindex = if_nametoindex(GATE_DEVICE);
	ASSERT_OK(bpf_map_delete_elem(gate.guard.maps[GUARD_NETDEVS], &ifindex));
	for (int i = 0; i < 2; i++)
		EXPECT_FALSE(peer_passes(&gate_programs[i], public_peers[0]));
	EXPECT_EQ(gate_denials(0, REASON_NO_SESSION), 2);
	EXPECT_EQ(gate_denials_all(gate.id), 0);
}

static void strangers_refused(void *arg)
{
	uint64_t before = gate_denials(0, REASON_NO_SESSION);

	(void)arg;
	for (int i = 2; i < 4; i++)
		EXPECT_FALSE(peer_passes(&gate_programs[i], public_peers[0]));
	EXPECT_EQ(gate_denials(0, REASON_NO_SESSION), before + 2);
}

TEST("a process beside the sessions, or in their parent itself, sends nothing; one below a session does")
{
	int stranger, nested;
	uint64_t id;

	gate_make();
	gate_net_make();
	ASSERT_OK(cgroup_create(gate.place.parent_fd, "stranger", &stranger, &id));
	ASSERT_OK(cgroup_create(gate.session_fd, "nested", &nested, &id));
	EXPECT_OK(gate_run_in(stranger, strangers_refused, NULL));
	EXPECT_OK(gate_run_in(gate.place.parent_fd, strangers_refused, NULL));
	EXPECT_OK(gate_run_in(nested, all_pass, NULL));
	EXPECT_EQ(gate_denials_all(gate.id), 0);
}
