/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the device knows of one TCP connection of a session under "package-managers": element of the LRU
 * maps "flows" and "half_flows". BPF writes it; user space only deletes what an ended session left.
 */
#ifndef REEVE_FLOW_H
#define REEVE_FLOW_H

#include <linux/types.h>

/* A power of two. The largest hello takes three or four, a change_cipher_spec one. */
#define FLOW_PARTS 4

struct flow_key {
	__u64 cgroup;
	__u8 peer[16]; /* IPv4 as v4-mapped */
	__u16 peer_port, own_port;
	__u32 pad;
};

enum flow_state {
	FLOW_OPENED, /* nothing was sent yet */
	FLOW_NAMED,  /* all that was sent was judged, and so is what comes next */
	FLOW_PAST,   /* next begins what no hello can follow */
	FLOW_ENDED,  /* next is an alert, and nothing follows it */
	FLOW_OLD,    /* so much was sent that what was judged can not come again */
	FLOW_REFUSED,
};

/* Bytes that were judged and that TCP may send again as one segment: they must be the same ones. */
struct flow_part {
	__u32 from, len; /* sequence number of the first; 0 bytes for no part */
	__u64 sum;
};

struct flow {
	__u32 next; /* sequence number of the byte behind what was judged and remembered */
	enum flow_state state;
	__u32 n_parts; /* counted on: the newest takes the place of the oldest */
	__u32 ccs;     /* what was judged last is a change_cipher_spec */
	struct flow_part parts[FLOW_PARTS];
};

_Static_assert(sizeof(struct flow_key) == 32, "no padding in maps");
_Static_assert(sizeof(struct flow) == 16 + 16 * FLOW_PARTS, "no padding in maps");

#endif
