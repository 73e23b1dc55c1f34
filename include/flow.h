/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the device knows of one TCP connection of a session under "package-managers": element of the LRU
 * map "flows". BPF writes it; user space only deletes what an ended session left.
 */
#ifndef REEVE_FLOW_H
#define REEVE_FLOW_H

#include <linux/types.h>

/* How many parts of a hello can be sent again one by one, each with a sum of its own. */
#define FLOW_CHUNKS 4

struct flow_key {
	__u64 cgroup;
	__u8 peer[16]; /* IPv4 as v4-mapped */
	__u16 peer_port, own_port;
	__u32 pad;
};

enum flow_state {
	FLOW_OPENED, /* nothing was sent yet */
	FLOW_NAMED,  /* the name was allowed; the next segment begins at end */
	FLOW_PAST,   /* the second flight was seen */
	FLOW_OLD,    /* so much was sent that the hello can not come again */
	FLOW_REFUSED,
};

struct flow {
	__u32 first; /* sequence number of the first byte of data */
	__u32 end;   /* and of the byte behind the hello */
	enum flow_state state;
	__u16 chunk; /* bytes of a segment, or of the hello when it is one */
	__u16 ccs;   /* bytes of a lone change_cipher_spec behind the hello */
	__u64 sums[FLOW_CHUNKS];
};

_Static_assert(sizeof(struct flow_key) == 32, "no padding in maps");
_Static_assert(sizeof(struct flow) == 16 + 8 * FLOW_CHUNKS, "no padding in maps");

#endif
