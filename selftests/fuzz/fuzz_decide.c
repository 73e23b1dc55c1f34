// SPDX-License-Identifier: GPL-2.0-only
/*
 * Addresses as bytes, against a second classifier that shares no line with the first: it reads the
 * policy table as text and compares bit by bit, the longest prefix deciding. The two must agree on
 * every verdict, and an IPv4 address must have the same one in each of its embeddings. An input is
 * any number of addresses of 16 bytes; the edges of every row are tried once before the first.
 */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/decide.h"

#define TABLE "selftests/address-policy.csv"
#define ROWS_MAX 128

enum action {
	DENY,
	ALLOW,
	DECODE,
};

static struct row {
	int family;
	unsigned char net[16];
	unsigned int len;
	enum action action;
} rows[ROWS_MAX];
static size_t n_rows;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void must(bool ok, const unsigned char address[16])
{
	char text[INET6_ADDRSTRLEN];

	if (ok)
		return;
	inet_ntop(AF_INET6, address, text, sizeof(text));
	fprintf(stderr, "wrong about %s\n", text);
	abort();
}

/* Rows in <...> are filled in by the host at run time and are no part of the fixed table. */
static void row_read(char *line)
{
	struct row *row = &rows[n_rows];
	char *family = strtok(line, ","), *net = strtok(NULL, ","), *action = strtok(NULL, ",");
	char *slash = net ? strchr(net, '/') : NULL;

	if (!slash || strchr(net, '<') || (family[0] != '4' && family[0] != '6'))
		return;
	*slash = 0;
	row->family = family[0] == '4' ? AF_INET : AF_INET6;
	row->len = (unsigned int)atoi(slash + 1);
	row->action = action[0] == 'a' ? ALLOW : strcmp(action, "decode") == 0 ? DECODE : DENY;
	if (n_rows == ROWS_MAX - 1 || inet_pton(row->family, net, row->net) != 1)
		abort();
	n_rows++;
}

static bool in_row(const struct row *row, const unsigned char *address)
{
	for (unsigned int bit = 0; bit < row->len; bit++)
		if (((row->net[bit / 8] ^ address[bit / 8]) >> (7 - bit % 8)) & 1)
			return false;
	return true;
}

/*
 * IPv4 is allowed unless a row denies it; of IPv6 the longest row decides, and there is one for
 * all.
 */
static bool table_allows(int family, const unsigned char *address)
{
	const struct row *best = NULL;

	for (size_t i = 0; i < n_rows; i++)
		if (rows[i].family == family && in_row(&rows[i], address) &&
		    (!best || rows[i].len > best->len))
			best = &rows[i];
	if (family == AF_INET)
		return !best;
	if (best->action == DECODE)
		return table_allows(AF_INET, address + 12);
	return best->action == ALLOW;
}

static struct decide_addr addr_of(const unsigned char address[16])
{
	struct decide_addr addr = { 0, 0 };

	for (int i = 0; i < 8; i++) {
		addr.hi = addr.hi << 8 | address[i];
		addr.lo = addr.lo << 8 | address[8 + i];
	}
	return addr;
}

static void check_peers(enum reason class, const unsigned char address[16])
{
	const struct policy none = { .egress = POLICY_EGRESS_NONE };
	const struct policy public = { .egress = POLICY_EGRESS_PUBLIC };
	bool own = class == REASON_LOOPBACK;

	must((decide_peer(&none, class) == REASON_OK) == own, address);
	must((decide_peer(&public, class) == REASON_OK) == (own || class == REASON_OK), address);
}

static void check_v6(const unsigned char address[16])
{
	struct decide_addr addr = addr_of(address), decoded = decide_decode(&addr), again;
	enum reason class = decide_class(&addr);

	must(class >= REASON_OK && class < REASON_COUNT, address);
	must((class == REASON_OK) == table_allows(AF_INET6, address), address);
	check_peers(class, address);
	again = decide_decode(&decoded);
	must(again.hi == decoded.hi && again.lo == decoded.lo, address);
	must((decide_class(&decoded) == REASON_OK) == (class == REASON_OK), address);
}

/* The last four bytes as IPv4: native, mapped and through NAT64. */
static void check_v4(const unsigned char v4[4])
{
	static const unsigned char prefixes[2][12] = {
		{ [10] = 0xff, [11] = 0xff },
		{ [1] = 0x64, [2] = 0xff, [3] = 0x9b },
	};
	uint32_t host_order = (uint32_t)v4[0] << 24 | (uint32_t)v4[1] << 16 | (uint32_t)v4[2] << 8 |
			      v4[3];
	enum reason native = decide_class_v4(host_order), class;
	struct decide_addr mapped = decide_from_v4(host_order), addr, decoded;
	unsigned char address[16];

	for (int i = 0; i < 2; i++) {
		memcpy(address, prefixes[i], 12);
		memcpy(address + 12, v4, 4);
		addr = addr_of(address);
		class = decide_class(&addr);
		must((native == REASON_OK) == table_allows(AF_INET, v4), address);
		/* a translator's loopback is not the session's own */
		must(class == (i && native == REASON_LOOPBACK ? REASON_TRANSITION : native), address);
		decoded = decide_decode(&addr);
		must(decoded.hi == mapped.hi && decoded.lo == mapped.lo, address);
		check_v6(address);
	}
}

/* Moves the address of @n bytes by one, up or down, around its end. */
static void step(unsigned char *address, int n, int by)
{
	while (n-- > 0) {
		address[n] = (unsigned char)(address[n] + by);
		if (address[n] != (by > 0 ? 0 : 0xff))
			return;
	}
}

static void check_edges(const struct row *row)
{
	int n = row->family == AF_INET ? 4 : 16;
	void (*check)(const unsigned char *) = n == 4 ? check_v4 : check_v6;
	unsigned char first[16], last[16];

	memcpy(first, row->net, 16);
	memcpy(last, row->net, 16);
	for (unsigned int bit = row->len; bit < (unsigned int)n * 8; bit++)
		last[bit / 8] |= (unsigned char)(0x80 >> bit % 8);
	check(first);
	check(last);
	step(first, n, -1);
	step(last, n, 1);
	check(first);
	check(last);
}

static void table_read(void)
{
	char line[512];
	FILE *f = fopen(TABLE, "r");

	if (!f)
		abort();
	while (fgets(line, sizeof(line), f))
		row_read(line);
	fclose(f);
	if (n_rows < 40)
		abort();
	for (size_t i = 0; i < n_rows; i++)
		check_edges(&rows[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (n_rows == 0)
		table_read();
	for (; size >= 16; bytes += 16, size -= 16) {
		check_v6(bytes);
		check_v4(bytes + 12);
	}
	return 0;
}
