/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The maps of the device alone: connections, and where their beginning is read. maps.bpf.c defines them.
 */
#ifndef REEVE_FLOW_MAPS_BPF_H
#define REEVE_FLOW_MAPS_BPF_H

#include "maps.bpf.h"

#include "flow.h"
#include "hello.h"

/* connections under "package-managers"; full, it forgets, and a forgotten connection is reset */
struct flows_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, REEVE_FLOWS_MAX);
	__type(key, struct flow_key);
	__type(value, struct flow);
};

/* where the device's program reads the beginning of a connection; nothing outlives a packet */
struct reading {
	struct hello hello;
	__u64 word; /* behind the bytes, which are read by words */
	struct policy_name name;
	/* for the sums: where in its hello the first byte read stands, the hello's bytes, those of a part */
	__u32 from, size, chunk, summed;
};

struct readings_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct reading);
};

extern struct flows_map flows SEC(".maps");
extern struct readings_map readings SEC(".maps");

#endif
