/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DNS messages for tests, put together piece by piece, so that each piece can be wrong: a header, questions,
 * records, EDNS. Names are given as text; one that begins with "@" is a compression pointer to that
 * offset.
 */
#ifndef REEVE_SELFTESTS_DNS_MESSAGE_H
#define REEVE_SELFTESTS_DNS_MESSAGE_H

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct dns_message {
	uint8_t bytes[65536];
	size_t n;
};

static inline void dns_put16(struct dns_message *m, unsigned int value)
{
	m->bytes[m->n++] = (uint8_t)(value >> 8);
	m->bytes[m->n++] = (uint8_t)value;
}

static inline void dns_put32(struct dns_message *m, uint32_t value)
{
	dns_put16(m, value >> 16);
	dns_put16(m, value & 0xffff);
}

static inline void dns_put(struct dns_message *m, const void *bytes, size_t n)
{
	memcpy(m->bytes + m->n, bytes, n);
	m->n += n;
}

/* Labels of any length and any bytes but dots, so that wrong ones can be made. */
static inline void dns_put_name(struct dns_message *m, const char *name)
{
	if (name[0] == '@') {
		dns_put16(m, 0xc000u | (unsigned int)atoi(name + 1));
		return;
	}
	while (*name) {
		size_t n = strcspn(name, ".");

		m->bytes[m->n++] = (uint8_t)n;
		dns_put(m, name, n);
		name += n + (name[n] == '.');
	}
	m->bytes[m->n++] = 0;
}

/* Begins anew; the counts are those of the sections. */
static inline void dns_begin(struct dns_message *m, unsigned int id, unsigned int flags,
			     unsigned int qd, unsigned int an, unsigned int ns, unsigned int ar)
{
	m->n = 0;
	dns_put16(m, id);
	dns_put16(m, flags);
	dns_put16(m, qd);
	dns_put16(m, an);
	dns_put16(m, ns);
	dns_put16(m, ar);
}

static inline void dns_put_question(struct dns_message *m, const char *name, unsigned int type,
				    unsigned int class)
{
	dns_put_name(m, name);
	dns_put16(m, type);
	dns_put16(m, class);
}

static inline void dns_put_record(struct dns_message *m, const char *name, unsigned int type,
				  uint32_t ttl, const void *data, size_t n)
{
	dns_put_name(m, name);
	dns_put16(m, type);
	dns_put16(m, ns_c_in);
	dns_put32(m, ttl);
	dns_put16(m, (unsigned int)n);
	dns_put(m, data, n);
}

static inline void dns_put_address(struct dns_message *m, const char *name, uint32_t ttl,
				   const char *address)
{
	uint8_t data[16];

	if (inet_pton(AF_INET, address, data) == 1)
		dns_put_record(m, name, ns_t_a, ttl, data, 4);
	else if (inet_pton(AF_INET6, address, data) == 1)
		dns_put_record(m, name, ns_t_aaaa, ttl, data, 16);
}

static inline void dns_put_cname(struct dns_message *m, const char *name, uint32_t ttl,
				 const char *target)
{
	struct dns_message data = { .n = 0 };

	dns_put_name(&data, target);
	dns_put_record(m, name, ns_t_cname, ttl, data.bytes, data.n);
}

static inline void dns_put_opt(struct dns_message *m, unsigned int udp_bytes, uint32_t ttl)
{
	dns_put_name(m, "");
	dns_put16(m, ns_t_opt);
	dns_put16(m, udp_bytes);
	dns_put32(m, ttl);
	dns_put16(m, 0);
}

#endif
