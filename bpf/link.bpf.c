// SPDX-License-Identifier: GPL-2.0-only
/*
 * The second filter, on the host's end of the session's own network device: whatever socket a packet
 * came from, it is judged again, and a destination that the host would deliver to itself is refused by
 * the host's own routing table, as it is at this moment.
 */
#include "flow.bpf.h"
#include "flow_reset.bpf.h"
#include "link_mark.bpf.h"

/* RFC 792 and RFC 4443; <linux/icmp.h> pulls in libc */
#define ICMP_DEST_UNREACH 3
#define ICMP_TIME_EXCEEDED 11
#define ICMPV6_DEST_UNREACH 1
#define ICMPV6_PKT_TOOBIG 2
#define ICMPV6_TIME_EXCEED 3

static __always_inline int link_is_local(struct __sk_buff *skb, const struct packet *packet)
{
	struct bpf_fib_lookup fib = {
		.family = packet->family,
		.l4_protocol = packet->protocol,
		.tot_len = packet->bytes,
		.ifindex = skb->ifindex,
	};
	long result;

	if (packet->family == AF_INET) {
		fib.ipv4_src = packet->fib_from[0];
		fib.ipv4_dst = packet->fib_to[0];
	} else {
		__builtin_memcpy(fib.ipv6_src, packet->fib_from, sizeof(fib.ipv6_src));
		__builtin_memcpy(fib.ipv6_dst, packet->fib_to, sizeof(fib.ipv6_dst));
	}
	result = bpf_fib_lookup(skb, &fib, sizeof(fib), 0);
	/* a host that does not forward delivers to itself or to nobody */
	return result == BPF_FIB_LKUP_RET_NOT_FWDED || result == BPF_FIB_LKUP_RET_FWD_DISABLED;
}

/*
 * Errors about packets that were let out, path MTU above all. Any router may send one, so its source is
 * not judged; connection tracking on the host passes only those that belong to a flow.
 */
static __always_inline int link_is_icmp_error(struct __sk_buff *skb, const struct packet *packet)
{
	__u32 offset = sizeof(struct ethhdr);
	__u8 type;

	offset += packet->family == AF_INET ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);
	if (bpf_skb_load_bytes(skb, offset, &type, sizeof(type)))
		return 0;
	if (packet->family == AF_INET && packet->protocol == IPPROTO_ICMP)
		return type == ICMP_DEST_UNREACH || type == ICMP_TIME_EXCEEDED;
	if (packet->family == AF_INET6 && packet->protocol == IPPROTO_ICMPV6)
		return type == ICMPV6_DEST_UNREACH || type == ICMPV6_PKT_TOOBIG ||
		       type == ICMPV6_TIME_EXCEED;
	return 0;
}

static __always_inline void link_session(struct session *session, __u32 ifindex)
{
	__u64 *cgroup = bpf_map_lookup_elem(&netdevs, &ifindex);

	session_find(session, cgroup ? *cgroup : 0);
}

static __always_inline enum reason
link_out_judge(struct __sk_buff *skb, const struct session *session, struct packet *packet)
{
	struct egress_use use = { packet->protocol, packet->to_port, packet->opens, 1 };
	int loopback;
	enum reason reason = session_peer(session, &packet->to, &use, &loopback);
	struct reading *reading;

	/* loopback addresses have no business on a wire */
	if (reason != REASON_OK || loopback)
		return loopback ? REASON_LOOPBACK : reason;
	if (link_is_local(skb, packet))
		return REASON_HOST_ADDRESS;
	if (!session->policy || session->policy->egress != POLICY_EGRESS_PACKAGE_MANAGERS)
		return REASON_OK;
	reading = flow_reading();
	if (!reading || flow_segment(skb, session->cgroup, packet, &reading->segment))
		return REASON_NAME_HIDDEN;
	reason = flow_judge(skb, &reading->segment);
	packet->connected = reading->segment.connected;
	return reason;
}

/*
 * A client is told at once that its connection is over; a packet to a wrong place, or of a session that
 * may not send, is dropped.
 */
static __always_inline int link_refuse(struct __sk_buff *skb, struct packet *packet,
				       enum reason reason)
{
	switch (reason) {
	case FLOW_TOLD:
	case REASON_NAME:
	case REASON_NAME_HIDDEN:
	case REASON_PORT:
		return packet->protocol == IPPROTO_TCP ? reset_send(skb, packet) : TC_ACT_SHOT;
	default:
		return TC_ACT_SHOT;
	}
}

SEC("tc")
int reeve_link_out(struct __sk_buff *skb)
{
	struct attempt attempt = { .hook = EVENT_LINK };
	struct session session;
	struct packet packet;
	enum reason reason;

	link_session(&session, skb->ifindex);
	/* what is refused here is housekeeping of a kernel, multicast say: not an attempt of the session */
	if (packet_read(skb, sizeof(struct ethhdr), bpf_ntohs(skb->protocol), &packet))
		return TC_ACT_SHOT;
	attempt.family = packet.family;
	attempt.protocol = packet.protocol;
	attempt.given = packet.to;
	attempt.port = packet.to_port;
	reason = link_out_judge(skb, &session, &packet);
	if (reason != FLOW_TOLD && verdict(&session, &attempt, reason, 0) == ALLOW)
		return link_pass(skb, &packet);
	return link_refuse(skb, &packet, reason);
}

SEC("tc")
int reeve_link_in(struct __sk_buff *skb)
{
	struct attempt attempt = { .hook = EVENT_LINK };
	struct session session;
	struct packet packet;
	enum reason reason;
	int loopback;

	link_session(&session, skb->ifindex);
	if (packet_read(skb, sizeof(struct ethhdr), bpf_ntohs(skb->protocol), &packet))
		return link_is_icmp_error(skb, &packet) ? TC_ACT_OK : TC_ACT_SHOT;
	attempt.family = packet.family;
	attempt.protocol = packet.protocol;
	attempt.given = packet.from;
	attempt.port = packet.from_port;
	reason = session_packet_in(&session, &packet.from, packet.opens, &loopback);
	if (reason == REASON_OK && loopback)
		reason = REASON_LOOPBACK;
	return verdict(&session, &attempt, reason, 0) == ALLOW ? TC_ACT_OK : TC_ACT_SHOT;
}
