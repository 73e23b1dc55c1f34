/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a client may send next in TLS: a hello that is one record, before the second one a
 * change_cipher_spec if need be, and then what no hello can follow: a record that a server who waits for a
 * hello ends the connection for, or an alert and nothing more.
 */
#ifndef REEVE_FLOW_HELLO_BPF_H
#define REEVE_FLOW_HELLO_BPF_H

#include "flow_http.bpf.h"

#define FLOW_RECORD_CCS 20
#define FLOW_RECORD_ALERT 21
#define FLOW_RECORD_DATA 23
#define FLOW_RECORD_BYTES 6 /* a record's header and one byte: all of a change_cipher_spec */
#define FLOW_ALERT_BYTES 7
#define FLOW_SEALED_MIN 11   /* an alert, the byte of its type, the shortest tag */
#define FLOW_FINISHED_MIN 24 /* the message, sealed with the shortest tag */
#define FLOW_CERTIFICATE 11
#define FLOW_KEY_EXCHANGE 16

/* The state that the record next leads to; FLOW_OPENED for a hello, which is to be judged. */
static __always_inline enum flow_state flow_record(const struct flow *flow,
						   const struct reading *reading,
						   const struct flow_segment *segment)
{
	const struct hello *hello = &reading->hello;
	__u32 type = hello_u8(hello, 0), n = hello_u16(hello, 3), message = hello_u8(hello, 5);

	if (hello_u8(hello, 1) != 3)
		return FLOW_REFUSED;
	switch (type) {
	case HELLO_RECORD_HANDSHAKE:
		if (message == HELLO_CLIENT_HELLO)
			return FLOW_OPENED;
		if (flow->ccs)
			return n < FLOW_FINISHED_MIN ? FLOW_REFUSED : FLOW_PAST;
		if (message != FLOW_CERTIFICATE && message != FLOW_KEY_EXCHANGE)
			return FLOW_REFUSED;
		return n < 4 ? FLOW_REFUSED : FLOW_PAST;
	case FLOW_RECORD_DATA:
		return n < FLOW_SEALED_MIN ? FLOW_REFUSED : FLOW_PAST;
	case FLOW_RECORD_ALERT:
		return n == 2 && segment->len == FLOW_ALERT_BYTES ? FLOW_ENDED : FLOW_REFUSED;
	default:
		return FLOW_REFUSED;
	}
}

/* RFC 8446, 4.1.2, lets a client answer HelloRetryRequest with a hello, and some servers take its name. */
static __always_inline enum reason flow_tls(struct __sk_buff *skb, struct flow *flow,
					    struct reading *reading, struct flow_segment *segment)
{
	enum reason reason;
	enum flow_state to;

	if (segment->len < FLOW_RECORD_BYTES || flow_read(skb, segment->at, segment->len, reading))
		return REASON_NAME_HIDDEN;
	to = flow_record(flow, reading, segment);
	if (to == FLOW_OPENED && (flow->state == FLOW_OPENED || flow->state == FLOW_NAMED)) {
		reason = flow_greeting(skb, reading, segment, 0);
		if (reason != REASON_OK)
			return reason;
		if (reading->hello.end != segment->len)
			return REASON_NAME_HIDDEN;
		flow->state = FLOW_NAMED;
		flow->ccs = 0;
		flow_keep(flow, reading, segment, segment->len);
		return REASON_OK;
	}
	if (flow->state == FLOW_NAMED && to != FLOW_OPENED)
		flow->state = to;
	/* sent again, it is looked at again */
	return flow->state == to && to != FLOW_REFUSED ? REASON_OK : REASON_NAME_HIDDEN;
}

/* Takes a change_cipher_spec off the front; one alone, and none before a hello. */
static __always_inline int flow_skip_ccs(struct __sk_buff *skb, struct flow *flow,
					 struct reading *reading, struct flow_segment *segment)
{
	if (flow->state != FLOW_NAMED || flow->ccs || segment->len < FLOW_RECORD_BYTES ||
	    flow_read(skb, segment->at, FLOW_RECORD_BYTES, reading))
		return 0;
	if (hello_u8(&reading->hello, 0) != FLOW_RECORD_CCS || hello_u8(&reading->hello, 1) != 3 ||
	    hello_u16(&reading->hello, 3) != 1)
		return 0;
	flow->ccs = 1;
	flow_keep(flow, reading, segment, FLOW_RECORD_BYTES);
	segment->at += FLOW_RECORD_BYTES;
	segment->len -= FLOW_RECORD_BYTES;
	return 1;
}

#endif
