// SPDX-License-Identifier: GPL-2.0-only
/*
 * This process and the kernel: privilege, namespaces, and the kernel's parts that the sandbox is built
 * of, each tried by itself. A lacking part would end a run too, with the step that needs it.
 */
#include <errno.h>
#include <string.h>

#include "../kernel/netns.h"
#include "../kernel/probe.h"
#include "../kernel/probe_child.h"
#include "../kernel/probe_sandbox.h"
#include "../kernel/userns.h"
#include "doctor_exam.h"

static void privilege(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	struct fault fault = {};
	int r = probe_privilege(&fault);

	(void)exam;
	(void)row;
	if (r)
		exam_fault(check, DOCTOR_MISSING, r, &fault);
	else
		exam_ok(check, "in effect, over the host: %s", probe_privilege_names());
}

static void user_namespace(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	int r = userns_make(REEVE_UID_BASE, REEVE_UIDS_PER_SLOT, &exam->userns_fd);

	(void)row;
	if (r)
		exam_no(check, DOCTOR_MISSING,
			"raise it: sysctl -w user.max_user_namespaces=16384, and see the host's own "
			"bounds (kernel.unprivileged_userns_clone, AppArmor)",
			"no user namespace with %u ids can be made: %s", REEVE_UIDS_PER_SLOT,
			strerror(-r));
	else
		exam_ok(check, "one was made, with %u ids from %u on", REEVE_UIDS_PER_SLOT,
			REEVE_UID_BASE);
}

static void network_namespace(struct exam *exam, const struct exam_row *row,
			      struct doctor_check *check)
{
	struct fault fault = {};
	int r = netns_make(&exam->host_netns_fd, &fault);

	(void)row;
	if (!r)
		r = netns_make(&exam->netns_fd, &fault);
	exam->astray = r == -ENOTRECOVERABLE;
	if (r)
		exam_fault(check, DOCTOR_MISSING, r, &fault);
	else
		exam_ok(check, "two were made, with a loopback of their own");
}

static void part(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	const struct probe_part *tried = &probe_parts[row->which];
	/* without overlays only requests with directories are refused */
	enum doctor_status lacking = row->which == PROBE_PART_OVERLAY ? DOCTOR_DEGRADED
								      : DOCTOR_MISSING;
	const struct probe_child child = {
		.cgroup_fd = -1,
		.netns_fd = -1,
		.namespaces = tried->namespaces,
		.fn = tried->fn,
	};
	struct probe_child_end end = {};
	int r = probe_child_run(&child, &end);

	(void)exam;
	if (!r)
		r = probe_child_errno(&end);
	if (r)
		exam_no(check, lacking, tried->remedy, "refused: %s", strerror(-r));
	else
		exam_ok(check, "%s", tried->text);
}

/* The output root itself may not exist yet. */
static void idmapped_mount(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	const char *path = exam->config->output_root;
	bool there = false;
	int r = probe_idmapped_mount(path, exam->userns_fd, &there);

	(void)row;
	if (r == -ENOENT) {
		path = "/var";
		r = probe_idmapped_mount(path, exam->userns_fd, &there);
	}
	if (r)
		exam_ok(check, "not known for %s: %s", path, strerror(-r));
	else if (there)
		exam_ok(check, "%s can be shown with the sandbox's owners", path);
	else
		exam_ok(check,
			"the file system of %s has none: an input on such a one is readable inside "
			"only as far as everybody may read it",
			path);
}

const struct exam_row exam_host_rows[] = {
	{ "capabilities", PROMISE_SANDBOX, {}, privilege, 0 },
	{ "user-namespace", PROMISE_SANDBOX, { "capabilities" }, user_namespace, 0 },
	{ "network-namespace", PROMISE_NETWORK, { "capabilities" }, network_namespace, 0 },
	{ "namespaces", PROMISE_SANDBOX, { "capabilities" }, part, PROBE_PART_NAMESPACES },
	{ "mount-api", PROMISE_SANDBOX, { "namespaces" }, part, PROBE_PART_MOUNT_API },
	{ "idmapped-mounts", PROMISE_SANDBOX, { "user-namespace", "mount-api" }, idmapped_mount, 0 },
	{ "overlayfs", PROMISE_SANDBOX, { "namespaces" }, part, PROBE_PART_OVERLAY },
	{ "procfs", PROMISE_SANDBOX, { "namespaces" }, part, PROBE_PART_PROCFS },
	{ "seccomp", PROMISE_SECCOMP, { "capabilities" }, part, PROBE_PART_SECCOMP },
	{ "pidfd", PROMISE_CLEANUP, {}, part, PROBE_PART_PIDFD },
	{},
};
