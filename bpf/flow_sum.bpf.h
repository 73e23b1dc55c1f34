/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums by which bytes that were allowed once are known again when TCP sends them a second time.
 */
#ifndef REEVE_FLOW_SUM_BPF_H
#define REEVE_FLOW_SUM_BPF_H

#include "flow_name.bpf.h"

extern const volatile __u64 flow_secret;

static __always_inline __u64 flow_key_at(__u64 at)
{
	__u64 z = flow_secret + at * 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static __always_inline __u64 flow_product(__u64 word, __u32 at)
{
	__u64 key = flow_key_at(at);

	return (__u64)((__u32)word + (__u32)key) * ((__u32)(word >> 32) + (__u32)(key >> 32));
}

static __always_inline __u64 flow_word(const struct reading *reading, __u32 at)
{
	return *(__u64 *)(reading->hello.bytes + (at & (HELLO_BYTES_MAX - 1)));
}

/*
 * The sum of @n bytes that were read, from @at on: NH, the universal hash of UMAC (RFC 4418, 5.2.2), whose
 * key the sandbox does not know.
 */
__noinline __u64 flow_sum(struct reading *reading, __u32 at, __u32 n)
{
	__u64 sum = 0, rest;
	__u32 i;

	if (!reading)
		return 0;
	reading->summed = n;
	for (i = 0; i < HELLO_BYTES_MAX && i + 8 <= n; i += 8)
		sum += flow_product(flow_word(reading, at + i), i);
	/* read once more, or the verifier goes on with each length apart */
	n = *(volatile __u32 *)&reading->summed;
	i = n & ~7u;
	rest = flow_word(reading, at + i) & ((1ull << (8 * n & 63)) - 1);
	return sum + flow_product(rest, i);
}

/*
 * Remembers the first @n bytes of @segment, which were read and judged, as the parts that TCP may send them
 * in again: a large packet is cut on its way, counted from where its data begins.
 */
__noinline int flow_keep(struct flow *flow, struct reading *reading, struct flow_segment *segment,
			 __u32 n)
{
	__u32 at = 0, size, most;

	if (!flow || !reading || !segment)
		return 0;
	most = segment->gso_size;
	size = most ? most - segment->done % most : n;
	for (int i = 0; i < FLOW_PARTS && at < n; i++) {
		struct flow_part *part = &flow->parts[flow->n_parts++ & (FLOW_PARTS - 1)];

		if (size > n - at)
			size = n - at;
		part->from = flow->next + at;
		part->len = size;
		part->sum = flow_sum(reading, at, size);
		at += size;
		size = most;
	}
	flow->next += n;
	segment->done += n;
	return 0;
}

/* Whether the first @n bytes of @segment were judged before: whole parts alone, each the same as it was. */
__noinline int flow_is_known(struct flow *flow, struct reading *reading,
			     struct flow_segment *segment, __u32 n)
{
	__u32 known = 0;

	if (!flow || !reading || !segment)
		return 0;
	for (int i = 0; i < FLOW_PARTS; i++) {
		const struct flow_part *part = &flow->parts[i];
		__u32 at = part->from - segment->seq;

		if (at < n && part->len <= n - at && flow_sum(reading, at, part->len) == part->sum)
			known += part->len;
	}
	return known == n;
}

#endif
