/* SPDX-License-Identifier: GPL-2.0-only */
/* Attempts by packets that the sender writes itself, and by options that reroute what the kernel writes. */
#ifndef REEVE_SELFTESTS_LIVE_WAYS_FORGED_H
#define REEVE_SELFTESTS_LIVE_WAYS_FORGED_H

#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <netinet/icmp6.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <stddef.h>
#include <netinet/ip_icmp.h>
#include <netinet/udp.h>
#include <sys/ioctl.h>

#include "inet.h"

#define FORGED_SIZE (ETH_HLEN + sizeof(struct ip6_hdr) + sizeof(struct udphdr))

static const struct udphdr forged_udp = { .source = 1, .dest = 1, .len = 8 << 8 };

static inline uint16_t forged_sum(const struct iphdr *ip)
{
	const uint16_t *words = (const uint16_t *)ip;
	uint32_t sum = 0;

	for (size_t i = 0; i < sizeof(*ip) / 2; i++)
		sum += words[i];
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t) ~((sum & 0xffff) + (sum >> 16));
}

/* An IP packet from the own address. Returns its length. */
static inline size_t forged_packet(const struct target *t, unsigned char *ret)
{
	const size_t len = t->family == AF_INET ? sizeof(struct iphdr) : sizeof(struct ip6_hdr);
	struct iphdr v4 = { .version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_UDP };
	struct ip6_hdr v6 = { .ip6_flow = htonl(6u << 28), .ip6_dst = t->name.v6.sin6_addr };
	union way_name own = { 0 };

	way_own(t->family, &own);
	v4.tot_len = htons((uint16_t)(len + sizeof(forged_udp)));
	v4.saddr = own.v4.sin_addr.s_addr;
	v4.daddr = t->name.v4.sin_addr.s_addr;
	v4.check = forged_sum(&v4);
	v6.ip6_plen = htons(sizeof(forged_udp));
	v6.ip6_nxt = IPPROTO_UDP;
	v6.ip6_hlim = 64;
	v6.ip6_src = own.v6.sin6_addr;
	memcpy(ret, t->family == AF_INET ? (void *)&v4 : (void *)&v6, len);
	memcpy(ret + len, &forged_udp, sizeof(forged_udp));
	return len + sizeof(forged_udp);
}

/* The ends of a session's link have one hardware address; for the other device everybody is addressed. */
static inline void forged_ether(int fd, const struct target *t, unsigned char ret[ETH_HLEN])
{
	struct ifreq device = { 0 };

	memset(ret, 0xff, ETH_HLEN);
	way_device(device.ifr_name);
	if (strcmp(device.ifr_name, "eth0") == 0 && ioctl(fd, SIOCGIFHWADDR, &device) == 0)
		memcpy(ret, device.ifr_hwaddr.sa_data, ETH_ALEN);
	memcpy(ret + ETH_ALEN, "\x02way!!", ETH_ALEN);
	ret[12] = t->family == AF_INET ? 0x08 : 0x86;
	ret[13] = t->family == AF_INET ? 0x00 : 0xdd;
}

static inline int try_packet(const struct target *t)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	unsigned char frame[FORGED_SIZE];
	char device[IF_NAMESIZE];
	size_t n;

	if (fd < 0)
		return -1;
	to.sll_ifindex = (int)way_device(device);
	forged_ether(fd, t, frame);
	n = ETH_HLEN + forged_packet(t, frame + ETH_HLEN);
	return (int)sendto(fd, frame, n, 0, (struct sockaddr *)&to, sizeof(to));
}

/* The kernel writes the IP header alone. */
static inline int try_raw(const struct target *t)
{
	int fd = way_socket(t, SOCK_RAW, IPPROTO_UDP), at = offsetof(struct udphdr, check);
	union way_name to = t->name;

	if (fd < 0)
		return -1;
	if (t->family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_CHECKSUM, &at, sizeof(at));
	to.v4.sin_port = 0;
	return (int)sendto(fd, &forged_udp, sizeof(forged_udp), 0, &to.any, t->len);
}

static inline int try_ping(const struct target *t)
{
	struct icmphdr echo = { .type = ICMP_ECHO };
	bool v4 = t->family == AF_INET;
	int fd = way_socket(t, SOCK_DGRAM, v4 ? IPPROTO_ICMP : IPPROTO_ICMPV6);

	if (!v4)
		echo.type = ICMP6_ECHO_REQUEST;
	return fd < 0 ? -1 : (int)sendto(fd, &echo, sizeof(echo), 0, &t->name.any, t->len);
}

#endif
