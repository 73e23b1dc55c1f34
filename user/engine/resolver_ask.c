// SPDX-License-Identifier: GPL-2.0-only
/*
 * One question on its way: asked upstream, its chain followed to the end, its addresses judged and
 * published, answered. The allowed name is the first of the chain; where a chain leads is the business of
 * who owns that name. The answer is flat: the addresses stand under the name that was asked for, with the
 * shortest time of all records on the way.
 *
 * An address is published before it is answered, so that a client never connects too early, and only when
 * it is answered: not for an answer that has to come again over TCP. It may be reached a little longer than
 * its time, for a client that looked it up in the last moment.
 */
#include <errno.h>
#include <string.h>

#include "../base/clock.h"
#include "resolver_parts.h"
#include "upstream.h"

/* Less than the time after which a client asks again, so that it hears of a failure. */
#define ASK_NS (4800 * NSEC_PER_MSEC)
#define LIFE_BEYOND_TTL_S 10u

struct ask {
	LIST_ENTRY(ask) entry;
	struct resolver *resolver;
	struct client client;
	struct dns_question question;
	struct dnssock_servers servers;
	struct upstream *upstream;
	uint64_t deadline_ns;
	unsigned int chain;
	uint32_t ttl;
};

static void ask_free(struct ask *ask)
{
	LIST_REMOVE(ask, entry);
	ask->resolver->n_asks--;
	upstream_free(ask->upstream);
	free(ask);
}

static void ask_answer(struct ask *ask, const struct dns_answer *answer)
{
	struct tcp_client *tcp = ask->client.tcp;

	resolver_answer(ask->resolver, &ask->client, &ask->question, answer);
	ask_free(ask);
	if (tcp)
		tcp_settled(tcp);
}

static void ask_fail(struct ask *ask)
{
	ask->resolver->counts.failed++;
	ask_answer(ask, &(struct dns_answer){ .rcode = ns_r_servfail });
}

/* Leaves in @addrs what the session may reach; returns how many. */
static size_t addresses_judge(struct ask *ask, struct decide_addr *addrs, size_t n)
{
	const struct resolver_args *args = &ask->resolver->args;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		enum reason reason = args->judge(&addrs[i], args->arg);

		if (reason == REASON_OK) {
			addrs[kept++] = addrs[i];
			continue;
		}
		ask->resolver->counts.addresses_denied++;
		args->refused(reason, ask->question.name, &addrs[i], args->arg);
	}
	return kept;
}

static size_t addresses_publish(struct ask *ask, struct decide_addr *addrs, size_t n, uint32_t ttl)
{
	const struct resolver_args *args = &ask->resolver->args;
	uint32_t life = ttl + LIFE_BEYOND_TTL_S > DNS_TTL_MAX ? DNS_TTL_MAX : ttl + LIFE_BEYOND_TTL_S;
	size_t kept = 0;

	if (!args->publish)
		return n;
	for (size_t i = 0; i < n; i++)
		if (args->publish(ask->question.name, &addrs[i], life, args->arg) == 0)
			addrs[kept++] = addrs[i];
	return kept;
}

/* Whether the whole answer reaches its client: what does not is not published. */
static bool answer_fits(const struct ask *ask, const struct dns_answer *answer)
{
	uint8_t bytes[DNS_ANSWER_BYTES_MAX];
	bool truncated;

	dns_answer_write(&ask->question, answer, bytes,
			 ask->client.tcp ? sizeof(bytes) : ask->question.udp_bytes, &truncated);
	return !truncated;
}

static void ask_end(struct ask *ask, const struct dns_digest *digest)
{
	struct decide_addr addrs[DNS_ADDRESSES_MAX];
	struct dns_answer answer = { .rcode = digest->rcode, .addrs = addrs, .ttl = ask->ttl };
	size_t n;

	if (answer.ttl < 1)
		answer.ttl = 1;
	if (answer.ttl > DNS_TTL_MAX)
		answer.ttl = DNS_TTL_MAX;
	if (ask->question.type == ns_t_cname && digest->chain)
		answer.cname = digest->end;
	memcpy(addrs, digest->addrs, digest->n_addrs * sizeof(*addrs));
	n = addresses_judge(ask, addrs, digest->n_addrs);
	answer.n_addrs = n;
	if (n && answer_fits(ask, &answer))
		answer.n_addrs = addresses_publish(ask, addrs, n, answer.ttl);
	if (n && !answer.n_addrs)
		ask_fail(ask);
	else
		ask_answer(ask, &answer);
}

static int ask_upstream(struct ask *ask, const char *name);

static void replied(const struct dns_digest *digest, unsigned int server, void *arg)
{
	struct ask *ask = arg;

	if (!digest) {
		ask_fail(ask);
		return;
	}
	ask->resolver->server = server;
	ask->chain += digest->chain;
	if (digest->ttl < ask->ttl)
		ask->ttl = digest->ttl;
	if (!digest->cut) {
		ask_end(ask, digest);
		return;
	}
	if (ask->chain > DNS_CHAIN_MAX || ask_upstream(ask, digest->end))
		ask_fail(ask);
}

/* Returns 0 or -errno. @name may lie in the lookup before this one. */
static int ask_upstream(struct ask *ask, const char *name)
{
	const struct upstream_args args = {
		.servers = &ask->servers,
		.first = ask->resolver->server,
		.name = name,
		.type = ask->question.type,
		.deadline_ns = ask->deadline_ns,
		.done = replied,
		.arg = ask,
	};
	struct upstream *before = ask->upstream;
	int r = upstream_start(ask->resolver->base, &args, &ask->upstream);

	if (r)
		return r;
	ask->resolver->counts.asked++;
	upstream_free(before);
	return 0;
}

int ask_start(struct resolver *resolver, const struct client *client,
	      const struct dns_question *question)
{
	struct ask *ask = calloc(1, sizeof(*ask));
	int r;

	if (!ask)
		return -ENOMEM;
	ask->resolver = resolver;
	ask->client = *client;
	ask->question = *question;
	ask->ttl = UINT32_MAX;
	ask->deadline_ns = clock_monotonic_ns() + ASK_NS;
	LIST_INSERT_HEAD(&resolver->asks, ask, entry);
	resolver->n_asks++;
	r = resolver->args.servers(&ask->servers, resolver->args.arg);
	if (!r)
		r = ask_upstream(ask, question->name);
	if (r) {
		ask_free(ask);
		return r;
	}
	if (client->tcp)
		tcp_asked(client->tcp);
	return 0;
}

void asks_cancel(struct resolver *resolver, const struct tcp_client *client)
{
	struct ask *ask = LIST_FIRST(&resolver->asks);

	while (ask) {
		struct ask *next = LIST_NEXT(ask, entry);

		if (!client || ask->client.tcp == client)
			ask_free(ask);
		ask = next;
	}
}
