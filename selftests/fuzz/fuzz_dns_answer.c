// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bytes as a reply of an upstream to a query for www.example.org; the first byte says for which type. Whatever
 * they are, what comes out keeps its bounds: a chain of names of hosts, no more addresses than there is
 * room, and none where the reply is truncated.
 */
#include <stdlib.h>
#include <string.h>

#include "../../user/model/dns.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const uint16_t types[] = { ns_t_a, ns_t_aaaa, ns_t_cname };
	struct dns_query query = { .name = "www.example.org" };
	struct dns_digest digest;
	uint8_t *copy;

	if (size < 3)
		return 0;
	query.type = types[bytes[0] % 3];
	query.id = (uint16_t)ns_get16(bytes + 1);
	copy = malloc(size - 1);
	memcpy(copy, bytes + 1, size - 1);
	if (dns_reply_read(copy, size - 1, &query, &digest) == 0) {
		must(digest.chain <= DNS_CHAIN_MAX + 1);
		must(dns_name_is_plain(digest.end));
		must(digest.n_addrs <= DNS_ADDRESSES_MAX);
		must(!digest.truncated || (!digest.n_addrs && !digest.chain && !digest.cut));
		must(!digest.cut || (digest.chain && !digest.n_addrs));
		for (size_t i = 0; i < digest.n_addrs; i++)
			must(query.type != ns_t_a || decide_is_mapped(&digest.addrs[i]));
	}
	free(copy);
	return 0;
}
