// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bytes as a question of the sandbox. Whatever they are: a name that comes out is one that a host can have
 * and is found in the bytes; every answer to it can be read, keeps its size, and repeats the question.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../user/model/dns.h"
#include "../../user/model/names.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void answer(const struct dns_question *question, const struct dns_answer *what, size_t size)
{
	uint8_t *bytes = malloc(size);
	bool truncated;
	size_t n = dns_answer_write(question, what, bytes, size, &truncated);
	ns_msg message;

	must(n <= size);
	must(ns_initparse(bytes, (int)n, &message) == 0);
	must(ns_msg_count(message, ns_s_qd) == (question->n_raw != 0));
	must(ns_msg_count(message, ns_s_an) == (truncated ? 0 : what->n_addrs));
	must(ns_msg_count(message, ns_s_ar) == question->edns);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct decide_addr addrs[DNS_ADDRESSES_MAX];
	static struct names names;
	struct dns_question question;

	if (!names.n)
		must(names_add_all(&names, names_package_managers) == 0);
	if (dns_question_read(bytes, size, &question))
		return 0;
	must(question.udp_bytes >= DNS_UDP_BYTES_PLAIN && question.udp_bytes <= DNS_UDP_BYTES_MAX);
	must(question.n_raw <= sizeof(question.raw));
	answer(&question, &(struct dns_answer){ .rcode = question.rcode }, question.udp_bytes);
	if (question.rcode || !question.name[0])
		return 0;
	must(dns_name_is_plain(question.name));
	must(strlen(question.name) + 2 == question.n_raw);
	for (size_t i = 0; question.name[i]; i++)
		must(question.name[i] == '.' ||
		     question.name[i] == tolower(bytes[NS_HFIXEDSZ + 1 + i]));
	names_match(&names, question.name);
	for (size_t n = 0; n <= DNS_ADDRESSES_MAX; n += 51) {
		const struct dns_answer what = { .ttl = 1, .addrs = addrs, .n_addrs = n };

		answer(&question, &what, question.udp_bytes);
		answer(&question, &what, DNS_ANSWER_BYTES_MAX);
	}
	return 0;
}
