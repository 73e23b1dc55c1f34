// SPDX-License-Identifier: GPL-2.0-only
/*
 * Planning: a spec and the facts of the host in, every privileged act out. Pure: no file, no clock, no
 * system call.
 *
 * What every sandbox gets is in the tables of image.c; what depends on the host (the entries of
 * plan_host_root that exist) or on the request (its inputs) is added between them. Rows of one kind are
 * performed in the plan's order, kinds in the order of the isolation table of kernel/child.c.
 *
 * The plan owns copies of all that it took from the spec and the host; the rest points into constant
 * tables. A half-made plan is freed like a whole one.
 */
#include "plan.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/macro.h"
#include "image.h"

#define ADDRESSES_PER_SLOT 4
#define HOST_ADDRESS 1
#define SANDBOX_ADDRESS 2

static const char hostname[] = "reeve";

/* A copy that the plan owns; NULL when there is no memory. */
static char *own(struct plan *plan, const char *text)
{
	char **owned = realloc(plan->owned, (plan->n_owned + 1) * sizeof(*owned));
	char *copy;

	if (!owned)
		return NULL;
	plan->owned = owned;
	copy = strdup(text);
	if (copy)
		owned[plan->n_owned++] = copy;
	return copy;
}

static char *own_joined(struct plan *plan, const char *directory, const char *name)
{
	char text[REEVE_PATH_MAX];

	snprintf(text, sizeof(text), "%s/%s", directory, name);
	return own(plan, text);
}

/* What a session leaves in its home is there for its next request. */
static char *environment_entry(const char *entry, const struct plan_host *host)
{
	return (char *)(host->has_workspace && strncmp(entry, "HOME=", 5) == 0 ? "HOME=/workspace"
									       : entry);
}

static int plan_arguments(struct plan *plan, const struct spec *spec, const struct plan_host *host)
{
	size_t n_env = 0;

	while (image_environment[n_env])
		n_env++;
	plan->argv = calloc(spec->n_argv + 1, sizeof(*plan->argv));
	plan->envp = calloc(n_env + 1, sizeof(*plan->envp));
	if (!plan->argv || !plan->envp)
		return -ENOMEM;
	for (size_t i = 0; i < spec->n_argv; i++) {
		plan->argv[i] = own(plan, spec->argv[i]);
		if (!plan->argv[i])
			return -ENOMEM;
	}
	for (size_t i = 0; i < n_env; i++)
		plan->envp[i] = environment_entry(image_environment[i], host);
	if (spec->seccomp_profile) {
		plan->seccomp_profile = own(plan, spec->seccomp_profile);
		if (!plan->seccomp_profile)
			return -ENOMEM;
	}
	plan->cwd = host->has_workspace ? "/workspace" : "/out";
	plan->hostname = hostname;
	return 0;
}

static enum policy_egress policy_egress(enum spec_egress egress)
{
	switch (egress) {
	case SPEC_EGRESS_PUBLIC:
		return POLICY_EGRESS_PUBLIC;
	case SPEC_EGRESS_PACKAGE_MANAGERS:
		return POLICY_EGRESS_PACKAGE_MANAGERS;
	case SPEC_EGRESS_NONE:
		break;
	}
	return POLICY_EGRESS_NONE;
}

static void plan_policy(struct plan *plan, const struct spec *spec)
{
	plan->policy = (struct policy){
		.generation = 1,
		.state = POLICY_PROOF,
		.egress = policy_egress(spec->egress),
		.cpu_cap_ns = spec->cpu_cap_ns,
		.money_cap_ucents = spec->money_cap_ucents,
		.money_settled_ucents = spec->rates.request_ucents + spec->rates.step_ucents,
		.deadline_ns = POLICY_UNLIMITED,
		.rates = {
			.cpu_second_ucents = spec->rates.cpu_second_ucents,
			.wall_minute_ucents = spec->rates.wall_minute_ucents,
			.egress_gib_ucents = spec->rates.egress_gib_ucents,
		},
	};
	plan->policy.ring = plan->slot;
	memcpy(plan->policy.session, plan->session_id, sizeof(plan->policy.session));
	plan->rates = spec->rates;
	plan->time_box_ns = spec->time_box_ns;
}

/* What is asked for must be given; a default goes where the host cannot give it. */
static int plan_limit(uint64_t asked, uint64_t by_default, bool available, const char *controller,
		      uint64_t *ret, struct fault *ret_fault)
{
	if (asked && !available)
		return fault_set(ret_fault, FAULT_LIMIT, controller,
				 "give the controller to the parent cgroup, or leave the limit away",
				 "the limit %llu needs the cgroup2 controller \"%s\", which the parent "
				 "cgroup does not have",
				 (unsigned long long)asked, controller);
	*ret = asked ? asked : available ? by_default : 0;
	return 0;
}

static int plan_limits(struct plan *plan, const struct spec *spec, const struct plan_host *host,
		       struct fault *ret_fault)
{
	int r = plan_limit(spec->memory_bytes, REEVE_MEMORY_BYTES_DEFAULT, host->has_memory,
			   "memory", &plan->limits.memory_bytes, ret_fault);

	if (r == 0)
		r = plan_limit(spec->pids, REEVE_PIDS_DEFAULT, host->has_pids, "pids",
			       &plan->limits.pids, ret_fault);
	if (r == 0)
		r = plan_limit(spec->cpu_millis, 0, host->has_cpu, "cpu", &plan->limits.cpu_millis,
			       ret_fault);
	return r;
}

static struct in_addr add_v4(struct in_addr base, uint32_t n)
{
	return (struct in_addr){ .s_addr = htonl(ntohl(base.s_addr) + n) };
}

/* The pool is a /64 and its low half zero, so that nothing carries beyond the last 32 bits. */
static struct in6_addr add_v6(struct in6_addr base, uint32_t n)
{
	base.s6_addr32[3] = htonl(ntohl(base.s6_addr32[3]) + n);
	return base;
}

static void plan_network(struct plan *plan, const struct spec *spec, const struct plan_host *host)
{
	struct plan_network *net = &plan->network;
	const uint32_t first = host->slot * ADDRESSES_PER_SLOT;

	net->veth = spec->egress != SPEC_EGRESS_NONE;
	if (!net->veth)
		return;
	plan_ifname(host->slot, net->host_ifname);
	net->host_v4 = add_v4(host->pool_v4, first + HOST_ADDRESS);
	net->sandbox_v4 = add_v4(host->pool_v4, first + SANDBOX_ADDRESS);
	if (IN6_IS_ADDR_UNSPECIFIED(&host->pool_v6))
		return;
	net->host_v6 = add_v6(host->pool_v6, first + HOST_ADDRESS);
	net->sandbox_v6 = add_v6(host->pool_v6, first + SANDBOX_ADDRESS);
}

static void mounts_add(struct plan *plan, const struct plan_mount *m)
{
	plan->mounts[plan->n_mounts++] = *m;
}

static void mounts_add_image(struct plan *plan, const struct image_mounts *image)
{
	for (size_t i = 0; i < image->n; i++)
		mounts_add(plan, &image->mounts[i]);
}

static int mounts_add_host_root(struct plan *plan, const struct plan_host *host)
{
	size_t n_paths;
	const char *const *paths = plan_host_root(&n_paths);

	for (size_t i = 0; i < host->n_root && i < n_paths; i++) {
		const struct plan_host_entry *entry = &host->root[i];
		struct plan_mount m = { .target = paths[i], .source = paths[i] };

		if (entry->kind == PLAN_HOST_ABSENT)
			continue;
		m.kind = PLAN_MOUNT_SYSTEM;
		if (entry->kind == PLAN_HOST_SYMLINK) {
			m.kind = PLAN_MOUNT_SYMLINK;
			m.source = own(plan, entry->link);
			if (!m.source)
				return -ENOMEM;
		}
		mounts_add(plan, &m);
	}
	return 0;
}

static int mounts_add_resolv_conf(struct plan *plan, const struct plan_host *host)
{
	struct plan_mount m = { .kind = PLAN_MOUNT_TEXT, .target = "/etc/resolv.conf" };

	m.source = own(plan, host->resolv_conf ? host->resolv_conf : "");
	if (!m.source)
		return -ENOMEM;
	mounts_add(plan, &m);
	return 0;
}

static int mounts_add_inputs(struct plan *plan, const struct plan_input *inputs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct plan_mount m = { .input = i };

		m.kind = inputs[i].kind == SPEC_INPUT_FILE ? PLAN_MOUNT_INPUT_FILE
							   : PLAN_MOUNT_INPUT_DIRECTORY;
		m.target = own_joined(plan, "/in", inputs[i].basename);
		if (!m.target)
			return -ENOMEM;
		mounts_add(plan, &m);
	}
	return 0;
}

static const struct plan_mount workspace_mounts[] = {
	{ .kind = PLAN_MOUNT_WORK, .target = "/workspace" },
	{ .kind = PLAN_MOUNT_SITE, .target = "/site" },
};

static int plan_mounts(struct plan *plan, const struct plan_host *host,
		       const struct plan_input *inputs, size_t n_inputs)
{
	int r;

	plan->mounts = calloc(image_first.n + host->n_root + 1 + image_fixed.n + n_inputs +
				      ARRAY_SIZE(workspace_mounts) + image_last.n,
			      sizeof(*plan->mounts));
	if (!plan->mounts)
		return -ENOMEM;
	mounts_add_image(plan, &image_first);
	r = mounts_add_host_root(plan, host);
	if (r == 0)
		r = mounts_add_resolv_conf(plan, host);
	if (r < 0)
		return r;
	mounts_add_image(plan, &image_fixed);
	r = mounts_add_inputs(plan, inputs, n_inputs);
	if (r < 0)
		return r;
	for (size_t i = 0; host->has_workspace && i < ARRAY_SIZE(workspace_mounts); i++)
		mounts_add(plan, &workspace_mounts[i]);
	mounts_add_image(plan, &image_last);
	return 0;
}

static int check_inputs(const struct spec *spec, const struct plan_input *inputs, size_t n,
			struct fault *ret_fault)
{
	for (size_t i = 0; i < n; i++) {
		if (strlen(inputs[i].basename) > NAME_MAX)
			return -ENAMETOOLONG;
		for (size_t j = 0; j < i; j++) {
			if (strcmp(inputs[i].basename, inputs[j].basename) != 0)
				continue;
			return fault_set(ret_fault, FAULT_INPUT, spec->inputs[i].path,
					 "rename one of them, or give a directory that has both",
					 "both \"%.200s\" and \"%.200s\" would be /in/%s",
					 spec->inputs[j].path, spec->inputs[i].path,
					 inputs[i].basename);
		}
	}
	return 0;
}

static void plan_names(struct plan *plan, const struct plan_host *host)
{
	snprintf(plan->session_id, sizeof(plan->session_id), "%s", host->session_id);
	snprintf(plan->request_id, sizeof(plan->request_id), "%s", host->request_id);
	snprintf(plan->output_name, sizeof(plan->output_name), "%s", host->output_name);
	plan->slot = host->slot;
	plan->uid_base = REEVE_UID_BASE + host->slot * REEVE_UIDS_PER_SLOT;
	plan->uid_count = REEVE_UIDS_PER_SLOT;
	plan->capabilities = PLAN_CAPABILITIES;
}

int plan_make(const struct spec *spec, const struct plan_host *host, const struct plan_input *inputs,
	      size_t n_inputs, struct plan *ret, struct fault *ret_fault)
{
	_cleanup_plan_ struct plan plan = { 0 };
	int r;

	if (host->slot >= REEVE_SLOTS_MAX || n_inputs > REEVE_INPUTS_MAX || n_inputs != spec->n_inputs)
		return -EINVAL;
	r = check_inputs(spec, inputs, n_inputs, ret_fault);
	if (r != 0)
		return r;
	plan_names(&plan, host);
	plan_policy(&plan, spec);
	plan_network(&plan, spec, host);
	r = plan_limits(&plan, spec, host, ret_fault);
	if (r == 0)
		r = plan_arguments(&plan, spec, host);
	if (r == 0)
		r = plan_mounts(&plan, host, inputs, n_inputs);
	if (r != 0)
		return r;
	*ret = plan;
	plan = (struct plan){ 0 };
	return 0;
}

void plan_deinit(struct plan *plan)
{
	for (size_t i = 0; i < plan->n_owned; i++)
		free(plan->owned[i]);
	free(plan->owned);
	free(plan->mounts);
	free(plan->argv);
	free(plan->envp);
	*plan = (struct plan){ 0 };
}
