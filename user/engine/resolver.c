// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decides what becomes of a question. In this order: its form, its name, its type; only A and AAAA go
 * upstream, and CNAME where a list says which names may be asked for. A name that is not allowed does not
 * exist, as far as the sandbox is told: a client then gives up at once. A type that is not asked for has no
 * data.
 *
 * The loop belongs to the whole engine, so that a flood may cost it little. A question is paid for out of a
 * credit that grows with time; without credit what is there is read and dropped, a bounded number of times,
 * and then nobody reads until there is credit again: the kernel drops the rest, and counts it.
 */
#include "resolver.h"

#include <errno.h>
#include <event2/event.h>
#include <string.h>

#include "../base/clock.h"
#include "resolver_parts.h"

#define QUESTION_NS (NSEC_PER_SEC / REEVE_DNS_PER_SECOND)
#define CREDIT_MAX_NS (REEVE_DNS_BURST * QUESTION_NS)
#define BATCH 32

static void listeners_switch(struct resolver *resolver, bool on)
{
	for (unsigned int i = 0; i < RESOLVER_LISTENERS; i++) {
		struct event *readable = resolver->listeners[i].readable;

		if (readable && on)
			event_add(readable, NULL);
		else if (readable)
			event_del(readable);
	}
}

static void credit_back(int fd, short what, void *arg)
{
	struct resolver *resolver = arg;

	(void)fd;
	(void)what;
	resolver->paused = false;
	listeners_switch(resolver, true);
	tcp_resume(resolver);
}

static void pause_all(struct resolver *resolver)
{
	const struct timeval wait = { .tv_usec = QUESTION_NS / 1000 };

	if (resolver->paused || event_add(resolver->resume, &wait))
		return;
	resolver->paused = true;
	listeners_switch(resolver, false);
}

bool resolver_pay(struct resolver *resolver)
{
	uint64_t now = clock_monotonic_ns();

	resolver->credit_ns += now - resolver->credited_at_ns;
	resolver->credited_at_ns = now;
	if (resolver->credit_ns > CREDIT_MAX_NS)
		resolver->credit_ns = CREDIT_MAX_NS;
	if (resolver->credit_ns < QUESTION_NS) {
		pause_all(resolver);
		return false;
	}
	resolver->credit_ns -= QUESTION_NS;
	return true;
}

bool resolver_answer(struct resolver *resolver, const struct client *client,
		     const struct dns_question *question, const struct dns_answer *answer)
{
	uint8_t bytes[DNS_ANSWER_BYTES_MAX];
	size_t size = client->tcp ? sizeof(bytes) : question->udp_bytes;
	bool truncated;
	size_t n = dns_answer_write(question, answer, bytes, size, &truncated);

	resolver->counts.truncated += truncated;
	resolver->counts.addresses += truncated ? 0 : answer->n_addrs;
	if (client->tcp)
		tcp_send(client->tcp, bytes, n);
	else
		dnssock_send(client->fd, bytes, n, &client->from);
	return truncated;
}

static void answer_code(struct resolver *resolver, const struct client *client,
			const struct dns_question *question, unsigned int rcode)
{
	const struct dns_answer answer = { .rcode = rcode };

	resolver_answer(resolver, client, question, &answer);
}

static bool name_is_allowed(struct resolver *resolver, const struct dns_question *question)
{
	resolver->counts.names_long += strlen(question->name) > REEVE_DNS_NAME_USUAL;
	if (question->name[0] &&
	    (!resolver->args.allowed || resolver->args.allowed(question->name, resolver->args.arg)))
		return true;
	resolver->counts.names_denied++;
	resolver->args.refused(REASON_NAME, question->name, NULL, resolver->args.arg);
	return false;
}

/*
 * Where any name may be asked for, the names that others stand for are not told: those inside the host's
 * network would be among them. Addresses come flat, so no client needs them.
 */
static bool type_is_asked(const struct resolver *resolver, unsigned int type)
{
	return type == ns_t_a || type == ns_t_aaaa || (type == ns_t_cname && resolver->args.allowed);
}

void resolver_take(struct resolver *resolver, const struct client *client, const uint8_t *bytes,
		   size_t n)
{
	struct dns_question question;

	resolver->counts.questions++;
	if (dns_question_read(bytes, n, &question)) {
		resolver->counts.malformed++;
	} else if (question.rcode) {
		resolver->counts.malformed++;
		answer_code(resolver, client, &question, question.rcode);
	} else if (!name_is_allowed(resolver, &question)) {
		answer_code(resolver, client, &question, ns_r_nxdomain);
	} else if (!type_is_asked(resolver, question.type)) {
		answer_code(resolver, client, &question, ns_r_noerror);
	} else if (resolver->n_asks == REEVE_DNS_IN_FLIGHT_MAX) {
		/* silence makes a client come again, a failure would make it give up */
		resolver->counts.limited++;
	} else if (ask_start(resolver, client, &question)) {
		resolver->counts.failed++;
		answer_code(resolver, client, &question, ns_r_servfail);
	}
}

static void datagrams_readable(int fd, short what, void *arg)
{
	struct listener *listener = arg;
	struct resolver *resolver = listener->resolver;
	uint8_t bytes[DNS_QUESTION_BYTES_MAX + 1];
	struct client client = { .fd = fd };

	(void)what;
	for (unsigned int i = 0; i < BATCH; i++) {
		ssize_t n = dnssock_receive(fd, bytes, sizeof(bytes), &client.from);

		if (n < 0)
			return;
		if (resolver_pay(resolver))
			resolver_take(resolver, &client, bytes, (size_t)n);
		else
			resolver->counts.limited++;
	}
}

static void connection_waits(int fd, short what, void *arg)
{
	struct listener *listener = arg;

	(void)what;
	/* a connection costs like a question, or opening and closing them would be a way around */
	if (resolver_pay(listener->resolver))
		tcp_accept(listener->resolver, fd);
}

static int listener_add(struct resolver *resolver, unsigned int number, int fd,
			event_callback_fn readable)
{
	struct listener *listener = &resolver->listeners[number];

	if (fd < 0)
		return 0;
	listener->resolver = resolver;
	listener->readable = event_new(resolver->base, fd, EV_READ | EV_PERSIST, readable, listener);
	return !listener->readable || event_add(listener->readable, NULL) ? -ENOMEM : 0;
}

int resolver_new(struct event_base *base, const struct resolver_args *args, struct resolver **ret)
{
	struct resolver *resolver = calloc(1, sizeof(*resolver));
	int r = 0;

	if (!resolver)
		return -ENOMEM;
	resolver->base = base;
	resolver->args = *args;
	resolver->credit_ns = CREDIT_MAX_NS;
	resolver->credited_at_ns = clock_monotonic_ns();
	LIST_INIT(&resolver->asks);
	TAILQ_INIT(&resolver->clients);
	resolver->resume = evtimer_new(base, credit_back, resolver);
	if (!resolver->resume)
		r = -ENOMEM;
	for (unsigned int i = 0; !r && i < DNSSOCK_FAMILIES; i++) {
		r = listener_add(resolver, 2 * i, args->socks->udp[i], datagrams_readable);
		if (!r)
			r = listener_add(resolver, 2 * i + 1, args->socks->tcp[i], connection_waits);
	}
	if (r) {
		resolver_free(resolver);
		return r;
	}
	*ret = resolver;
	return 0;
}

void resolver_free(struct resolver *resolver)
{
	if (!resolver)
		return;
	asks_cancel(resolver, NULL);
	tcp_free_all(resolver);
	for (unsigned int i = 0; i < RESOLVER_LISTENERS; i++)
		if (resolver->listeners[i].readable)
			event_free(resolver->listeners[i].readable);
	if (resolver->resume)
		event_free(resolver->resume);
	free(resolver);
}

void resolver_counts(const struct resolver *resolver, struct dns_counts *ret)
{
	*ret = resolver->counts;
	ret->limited += dnssock_drops(resolver->args.socks);
}
