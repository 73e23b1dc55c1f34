/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a client may send next on port 80: whole requests, each for an allowed name.
 */
#ifndef REEVE_FLOW_HTTP_BPF_H
#define REEVE_FLOW_HTTP_BPF_H

#include "flow_sum.bpf.h"

#define FLOW_HEADS 16 /* requests in one packet */

/* What begins behind the first @skip bytes of those that are not judged yet. */
static __always_inline enum reason flow_greeting(struct __sk_buff *skb, struct reading *reading,
						 const struct flow_segment *segment, __u32 skip)
{
	if (flow_read(skb, segment->at + skip, segment->len - skip, reading) ||
	    flow_parse(reading, segment->port) != HELLO_NAMED)
		return REASON_NAME_HIDDEN;
	return flow_name(reading, segment);
}

static __always_inline enum reason flow_http(struct __sk_buff *skb, struct flow *flow,
					     struct reading *reading, struct flow_segment *segment)
{
	__u32 at = 0;

	for (int i = 0; i < FLOW_HEADS && at < segment->len; i++) {
		enum reason reason = flow_greeting(skb, reading, segment, at);

		if (reason != REASON_OK)
			return reason;
		at += reading->hello.end;
	}
	if (at != segment->len || at > HELLO_BYTES_MAX || flow_read(skb, segment->at, at, reading))
		return REASON_NAME_HIDDEN;
	flow->state = FLOW_NAMED;
	flow_keep(flow, reading, segment, at);
	return REASON_OK;
}

#endif
