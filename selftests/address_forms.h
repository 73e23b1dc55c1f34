/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The addresses that a row of the policy is tried with: its edges and their neighbours outside, and for
 * IPv4 the same in each way of writing it as IPv6.
 */
#ifndef REEVE_SELFTESTS_ADDRESS_FORMS_H
#define REEVE_SELFTESTS_ADDRESS_FORMS_H

#include "address_table.h"

#define ADDRESS_EDGES 4

/* An IPv4 address inside an IPv6 one: @net over @len bits, then the address. */
struct embedding {
	const char *name;
	unsigned int hi16[6]; /* the first 96 bits */
	unsigned int shift;   /* where the address begins, counted from the last bit */
	address_bits flip;    /* a Teredo client's address is written inverted */
};

static const struct embedding embeddings[] = {
	{ "mapped", { 0, 0, 0, 0, 0, 0xffff }, 0, 0 },
	{ "nat64", { 0x64, 0xff9b, 0, 0, 0, 0 }, 0, 0 },
	{ "siit", { 0, 0, 0, 0, 0xffff, 0 }, 0, 0 },
	{ "6to4", { 0x2002, 0, 0, 0, 0, 0 }, 80, 0 },
	{ "compatible", { 0, 0, 0, 0, 0, 0 }, 0, 0 },
	{ "local-nat64", { 0x64, 0xff9b, 1, 0, 0, 0 }, 0, 0 },
	{ "teredo", { 0x2001, 0, 0, 0, 0, 0 }, 0, 0xffffffff },
};

#define EMBEDDINGS (sizeof(embeddings) / sizeof(embeddings[0]))

static inline address_bits embed(const struct embedding *embedding, address_bits v4)
{
	address_bits bits = 0;

	for (int i = 0; i < 6; i++)
		bits = bits << 16 | embedding->hi16[i];
	return bits << 32 | (v4 ^ embedding->flip) << embedding->shift;
}

static inline const char *address_text(int family, address_bits bits, char ret[INET6_ADDRSTRLEN])
{
	unsigned char bytes[16];

	for (int i = 15; i >= 0; i--, bits >>= 8)
		bytes[i] = (unsigned char)bits;
	return family == 4 ? inet_ntop(AF_INET, bytes + 12, ret, INET6_ADDRSTRLEN)
			   : inet_ntop(AF_INET6, bytes, ret, INET6_ADDRSTRLEN);
}

/* First, last, first - 1 and last + 1; false where there is no such address. */
static inline bool address_edge(const struct address_row *row, int which, address_bits *ret)
{
	address_bits last = row->net | address_mask(row->family, row->len);

	if (which == 2 && row->net == 0)
		return false;
	if (which == 3 && last == address_mask(row->family, 0))
		return false;
	*ret = which == 0 ? row->net : which == 1 ? last : which == 2 ? row->net - 1 : last + 1;
	return true;
}

/*
 * Calls @fn for every edge of every row, each IPv4 one also in each embedding. @form is "native" or the
 * embedding's name.
 */
static inline void address_each(const struct address_table *table,
				void (*fn)(const struct address_row *row, int edge, const char *form,
					   int family, address_bits bits, void *arg),
				void *arg)
{
	address_bits bits;

	for (const struct address_row *row = table->rows; row < table->rows + table->n; row++) {
		for (int edge = 0; edge < ADDRESS_EDGES; edge++) {
			if (!address_edge(row, edge, &bits))
				continue;
			fn(row, edge, "native", row->family, bits, arg);
			for (size_t i = 0; row->family == 4 && i < EMBEDDINGS; i++)
				fn(row, edge, embeddings[i].name, 6, embed(&embeddings[i], bits),
				   arg);
		}
	}
}

#endif
