/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The maps of the device alone: connections, and where their beginning is read. maps.bpf.c defines them.
 */
#ifndef REEVE_FLOW_MAPS_BPF_H
#define REEVE_FLOW_MAPS_BPF_H

#include "maps.bpf.h"

#include "flow.h"
#include "hello.h"

/* connections under "package-managers" in use; full, it forgets, and a forgotten connection is reset */
struct flows_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, REEVE_FLOWS_MAX);
	__type(key, struct flow_key);
	__type(value, struct flow);
};

/*
 * Those that said no hello yet, or that their client has ended: they cost a session nothing, and so push
 * out one another alone.
 */
struct half_flows_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, REEVE_HALF_FLOWS_MAX);
	__type(key, struct flow_key);
	__type(value, struct flow);
};

/* A TCP segment that goes out: a copy, by which functions are verified once for all packets. */
struct flow_segment {
	struct flow_key key; /* of its connection */
	__u32 at, len;	     /* its data in the packet that is not judged yet */
	__u32 done;	     /* and how much was before that */
	__u32 seq;
	__u16 gso_size;
	__u8 port; /* enum policy_port */
	__u8 opens, syn, urgent;
	__u8 closes;	/* FIN or RST */
	__u8 connected; /* the connection is known, and not refused before */
};

/* where the device's program reads the beginning of a connection; nothing outlives a packet */
struct reading {
	struct hello hello;
	__u64 word; /* behind the bytes, which are read by words */
	struct policy_name name;
	/* for which the stack has no room */
	struct flow_segment segment;
	struct flow opened;
	__u32 summed; /* bytes in a sum */
	__u32 pad;
};

struct readings_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct reading);
};

extern struct flows_map flows SEC(".maps");
extern struct half_flows_map half_flows SEC(".maps");
extern struct readings_map readings SEC(".maps");

#endif
