// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plan as a document for people, the only one that is laid out over many lines. All that will be
 * done is in it; numbers that have names are named. Paths of inputs come from the spec, since the
 * plan itself knows them as opened descriptors. The tree has one owner, its root; parts are built
 * under it at once.
 */
#include "plan_json.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>

#include "../model/rate.h"
#include "json.h"
#include "limits_json.h"
#include "seccomp_json.h"

/* A switch and no table: the compiler names a kind that was added and has no name. */
static const char *mount_kind_name(enum plan_mount_kind kind)
{
	switch (kind) {
	case PLAN_MOUNT_TMPFS:
		return "tmpfs";
	case PLAN_MOUNT_SYSTEM:
		return "system";
	case PLAN_MOUNT_SYMLINK:
		return "symlink";
	case PLAN_MOUNT_TEXT:
		return "text";
	case PLAN_MOUNT_DEVICE:
		return "device";
	case PLAN_MOUNT_INPUT_FILE:
		return "input-file";
	case PLAN_MOUNT_INPUT_DIRECTORY:
		return "input-directory";
	case PLAN_MOUNT_OUT:
		return "out";
	case PLAN_MOUNT_WORK:
		return "workspace";
	case PLAN_MOUNT_SITE:
		return "site";
	case PLAN_MOUNT_PROC:
		return "proc";
	case PLAN_MOUNT_DEVPTS:
		return "devpts";
	case PLAN_MOUNT_MASK_FILE:
		return "mask-file";
	case PLAN_MOUNT_MASK_DIRECTORY:
		return "mask-directory";
	case PLAN_MOUNT_READ_ONLY:
		return "read-only";
	case PLAN_MOUNT_DIRECTORY:
		return "directory";
	}
	return NULL;
}

static bool add_strings(cJSON *root, const char *key, char *const *strings)
{
	cJSON *array = cJSON_AddArrayToObject(root, key);

	for (; array && *strings; strings++)
		if (!json_append_text(array, *strings))
			return false;
	return array;
}

static bool add_user(cJSON *root, const struct plan *plan)
{
	cJSON *object = cJSON_AddObjectToObject(root, "user");
	char mask[17];

	snprintf(mask, sizeof(mask), "%016" PRIx64, plan->capabilities);
	return json_add_u64(object, "slot", plan->slot) &&
	       json_add_u64(object, "uid_base", plan->uid_base) &&
	       json_add_u64(object, "uid_count", plan->uid_count) &&
	       json_add_text(object, "capabilities", mask);
}

static bool add_rates(cJSON *policy, const struct rate_card *rates)
{
	cJSON *object = cJSON_AddObjectToObject(policy, "rates");

#define X(unit) &&json_add_u64(object, #unit "_ucents", rates->unit##_ucents)
	return object RATE_UNITS(X);
#undef X
}

static bool add_policy(cJSON *root, const struct plan *plan, const struct spec *spec)
{
	cJSON *object = cJSON_AddObjectToObject(root, "policy");

	return json_add_text(object, "egress", spec_egress_name(spec->egress)) &&
	       json_add_u64_or_null(object, "cpu_cap_ns", plan->policy.cpu_cap_ns, POLICY_UNLIMITED) &&
	       json_add_u64_or_null(object, "money_cap_ucents", plan->policy.money_cap_ucents,
				    POLICY_UNLIMITED) &&
	       json_add_u64(object, "time_box_ns", plan->time_box_ns) &&
	       add_rates(object, &plan->rates);
}

static bool add_address(cJSON *object, const char *key, int family, const void *address)
{
	char text[INET6_ADDRSTRLEN];

	if (family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED((const struct in6_addr *)address))
		return json_add_null(object, key);
	inet_ntop(family, address, text, sizeof(text));
	return json_add_text(object, key, text);
}

static bool add_network(cJSON *root, const struct plan_network *network)
{
	cJSON *object;

	if (!network->veth)
		return json_add_null(root, "network");
	object = cJSON_AddObjectToObject(root, "network");
	return json_add_text(object, "host_ifname", network->host_ifname) &&
	       add_address(object, "host_v4", AF_INET, &network->host_v4) &&
	       add_address(object, "sandbox_v4", AF_INET, &network->sandbox_v4) &&
	       add_address(object, "host_v6", AF_INET6, &network->host_v6) &&
	       add_address(object, "sandbox_v6", AF_INET6, &network->sandbox_v6);
}

static const char *mount_source(const struct plan_mount *mount, const struct spec *spec)
{
	bool input = mount->kind == PLAN_MOUNT_INPUT_FILE ||
		     mount->kind == PLAN_MOUNT_INPUT_DIRECTORY;

	return input && mount->input < spec->n_inputs ? spec->inputs[mount->input].path
						      : mount->source;
}

static bool add_mount(cJSON *array, const struct plan_mount *mount, const struct spec *spec)
{
	cJSON *object = cJSON_CreateObject();
	char mode[16], device[32];

	if (!cJSON_AddItemToArray(array, object))
		return false;
	snprintf(mode, sizeof(mode), "%04o", (unsigned int)mount->mode & 07777);
	snprintf(device, sizeof(device), "%u:%u", mount->major, mount->minor);
	return json_add_text(object, "kind", mount_kind_name(mount->kind)) &&
	       json_add_text(object, "target", mount->target) &&
	       json_add_text(object, "source", mount_source(mount, spec)) &&
	       json_add_u64_or_null(object, "size_bytes", mount->size_bytes, 0) &&
	       json_add_text(object, "mode", mount->kind == PLAN_MOUNT_TMPFS ? mode : NULL) &&
	       json_add_text(object, "device", mount->kind == PLAN_MOUNT_DEVICE ? device : NULL);
}

static bool add_mounts(cJSON *root, const struct plan *plan, const struct spec *spec)
{
	cJSON *array = cJSON_AddArrayToObject(root, "mounts");
	size_t i;

	for (i = 0; array && i < plan->n_mounts; i++)
		if (!add_mount(array, &plan->mounts[i], spec))
			return false;
	return array;
}

static bool add_plan(cJSON *root, const struct plan *plan, const struct spec *spec,
		     const struct seccomp_plan *seccomp)
{
	return json_add_text(root, "session_id", plan->session_id) &&
	       json_add_text(root, "request_id", plan->request_id) &&
	       json_add_text(root, "output_name", plan->output_name) &&
	       json_add_text(root, "image", spec->image ? spec->image : SPEC_IMAGE_HOST) &&
	       add_strings(root, "command", plan->argv) &&
	       add_strings(root, "environment", plan->envp) &&
	       json_add_text(root, "cwd", plan->cwd) &&
	       json_add_text(root, "hostname", plan->hostname) && add_user(root, plan) &&
	       add_policy(root, plan, spec) && limits_json_add(root, &plan->limits) &&
	       add_network(root, &plan->network) &&
	       seccomp_json_add(root, seccomp, plan->seccomp_profile) &&
	       add_mounts(root, plan, spec);
}

int plan_json_print(const struct plan *plan, const struct spec *spec,
		    const struct seccomp_plan *seccomp, char **ret)
{
	_cleanup_json_ cJSON *root = cJSON_CreateObject();

	if (!root || !add_plan(root, plan, spec, seccomp))
		return -ENOMEM;
	return json_print(root, true, ret);
}
