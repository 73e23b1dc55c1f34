/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums by which bytes that were allowed once are known again when TCP sends them a second time.
 */
#ifndef REEVE_FLOW_SUM_BPF_H
#define REEVE_FLOW_SUM_BPF_H

#include "flow_maps.bpf.h"

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

/* A part of a hello, as offsets in it: empty behind the end. */
struct flow_part {
	__u32 from, end;
};

static __always_inline struct flow_part flow_part(const struct reading *reading, __u32 i)
{
	struct flow_part part = { i * reading->chunk, (i + 1) * reading->chunk };

	if (part.from > reading->size)
		part.from = reading->size;
	if (part.end > reading->size)
		part.end = reading->size;
	return part;
}

/*
 * The sum of the part @i of a hello, of which reading->from and what follows was read: NH, the universal
 * hash of UMAC (RFC 4418, 5.2.2), whose key the sandbox does not know.
 */
__noinline __u64 flow_sum(struct reading *reading, __u32 i)
{
	struct flow_part part;
	__u64 sum = 0, rest;
	__u32 at, n, from;

	if (!reading)
		return 0;
	part = flow_part(reading, i);
	from = part.from;
	at = from - reading->from;
	n = part.end - from;
	reading->summed = n;
	for (i = 0; i < HELLO_BYTES_MAX && i + 8 <= n; i += 8)
		sum += flow_product(flow_word(reading, at + i), from + i);
	/* read once more, or the verifier goes on with each length apart */
	n = *(volatile __u32 *)&reading->summed;
	i = n & ~7u;
	rest = flow_word(reading, at + i) & ((1ull << (8 * n & 63)) - 1);
	return sum + flow_product(rest, from + i);
}

/* Whether the part @i has the same bytes as before, or none of those that were read. */
__noinline int flow_is_known(struct reading *reading, struct flow *flow, __u32 i)
{
	struct flow_part part;
	__u32 end;

	if (!reading || !flow)
		return 0;
	part = flow_part(reading, i);
	end = reading->from + reading->hello.len;
	if (part.end <= reading->from || part.from >= end)
		return 1;
	return part.from >= reading->from && part.end <= end &&
	       flow_sum(reading, i) == flow->sums[i & (FLOW_CHUNKS - 1)];
}

#endif
