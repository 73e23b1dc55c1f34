// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the programs make of one packet, by BPF_PROG_TEST_RUN: those of the session's device on frames,
 * those of the cgroup on the same packets without Ethernet, run by a process of the session. A shape of
 * packet has its rows here; who may be spoken to is in packet_peer.c.
 *
 * A packet that is refused for its shape is counted at the cgroup, where it is the session's doing, and
 * not at the device, where a kernel's own housekeeping passes.
 */
#include "../gate_run.h"

#include "../frame.h"

TEARDOWN
{
	gate_net_remove();
	gate_remove();
}

/* Public addresses, both with a route in gate_net_make(). */
static const uint8_t peer_v4[16] = { 93, 184, 216, 34 };
static const uint8_t peer_v6[16] = { 0x26, 0x06, 0x28, 0x00, 0x02, 0x20, [15] = 1 };

static void tcp_data(struct frame *frame, const uint8_t *peer)
{
	frame_ip(frame, peer, IPPROTO_TCP);
	frame_tcp(frame, FRAME_ACK);
}

static void tcp_open(struct frame *frame, const uint8_t *peer)
{
	frame_ip(frame, peer, IPPROTO_TCP);
	frame_tcp(frame, FRAME_SYN);
}

static void tcp_answer(struct frame *frame, const uint8_t *peer)
{
	frame_ip(frame, peer, IPPROTO_TCP);
	frame_tcp(frame, FRAME_SYN | FRAME_ACK);
}

static void udp(struct frame *frame, const uint8_t *peer)
{
	frame_ip(frame, peer, IPPROTO_UDP);
	frame_udp(frame);
}

static void protocol_other(struct frame *frame, const uint8_t *peer, unsigned int protocol)
{
	frame_ip(frame, peer, protocol);
	frame_udp(frame);
}

static void udplite(struct frame *frame, const uint8_t *peer)
{
	protocol_other(frame, peer, IPPROTO_UDPLITE);
}

static void sctp(struct frame *frame, const uint8_t *peer)
{
	protocol_other(frame, peer, IPPROTO_SCTP);
}

static void gre(struct frame *frame, const uint8_t *peer)
{
	protocol_other(frame, peer, IPPROTO_GRE);
}

static void tunnel(struct frame *frame, const uint8_t *peer)
{
	frame_ip(frame, peer, frame->v6 ? IPPROTO_IPV6 : IPPROTO_IPIP);
	frame_ip(frame, peer, IPPROTO_UDP);
	frame_udp(frame);
}

static void options(struct frame *frame, const uint8_t *peer)
{
	frame_v4(frame, peer, IPPROTO_UDP, 0, 1);
	frame_udp(frame);
}

static void options_longest(struct frame *frame, const uint8_t *peer)
{
	frame_v4(frame, peer, IPPROTO_TCP, 0, 10);
	frame_tcp(frame, FRAME_ACK);
}

static void header_short(struct frame *frame, const uint8_t *peer)
{
	udp(frame, peer);
	frame->bytes[ETH_HLEN] = 0x44;
}

static void version_wrong(struct frame *frame, const uint8_t *peer)
{
	udp(frame, peer);
	frame->bytes[ETH_HLEN] = frame->v6 ? 0x45 : 0x65;
}

static void fragment_first(struct frame *frame, const uint8_t *peer)
{
	frame_v4(frame, peer, IPPROTO_UDP, 0x2000, 0);
	frame_udp(frame);
}

static void fragment_later(struct frame *frame, const uint8_t *peer)
{
	frame_v4(frame, peer, IPPROTO_UDP, 185, 0);
	frame_put(frame, "more", 4);
}

static void fragment_icmp(struct frame *frame, const uint8_t *peer)
{
	frame_v4(frame, peer, IPPROTO_ICMP, 185, 0);
	frame_put(frame, "more", 4);
}

static void fragment_tiny(struct frame *frame, const uint8_t *peer)
{
	frame_v4(frame, peer, IPPROTO_TCP, 0x2000, 0);
	frame_ports(frame);
	frame_put(frame, "\0\0\0\1", 4);
}

/* An extension header of 8 bytes before @next; for a fragment, @word is its offset and flag. */
static void extension(struct frame *frame, const uint8_t *peer, unsigned int kind,
		      unsigned int next, unsigned int word)
{
	const uint8_t header[] = { (uint8_t)next, 0, (uint8_t)(word >> 8), (uint8_t)word, 0, 0, 0, 7 };

	frame_v6(frame, peer, kind);
	frame_put(frame, header, sizeof(header));
	frame_udp(frame);
}

static void hop_by_hop(struct frame *frame, const uint8_t *peer)
{
	extension(frame, peer, IPPROTO_HOPOPTS, IPPROTO_UDP, 0);
}

static void routing(struct frame *frame, const uint8_t *peer)
{
	extension(frame, peer, IPPROTO_ROUTING, IPPROTO_UDP, 0);
}

static void destination(struct frame *frame, const uint8_t *peer)
{
	extension(frame, peer, IPPROTO_DSTOPTS, IPPROTO_UDP, 0);
}

static void fragment_v6_first(struct frame *frame, const uint8_t *peer)
{
	extension(frame, peer, IPPROTO_FRAGMENT, IPPROTO_UDP, 1);
}

static void fragment_v6_later(struct frame *frame, const uint8_t *peer)
{
	extension(frame, peer, IPPROTO_FRAGMENT, IPPROTO_UDP, 1480);
}

static void fragment_v6_routing(struct frame *frame, const uint8_t *peer)
{
	extension(frame, peer, IPPROTO_FRAGMENT, IPPROTO_ROUTING, 1);
}

static void fragment_v6_icmp(struct frame *frame, const uint8_t *peer)
{
	extension(frame, peer, IPPROTO_FRAGMENT, IPPROTO_ICMPV6, 1480);
}

static void icmp(struct frame *frame, const uint8_t *peer, unsigned int type)
{
	const uint8_t header[16] = { (uint8_t)type, 1 };

	frame_ip(frame, peer, frame->v6 ? IPPROTO_ICMPV6 : IPPROTO_ICMP);
	frame_put(frame, header, sizeof(header));
}

static void echo(struct frame *frame, const uint8_t *peer)
{
	icmp(frame, peer, frame->v6 ? 128 : 8);
}

static void unreachable(struct frame *frame, const uint8_t *peer)
{
	icmp(frame, peer, frame->v6 ? 1 : 3);
}

static void time_exceeded(struct frame *frame, const uint8_t *peer)
{
	icmp(frame, peer, frame->v6 ? 3 : 11);
}

static void too_big(struct frame *frame, const uint8_t *peer)
{
	icmp(frame, peer, frame->v6 ? 2 : 3);
}

static void redirect(struct frame *frame, const uint8_t *peer)
{
	icmp(frame, peer, frame->v6 ? 137 : 5);
}

static void discovery(struct frame *frame, const uint8_t *peer)
{
	icmp(frame, peer, 135);
}

static void arp(struct frame *frame, const uint8_t *peer)
{
	frame->bytes[ETH_HLEN - 1] = ETH_P_ARP & 0xff;
	frame_put(frame, "\0\1\x08\0\6\4\0\1", 8);
	frame_put(frame, peer, 16);
}

static void vlan(struct frame *frame, const uint8_t *peer)
{
	frame->bytes[ETH_HLEN - 2] = ETH_P_8021Q >> 8;
	frame->bytes[ETH_HLEN - 1] = 0;
	frame_put16(frame, 1);
	frame_put16(frame, ETH_P_IP);
	frame_ip(frame, peer, IPPROTO_UDP);
	frame_udp(frame);
}

enum kind {
	PLAIN, /* passes both ways */
	OPENS, /* passes out; from outside it is a connection to a server inside */
	ERROR, /* comes in at the device, where the host's connection tracking has judged it */
	OTHER, /* passes nowhere */
};

static const struct shape {
	const char *name;
	void (*build)(struct frame *frame, const uint8_t *peer);
	enum kind kind;
	int family; /* 0: both */
} shapes[] = {
	{ "TCP data", tcp_data, PLAIN, 0 },
	{ "TCP SYN", tcp_open, OPENS, 0 },
	{ "TCP SYN-ACK", tcp_answer, PLAIN, 0 },
	{ "UDP", udp, PLAIN, 0 },
	{ "UDP-Lite", udplite, OTHER, 0 },
	{ "SCTP", sctp, OTHER, 0 },
	{ "GRE", gre, OTHER, 0 },
	{ "IP in IP", tunnel, OTHER, 0 },
	{ "IPv4 options", options, OTHER, 4 },
	{ "IPv4 options, as many as fit", options_longest, OTHER, 4 },
	{ "IPv4 header length below 5", header_short, OTHER, 4 },
	{ "wrong version", version_wrong, OTHER, 0 },
	{ "first fragment", fragment_first, PLAIN, 4 },
	{ "later fragment", fragment_later, PLAIN, 4 },
	{ "later fragment of ICMP", fragment_icmp, OTHER, 4 },
	{ "fragment that ends within the TCP header", fragment_tiny, OTHER, 4 },
	{ "hop-by-hop header", hop_by_hop, OTHER, 6 },
	{ "routing header", routing, OTHER, 6 },
	{ "destination options", destination, OTHER, 6 },
	{ "IPv6 first fragment", fragment_v6_first, PLAIN, 6 },
	{ "IPv6 later fragment", fragment_v6_later, PLAIN, 6 },
	{ "IPv6 fragment with a routing header", fragment_v6_routing, OTHER, 6 },
	{ "IPv6 later fragment of ICMP", fragment_v6_icmp, OTHER, 6 },
	{ "ICMP echo", echo, OTHER, 0 },
	{ "ICMP unreachable", unreachable, ERROR, 0 },
	{ "ICMP time exceeded", time_exceeded, ERROR, 0 },
	{ "ICMP packet too big", too_big, ERROR, 0 },
	{ "ICMP redirect", redirect, OTHER, 0 },
	{ "neighbour discovery", discovery, OTHER, 6 },
	{ "ARP", arp, OTHER, 4 },
	{ "VLAN tag", vlan, OTHER, 4 },
};

static void shape_build(const struct shape *shape, bool v6, bool inbound, struct frame *ret)
{
	frame_begin(ret, v6, inbound);
	shape->build(ret, v6 ? peer_v6 : peer_v4);
	if (shape->build != arp && shape->build != vlan)
		frame_end(ret);
}

static enum reason wanted(const struct shape *shape, const struct gate_program *program)
{
	if (shape->kind == PLAIN || (shape->kind == OPENS && !program->inbound))
		return REASON_OK;
	if (shape->kind == OPENS)
		return REASON_INBOUND;
	if (shape->kind == ERROR && program->device && program->inbound)
		return REASON_OK;
	return REASON_PACKET_FORMAT;
}

/* Runs one frame, and compares the verdict, the counter of its reason and the sum of all counters. */
static void shape_check(const struct shape *shape, const struct gate_program *program, bool v6)
{
	enum reason want = wanted(shape, program);
	bool counted = want != REASON_OK && (want != REASON_PACKET_FORMAT || !program->device);
	uint64_t before, all = gate_denials_all(gate.id);
	struct frame frame;
	bool passed;

	before = want != REASON_OK ? gate_denials(gate.id, want) : 0;
	shape_build(shape, v6, program->inbound, &frame);
	passed = gate_passes(program, &frame);
	if (passed != (want == REASON_OK) || gate_denials_all(gate.id) != all + counted)
		printf("%s, IPv%d, %s:\n", shape->name, v6 ? 6 : 4, program->name);
	EXPECT_EQ(passed, want == REASON_OK);
	EXPECT_EQ(gate_denials_all(gate.id), all + counted);
	if (want != REASON_OK)
		EXPECT_EQ(gate_denials(gate.id, want), before + counted);
}

static void shape_check_both(const struct shape *shape, const struct gate_program *program)
{
	if (shape->family != 6)
		shape_check(shape, program, false);
	if (shape->family != 4)
		shape_check(shape, program, true);
}

static void shapes_check(void *arg)
{
	(void)arg;
	for (const struct gate_program *program = gate_programs; program->name; program++)
		for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
			shape_check_both(&shapes[i], program);
}

TEST("only plain TCP and UDP pass; every other shape of packet is refused and counted for what it is")
{
	gate_make();
	gate_net_make();
	ASSERT_OK(gate_run_in(gate.session_fd, shapes_check, NULL));
}

/* Every shape that passes, cut after each of its bytes up to the ports: never a verdict by guesswork. */
static void cuts_check(void *arg)
{
	struct frame frame;

	(void)arg;
	for (const struct gate_program *program = gate_programs; program->name; program++)
		for (int v6 = 0; v6 < 2; v6++) {
			const size_t whole = (v6 ? 40u : 20u) + 20;

			for (size_t n = 1; n < whole; n++) {
				shape_build(&shapes[0], v6, program->inbound, &frame);
				frame.len = ETH_HLEN + n;
				EXPECT_FALSE(gate_passes(program, &frame));
			}
			shape_build(&shapes[0], v6, program->inbound, &frame);
			EXPECT_EQ(frame.len, ETH_HLEN + whole);
			EXPECT_TRUE(gate_passes(program, &frame));
		}
}

TEST("a packet that is cut off anywhere before the end of its TCP header is refused")
{
	gate_make();
	gate_net_make();
	ASSERT_OK(gate_run_in(gate.session_fd, cuts_check, NULL));
}

static void bytes_check(void *arg)
{
	struct usage before = gate_usage_of(gate.id), after;
	uint64_t out = 0, in = 0;
	struct frame frame;

	(void)arg;
	for (const struct gate_program *program = gate_programs; program->name; program++)
		for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
			shape_build(&shapes[i], false, program->inbound, &frame);
			if (shapes[i].family == 6)
				continue;
			if (!gate_passes(program, &frame) || program->device)
				continue;
			*(program->inbound ? &in : &out) += frame.len - ETH_HLEN;
		}
	after = gate_usage_of(gate.id);
	EXPECT_EQ(after.bytes_out - before.bytes_out, out);
	EXPECT_EQ(after.bytes_in - before.bytes_in, in);
	EXPECT_GT(out, 0);
	EXPECT_GT(in, 0);
}

TEST("the bytes of what passes are counted once, headers included, and nothing of what is refused")
{
	gate_make();
	gate_net_make();
	ASSERT_OK(gate_run_in(gate.session_fd, bytes_check, NULL));
}

TEST("a forged source of what goes out changes no verdict of the programs")
{
	struct frame frame;

	gate_make();
	gate_net_make();
	frame_begin(&frame, false, false);
	udp(&frame, peer_v4);
	frame_end(&frame);
	memcpy(frame.bytes + ETH_HLEN + 12, "\x08\x08\x08\x08", 4);
	EXPECT_TRUE(gate_passes(gate_program("reeve_link_out"), &frame));
	memcpy(frame.bytes + ETH_HLEN + 16, "\x0a\x00\x00\x01", 4);
	EXPECT_FALSE(gate_passes(gate_program("reeve_link_out"), &frame));
}
