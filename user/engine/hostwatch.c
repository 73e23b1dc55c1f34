// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host's own addresses are private in the policy's sense, public ones too, and change while sessions
 * live. The map is brought up to date in place: an address is in it before the stale ones leave, so at no
 * moment a host address is missing. Where the operator has a rule for the same prefix, the host's own address
 * stands in its place as long as it is one. The filter at the device asks the routing table itself and needs no
 * watch; this one gives connect() its fast and typed no.
 */
#include "hostwatch.h"

#include <errno.h>
#include <event2/event.h>
#include <string.h>

#include "../kernel/guard_rules.h"
#include "../kernel/hostnet.h"
#include "../kernel/nft.h"

struct hostwatch {
	const struct guard *guard;
	const struct config *rules;
	int net_fd, nft_fd;
	struct event *net, *nft;
	void (*failed)(int err, void *arg);
	void *arg;
};

struct own_prefixes {
	const struct guard *guard;
	struct host_prefix *items;
	size_t n;
};

static int own_add(enum hostnet_kind kind, const struct host_prefix *prefix, void *arg)
{
	struct own_prefixes *own = arg;

	(void)kind;
	if (own->n == REEVE_HOST_PREFIXES_MAX)
		return -E2BIG;
	own->items[own->n++] = *prefix;
	return guard_prefix_put(own->guard, 0, prefix, REASON_HOST_ADDRESS);
}

static bool own_has(const struct own_prefixes *own, const struct host_prefix *prefix)
{
	for (size_t i = 0; i < own->n; i++)
		if (memcmp(&own->items[i], prefix, sizeof(*prefix)) == 0)
			return true;
	return false;
}

/* What is no address of the host any more becomes what the operator says of it, or goes. */
static int own_end(const struct own_prefixes *own, const struct config *rules,
		   const struct host_prefix *prefix, bool *ret_gone)
{
	enum reason rule;

	*ret_gone = !config_has_prefix(rules, prefix, &rule);
	return *ret_gone ? guard_prefix_remove(own->guard, 0, prefix)
			 : guard_prefix_put(own->guard, 0, prefix, rule);
}

/* The walk goes on from a key that is still in the map. */
static int stale_remove(const struct own_prefixes *own, const struct config *rules)
{
	struct host_prefix kept, next, *previous = NULL;
	enum reason reason;
	int r;

	while ((r = guard_prefix_next(own->guard, 0, previous, &next, &reason)) == 0) {
		bool gone = false;

		if (reason == REASON_HOST_ADDRESS && !own_has(own, &next))
			r = own_end(own, rules, &next, &gone);
		if (r)
			return r;
		if (gone)
			continue;
		kept = next;
		previous = &kept;
	}
	return r == -ENOENT ? 0 : r;
}

int hostwatch_sync(const struct guard *guard, const struct config *rules)
{
	_cleanup_free_ struct host_prefix *items = calloc(REEVE_HOST_PREFIXES_MAX, sizeof(*items));
	struct own_prefixes own = { .guard = guard, .items = items };
	int r;

	if (!items)
		return -ENOMEM;
	r = hostnet_each_own(own_add, &own);
	return r ? r : stale_remove(&own, rules);
}

static void watch_fail(struct hostwatch *watch, int err)
{
	event_del(watch->net);
	event_del(watch->nft);
	watch->failed(err, watch->arg);
}

static void net_changed(int fd, short what, void *arg)
{
	struct hostwatch *watch = arg;
	bool changed = false;
	int r = hostnet_watch_drain(fd, &changed);

	(void)what;
	if (!r && changed)
		r = hostwatch_sync(watch->guard, watch->rules);
	if (r)
		watch_fail(watch, r);
}

static void nft_changed(int fd, short what, void *arg)
{
	struct hostwatch *watch = arg;
	struct fault fault = {};
	enum nft_state state = NFT_WHOLE;
	bool changed = false;
	int r = nft_watch_drain(fd, &changed);

	(void)what;
	if (!r && changed)
		r = nft_check(&state);
	if (!r && state != NFT_WHOLE)
		r = nft_make(&fault);
	if (r)
		watch_fail(watch, r);
}

int hostwatch_new(struct event_base *base, const struct engine *engine,
		  void (*failed)(int err, void *arg), void *arg, struct hostwatch **ret)
{
	struct hostwatch *watch = calloc(1, sizeof(*watch));
	int r;

	if (!watch)
		return -ENOMEM;
	*watch = (struct hostwatch){
		.guard = &engine->guard,
		.rules = engine->rules,
		.net_fd = -1,
		.nft_fd = -1,
		.failed = failed,
		.arg = arg,
	};
	r = hostnet_watch_open(&watch->net_fd);
	if (!r)
		r = nft_watch_open(&watch->nft_fd);
	if (!r) {
		watch->net = event_new(base, watch->net_fd, EV_READ | EV_PERSIST, net_changed, watch);
		watch->nft = event_new(base, watch->nft_fd, EV_READ | EV_PERSIST, nft_changed, watch);
		if (!watch->net || !watch->nft || event_add(watch->net, NULL) ||
		    event_add(watch->nft, NULL))
			r = -ENOMEM;
	}
	/* what changed before the watch was open */
	if (!r)
		r = hostwatch_sync(watch->guard, watch->rules);
	if (r) {
		hostwatch_free(watch);
		return r;
	}
	*ret = watch;
	return 0;
}

void hostwatch_free(struct hostwatch *watch)
{
	if (!watch)
		return;
	if (watch->net)
		event_free(watch->net);
	if (watch->nft)
		event_free(watch->nft);
	fd_close(&watch->net_fd);
	fd_close(&watch->nft_fd);
	free(watch);
}
