/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bytes of a packet. Headers lie in the part that is read without a call, and calls are most of what a packet
 * costs; the call is for what was laid out otherwise. A program that does not define PACKET_DIRECT always
 * calls: the one at the device has no room on its stack for both ways.
 */
#ifndef REEVE_PACKET_LOAD_BPF_H
#define REEVE_PACKET_LOAD_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#ifndef PACKET_DIRECT
#define PACKET_DIRECT 0
#endif

static __always_inline int packet_load(struct __sk_buff *skb, __u32 offset, void *to, __u32 size)
{
	void *at = (void *)(long)skb->data + offset, *end = (void *)(long)skb->data_end;

	if (!PACKET_DIRECT || at + size > end)
		return bpf_skb_load_bytes(skb, offset, to, size);
	/* by words, which the architectures with BPF read at any address */
	__builtin_memcpy(to, __builtin_assume_aligned(at, 4), size);
	return 0;
}

#endif
