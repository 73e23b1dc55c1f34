/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a connection comes and goes. Only one whose server answered and heard an allowed name has a place among
 * those in use, so that whoever opens many, or opens and closes them, makes the device forget none of those.
 */
#ifndef REEVE_FLOW_HALF_BPF_H
#define REEVE_FLOW_HALF_BPF_H

#include "flow_name.bpf.h"

/* A connection opens; data in its first segment is no way around its hello. */
static __always_inline enum reason flow_open(const struct flow_key *key,
					     const struct flow_segment *segment)
{
	struct reading *reading = flow_reading();

	if (!reading || segment->len || segment->urgent)
		return REASON_NAME_HIDDEN;
	__builtin_memset(&reading->opened, 0, sizeof(reading->opened));
	reading->opened.next = segment->seq + 1;
	bpf_map_delete_elem(&flows, key);
	if (bpf_map_update_elem(&half_flows, key, &reading->opened, BPF_ANY))
		return REASON_NAME_HIDDEN;
	return REASON_OK;
}

/* Into the map where it belongs: by its hello among those in use, at its end away from them. */
static __always_inline enum reason flow_move(const struct flow_key *key, struct flow *flow,
					     const struct flow_segment *segment, int half, int opened)
{
	int to_half = segment->closes || (half && !(opened && flow->state == FLOW_NAMED));

	if (half == to_half)
		return REASON_OK;
	if (half) {
		if (bpf_map_update_elem(&flows, key, flow, BPF_ANY))
			return REASON_NAME_HIDDEN;
		bpf_map_delete_elem(&half_flows, key);
		return REASON_OK;
	}
	if (bpf_map_update_elem(&half_flows, key, flow, BPF_ANY))
		return REASON_NAME_HIDDEN;
	bpf_map_delete_elem(&flows, key);
	return REASON_OK;
}

#endif
