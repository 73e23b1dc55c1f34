/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hello of a connection: judged when it comes first, and known again when TCP sends it once more, whole
 * or in the parts that it was cut into.
 */
#ifndef REEVE_FLOW_HELLO_BPF_H
#define REEVE_FLOW_HELLO_BPF_H

#include "flow_name.bpf.h"
#include "flow_sum.bpf.h"

#define FLOW_RECORD_CCS 20
#define FLOW_RECORD_ALERT 21
#define FLOW_RECORD_DATA 23
#define FLOW_RECORD_BYTES 6 /* a record's header and one byte: all of a change_cipher_spec */

static __always_inline enum reason flow_hello(struct __sk_buff *skb, struct reading *reading,
					      const struct flow_segment *segment)
{
	if (flow_read(skb, segment->at, segment->len, reading) ||
	    flow_parse(reading, segment->port) != HELLO_NAMED)
		return REASON_NAME_HIDDEN;
	if (segment->port == POLICY_PORT_TLS && reading->hello.end != segment->len)
		return REASON_NAME_HIDDEN;
	return flow_name(reading, segment);
}

static __always_inline enum reason flow_begin(struct __sk_buff *skb, struct flow *flow,
					      struct reading *reading,
					      const struct flow_segment *segment)
{
	enum reason reason = flow_hello(skb, reading, segment);
	__u32 end = reading->hello.end;

	if (reason != REASON_OK)
		return reason;
	flow->end = flow->first + end;
	flow->chunk = segment->gso_size ?: end;
	flow->ccs = 0;
	reading->from = 0;
	reading->size = end;
	reading->chunk = flow->chunk;
	for (int i = 0; i < FLOW_CHUNKS; i++)
		flow->sums[i] = flow_sum(reading, i);
	flow->state = segment->port == POLICY_PORT_TLS ? FLOW_NAMED : FLOW_PAST;
	return REASON_OK;
}

/* Bytes of the hello come again, from @segment on: whole parts alone, each the same as it was. */
static __always_inline enum reason flow_again(struct __sk_buff *skb, struct flow *flow,
					      struct reading *reading,
					      const struct flow_segment *segment)
{
	__u32 size = flow->end - flow->first, left = flow->end - segment->seq, n = segment->len;

	/* what TCP may send behind a hello of TLS would not be looked at */
	if (n > left && segment->port == POLICY_PORT_TLS)
		return REASON_NAME_HIDDEN;
	if (n > left)
		n = left;
	/* the last part must reach the end, or there are bytes without a sum */
	if (left > size || size > (__u32)FLOW_CHUNKS * flow->chunk ||
	    flow_read(skb, segment->at, n, reading))
		return REASON_NAME_HIDDEN;
	reading->from = size - left;
	reading->size = size;
	reading->chunk = flow->chunk;
	for (int i = 0; i < FLOW_CHUNKS; i++)
		if (!flow_is_known(reading, flow, i))
			return REASON_NAME_HIDDEN;
	return REASON_OK;
}

/*
 * The client's second flight in TLS: a change_cipher_spec or none, and then any record but one that begins
 * a hello; RFC 8446, 4.1.2, lets a client answer HelloRetryRequest with it, and some servers take its name.
 */
static __always_inline enum reason flow_second(struct __sk_buff *skb, struct flow *flow,
					       struct reading *reading, struct flow_segment *segment)
{
	const struct hello *hello = &reading->hello;
	__u32 type;

	if (segment->len < FLOW_RECORD_BYTES || flow_read(skb, segment->at, segment->len, reading))
		return REASON_NAME_HIDDEN;
	if (segment->seq == flow->end && hello_u8(hello, 0) == FLOW_RECORD_CCS) {
		if (hello_u16(hello, 3) != 1)
			return REASON_NAME_HIDDEN;
		flow->ccs = FLOW_RECORD_BYTES;
		if (segment->len == FLOW_RECORD_BYTES)
			return REASON_OK;
		segment->at += FLOW_RECORD_BYTES;
		segment->len -= FLOW_RECORD_BYTES;
		if (segment->len < FLOW_RECORD_BYTES ||
		    flow_read(skb, segment->at, FLOW_RECORD_BYTES, reading))
			return REASON_NAME_HIDDEN;
	}
	type = hello_u8(hello, 0);
	if (type == HELLO_RECORD_HANDSHAKE && hello_u8(hello, 5) == HELLO_CLIENT_HELLO) {
		enum reason reason = flow_hello(skb, reading, segment);

		if (reason != REASON_OK)
			return reason;
	} else if (type != FLOW_RECORD_DATA && type != FLOW_RECORD_ALERT &&
		   (type != HELLO_RECORD_HANDSHAKE || hello_u16(hello, 3) < 4)) {
		return REASON_NAME_HIDDEN;
	}
	flow->state = FLOW_PAST;
	return REASON_OK;
}

#endif
