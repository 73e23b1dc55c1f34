// SPDX-License-Identifier: GPL-2.0-only
/*
 * The upstream's side: writing our queries, digesting its replies.
 *
 * A reply is believed when it has the id, the name, the type and the class of the query; where it came from
 * is the socket's business. Of its records those count that hang on the chain which begins at the name:
 * a record about another name is no answer, whatever it says. A chain is followed for DNS_CHAIN_MAX steps,
 * so that a loop ends; it ends without addresses then, which is a broken reply.
 */
#include <string.h>
#include <strings.h>

#include "dns.h"

#define FLAG_QR 0x8000
#define FLAG_OPCODE 0x7800
#define FLAG_TC 0x0200
#define FLAG_RD 0x0100
#define RCODE 0xf
#define RECORDS_MAX 1024
#define TTL_INVALID 0x80000000u /* RFC 2181 8 */

size_t dns_query_write(const struct dns_query *query, bool edns, uint8_t ret[DNS_QUERY_BYTES_MAX])
{
	uint8_t *at = ret + NS_HFIXEDSZ;
	int n = ns_name_compress(query->name, at, NS_MAXCDNAME, NULL, NULL);

	if (n < 0)
		return 0;
	memset(ret, 0, NS_HFIXEDSZ);
	ns_put16(query->id, ret);
	ns_put16(FLAG_RD, ret + 2);
	ns_put16(1, ret + 4);
	ns_put16(edns, ret + 10);
	at += n;
	NS_PUT16(query->type, at);
	NS_PUT16(ns_c_in, at);
	if (edns) {
		*at++ = 0;
		NS_PUT16(ns_t_opt, at);
		NS_PUT16(DNS_UDP_BYTES_MAX, at);
		NS_PUT32(0, at);
		NS_PUT16(0, at);
	}
	return (size_t)(at - ret);
}

/* By hand, since a truncated reply may be cut anywhere behind its question. */
static bool question_matches(const uint8_t *bytes, size_t n, const struct dns_query *query)
{
	const uint8_t *at = bytes + NS_HFIXEDSZ, *end = bytes + n;
	char name[NS_MAXDNAME];
	int length = ns_name_uncompress(bytes, end, at, name, sizeof(name));

	if (length < 0 || end - at < length + NS_QFIXEDSZ)
		return false;
	at += length;
	return strcasecmp(name, query->name) == 0 && ns_get16(at) == query->type &&
	       ns_get16(at + NS_INT16SZ) == ns_c_in;
}

/* A server that cannot read a query may leave the question out of its complaint. */
static bool is_bare_complaint(const uint8_t *bytes, unsigned int flags)
{
	return ns_get16(bytes + 4) == 0 && (flags & RCODE) != ns_r_noerror &&
	       (flags & RCODE) != ns_r_nxdomain;
}

static void ttl_lower(struct dns_digest *digest, const ns_rr *record)
{
	uint32_t ttl = ns_rr_ttl(*record) & TTL_INVALID ? 0 : ns_rr_ttl(*record);

	if (ttl < digest->ttl)
		digest->ttl = ttl;
}

static uint64_t get64(const uint8_t *at)
{
	return (uint64_t)ns_get32(at) << 32 | (uint32_t)ns_get32(at + NS_INT32SZ);
}

/* A record of the name at the end of the chain. False when its data cannot be what its type says. */
static bool address_add(struct dns_digest *digest, const ns_rr *record)
{
	struct decide_addr addr;

	if (ns_rr_type(*record) == ns_t_a && ns_rr_rdlen(*record) == NS_INADDRSZ) {
		addr = decide_from_v4((uint32_t)ns_get32(ns_rr_rdata(*record)));
	} else if (ns_rr_type(*record) == ns_t_aaaa && ns_rr_rdlen(*record) == NS_IN6ADDRSZ) {
		addr.hi = get64(ns_rr_rdata(*record));
		addr.lo = get64(ns_rr_rdata(*record) + 8);
	} else {
		return false;
	}
	ttl_lower(digest, record);
	if (digest->n_addrs < DNS_ADDRESSES_MAX)
		digest->addrs[digest->n_addrs++] = addr;
	return true;
}

static bool chain_step(ns_msg *message, struct dns_digest *digest, const ns_rr *record)
{
	char target[NS_MAXDNAME];

	if (ns_name_uncompress(ns_msg_base(*message), ns_msg_end(*message), ns_rr_rdata(*record),
			       target, sizeof(target)) < 0 ||
	    !dns_name_is_plain(target))
		return false;
	ttl_lower(digest, record);
	memcpy(digest->end, target, strlen(target) + 1);
	digest->n_addrs = 0; /* beside a name that stands for another there is nothing */
	digest->chain++;
	return true;
}

/*
 * Looks for what is said of the chain's end: its addresses, or the name that it goes on at. Returns 0 or
 * DNS_E_BROKEN.
 */
static int chain_look(ns_msg *message, uint16_t type, struct dns_digest *digest, bool *ret_goes_on)
{
	const int n = ns_msg_count(*message, ns_s_an);
	ns_rr record;

	*ret_goes_on = false;
	for (int i = 0; i < n; i++) {
		if (ns_parserr(message, ns_s_an, i, &record) < 0)
			return DNS_E_BROKEN;
		if (ns_rr_class(record) != ns_c_in || strcasecmp(record.name, digest->end) != 0)
			continue;
		if (ns_rr_type(record) == ns_t_cname) {
			*ret_goes_on = chain_step(message, digest, &record);
			return *ret_goes_on ? 0 : DNS_E_BROKEN;
		}
		if (ns_rr_type(record) == type && !address_add(digest, &record))
			return DNS_E_BROKEN;
	}
	return 0;
}

/* With the zone's SOA a server says that there is nothing of the kind; without, it may not have looked. */
static bool says_nothing_there(ns_msg *message)
{
	ns_rr record;

	for (int i = 0; i < ns_msg_count(*message, ns_s_ns); i++)
		if (ns_parserr(message, ns_s_ns, i, &record) == 0 && ns_rr_type(record) == ns_t_soa)
			return true;
	return false;
}

static int records_read(ns_msg *message, uint16_t type, struct dns_digest *digest)
{
	bool goes_on = true;
	int r = 0;

	if (ns_msg_count(*message, ns_s_an) > RECORDS_MAX ||
	    ns_msg_count(*message, ns_s_ns) > RECORDS_MAX)
		return DNS_E_BROKEN;
	while (!r && goes_on) {
		if (digest->chain > DNS_CHAIN_MAX)
			return DNS_E_BROKEN;
		r = chain_look(message, type, digest, &goes_on);
		goes_on = goes_on && type != ns_t_cname;
	}
	digest->cut = type != ns_t_cname && digest->chain && !digest->n_addrs &&
		      digest->rcode == ns_r_noerror && !says_nothing_there(message);
	return r;
}

int dns_reply_read(const uint8_t *bytes, size_t n, const struct dns_query *query,
		   struct dns_digest *ret)
{
	struct dns_digest digest = { .ttl = UINT32_MAX };
	unsigned int flags;
	ns_msg message;
	int r = 0;

	if (n < NS_HFIXEDSZ || n > NS_MAXMSG || ns_get16(bytes) != query->id)
		return DNS_E_FOREIGN;
	flags = ns_get16(bytes + NS_INT16SZ);
	if (!(flags & FLAG_QR) || flags & FLAG_OPCODE)
		return DNS_E_FOREIGN;
	digest.rcode = flags & RCODE;
	digest.truncated = flags & FLAG_TC;
	memcpy(digest.end, query->name, sizeof(digest.end));
	if (!is_bare_complaint(bytes, flags)) {
		if (ns_get16(bytes + 4) != 1 || !question_matches(bytes, n, query))
			return DNS_E_FOREIGN;
		if (!digest.truncated && ns_initparse(bytes, (int)n, &message) < 0)
			return DNS_E_BROKEN;
		r = digest.truncated ? 0 : records_read(&message, query->type, &digest);
	}
	if (r)
		return r;
	*ret = digest;
	return 0;
}
