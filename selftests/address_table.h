/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A second reading of the address policy, straight from the rows of address-policy.csv and with nothing of
 * include/decide.h: the longest prefix decides, an IPv4 address without a row is allowed, a row "decode"
 * sends the last 32 bits to the rows of IPv4. Rows in angle brackets stand for what a host adds.
 */
#ifndef REEVE_SELFTESTS_ADDRESS_TABLE_H
#define REEVE_SELFTESTS_ADDRESS_TABLE_H

#include <arpa/inet.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESS_TABLE "selftests/address-policy.csv"

typedef unsigned __int128 address_bits; /* host order; an IPv4 address is below 2^32 */

struct address_row {
	int family;
	char prefix[96], action[16];
	address_bits net;
	unsigned int len;
};

struct address_table {
	struct address_row rows[64], by_host[8];
	size_t n, n_by_host;
};

static inline bool address_row_read(const char *line, struct address_row *ret)
{
	unsigned char bytes[16] = { 0 };
	char address[64];

	memset(ret, 0, sizeof(*ret));
	if (sscanf(line, "%d,\"%95[^\"]\",%15[^,]", &ret->family, ret->prefix, ret->action) != 3 &&
	    sscanf(line, "%d,%95[^,],%15[^,]", &ret->family, ret->prefix, ret->action) != 3)
		return false;
	if (ret->prefix[0] == '<')
		return true;
	if (sscanf(ret->prefix, "%63[^/]/%u", address, &ret->len) != 2 ||
	    inet_pton(ret->family == 4 ? AF_INET : AF_INET6, address, bytes) != 1)
		return false;
	for (int i = 0; i < (ret->family == 4 ? 4 : 16); i++)
		ret->net = ret->net << 8 | bytes[i];
	return true;
}

/* Whether every line but the first was understood. */
static inline bool address_table_read(const char *path, struct address_table *ret)
{
	FILE *f = fopen(path, "re");
	char line[512];
	bool ok = f && fgets(line, sizeof(line), f);
	struct address_row row;

	memset(ret, 0, sizeof(*ret));
	while (ok && fgets(line, sizeof(line), f)) {
		ok = address_row_read(line, &row) && ret->n < 64 && ret->n_by_host < 8;
		if (ok && row.prefix[0] == '<')
			ret->by_host[ret->n_by_host++] = row;
		else if (ok)
			ret->rows[ret->n++] = row;
	}
	if (f)
		fclose(f);
	return ok;
}

static inline address_bits address_mask(int family, unsigned int len)
{
	unsigned int rest = (family == 4 ? 32 : 128) - len;

	return rest == 128 ? ~(address_bits)0 : ((address_bits)1 << rest) - 1;
}

static inline bool address_allowed(const struct address_table *table, int family, address_bits bits)
{
	const struct address_row *best = NULL;

	for (const struct address_row *row = table->rows; row < table->rows + table->n; row++)
		if (row->family == family && !((bits ^ row->net) & ~address_mask(family, row->len)) &&
		    (!best || row->len > best->len))
			best = row;
	if (best && strcmp(best->action, "decode") == 0)
		return address_allowed(table, 4, (unsigned int)bits);
	return best ? strcmp(best->action, "allow") == 0 : family == 4;
}

#endif
