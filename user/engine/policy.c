// SPDX-License-Identifier: GPL-2.0-only
/*
 * A live session's own rules, put beside its owner's back straight into the maps that the hooks read: the next
 * packet is judged by them. Owners neither know nor mind, since they write a session's policy and never its
 * rules; all of them go with the session.
 *
 * The session may end at any moment. Its policy is deleted before its rules are swept up, so a rule that was
 * put while the policy was still there is swept up with the others; who finds the policy gone behind his own
 * rule takes the rule back.
 */
#include "policy.h"

#include <errno.h>
#include <string.h>

#include "../base/clock.h"
#include "../kernel/guard_rules.h"
#include "slot.h"

#define IDS_SHOWN 3

struct search {
	const char *wanted;
	struct slot_record found;
	unsigned int matches, live;
	char ids[IDS_SHOWN * (REEVE_SESSION_ID_SIZE + 2)]; /* of the matches, or of all without one */
	struct fault *fault;
};

static void ids_add(struct search *search, const char *id, unsigned int n)
{
	size_t len = strlen(search->ids);

	if (n < IDS_SHOWN)
		snprintf(search->ids + len, sizeof(search->ids) - len, "%s%s", n ? ", " : "", id);
}

static int slot_search(unsigned int number, int fd, bool alive, void *arg)
{
	struct search *search = arg;
	struct slot_record record;
	int r = alive ? slot_read(fd, &record) : 0;

	(void)number;
	if (r || !alive || !record.session_id[0])
		return r;
	if (strncmp(record.session_id, search->wanted, strlen(search->wanted)) == 0) {
		if (search->matches == 0)
			search->ids[0] = '\0';
		ids_add(search, record.session_id, search->matches++);
		search->found = record;
	} else if (search->matches == 0) {
		ids_add(search, record.session_id, search->live);
	}
	search->live++;
	return 0;
}

static int session_find(const struct engine *engine, const char *wanted, struct slot_record *ret,
			struct fault *ret_fault)
{
	struct search search = { .wanted = wanted };
	int r = slot_each(engine->slots_fd, slot_search, &search);

	if (r)
		return r;
	if (search.matches == 1 && search.found.cgroup_id) {
		*ret = search.found;
		return 0;
	}
	if (search.matches == 1)
		return fault_set(ret_fault, FAULT_BUSY, "SESSION", "try again in a moment",
				 "session %s is only starting", search.ids);
	if (search.matches)
		return fault_set(ret_fault, FAULT_USAGE, "SESSION", "give more of the id",
				 "%u live sessions begin with \"%.40s\": %s%s", search.matches,
				 wanted, search.ids, search.matches > IDS_SHOWN ? ", ..." : "");
	return fault_set(ret_fault, FAULT_USAGE, "SESSION",
			 search.live ? "give the id, or the beginning, of one that lives"
				     : "start one; rules for all are in the configuration",
			 "no live session begins with \"%.40s\"; live: %s%s", wanted,
			 search.live ? search.ids : "none", search.live > IDS_SHOWN ? ", ..." : "");
}

static int rule_check(const struct policy *policy, enum policy_act act, const struct rule *rule,
		      struct fault *ret_fault)
{
	char text[RULE_TEXT_SIZE];
	const struct rule_source source = { FAULT_USAGE, text };

	rule_text(rule, text);
	if (rule->kind == RULE_NAME && policy->egress != POLICY_EGRESS_PACKAGE_MANAGERS)
		return fault_set(ret_fault, FAULT_USAGE, text, "give a prefix of addresses",
				 "names are judged under package-managers; the egress mode is %s",
				 policy_egress_name(policy->egress));
	if (act == POLICY_ALLOW && policy->egress == POLICY_EGRESS_NONE)
		return fault_set(ret_fault, FAULT_USAGE, text,
				 "start the session with --egress public or package-managers",
				 "the session has no network: its egress mode is none");
	if (rule->kind == RULE_NAME)
		return act == POLICY_ALLOW ? rule_name_check_allow(rule->name, &source, ret_fault)
					   : 0;
	return act == POLICY_ALLOW ? rule_prefix_check_allow(&rule->prefix, &source, ret_fault)
				   : rule_prefix_check_deny(&rule->prefix, &source, ret_fault);
}

/* A name keeps the ports that it has, for the session's own rule takes the place of the one for all. */
static int name_put(const struct guard *guard, uint64_t id, enum policy_act act,
		    const struct rule *rule)
{
	uint32_t ports = 0;
	int r = 0;

	if (act == POLICY_DENY)
		return guard_name_put(guard, id, rule->name, 0);
	r = guard_name_find(guard, id, rule->name + (rule->name[0] == '.'), &ports);
	return r ? r : guard_name_put(guard, id, rule->name, ports | rule->ports);
}

static int rule_put(const struct guard *guard, uint64_t id, enum policy_act act,
		    const struct rule *rule)
{
	if (rule->kind == RULE_NAME)
		return name_put(guard, id, act, rule);
	return guard_prefix_put(guard, id, &rule->prefix,
				act == POLICY_ALLOW ? REASON_OK : REASON_OPERATOR);
}

static int rule_remove(const struct guard *guard, uint64_t id, const struct rule *rule)
{
	return rule->kind == RULE_NAME ? guard_name_remove(guard, id, rule->name)
				       : guard_prefix_remove(guard, id, &rule->prefix);
}

static int rules_put(const struct guard *guard, uint64_t id, const struct policy_args *args,
		     struct fault *ret_fault)
{
	bool cut = false;
	char text[RULE_TEXT_SIZE];
	int r = 0;

	for (size_t i = 0; i < args->n_rules; i++) {
		r = rule_put(guard, id, args->act, &args->rules[i]);
		rule_text(&args->rules[i], text);
		if (r)
			return fault_set_errno(ret_fault, FAULT_ENFORCEMENT, text,
					       "take rules back with \"reeve policy reset\"", -r,
					       "the kernel takes no more rules");
		cut = cut || (args->rules[i].kind == RULE_NAME && args->act == POLICY_DENY);
	}
	/* which connection is of which name nobody knows any more: all begin again */
	return cut ? guard_flows_remove(guard, id) : 0;
}

static int view_fill(const struct guard *guard, struct policy_view *view)
{
	struct rule rule = { .kind = RULE_PREFIX };
	const struct host_prefix *prefix = NULL;
	const char *name = NULL;
	int r;

	while ((r = guard_prefix_next(guard, view->cgroup_id, prefix, &rule.prefix, &rule.verdict)) ==
	       0) {
		r = policy_view_add(view, &rule);
		if (r)
			return r;
		prefix = &view->rules[view->n_rules - 1].prefix;
	}
	if (r != -ENOENT)
		return r;
	rule = (struct rule){ .kind = RULE_NAME };
	while ((r = guard_name_next(guard, view->cgroup_id, name, rule.name, &rule.ports)) == 0) {
		r = policy_view_add(view, &rule);
		if (r)
			return r;
		name = view->rules[view->n_rules - 1].name;
	}
	return r == -ENOENT ? 0 : r;
}

static int rules_reset(const struct guard *guard, const struct policy_view *view)
{
	bool cut = false;
	int r = 0;

	for (size_t i = 0; !r && i < view->n_rules; i++) {
		r = rule_remove(guard, view->cgroup_id, &view->rules[i]);
		cut = cut || view->rules[i].kind == RULE_NAME;
	}
	return r || !cut ? r : guard_flows_remove(guard, view->cgroup_id);
}

static int fault_ended(const char *session_id, struct fault *ret_fault)
{
	return fault_set(ret_fault, FAULT_USAGE, "SESSION", "give one that lives",
			 "session %s is not there any more, or not yet", session_id);
}

static int rules_change(const struct guard *guard, struct policy_view *view,
			const struct policy_args *args, struct fault *ret_fault)
{
	int r = 0;

	for (size_t i = 0; !r && i < args->n_rules; i++)
		r = rule_check(&view->policy, args->act, &args->rules[i], ret_fault);
	if (!r && args->act == POLICY_RESET) {
		r = view_fill(guard, view);
		if (!r)
			r = rules_reset(guard, view);
		view->n_rules = 0;
	} else if (!r) {
		r = rules_put(guard, view->cgroup_id, args, ret_fault);
	}
	if (r || guard_session_policy(guard, view->cgroup_id, &view->policy) == 0)
		return r;
	for (size_t i = 0; i < args->n_rules; i++)
		rule_remove(guard, view->cgroup_id, &args->rules[i]);
	return fault_ended(view->session_id, ret_fault);
}

/* -ENOENT when the session ended meanwhile. */
static int view_read(const struct guard *guard, const struct slot_record *record,
		     struct policy_view *ret)
{
	_cleanup_policy_view_ struct policy_view view = { .cgroup_id = record->cgroup_id };
	int r = guard_session_policy(guard, view.cgroup_id, &view.policy);

	snprintf(view.session_id, sizeof(view.session_id), "%s", record->session_id);
	if (!r)
		r = guard_session_usage(guard, view.cgroup_id, &view.usage);
	if (!r)
		r = view_fill(guard, &view);
	if (r)
		return r;
	view.now_ns = clock_monotonic_ns();
	*ret = view;
	view = (struct policy_view){};
	return 0;
}

struct live {
	struct slot_record *items;
	size_t n;
};

static void live_deinit(struct live *live)
{
	free(live->items);
}

static int slot_note(unsigned int number, int fd, bool alive, void *arg)
{
	struct live *live = arg;
	struct slot_record record, *items;
	int r = alive ? slot_read(fd, &record) : 0;

	(void)number;
	if (r || !alive || !record.session_id[0] || !record.cgroup_id)
		return r;
	items = reallocarray(live->items, live->n + 1, sizeof(*items));
	if (!items)
		return -ENOMEM;
	live->items = items;
	items[live->n++] = record;
	return 0;
}

int policy_each(const struct engine_config *config,
		int (*fn)(const struct policy_view *view, void *arg), void *arg,
		struct fault *ret_fault)
{
	_cleanup_engine_ struct engine engine = ENGINE_INIT;
	_cleanup_(live_deinit) struct live live = {};
	_cleanup_fd_ int lock = -1;
	int r = engine_open_existing(config, &engine, &lock, ret_fault);

	if (!r)
		r = slot_each(engine.slots_fd, slot_note, &live);
	fd_close(&lock);
	for (size_t i = 0; !r && i < live.n; i++) {
		_cleanup_policy_view_ struct policy_view view = {};

		r = view_read(&engine.guard, &live.items[i], &view);
		r = r == -ENOENT ? 0 : r ? r : fn(&view, arg);
	}
	return r;
}

int policy_act(const struct engine_config *config, const struct policy_args *args,
	       struct policy_view *ret, struct fault *ret_fault)
{
	_cleanup_engine_ struct engine engine = ENGINE_INIT;
	_cleanup_policy_view_ struct policy_view view = {};
	_cleanup_fd_ int lock = -1;
	struct slot_record record;
	int r = engine_open_existing(config, &engine, &lock, ret_fault);

	if (!r)
		r = session_find(&engine, args->session, &record, ret_fault);
	if (r)
		return r;
	fd_close(&lock);
	snprintf(view.session_id, sizeof(view.session_id), "%s", record.session_id);
	view.cgroup_id = record.cgroup_id;
	r = guard_session_policy(&engine.guard, view.cgroup_id, &view.policy);
	if (!r && args->act != POLICY_SHOW)
		r = rules_change(&engine.guard, &view, args, ret_fault);
	if (!r)
		r = view_read(&engine.guard, &record, ret);
	return r == -ENOENT ? fault_ended(record.session_id, ret_fault) : r;
}
