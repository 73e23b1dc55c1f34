/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ethernet frames made by hand, right and wrong. Each frame_* is one shape; @peer is the other end's
 * address, which is the destination of what goes out and the source of what comes in.
 */
#ifndef REEVE_SELFTESTS_FRAME_H
#define REEVE_SELFTESTS_FRAME_H

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define FRAME_OWN_PORT 40000
#define FRAME_PEER_PORT 443
#define FRAME_SYN 0x02
#define FRAME_ACK 0x10

struct frame {
	uint8_t bytes[4096];
	size_t len;
	bool v6, inbound;
};

static inline void frame_put(struct frame *frame, const void *bytes, size_t n)
{
	memcpy(frame->bytes + frame->len, bytes, n);
	frame->len += n;
}

static inline void frame_put16(struct frame *frame, unsigned int value)
{
	uint8_t bytes[] = { (uint8_t)(value >> 8), (uint8_t)value };

	frame_put(frame, bytes, 2);
}

static inline void frame_begin(struct frame *ret, bool v6, bool inbound)
{
	*ret = (struct frame){ .len = ETH_HLEN - 2, .v6 = v6, .inbound = inbound };
	frame_put16(ret, v6 ? ETH_P_IPV6 : ETH_P_IP);
}

static inline void frame_addresses(struct frame *frame, const uint8_t *peer)
{
	static const uint8_t own[16] = { 10, 213, 0, 2 }, own_v6[16] = { 0xfd, 0x72, [15] = 2 };
	const uint8_t *mine = frame->v6 ? own_v6 : own;
	size_t n = frame->v6 ? 16 : 4;

	frame_put(frame, frame->inbound ? peer : mine, n);
	frame_put(frame, frame->inbound ? mine : peer, n);
}

/* @fragment is the field of that name with its flags; @words of options follow the header. */
static inline void frame_v4(struct frame *frame, const uint8_t *peer, unsigned int protocol,
			    unsigned int fragment, unsigned int words)
{
	static const uint8_t nop[40] = { 1, 1, 1, 1 };
	const uint8_t first[] = { (uint8_t)(0x45 + words), 0, 0, 0, 0x12, 0x34 };
	const uint8_t ttl[] = { 64, (uint8_t)protocol, 0, 0 };

	frame_put(frame, first, sizeof(first));
	frame_put16(frame, fragment);
	frame_put(frame, ttl, sizeof(ttl));
	frame_addresses(frame, peer);
	frame_put(frame, nop, words * 4);
}

static inline void frame_v6(struct frame *frame, const uint8_t *peer, unsigned int next)
{
	const uint8_t first[] = { 0x60, 0, 0, 0, 0, 0, (uint8_t)next, 64 };

	frame_put(frame, first, sizeof(first));
	frame_addresses(frame, peer);
}

static inline void frame_ip(struct frame *frame, const uint8_t *peer, unsigned int protocol)
{
	if (frame->v6)
		frame_v6(frame, peer, protocol);
	else
		frame_v4(frame, peer, protocol, 0, 0);
}

static inline void frame_ports(struct frame *frame)
{
	frame_put16(frame, frame->inbound ? FRAME_PEER_PORT : FRAME_OWN_PORT);
	frame_put16(frame, frame->inbound ? FRAME_OWN_PORT : FRAME_PEER_PORT);
}

static inline void frame_tcp(struct frame *frame, unsigned int flags)
{
	const uint8_t rest[] = { 0,    0,    0, 1, 0, 0, 0, 0, 0x50, (uint8_t)flags,
				 0xff, 0xff, 0, 0, 0, 0 };

	frame_ports(frame);
	frame_put(frame, rest, sizeof(rest));
}

static inline void frame_udp(struct frame *frame)
{
	const uint8_t rest[] = { 0, 12, 0, 0, 'd', 'a', 't', 'a' };

	frame_ports(frame);
	frame_put(frame, rest, sizeof(rest));
}

/* Fills in the length. */
static inline void frame_end(struct frame *frame)
{
	size_t n = frame->len - ETH_HLEN - (frame->v6 ? 40 : 0);
	uint8_t *at = frame->bytes + ETH_HLEN + (frame->v6 ? 4 : 2);

	at[0] = (uint8_t)(n >> 8);
	at[1] = (uint8_t)n;
}

#endif
