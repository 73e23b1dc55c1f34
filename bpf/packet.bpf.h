/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading an IP packet as far as the policy needs it: who to, who from, and whether it is plain TCP or
 * UDP. Shared by the cgroup hooks (which start at the IP header) and the device (behind Ethernet).
 */
#ifndef REEVE_PACKET_BPF_H
#define REEVE_PACKET_BPF_H

#include "packet_load.bpf.h"
#include "peer.bpf.h"
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>

#define NEXTHDR_FRAGMENT 44
#define IP_FRAGMENT_OFFSET 0x1fff
#define IP_FRAGMENT_MORE 0x2000
#define IPV6_FRAGMENT_OFFSET 0xfff8

struct packet {
	struct decide_addr to, from;
	__u16 family;
	__u16 to_port, from_port;
	__u8 protocol;
	__u8 opens; /* a TCP segment that opens a connection */
	__u8 fragment;
	__u8 connected; /* flow.bpf.h knows the connection, and its server does */
	__u16 bytes;
	__u32 l4_at;
	struct tcphdr tcp;
	__u32 fib_to[4], fib_from[4]; /* the same addresses, network byte order */
};

static __always_inline int packet_read_l4(struct __sk_buff *skb, __u32 offset, struct packet *packet)
{
	__be16 ports[2];

	if (packet->protocol != IPPROTO_TCP && packet->protocol != IPPROTO_UDP)
		return -1;
	if (packet_load(skb, offset, ports, sizeof(ports)))
		return -1;
	packet->from_port = bpf_ntohs(ports[0]);
	packet->to_port = bpf_ntohs(ports[1]);
	if (packet->protocol != IPPROTO_TCP)
		return 0;
	if (packet_load(skb, offset, &packet->tcp, sizeof(packet->tcp)))
		return -1;
	packet->l4_at = offset;
	packet->opens = packet->tcp.syn && !packet->tcp.ack;
	return 0;
}

static __always_inline int packet_read_v4(struct __sk_buff *skb, __u32 offset, struct packet *packet)
{
	struct iphdr ip;

	if (packet_load(skb, offset, &ip, sizeof(ip)) || ip.version != 4 || ip.ihl != 5)
		return -1;
	packet->family = AF_INET;
	packet->protocol = ip.protocol;
	packet->bytes = bpf_ntohs(ip.tot_len);
	packet->to = decide_from_v4(bpf_ntohl(ip.daddr));
	packet->from = decide_from_v4(bpf_ntohl(ip.saddr));
	packet->fib_to[0] = ip.daddr;
	packet->fib_from[0] = ip.saddr;
	packet->fragment = !!(bpf_ntohs(ip.frag_off) & (IP_FRAGMENT_OFFSET | IP_FRAGMENT_MORE));
	/* a later fragment has no ports; its destination is judged like any other */
	if (bpf_ntohs(ip.frag_off) & IP_FRAGMENT_OFFSET)
		return ip.protocol == IPPROTO_TCP || ip.protocol == IPPROTO_UDP ? 0 : -1;
	return packet_read_l4(skb, offset + sizeof(ip), packet);
}

static __always_inline int packet_read_v6(struct __sk_buff *skb, __u32 offset, struct packet *packet)
{
	struct {
		__u8 next, reserved;
		__be16 offset;
		__be32 id;
	} fragment;
	struct ipv6hdr ip;

	if (packet_load(skb, offset, &ip, sizeof(ip)) || ip.version != 6)
		return -1;
	packet->family = AF_INET6;
	packet->protocol = ip.nexthdr;
	packet->bytes = bpf_ntohs(ip.payload_len) + sizeof(ip);
	packet->to = addr_from_be(ip.daddr.in6_u.u6_addr32);
	packet->from = addr_from_be(ip.saddr.in6_u.u6_addr32);
	__builtin_memcpy(packet->fib_to, &ip.daddr, sizeof(packet->fib_to));
	__builtin_memcpy(packet->fib_from, &ip.saddr, sizeof(packet->fib_from));
	offset += sizeof(ip);
	if (ip.nexthdr != NEXTHDR_FRAGMENT)
		return packet_read_l4(skb, offset, packet);
	if (packet_load(skb, offset, &fragment, sizeof(fragment)))
		return -1;
	packet->protocol = fragment.next;
	packet->fragment = 1;
	if (bpf_ntohs(fragment.offset) & IPV6_FRAGMENT_OFFSET)
		return fragment.next == IPPROTO_TCP || fragment.next == IPPROTO_UDP ? 0 : -1;
	return packet_read_l4(skb, offset + sizeof(fragment), packet);
}

/* Reads the packet whose IP header is at @offset; not 0 when it is not plain TCP or UDP. */
static __always_inline int packet_read(struct __sk_buff *skb, __u32 offset, __u16 ethertype,
				       struct packet *packet)
{
	__builtin_memset(packet, 0, sizeof(*packet));
	if (ethertype == ETH_P_IP)
		return packet_read_v4(skb, offset, packet);
	if (ethertype == ETH_P_IPV6)
		return packet_read_v6(skb, offset, packet);
	return -1;
}

#endif
