/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A TCP connection under "package-managers": it opens without data, and all that its client sends is judged,
 * segment by segment, until in TLS no hello can follow any more. What was judged may come again as it was.
 * Whatever does not fit refuses the connection for good, and so does an urgent byte, which would be
 * taken out on the other side. State is per connection and bounded; what was forgotten is refused.
 */
#ifndef REEVE_FLOW_BPF_H
#define REEVE_FLOW_BPF_H

#include "flow_half.bpf.h"
#include "flow_hello.bpf.h"

/* Refused before, and told then. */
#define FLOW_TOLD REASON_COUNT

#define FLOW_OLD_BYTES (1 << 30) /* the largest window of TCP */

/* What stands behind next: nothing judges it. */
static __always_inline enum reason flow_behind(struct flow *flow, __s32 behind)
{
	if (flow->state != FLOW_PAST)
		return REASON_NAME_HIDDEN;
	if (behind >= FLOW_OLD_BYTES)
		flow->state = FLOW_OLD;
	return REASON_OK;
}

/* A function of its own, or the verifier would walk it for each map that the connection may be in. */
__noinline int flow_data(struct __sk_buff *skb, struct flow *flow, struct flow_segment *segment)
{
	struct reading *reading = flow_reading();
	__u32 again;

	if (!reading || !flow || !segment)
		return REASON_NAME_HIDDEN;
	if (flow->state == FLOW_OLD)
		return REASON_OK;
	again = flow->next - segment->seq;
	if ((__s32)again < 0)
		return flow_behind(flow, -(__s32)again);
	if (again) {
		if (again > segment->len)
			again = segment->len;
		if (again > HELLO_BYTES_MAX || flow_read(skb, segment->at, again, reading) ||
		    !flow_is_known(flow, reading, segment, again))
			return REASON_NAME_HIDDEN;
		segment->at += again;
		segment->len -= again;
		segment->done = again;
		if (!segment->len)
			return REASON_OK;
	}
	if (segment->port != POLICY_PORT_TLS)
		return flow_http(skb, flow, reading, segment);
	if (flow_skip_ccs(skb, flow, reading, segment) && !segment->len)
		return REASON_OK;
	return flow_tls(skb, flow, reading, segment);
}

static __always_inline enum reason flow_segment_judge(struct __sk_buff *skb, struct flow *flow,
						      struct flow_segment *segment)
{
	enum reason reason = REASON_OK;

	if (segment->urgent)
		reason = REASON_NAME_HIDDEN;
	else if (segment->len)
		reason = flow_data(skb, flow, segment);
	if (reason != REASON_OK)
		flow->state = FLOW_REFUSED;
	return reason;
}

/* Judges a segment that everything else let pass: an enum reason, or FLOW_TOLD. */
__noinline int flow_judge(struct __sk_buff *skb, struct flow_segment *segment)
{
	enum reason reason;
	struct flow_key key;
	struct flow *flow;
	int half, opened;

	if (!segment)
		return REASON_NAME_HIDDEN;
	/* before 6.4 the memory of an argument is no key of a map */
	key = segment->key;
	if (segment->opens)
		return flow_open(&key, segment);
	flow = bpf_map_lookup_elem(&flows, &key);
	half = !flow;
	if (half)
		flow = bpf_map_lookup_elem(&half_flows, &key);
	if (!flow)
		return REASON_NAME_HIDDEN;
	if (flow->state == FLOW_REFUSED)
		return FLOW_TOLD;
	segment->connected = 1;
	/* only the answer to a connection from outside has both */
	if (segment->syn)
		return REASON_INBOUND;
	opened = flow->state == FLOW_OPENED;
	reason = flow_segment_judge(skb, flow, segment);
	return reason == REASON_OK ? flow_move(&key, flow, segment, half, opened) : reason;
}

#endif
