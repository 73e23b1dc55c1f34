/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a packet carries on from the filter at the device to the host's own: the built-in table is all that
 * the host's filter knows, and an operator may have allowed more.
 */
#ifndef REEVE_LINK_MARK_BPF_H
#define REEVE_LINK_MARK_BPF_H

#include "packet.bpf.h"
#include "peer.bpf.h"

#include <linux/pkt_cls.h>

/* Lets a packet go on to where the policy lets the session send. */
static __always_inline int link_pass(struct __sk_buff *skb, const struct packet *packet)
{
	struct decide_addr to = packet->to;

	skb->mark &= ~EGRESS_MARK_ALLOWED;
	if (peer_class(&to) != REASON_OK)
		skb->mark |= EGRESS_MARK_ALLOWED;
	return TC_ACT_OK;
}

#endif
