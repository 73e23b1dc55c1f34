/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The answer to a refused segment, which is turned into resets of its connection: one for its client, who
 * fails now and not after its timeouts, and one for its server, who would keep waiting.
 */
#ifndef REEVE_FLOW_RESET_BPF_H
#define REEVE_FLOW_RESET_BPF_H

#include "packet.bpf.h"

#include <linux/pkt_cls.h>

struct reset {
	const struct packet *packet;
	struct {
		__be32 addresses[8]; /* words that IPv4 does not use are zero and add nothing */
		__be32 len, next;
	} pseudo;
	struct tcphdr tcp;
	__u32 ip_len, acked;
	int back, offload; /* to the client; the device adds up all but the pseudo header */
};

static __always_inline __u16 reset_fold(__s64 sum)
{
	sum = (sum & 0xffff) + (sum >> 16 & 0xffff);
	return (__u16)(sum + (sum >> 16));
}

static __always_inline __s64 reset_pseudo_sum(struct reset *reset, __u32 len)
{
	reset->pseudo.len = bpf_htonl(len);
	reset->pseudo.next = bpf_htonl(IPPROTO_TCP);
	return bpf_csum_diff(NULL, 0, (void *)&reset->pseudo, sizeof(reset->pseudo), 0);
}

/* The client's as its server would send it, RFC 9293, 3.5.2; the server's as its client would. */
static __always_inline void reset_tcp(struct reset *reset)
{
	const struct tcphdr *was = &reset->packet->tcp;
	struct tcphdr *tcp = &reset->tcp;
	__s64 sum;

	tcp->source = reset->back ? was->dest : was->source;
	tcp->dest = reset->back ? was->source : was->dest;
	tcp->seq = reset->back ? was->ack_seq : was->seq;
	tcp->ack_seq = reset->back ? bpf_htonl(bpf_ntohl(was->seq) + reset->acked) : was->ack_seq;
	tcp->check = 0;
	sum = reset_pseudo_sum(reset, sizeof(*tcp));
	if (reset->offload)
		tcp->check = reset_fold(sum);
	else
		tcp->check = ~reset_fold(bpf_csum_diff(NULL, 0, (void *)tcp, sizeof(*tcp), sum));
}

static __always_inline int reset_write(struct __sk_buff *skb, struct reset *reset)
{
	const struct packet *packet = reset->packet;
	const __u32 *from = reset->back ? packet->fib_to : packet->fib_from;
	const __u32 *to = reset->back ? packet->fib_from : packet->fib_to;
	struct ipv6hdr v6 = { .version = 6, .nexthdr = IPPROTO_TCP, .hop_limit = 64 };
	struct iphdr v4 = { .version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_TCP };
	const __u32 at = sizeof(struct ethhdr);

	reset_tcp(reset);
	if (packet->family == AF_INET) {
		v4.tot_len = bpf_htons(sizeof(v4) + sizeof(reset->tcp));
		v4.saddr = from[0];
		v4.daddr = to[0];
		v4.check = ~reset_fold(bpf_csum_diff(NULL, 0, (void *)&v4, sizeof(v4), 0));
		bpf_skb_store_bytes(skb, at, &v4, sizeof(v4), BPF_F_INVALIDATE_HASH);
	} else {
		v6.payload_len = bpf_htons(sizeof(reset->tcp));
		__builtin_memcpy(&v6.saddr, from, 16);
		__builtin_memcpy(&v6.daddr, to, 16);
		bpf_skb_store_bytes(skb, at, &v6, sizeof(v6), BPF_F_INVALIDATE_HASH);
	}
	return bpf_skb_store_bytes(skb, at + reset->ip_len, &reset->tcp, sizeof(reset->tcp), 0);
}

static __always_inline int reset_turn(struct __sk_buff *skb)
{
	__u8 eth[2 * ETH_ALEN];

	return bpf_skb_load_bytes(skb, 0, eth + ETH_ALEN, ETH_ALEN) ||
	       bpf_skb_load_bytes(skb, ETH_ALEN, eth, ETH_ALEN) ||
	       bpf_skb_store_bytes(skb, 0, eth, sizeof(eth), 0);
}

/*
 * What becomes of the packet. The server is told only when there is one: nobody else ever hears of a packet
 * that was refused. Never an answer to a SYN or to a reset.
 */
__noinline int reset_send(struct __sk_buff *skb, struct packet *packet)
{
	struct reset reset = { .packet = packet, .back = 1, .tcp = { .doff = 5, .rst = 1, .ack = 1 } };
	__s32 len;

	if (!packet || packet->fragment || packet->tcp.syn || packet->tcp.rst)
		return TC_ACT_SHOT;
	reset.ip_len = packet->family == AF_INET ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);
	len = packet->bytes - reset.ip_len;
	if (packet->l4_at != sizeof(struct ethhdr) + reset.ip_len || len < 4 * packet->tcp.doff)
		return TC_ACT_SHOT;
	reset.acked = len - 4 * packet->tcp.doff + packet->tcp.fin;
	__builtin_memcpy(reset.pseudo.addresses, packet->fib_to, 16);
	__builtin_memcpy(reset.pseudo.addresses + 4, packet->fib_from, 16);
	reset.offload = packet->tcp.check == reset_fold(reset_pseudo_sum(&reset, len));
	if (bpf_skb_change_tail(skb, packet->l4_at + sizeof(reset.tcp), 0) || reset_turn(skb) ||
	    reset_write(skb, &reset))
		return TC_ACT_SHOT;
	if (!packet->connected)
		return bpf_redirect(skb->ifindex, 0);
	if (bpf_clone_redirect(skb, skb->ifindex, 0))
		return TC_ACT_SHOT;
	reset.back = 0;
	return reset_turn(skb) || reset_write(skb, &reset) ? TC_ACT_SHOT : TC_ACT_OK;
}

#endif
