/* SPDX-License-Identifier: GPL-2.0-only */
/* TCP segments of a client, made by hand, and the first ones of real clients in selftests/vectors/hello. */
#ifndef REEVE_SELFTESTS_SEGMENT_H
#define REEVE_SELFTESTS_SEGMENT_H

#include "frame.h"
#include "test.h"

#include <stdio.h>

#define FLOW_FIRST 1000u /* sequence number of the SYN */
#define FLOW_RST 0x04
#define FLOW_FIN 0x01
#define FLOW_URG 0x20

/* Public addresses, both with a route in gate_net_make(). */
static const uint8_t flow_v4[16] = { 93, 184, 216, 34 };
static const uint8_t flow_v6[16] = { 0x26, 0x06, 0x28, 0x00, 0x02, 0x20, [15] = 1 };

/* What is sent; zero values are an IPv4 segment with ACK from port 0 to port 443, without data. */
struct segment {
	bool v6;
	unsigned int own_port, port, flags;
	uint32_t seq, gso_size;
	const void *data;
	size_t len;
};

static inline void segment_frame(const struct segment *segment, struct frame *ret)
{
	unsigned int port = segment->port ?: 443, flags = segment->flags ?: FRAME_ACK;
	const uint8_t rest[] = { 0x50, (uint8_t)flags, 0xff, 0xff, 0, 0, 0, 0 };

	frame_begin(ret, segment->v6, false);
	memset(ret->bytes, 0xaa, 6);
	memset(ret->bytes + 6, 0xbb, 6);
	frame_ip(ret, segment->v6 ? flow_v6 : flow_v4, IPPROTO_TCP);
	frame_put16(ret, segment->own_port);
	frame_put16(ret, port);
	frame_put16(ret, segment->seq >> 16);
	frame_put16(ret, segment->seq & 0xffff);
	frame_put(ret, "\x12\x34\x56\x78", 4);
	frame_put(ret, rest, sizeof(rest));
	frame_put(ret, segment->data, segment->len);
	frame_end(ret);
}

struct sample {
	uint8_t bytes[8192];
	size_t len;
};

static inline struct sample sample_of(const char *name)
{
	struct sample sample;
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "selftests/vectors/hello/%s.bin", name);
	file = fopen(path, "rb");
	ASSERT_NOT_NULL(file);
	sample.len = fread(sample.bytes, 1, sizeof(sample.bytes), file);
	fclose(file);
	return sample;
}

#endif
