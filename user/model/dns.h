/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DNS messages as far as a session's resolver needs them: pure. Nothing that came in leaves again as it
 * was: a question is read into a name and a type, what is asked upstream and what is answered is built
 * anew from those, and of an upstream's reply only addresses, a time and the end of the chain are kept.
 */
#ifndef REEVE_DNS_H
#define REEVE_DNS_H

#include <arpa/nameser.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../include/decide.h"

/* The longest name of RFC 1035 as text, without its last dot and with its terminating zero. */
#define DNS_NAME_SIZE 254
/* The longest question that is read; one name, one type and an EDNS record have room twice. */
#define DNS_QUESTION_BYTES_MAX 1024
#define DNS_UDP_BYTES_PLAIN NS_PACKETSZ
/* What passes every path unfragmented; more goes over TCP. */
#define DNS_UDP_BYTES_MAX 1232
#define DNS_ADDRESSES_MAX 256
/* A question, DNS_ADDRESSES_MAX records of the longer kind, and EDNS. */
#define DNS_ANSWER_BYTES_MAX 8192
#define DNS_QUERY_BYTES_MAX (NS_HFIXEDSZ + NS_MAXCDNAME + NS_QFIXEDSZ + 11)
#define DNS_CHAIN_MAX 8
#define DNS_TTL_MAX 3600u

#define DNS_E_NO_QUESTION 1 /* nothing that could be answered */
#define DNS_E_FOREIGN 2	    /* a message, but no reply to this query */
#define DNS_E_BROKEN 3	    /* the reply, and it cannot be read */

struct dns_question {
	uint16_t id, type, class;
	bool recursion, edns;
	size_t udp_bytes;   /* the longest datagram that the client takes, within our bounds */
	unsigned int rcode; /* ns_r_noerror, or what to answer without looking at the name */
	char name[DNS_NAME_SIZE];  /* lower case; "" when it is no name of a host */
	uint8_t raw[NS_MAXCDNAME]; /* the name as it was asked, its case too */
	size_t n_raw;		   /* 0: no question to repeat */
};

/* Returns 0 or DNS_E_NO_QUESTION: an answer, or too short to have one. */
int dns_question_read(const uint8_t *bytes, size_t n, struct dns_question *ret);

struct dns_answer {
	unsigned int rcode;
	uint32_t ttl;
	const struct decide_addr *addrs; /* each of the question's family, IPv4 as v4-mapped */
	size_t n_addrs;
	const char *cname; /* for a question of that type; or NULL */
};

/*
 * Writes the answer; one that does not fit into @size is left empty and marked as truncated. @size is at
 * least DNS_UDP_BYTES_PLAIN. Returns its length.
 */
size_t dns_answer_write(const struct dns_question *question, const struct dns_answer *answer,
			uint8_t *ret, size_t size, bool *ret_truncated);

struct dns_query {
	uint16_t id, type;
	char name[DNS_NAME_SIZE];
};

size_t dns_query_write(const struct dns_query *query, bool edns, uint8_t ret[DNS_QUERY_BYTES_MAX]);

/* What a reply comes to. */
struct dns_digest {
	unsigned int rcode;
	bool truncated; /* then nothing else is set */
	bool cut;	/* the chain ends at a name whose addresses the reply does not speak of */
	unsigned int chain;
	char end[DNS_NAME_SIZE]; /* the last name of the chain; the name itself when there is none */
	uint32_t ttl;		 /* the least of the chain; UINT32_MAX when there is no record */
	struct decide_addr addrs[DNS_ADDRESSES_MAX];
	size_t n_addrs;
};

/* Returns 0, DNS_E_FOREIGN or DNS_E_BROKEN. */
int dns_reply_read(const uint8_t *bytes, size_t n, const struct dns_query *query,
		   struct dns_digest *ret);

/* Whether @name is a host's: letters, digits, "-" and "_" in labels, without a last dot. */
bool dns_name_is_plain(const char *name);

#endif
