/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A TCP connection under "package-managers": it opens without data, its first segment is a whole hello with
 * an allowed name and, in TLS, nothing else; then the client waits for its server. The segment behind it
 * is looked at as well, for a server may ask for a second hello. Whatever does not fit refuses the
 * connection for good. State is per connection and bounded; what was forgotten is refused.
 */
#ifndef REEVE_FLOW_BPF_H
#define REEVE_FLOW_BPF_H

#include "flow_hello.bpf.h"

/* Refused before, and told then. */
#define FLOW_TOLD REASON_COUNT

#define FLOW_OLD_BYTES (1 << 30) /* the largest window of TCP */

static __always_inline enum reason flow_later(struct __sk_buff *skb, struct flow *flow,
					      struct reading *reading, struct flow_segment *segment)
{
	__s32 behind = (__s32)(segment->seq - flow->end);

	if (flow->state == FLOW_OLD)
		return REASON_OK;
	if (behind < 0)
		return flow_again(skb, flow, reading, segment);
	if (segment->port == POLICY_PORT_TLS && (behind == 0 || behind == flow->ccs))
		return flow_second(skb, flow, reading, segment);
	if (flow->state == FLOW_NAMED)
		return REASON_NAME_HIDDEN;
	if (behind >= FLOW_OLD_BYTES)
		flow->state = FLOW_OLD;
	return REASON_OK;
}

static __always_inline enum reason flow_data(struct __sk_buff *skb, struct flow *flow,
					     struct flow_segment *segment)
{
	struct reading *reading = flow_reading();
	enum reason reason = REASON_NAME_HIDDEN;

	if (!reading)
		return reason;
	if (flow->state != FLOW_OPENED)
		reason = flow_later(skb, flow, reading, segment);
	else if (segment->seq == flow->first && !segment->urgent)
		reason = flow_begin(skb, flow, reading, segment);
	if (reason != REASON_OK)
		flow->state = FLOW_REFUSED;
	return reason;
}

/* A connection opens; data in its first segment is no way around its hello. */
static __always_inline enum reason flow_open(const struct flow_key *key,
					     const struct flow_segment *segment)
{
	struct flow flow = { .first = segment->seq + 1, .state = FLOW_OPENED };

	if (segment->len)
		return REASON_NAME_HIDDEN;
	return bpf_map_update_elem(&flows, key, &flow, BPF_ANY) ? REASON_NAME_HIDDEN : REASON_OK;
}

/* Judges a segment that everything else let pass: an enum reason, or FLOW_TOLD. */
__noinline int flow_judge(struct __sk_buff *skb, struct flow_segment *segment)
{
	struct flow_key key;
	struct flow *flow;

	if (!segment)
		return REASON_NAME_HIDDEN;
	/* before 6.4 the memory of an argument is no key of a map */
	key = segment->key;
	if (segment->opens)
		return flow_open(&key, segment);
	flow = bpf_map_lookup_elem(&flows, &key);
	if (!flow)
		return REASON_NAME_HIDDEN;
	if (flow->state == FLOW_REFUSED)
		return FLOW_TOLD;
	segment->connected = 1;
	/* only the answer to a connection from outside has both */
	if (segment->syn)
		return REASON_INBOUND;
	return segment->len ? flow_data(skb, flow, segment) : REASON_OK;
}

/* The segment in a packet; not 0 when it is none. */
static __always_inline int flow_segment(struct __sk_buff *skb, __u64 cgroup,
					const struct packet *packet, struct flow_segment *ret)
{
	const struct tcphdr *tcp = &packet->tcp;
	__u32 end = sizeof(struct ethhdr) + packet->bytes;

	__builtin_memset(ret, 0, sizeof(*ret));
	ret->at = packet->l4_at + 4 * tcp->doff;
	if (packet->fragment || tcp->doff < 5 || ret->at > end)
		return -1;
	ret->key.cgroup = cgroup;
	event_addr(ret->key.peer, &packet->to);
	ret->key.peer_port = packet->to_port;
	ret->key.own_port = packet->from_port;
	ret->len = end - ret->at;
	ret->seq = bpf_ntohl(tcp->seq);
	ret->port = egress_port(packet->to_port);
	ret->gso_size = skb->gso_size;
	ret->opens = packet->opens;
	ret->syn = tcp->syn;
	ret->urgent = tcp->urg; /* an urgent byte is taken out on the other side */
	return 0;
}

#endif
