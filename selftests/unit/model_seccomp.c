// SPDX-License-Identifier: GPL-2.0-only
/*
 * The built-in rules as data: that the table says what it has to, and that no row of it is without
 * effect. What the compiled program does with calls is tested in kernel_seccomp.c.
 */
#include "../test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/reason.h"
#include "../../user/model/seccomp.h"

/* Whatever else is decided one day, a sandbox never makes these. */
static const char *const refused[] = {
	"clone3",
	"setns",
	"mount",
	"umount2",
	"open_tree",
	"open_tree_attr",
	"move_mount",
	"fsopen",
	"fsconfig",
	"fsmount",
	"fspick",
	"mount_setattr",
	"chroot",
	"pivot_root",
	"ptrace",
	"process_vm_readv",
	"process_vm_writev",
	"process_madvise",
	"pidfd_open",
	"pidfd_getfd",
	"kcmp",
	"bpf",
	"perf_event_open",
	"userfaultfd",
	"io_uring_setup",
	"io_uring_enter",
	"io_uring_register",
	"add_key",
	"request_key",
	"keyctl",
	"init_module",
	"finit_module",
	"delete_module",
	"kexec_load",
	"kexec_file_load",
	"clock_settime",
	"clock_adjtime",
	"settimeofday",
	"adjtimex",
	"swapon",
	"swapoff",
	"quotactl",
	"quotactl_fd",
	"iopl",
	"ioperm",
	"name_to_handle_at",
	"open_by_handle_at",
	"fanotify_init",
	"fanotify_mark",
	"acct",
	"reboot",
	"syslog",
	"sethostname",
	"setdomainname",
};

/* Refused for some arguments only. */
static const char *const judged[] = { "clone",	 "unshare", "ioctl",	  "personality", "mknod",
				      "mknodat", "socket",  "socketpair", "setrlimit",	 "prlimit64" };

static const struct seccomp_rule *find(const char *name, const struct seccomp_rule *after)
{
	const struct seccomp_plan *plan = seccomp_plan_default();
	const struct seccomp_rule *rule = after ? after + 1 : plan->rules;

	for (; rule < plan->rules + plan->n_rules; rule++)
		if (strcmp(rule->name, name) == 0)
			return rule;
	return NULL;
}

TEST("the default permits what no rule names, on both architectures")
{
	const struct seccomp_plan *plan = seccomp_plan_default();

	EXPECT_EQ(plan->fallback.action, SECCOMP_ACTION_ALLOW);
	EXPECT_EQ(plan->architectures, (1u << SECCOMP_ARCH_COUNT) - 1);
	EXPECT_NULL(plan->owned);
}

TEST("every call that is never for a sandbox is refused whatever its arguments")
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		const struct seccomp_rule *rule = find(refused[i], NULL);

		printf("%s\n", refused[i]);
		ASSERT_NOT_NULL(rule);
		EXPECT_EQ(rule->n_compares, 0);
		EXPECT_EQ(rule->verdict.action, SECCOMP_ACTION_ERRNO);
	}
}

TEST("clone3 and calls that merely tell more are ENOSYS, which programs take for an old kernel")
{
	static const char *const names[] = { "clone3", "statmount", "listmount", "listns" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		EXPECT_EQ(find(names[i], NULL)->verdict.data, ENOSYS);
}

TEST("no rule stands behind one of the same call that decides everything")
{
	const struct seccomp_plan *plan = seccomp_plan_default();

	for (size_t i = 0; i < plan->n_rules; i++) {
		const struct seccomp_rule *rule = &plan->rules[i];

		printf("%s\n", rule->name);
		if (rule->n_compares == 0)
			EXPECT_NULL(find(rule->name, rule));
	}
}

static bool is_pointer(const struct seccomp_rule *rule, const struct seccomp_compare *compare)
{
	return strcmp(rule->name, "prlimit64") == 0 && compare->arg == 2;
}

TEST("every comparison can hold and is masked to what the kernel reads")
{
	const struct seccomp_plan *plan = seccomp_plan_default();

	for (size_t i = 0; i < plan->n_rules; i++)
		for (unsigned int j = 0; j < plan->rules[i].n_compares; j++) {
			const struct seccomp_compare *compare = &plan->rules[i].compares[j];

			printf("%s %u\n", plan->rules[i].name, j);
			EXPECT_LT(compare->arg, SECCOMP_ARGS);
			EXPECT_EQ(compare->op, SECCOMP_OP_MASKED_EQ);
			EXPECT_EQ(compare->value & ~compare->mask, 0);
			EXPECT_NE(compare->mask, 0);
			/* a pointer is compared whole, an int by its low half */
			EXPECT_EQ(compare->mask >> 32,
				  is_pointer(&plan->rules[i], compare) ? 0xffffffff : 0);
		}
}

TEST("every rule refuses, or permits before a later rule of its call refuses")
{
	const struct seccomp_plan *plan = seccomp_plan_default();

	for (size_t i = 0; i < plan->n_rules; i++) {
		const struct seccomp_rule *rule = &plan->rules[i];

		printf("%s\n", rule->name);
		if (rule->verdict.action == SECCOMP_ACTION_ALLOW) {
			EXPECT_NOT_NULL(find(rule->name, rule));
		} else {
			EXPECT_EQ(rule->verdict.action, SECCOMP_ACTION_ERRNO);
			EXPECT_TRUE(rule->verdict.data == EPERM || rule->verdict.data == ENOSYS ||
				    rule->verdict.data == EAFNOSUPPORT ||
				    rule->verdict.data == EPROTONOSUPPORT);
		}
	}
}

TEST("socket answers with the errno that the hooks use for the same reason")
{
	const struct seccomp_rule *rule = NULL, *last = NULL;

	while ((rule = find("socket", rule))) {
		last = rule;
		if (rule->n_compares > 0 && rule->verdict.action == SECCOMP_ACTION_ERRNO)
			EXPECT_EQ((int)rule->verdict.data, reason_errno(REASON_SOCKET_TYPE));
	}
	EXPECT_EQ(last->n_compares, 0);
	EXPECT_EQ((int)last->verdict.data, reason_errno(REASON_FAMILY));
}

TEST("no call is in the table that this test does not know")
{
	const struct seccomp_plan *plan = seccomp_plan_default();

	for (size_t i = 0; i < plan->n_rules; i++) {
		const char *name = plan->rules[i].name;
		bool known = plan->rules[i].verdict.data == ENOSYS;

		for (size_t j = 0; j < sizeof(refused) / sizeof(*refused); j++)
			known |= strcmp(refused[j], name) == 0;
		for (size_t j = 0; j < sizeof(judged) / sizeof(*judged); j++)
			known |= strcmp(judged[j], name) == 0;
		/* Gone from kernels long ago; they only close gaps between neighbours. */
		known |= strstr(name, "create_module") || strstr(name, "query_module") ||
			 strstr(name, "get_kernel_syms");
		printf("%s\n", name);
		EXPECT_TRUE(known);
	}
}

TEST("known numbers are ascending spans that do not touch")
{
	const struct seccomp_plan *plan = seccomp_plan_default();

	for (int arch = 0; arch < SECCOMP_ARCH_COUNT; arch++) {
		ASSERT_GT(plan->n_known[arch], 0);
		for (size_t i = 0; i < plan->n_known[arch]; i++) {
			EXPECT_LE(plan->known[arch][i].first, plan->known[arch][i].last);
			if (i > 0)
				EXPECT_GT(plan->known[arch][i].first,
					  plan->known[arch][i - 1].last + 1);
		}
	}
}

TEST("names are those of the OCI runtime specification")
{
	EXPECT_STREQ(seccomp_action_name(SECCOMP_ACTION_ERRNO), "SCMP_ACT_ERRNO");
	EXPECT_STREQ(seccomp_op_name(SECCOMP_OP_MASKED_EQ), "SCMP_CMP_MASKED_EQ");
	EXPECT_STREQ(seccomp_arch_name(SECCOMP_ARCH_AARCH64), "SCMP_ARCH_AARCH64");
	EXPECT_TRUE(seccomp_action_takes_data(SECCOMP_ACTION_TRACE));
	EXPECT_FALSE(seccomp_action_takes_data(SECCOMP_ACTION_TRAP));
	EXPECT_TRUE(seccomp_action_permits(SECCOMP_ACTION_LOG));
	EXPECT_FALSE(seccomp_action_permits(SECCOMP_ACTION_TRACE));
}

TEST("a plan can be freed twice, and an empty one")
{
	struct seccomp_plan plan = { 0 };

	seccomp_plan_deinit(&plan);
	plan.owned = calloc(1, sizeof(*plan.owned));
	plan.rules = plan.owned;
	seccomp_plan_deinit(&plan);
	seccomp_plan_deinit(&plan);
	EXPECT_NULL(plan.rules);
}
