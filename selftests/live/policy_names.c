// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of a live session under package-managers, as an operator allows and denies them: in the kernel's map,
 * where the filter at the device finds them. The session is a slot, a cgroup and its entries; nothing runs in it.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "../../include/flow.h"
#include "../../user/engine/policy.h"
#include "../../user/engine/rules.h"
#include "../../user/engine/slot.h"
#include "../gate.h"

#define BOTH (POLICY_PORT_TLS | POLICY_PORT_HTTP)

static char run_dir[256];
static struct engine_config config = { .pin_dir = GATE_PINS, .run_dir = run_dir };
static struct engine engine = ENGINE_INIT;
static struct slot slot = SLOT_INIT;
static struct config rules;

/* An engine under @text, and a session with @egress in it. */
static void desk_make(const char *name, uint32_t ports, enum policy_egress egress)
{
	struct fault fault = {};
	unsigned int swept;
	int lock = -1;

	snprintf(run_dir, sizeof(run_dir), "%s/run", getenv("TMPDIR"));
	config.parent = gate.parent;
	rules.has_package_managers = true;
	ASSERT_OK(config_add_name(&rules, name, ports, CONFIG_ALLOW, "", &fault));
	ASSERT_OK(engine_open(&config, &engine, &swept, &fault));
	ASSERT_OK(engine_lock(engine.run_fd, &lock));
	ASSERT_OK(rules_apply(&engine, &rules, &fault));
	ASSERT_OK(slot_take(&engine, "sbs_A", &slot, &fault));
	close(lock);
	ASSERT_OK(cgroup_create(engine.parent_fd, "sbs_A", &gate.session_fd, &gate.id));
	ASSERT_OK(slot_set_cgroup(&slot, "sbs_A", gate.id));
	gate.policy = (struct policy){
		.session = "sbs_A",
		.generation = 1,
		.state = POLICY_OPEN,
		.egress = egress,
		.cpu_cap_ns = POLICY_UNLIMITED,
		.money_cap_ucents = POLICY_UNLIMITED,
		.deadline_ns = POLICY_UNLIMITED,
	};
	ASSERT_OK(guard_session_add(&engine.guard, gate.id, &gate.policy));
}

static int act(enum policy_act what, const char *text, size_t *ret_rules, struct fault *ret_fault)
{
	const struct rule_source source = { FAULT_USAGE, text };
	_cleanup_policy_view_ struct policy_view view = {};
	struct policy_args args = { .act = what, .session = "sbs_" };
	struct rule rule;
	int r;

	if (text) {
		ASSERT_OK(rule_parse(text, &source, &rule, ret_fault));
		args.rules = &rule;
		args.n_rules = 1;
	}
	r = policy_act(&config, &args, &view, ret_fault);
	if (r > 0)
		printf("%s: %s\n", ret_fault->field, ret_fault->reason);
	if (!r)
		*ret_rules = view.n_rules;
	return r;
}

static void must(enum policy_act what, const char *text, size_t n_rules)
{
	struct fault fault = {};
	size_t n = 99;

	EXPECT_OK(act(what, text, &n, &fault));
	EXPECT_EQ(n, n_rules);
}

static uint32_t ports_of(const char *name)
{
	uint32_t ports = 99;

	EXPECT_OK(guard_name_find(&engine.guard, gate.id, name, &ports));
	return ports;
}

TEST("an allowed name is open beside those for all, a denied one is closed, reset leaves those for all")
{
	struct fault fault = {};
	size_t n;

	desk_make(".example.org", POLICY_PORT_TLS, POLICY_EGRESS_PACKAGE_MANAGERS);
	EXPECT_EQ(ports_of("a.example.org"), POLICY_PORT_TLS);
	EXPECT_EQ(ports_of("mirror.test"), 0);

	must(POLICY_ALLOW, "mirror.test:80", 1);
	EXPECT_EQ(ports_of("mirror.test"), POLICY_PORT_HTTP);
	EXPECT_EQ(ports_of("x.mirror.test"), 0);
	must(POLICY_ALLOW, "mirror.test", 1);
	EXPECT_EQ(ports_of("mirror.test"), BOTH);

	must(POLICY_ALLOW, ".example.org:80", 2);
	EXPECT_EQ(ports_of("a.example.org"), BOTH);
	EXPECT_EQ(ports_of("example.org"), BOTH);
	must(POLICY_DENY, "a.example.org", 3);
	EXPECT_EQ(ports_of("a.example.org"), 0);
	EXPECT_EQ(ports_of("b.example.org"), BOTH);
	must(POLICY_ALLOW, "10.0.0.1/32", 4);

	EXPECT_EQ(act(POLICY_ALLOW, ".org", &n, &fault), FAULT_E_SET);
	EXPECT_HAS(fault.reason, "whole top-level domain");
	EXPECT_EQ(ports_of("elsewhere.org"), 0);
	must(POLICY_DENY, ".org", 5);

	must(POLICY_RESET, NULL, 0);
	EXPECT_EQ(ports_of("mirror.test"), 0);
	EXPECT_EQ(ports_of("a.example.org"), POLICY_PORT_TLS);
	must(POLICY_SHOW, NULL, 0);
}

static bool flow_lives(const struct flow_key *key)
{
	struct flow flow;

	return bpf_map_lookup_elem(engine.guard.maps[GUARD_FLOWS], key, &flow) == 0;
}

TEST("a name that is denied takes the session's connections with it, an allowed one and a prefix do not")
{
	struct flow flow = { .state = FLOW_NAMED };
	struct flow_key own = { .peer_port = 443 }, other = { .cgroup = 1, .peer_port = 443 };
	int map;

	desk_make(".example.org", POLICY_PORT_TLS, POLICY_EGRESS_PACKAGE_MANAGERS);
	map = engine.guard.maps[GUARD_FLOWS];
	own.cgroup = gate.id;
	ASSERT_OK(bpf_map_update_elem(map, &own, &flow, BPF_ANY));
	ASSERT_OK(bpf_map_update_elem(map, &other, &flow, BPF_ANY));
	must(POLICY_ALLOW, "mirror.test", 1);
	must(POLICY_DENY, "9.0.0.0/8", 2);
	EXPECT_TRUE(flow_lives(&own));
	must(POLICY_DENY, "mirror.test", 2);
	EXPECT_FALSE(flow_lives(&own));
	EXPECT_TRUE(flow_lives(&other));
}

TEST("names mean nothing under public, and are refused there")
{
	struct fault fault = {};
	size_t n;

	desk_make(".example.org", POLICY_PORT_TLS, POLICY_EGRESS_PUBLIC);
	EXPECT_EQ(act(POLICY_DENY, ".example.org", &n, &fault), FAULT_E_SET);
	EXPECT_HAS(fault.reason, "the egress mode is public");
	must(POLICY_SHOW, NULL, 0);
}

TEST("a session whose policy is gone gets no rule, and keeps none")
{
	struct fault fault = {};
	struct host_prefix prefix;
	enum reason reason;
	size_t n;

	desk_make(".example.org", POLICY_PORT_TLS, POLICY_EGRESS_PUBLIC);
	ASSERT_OK(guard_session_remove(&engine.guard, gate.id));
	EXPECT_EQ(act(POLICY_DENY, "9.0.0.0/8", &n, &fault), FAULT_E_SET);
	EXPECT_HAS(fault.reason, "not there any more");
	EXPECT_EQ(guard_prefix_next(&engine.guard, gate.id, NULL, &prefix, &reason), -ENOENT);
}

TEARDOWN
{
	gate_remove();
}
