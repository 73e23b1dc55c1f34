// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets of the session's sockets: the backstop behind connect and sendmsg, and the byte counters.
 * Only plain TCP and UDP pass: no IPv4 options, no IPv6 extension headers, so that nothing reroutes a
 * packet after it was judged by its destination.
 */
#define PACKET_DIRECT 1
#include "packet.bpf.h"

static __always_inline int packet_verdict(struct __sk_buff *skb, enum event_hook hook)
{
	struct attempt attempt = { .hook = hook };
	struct session session;
	struct egress_use use;
	struct packet packet;
	enum reason reason;
	int loopback;
	__u64 *bytes;

	session_find(&session, bpf_skb_ancestor_cgroup_id(skb, session_level));
	if (packet_read(skb, 0, bpf_ntohs(skb->protocol), &packet))
		return verdict(&session, &attempt, REASON_PACKET_FORMAT, 0);
	attempt.family = packet.family;
	attempt.protocol = packet.protocol;
	attempt.given = hook == EVENT_PACKET_OUT ? packet.to : packet.from;
	attempt.port = hook == EVENT_PACKET_OUT ? packet.to_port : packet.from_port;
	use = (struct egress_use){ packet.protocol, packet.to_port, packet.opens, 1 };
	if (hook == EVENT_PACKET_OUT)
		reason = session_peer(&session, &attempt.given, &use, &loopback);
	else
		reason = session_packet_in(&session, &attempt.given, packet.opens, &loopback);
	if (reason == REASON_OK && session.usage && !loopback) {
		bytes = hook == EVENT_PACKET_OUT ? &session.usage->bytes_out
						 : &session.usage->bytes_in;
		__sync_fetch_and_add(bytes, skb->len);
	}
	return verdict(&session, &attempt, reason, 0);
}

SEC("cgroup_skb/egress")
int reeve_egress(struct __sk_buff *skb)
{
	return packet_verdict(skb, EVENT_PACKET_OUT);
}

SEC("cgroup_skb/ingress")
int reeve_ingress(struct __sk_buff *skb)
{
	return packet_verdict(skb, EVENT_PACKET_IN);
}
