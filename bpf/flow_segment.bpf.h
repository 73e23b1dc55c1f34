/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A TCP segment that goes out of a session under "package-managers".
 */
#ifndef REEVE_FLOW_SEGMENT_BPF_H
#define REEVE_FLOW_SEGMENT_BPF_H

#include "flow_maps.bpf.h"
#include "packet.bpf.h"

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
	ret->urgent = tcp->urg;
	ret->closes = tcp->fin || tcp->rst;
	return 0;
}

#endif
