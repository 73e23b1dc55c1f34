// SPDX-License-Identifier: GPL-2.0-only
/*
 * Planning: the same facts give the same plan; every row is where the isolation table expects it; what the
 * host lacks is left out or refused.
 */
#include "../test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "../../user/base/macro.h"
#include "../../user/model/plan.h"

static struct plan_host_entry root[64];
static struct plan_host host = {
	.session_id = "sbs_01ARZ3NDEKTSV4RRFFQ69G5FAV",
	.request_id = "sbr_01ARZ3NDEKTSV4RRFFQ69G5FAV",
	.output_name = "5f0c7a52-6a4b-4f9e-8a44-0a6f5e9d6a11",
	.slot = 3,
	.resolv_conf = "nameserver 192.0.2.1\n",
	.root = root,
};
static struct fault fault;
static struct plan plan;

static char *argv[] = { "echo", "hi", NULL };
static struct spec_input inputs[] = {
	{ SPEC_INPUT_FILE, "/data/a" },
	{ SPEC_INPUT_DIRECTORY, "/data/b" },
};
static const struct plan_input opened[] = { { SPEC_INPUT_FILE, "a" }, { SPEC_INPUT_DIRECTORY, "b" } };

/* A spec with two inputs, and a host that has /usr and /bin -> usr/bin. */
static struct spec example(void)
{
	struct spec spec = {
		.argv = argv,
		.n_argv = 2,
		.inputs = inputs,
		.n_inputs = 2,
		.cpu_cap_ns = POLICY_UNLIMITED,
		.money_cap_ucents = 500,
		.rates = { 1, 2, 3, 4, 5 },
		.time_box_ns = 7 * NSEC_PER_SEC,
	};

	plan_host_root(&host.n_root);
	ASSERT_LE(host.n_root, ARRAY_SIZE(root));
	root[0].kind = PLAN_HOST_PRESENT;
	root[1] = (struct plan_host_entry){ PLAN_HOST_SYMLINK, "usr/bin" };
	inet_pton(AF_INET, "198.18.0.0", &host.pool_v4);
	inet_pton(AF_INET6, "fd00:1::", &host.pool_v6);
	return spec;
}

static const struct plan_mount *mount_at(const char *target)
{
	const struct plan_mount *found = NULL;

	for (size_t i = 0; i < plan.n_mounts; i++)
		if (strcmp(plan.mounts[i].target, target) == 0)
			found = &plan.mounts[i];
	return found;
}

static const char *variable(const char *name)
{
	size_t len = strlen(name);

	for (char **e = plan.envp; *e; e++)
		if (strncmp(*e, name, len) == 0 && (*e)[len] == '=')
			return *e + len + 1;
	return NULL;
}

TEST("a plan has copies of all that it took from the spec and the host")
{
	struct spec spec = example();
	char word[] = "word", profile[] = "/p", link[] = "usr/bin";
	char *own_argv[] = { word, NULL };

	spec.argv = own_argv;
	spec.n_argv = 1;
	spec.seccomp_profile = profile;
	ASSERT_OK(plan_make(&spec, &host, opened, 2, &plan, &fault));
	word[0] = profile[0] = root[1].link[0] = 'X';
	EXPECT_STREQ(plan.argv[0], "word");
	EXPECT_NULL(plan.argv[1]);
	EXPECT_STREQ(plan.seccomp_profile, "/p");
	EXPECT_STREQ(mount_at("/bin")->source, link);
	plan_deinit(&plan);
	plan_deinit(&plan);
}

TEST("ids, policy and time box are those of the slot and the spec")
{
	struct spec spec = example();

	ASSERT_OK(plan_make(&spec, &host, opened, 2, &plan, &fault));
	EXPECT_STREQ(plan.session_id, host.session_id);
	EXPECT_STREQ(plan.policy.session, host.session_id);
	EXPECT_STREQ(plan.output_name, host.output_name);
	EXPECT_EQ(plan.uid_base, REEVE_UID_BASE + 3 * 65536u);
	EXPECT_EQ(plan.uid_count, 65536);
	EXPECT_EQ(plan.capabilities, 0xfb);
	EXPECT_EQ(plan.policy.state, POLICY_PROOF);
	EXPECT_EQ(plan.policy.egress, POLICY_EGRESS_NONE);
	EXPECT_EQ(plan.policy.cpu_cap_ns, POLICY_UNLIMITED);
	EXPECT_EQ(plan.policy.money_cap_ucents, 500);
	EXPECT_EQ(plan.policy.money_settled_ucents, 3 + 4);
	EXPECT_EQ(plan.policy.deadline_ns, POLICY_UNLIMITED);
	EXPECT_EQ(plan.policy.running_since_ns, 0);
	EXPECT_EQ(plan.policy.ring, 3);
	EXPECT_EQ(plan.policy.rates.cpu_second_ucents, 1);
	EXPECT_EQ(plan.policy.rates.wall_minute_ucents, 2);
	EXPECT_EQ(plan.policy.rates.egress_gib_ucents, 5);
	EXPECT_EQ(plan.time_box_ns, 7 * NSEC_PER_SEC);
	plan_deinit(&plan);
}

TEST("a session without egress has no device, one with public egress has its own addresses")
{
	struct spec spec = example();
	char text[INET6_ADDRSTRLEN];

	ASSERT_OK(plan_make(&spec, &host, opened, 2, &plan, &fault));
	EXPECT_FALSE(plan.network.veth);
	plan_deinit(&plan);

	spec.egress = SPEC_EGRESS_PUBLIC;
	ASSERT_OK(plan_make(&spec, &host, opened, 2, &plan, &fault));
	EXPECT_TRUE(plan.network.veth);
	EXPECT_EQ(plan.policy.egress, POLICY_EGRESS_PUBLIC);
	EXPECT_STREQ(plan.network.host_ifname, "rv3");
	EXPECT_STREQ(inet_ntop(AF_INET, &plan.network.host_v4, text, sizeof(text)), "198.18.0.13");
	EXPECT_STREQ(inet_ntop(AF_INET, &plan.network.sandbox_v4, text, sizeof(text)), "198.18.0.14");
	EXPECT_STREQ(inet_ntop(AF_INET6, &plan.network.host_v6, text, sizeof(text)), "fd00:1::d");
	EXPECT_STREQ(inet_ntop(AF_INET6, &plan.network.sandbox_v6, text, sizeof(text)), "fd00:1::e");
	plan_deinit(&plan);

	host.slot = REEVE_SLOTS_MAX - 1;
	ASSERT_OK(plan_make(&spec, &host, opened, 2, &plan, &fault));
	EXPECT_STREQ(inet_ntop(AF_INET, &plan.network.sandbox_v4, text, sizeof(text)),
		     "198.18.62.126");
	EXPECT_LT((uint64_t)plan.uid_base + plan.uid_count, 1ull << 31);
	plan_deinit(&plan);
	host.slot++;
	EXPECT_EQ(plan_make(&spec, &host, opened, 2, &plan, &fault), -EINVAL);
}

TEST("the root comes first and is sealed last, and all of a request lies in between")
{
	struct spec spec = example();
	const struct plan_mount *m;

	ASSERT_OK(plan_make(&spec, &host, opened, 2, &plan, &fault));
	EXPECT_EQ(plan.mounts[0].kind, PLAN_MOUNT_TMPFS);
	EXPECT_STREQ(plan.mounts[0].target, "/");
	m = &plan.mounts[plan.n_mounts - 1];
	EXPECT_EQ(m->kind, PLAN_MOUNT_READ_ONLY);
	EXPECT_STREQ(m->target, "/");
	EXPECT_EQ(mount_at("/usr")->kind, PLAN_MOUNT_SYSTEM);
	EXPECT_EQ(mount_at("/bin")->kind, PLAN_MOUNT_SYMLINK);
	EXPECT_NULL(mount_at("/sbin"));
	EXPECT_STREQ(mount_at("/etc/resolv.conf")->source, "nameserver 192.0.2.1\n");
	EXPECT_EQ(mount_at("/in/a")->kind, PLAN_MOUNT_INPUT_FILE);
	EXPECT_EQ(mount_at("/in/b")->kind, PLAN_MOUNT_INPUT_DIRECTORY);
	EXPECT_EQ(mount_at("/in/b")->input, 1);
	EXPECT_EQ(mount_at("/out")->kind, PLAN_MOUNT_OUT);
	EXPECT_STREQ(plan.cwd, "/out");
	plan_deinit(&plan);
}

TEST("a session with directories of its own has them, and its home in them")
{
	struct spec spec = example();

	EXPECT_NULL(mount_at("/workspace"));
	host.has_workspace = true;
	ASSERT_OK(plan_make(&spec, &host, opened, 2, &plan, &fault));
	EXPECT_EQ(mount_at("/workspace")->kind, PLAN_MOUNT_WORK);
	EXPECT_EQ(mount_at("/site")->kind, PLAN_MOUNT_SITE);
	EXPECT_EQ(mount_at("/out")->kind, PLAN_MOUNT_OUT);
	EXPECT_STREQ(plan.cwd, "/workspace");
	EXPECT_STREQ(variable("HOME"), "/workspace");
	plan_deinit(&plan);
	host.has_workspace = false;
	ASSERT_OK(plan_make(&spec, &host, opened, 2, &plan, &fault));
	EXPECT_NULL(mount_at("/workspace"));
	EXPECT_STREQ(variable("HOME"), "/root");
	plan_deinit(&plan);
}

TEST("every target is absolute, without dots, and used once")
{
	struct spec spec = example();

	ASSERT_OK(plan_make(&spec, &host, opened, 2, &plan, &fault));
	for (size_t i = 0; i < plan.n_mounts; i++) {
		const char *target = plan.mounts[i].target;

		EXPECT_EQ(target[0], '/');
		EXPECT_HAS_NOT(target, "/.");
		EXPECT_HAS_NOT(target, "//");
		for (size_t j = 0; j < i && target[1]; j++)
			EXPECT_STRNE(plan.mounts[j].target, target);
	}
	plan_deinit(&plan);
}

TEST("no path of the host that holds secrets or names it is shown")
{
	static const char *const secret[] = { "/home",
					      "/root",
					      "/run",
					      "/var",
					      "/opt",
					      "/boot",
					      "/sys",
					      "/etc/shadow",
					      "/etc/ssh",
					      "/etc/sudoers",
					      "/etc/machine-id",
					      "/etc/ssl/private" };
	size_t n;
	const char *const *paths = plan_host_root(&n);

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < ARRAY_SIZE(secret); j++) {
			size_t len = strlen(paths[i]);

			EXPECT_FALSE(strncmp(secret[j], paths[i], len) == 0 &&
				     (secret[j][len] == '/' || !secret[j][len]));
		}
}

TEST("the environment names a PATH, a home and a language, and no variable twice")
{
	struct spec spec = example();

	ASSERT_OK(plan_make(&spec, &host, opened, 2, &plan, &fault));
	EXPECT_HAS(variable("PATH"), "/usr/bin");
	EXPECT_STREQ(variable("HOME"), "/root");
	EXPECT_STREQ(variable("LANG"), "C.UTF-8");
	EXPECT_NULL(variable("TERM"));
	EXPECT_STREQ(variable("PIP_NO_INPUT"), "1");
	for (char **a = plan.envp; *a; a++)
		for (char **b = plan.envp; b < a; b++)
			EXPECT_NE(strncmp(*a, *b, strcspn(*a, "=") + 1), 0);
	plan_deinit(&plan);
}

TEST("two inputs of one name are refused with both paths")
{
	struct spec spec = example();
	const struct plan_input same[] = { { SPEC_INPUT_FILE, "x" }, { SPEC_INPUT_DIRECTORY, "x" } };

	EXPECT_EQ(plan_make(&spec, &host, same, 2, &plan, &fault), FAULT_E_SET);
	EXPECT_EQ(fault.code, FAULT_INPUT);
	EXPECT_HAS(fault.reason, "/data/a");
	EXPECT_HAS(fault.reason, "/data/b");
	EXPECT_HAS(fault.reason, "/in/x");
}

TEST("a limit takes its default where the controller is, nothing where it is not, and never less")
{
	struct spec spec = example();

	ASSERT_OK(plan_make(&spec, &host, opened, 2, &plan, &fault));
	EXPECT_EQ(plan.limits.memory_bytes, 0);
	EXPECT_EQ(plan.limits.pids, 0);
	plan_deinit(&plan);

	host.has_memory = host.has_pids = host.has_cpu = true;
	ASSERT_OK(plan_make(&spec, &host, opened, 2, &plan, &fault));
	EXPECT_EQ(plan.limits.memory_bytes, REEVE_MEMORY_BYTES_DEFAULT);
	EXPECT_EQ(plan.limits.pids, REEVE_PIDS_DEFAULT);
	EXPECT_EQ(plan.limits.cpu_millis, 0);
	plan_deinit(&plan);

	spec.memory_bytes = 1 << 20;
	spec.pids = 5;
	spec.cpu_millis = 250;
	ASSERT_OK(plan_make(&spec, &host, opened, 2, &plan, &fault));
	EXPECT_EQ(plan.limits.memory_bytes, 1 << 20);
	EXPECT_EQ(plan.limits.pids, 5);
	EXPECT_EQ(plan.limits.cpu_millis, 250);
	plan_deinit(&plan);

	host.has_pids = false;
	EXPECT_EQ(plan_make(&spec, &host, opened, 2, &plan, &fault), FAULT_E_SET);
	EXPECT_EQ(fault.code, FAULT_LIMIT);
	EXPECT_STREQ(fault.field, "pids");
	EXPECT_NULL(plan.mounts);
}
