// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sandbox's side: reading its questions, writing its answers.
 *
 * libc's own parser reads the message; it knows compression and its loops. A question has no reason to be
 * compressed, to carry more than one name, or records other than EDNS: all that is a format error. A label
 * with a byte that no host's name has (a dot above all) makes the name none, so that what is compared with
 * the rules is what is asked upstream, byte for byte. The question is repeated in the case in which it
 * was asked, since clients check that.
 */
#include "dns.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define FLAG_QR 0x8000
#define FLAG_OPCODE 0x7800
#define FLAG_TC 0x0200
#define FLAG_RD 0x0100
#define FLAG_RA 0x0080
#define POINTER_TO_QUESTION (NS_CMPRSFLGS << 8 | NS_HFIXEDSZ)
#define OPT_BYTES 11
#define OPT_VERSION(ttl) ((ttl) >> 16 & 0xff)

static bool is_plain(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '_';
}

bool dns_name_is_plain(const char *name)
{
	size_t label = 0, n = strlen(name);

	if (n == 0 || n >= DNS_NAME_SIZE)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (name[i] == '.' ? label == 0 : !is_plain((unsigned char)name[i]))
			return false;
		label = name[i] == '.' ? 0 : label + 1;
		if (label > NS_MAXLABEL)
			return false;
	}
	return label > 0;
}

/* The text of an uncompressed name; "" when a label is not of a host's name. */
static void name_text(const uint8_t *raw, char ret[DNS_NAME_SIZE])
{
	size_t at = 0;

	for (; *raw; raw += *raw + 1) {
		if (at)
			ret[at++] = '.';
		for (unsigned int i = 1; i <= *raw; i++) {
			if (!is_plain(raw[i])) {
				ret[0] = '\0';
				return;
			}
			ret[at++] = (char)tolower(raw[i]);
		}
	}
	ret[at] = '\0';
}

/* Reads the one question. @ret gets its name only when it was whole and uncompressed. */
static bool question_read(const uint8_t *bytes, const ns_msg *message, struct dns_question *ret)
{
	const uint8_t *at = bytes + NS_HFIXEDSZ;
	uint8_t raw[NS_MAXCDNAME];
	int n = ns_name_unpack(bytes, ns_msg_end(*message), at, raw, sizeof(raw));
	size_t length = 1;

	if (n <= 0)
		return false;
	for (const uint8_t *label = raw; *label; label += *label + 1)
		length += *label + 1u;
	if ((size_t)n != length)
		return false;
	memcpy(ret->raw, raw, length);
	ret->n_raw = length;
	ret->type = (uint16_t)ns_get16(at + n);
	ret->class = (uint16_t)ns_get16(at + n + NS_INT16SZ);
	name_text(raw, ret->name);
	return true;
}

/* Behind the question there may be one EDNS record, and nothing else. */
static unsigned int extras_read(ns_msg *message, struct dns_question *ret)
{
	unsigned int n = ns_msg_count(*message, ns_s_ar);
	size_t bytes;
	ns_rr record;

	if (n == 0)
		return ns_r_noerror;
	if (n > 1 || ns_parserr(message, ns_s_ar, 0, &record) < 0 ||
	    ns_rr_type(record) != ns_t_opt || record.name[0])
		return ns_r_formerr;
	bytes = (size_t)ns_rr_class(record);
	ret->edns = true;
	if (bytes > DNS_UDP_BYTES_MAX)
		bytes = DNS_UDP_BYTES_MAX;
	if (bytes > DNS_UDP_BYTES_PLAIN)
		ret->udp_bytes = bytes;
	return OPT_VERSION(ns_rr_ttl(record)) ? ns_r_badvers : ns_r_noerror;
}

static unsigned int rcode_read(const uint8_t *bytes, size_t n, struct dns_question *ret)
{
	unsigned int rcode;
	ns_msg message;

	if (n > DNS_QUESTION_BYTES_MAX || ns_initparse(bytes, (int)n, &message) < 0 ||
	    ns_msg_count(message, ns_s_qd) != 1 || ns_msg_count(message, ns_s_an) ||
	    ns_msg_count(message, ns_s_ns))
		return ns_r_formerr;
	if (!question_read(bytes, &message, ret))
		return ns_r_formerr;
	rcode = extras_read(&message, ret);
	if (rcode)
		return rcode;
	return ret->class == ns_c_in ? ns_r_noerror : ns_r_refused;
}

int dns_question_read(const uint8_t *bytes, size_t n, struct dns_question *ret)
{
	unsigned int flags;

	if (n < NS_HFIXEDSZ)
		return DNS_E_NO_QUESTION;
	flags = ns_get16(bytes + NS_INT16SZ);
	if (flags & FLAG_QR)
		return DNS_E_NO_QUESTION;
	memset(ret, 0, sizeof(*ret));
	ret->id = (uint16_t)ns_get16(bytes);
	ret->recursion = flags & FLAG_RD;
	ret->udp_bytes = DNS_UDP_BYTES_PLAIN;
	ret->rcode = flags & FLAG_OPCODE ? ns_r_notimpl : rcode_read(bytes, n, ret);
	return 0;
}

/* --- answers ----------------------------------------------------------------------------------------- */

static uint8_t *address_put(uint8_t *at, uint16_t type, const struct decide_addr *addr)
{
	if (type == ns_t_a) {
		NS_PUT16(NS_INADDRSZ, at);
		NS_PUT32(addr->lo, at);
		return at;
	}
	NS_PUT16(NS_IN6ADDRSZ, at);
	NS_PUT32(addr->hi >> 32, at);
	NS_PUT32(addr->hi, at);
	NS_PUT32(addr->lo >> 32, at);
	NS_PUT32(addr->lo, at);
	return at;
}

static uint8_t *record_put(uint8_t *at, uint16_t type, uint32_t ttl)
{
	NS_PUT16(POINTER_TO_QUESTION, at);
	NS_PUT16(type, at);
	NS_PUT16(ns_c_in, at);
	NS_PUT32(ttl, at);
	return at;
}

/* The records, or NULL when they do not fit in front of @end. */
static uint8_t *records_put(uint8_t *at, const uint8_t *end, const struct dns_question *question,
			    const struct dns_answer *answer)
{
	size_t data = question->type == ns_t_a ? NS_INADDRSZ : NS_IN6ADDRSZ;
	size_t record = NS_INT16SZ + NS_RRFIXEDSZ;
	uint8_t *length;
	int n;

	if (answer->n_addrs > (size_t)(end - at) / (record + data))
		return NULL;
	for (size_t i = 0; i < answer->n_addrs; i++) {
		at = record_put(at, question->type, answer->ttl);
		at = address_put(at, question->type, &answer->addrs[i]);
	}
	if (!answer->cname)
		return at;
	if (record + NS_MAXCDNAME > (size_t)(end - at))
		return NULL;
	at = record_put(at, ns_t_cname, answer->ttl);
	length = at;
	at += NS_INT16SZ;
	n = ns_name_compress(answer->cname, at, (size_t)(end - at), NULL, NULL);
	if (n < 0)
		return NULL;
	ns_put16((unsigned int)n, length);
	return at + n;
}

static uint8_t *opt_put(uint8_t *at, unsigned int rcode)
{
	*at++ = 0;
	NS_PUT16(ns_t_opt, at);
	NS_PUT16(DNS_UDP_BYTES_MAX, at);
	NS_PUT32(rcode >> 4 << 24, at);
	NS_PUT16(0, at);
	return at;
}

size_t dns_answer_write(const struct dns_question *question, const struct dns_answer *answer,
			uint8_t *ret, size_t size, bool *ret_truncated)
{
	const uint8_t *end = ret + size - (question->edns ? OPT_BYTES : 0);
	unsigned int flags = FLAG_QR | FLAG_RA | (answer->rcode & 0xf);
	uint8_t *at = ret + NS_HFIXEDSZ, *records;
	bool truncated;

	if (question->n_raw) {
		memcpy(at, question->raw, question->n_raw);
		at += question->n_raw;
		NS_PUT16(question->type, at);
		NS_PUT16(question->class, at);
	}
	records = records_put(at, end, question, answer);
	truncated = !records;
	at = truncated ? at : records;
	if (question->edns)
		at = opt_put(at, answer->rcode);
	flags |= (question->recursion ? FLAG_RD : 0) | (truncated ? FLAG_TC : 0);
	ns_put16(question->id, ret);
	ns_put16(flags, ret + 2);
	ns_put16(question->n_raw != 0, ret + 4);
	ns_put16(truncated ? 0 : (unsigned int)answer->n_addrs + (answer->cname != NULL), ret + 6);
	ns_put16(0, ret + 8);
	ns_put16(question->edns, ret + 10);
	*ret_truncated = truncated;
	return (size_t)(at - ret);
}
