/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A resolver in the hands of a test: the test's network namespace is the host with a name server on it
 * (prog/playdns.c), each session is a namespace with a resolver, all of them in one loop.
 */
#ifndef REEVE_SELFTESTS_DNS_DESK_H
#define REEVE_SELFTESTS_DNS_DESK_H

#include <event2/event.h>
#include <string.h>

#include "../../user/model/names.h"
#include "../../user/engine/resolver.h"
#include "../../user/kernel/netns.h"
#include "dns_upstream.h"

#define DESK_ALLOWED ".allowed.test"

struct desk_session {
	int netns_fd;
	struct dnssock socks;
	struct resolver *resolver;
	struct dns_counts counts;
	unsigned int published, refused;
	uint64_t life_s;
	enum reason reason;
	bool publish_fails;
	struct names names;
};

static struct desk_session desk[2];
static bool desk_any_name; /* as in public, before desk_open() */
static struct event_base *desk_base;
static struct fault desk_fault;

static inline int desk_servers(struct dnssock_servers *ret, void *arg)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)&ret->items[0].addr;

	(void)arg;
	memset(ret, 0, sizeof(*ret));
	*v4 = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(DESK_PORT) };
	v4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ret->items[0].len = sizeof(*v4);
	ret->n = 1;
	return 0;
}

static inline enum reason desk_judge(const struct decide_addr *addr, void *arg)
{
	(void)arg;
	return decide_class(addr);
}

static inline bool desk_allows(const char *name, void *arg)
{
	const struct desk_session *session = arg;

	return names_match(&session->names, name);
}

static inline int desk_publish(const char *name, const struct decide_addr *addr, uint64_t life_s,
			       void *arg)
{
	struct desk_session *session = arg;

	(void)name;
	(void)addr;
	session->published++;
	session->life_s = life_s;
	return session->publish_fails ? -ENOSPC : 0;
}

static inline void desk_refused(enum reason reason, const char *name,
				const struct decide_addr *addr, void *arg)
{
	struct desk_session *session = arg;

	(void)name;
	(void)addr;
	session->refused++;
	session->reason = reason;
}

static inline void desk_open(unsigned int n)
{
	desk_upstream();
	desk_base = event_base_new();
	ASSERT_NOT_NULL(desk_base);
	for (unsigned int i = 0; i < n; i++) {
		const struct resolver_args args = {
			.socks = &desk[i].socks,
			.allowed = desk_any_name ? NULL : desk_allows,
			.servers = desk_servers,
			.judge = desk_judge,
			.publish = desk_publish,
			.refused = desk_refused,
			.arg = &desk[i],
		};

		ASSERT_OK(names_add(&desk[i].names, DESK_ALLOWED));
		ASSERT_OK(netns_make(&desk[i].netns_fd, &desk_fault));
		ASSERT_OK(dnssock_open(desk[i].netns_fd, &desk[i].socks, &desk_fault));
		ASSERT_OK(resolver_new(desk_base, &args, &desk[i].resolver));
	}
}

static inline void desk_close(void)
{
	for (unsigned int i = 0; i < 2 && desk[i].resolver; i++) {
		resolver_free(desk[i].resolver);
		dnssock_close(&desk[i].socks);
		names_deinit(&desk[i].names);
	}
	event_base_free(desk_base);
}

#endif
