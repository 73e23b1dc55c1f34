// SPDX-License-Identifier: GPL-2.0-only
/*
 * Device nodes and sysctl: what a sandbox needs of /dev, and nothing of /proc/sys but reading.
 */
#include "session.bpf.h"

#define MEM_MAJOR 1
#define TTY_AUX_MAJOR 5
#define PTS_MAJOR 136
#define PTS_MAJORS 8

/* Numbers of Documentation/admin-guide/devices.txt. */
static __always_inline int device_is_offered(__u32 major, __u32 minor)
{
	switch (major) {
	case MEM_MAJOR: /* null, zero, full, random, urandom */
		return minor == 3 || minor == 5 || minor == 7 || minor == 8 || minor == 9;
	case TTY_AUX_MAJOR: /* tty, ptmx */
		return minor == 0 || minor == 2;
	default:
		return major >= PTS_MAJOR && major < PTS_MAJOR + PTS_MAJORS;
	}
}

SEC("cgroup/dev")
int reeve_device(struct bpf_cgroup_dev_ctx *ctx)
{
	struct attempt attempt = { .hook = EVENT_DEVICE, .protocol = ctx->minor, .port = ctx->major };
	__u32 type = ctx->access_type & 0xffff, access = ctx->access_type >> 16;
	enum reason reason = REASON_OK;
	struct session session;

	session_of_current(&session);
	if (!session.policy)
		reason = REASON_NO_SESSION;
	else if (access & BPF_DEVCG_ACC_MKNOD || type != BPF_DEVCG_DEV_CHAR ||
		 !device_is_offered(ctx->major, ctx->minor))
		reason = REASON_DEVICE;
	return verdict_call(&session, &attempt, reason);
}

SEC("cgroup/sysctl")
int reeve_sysctl(struct bpf_sysctl *ctx)
{
	struct attempt attempt = { .hook = EVENT_SYSCTL };
	struct session session;

	if (!ctx->write)
		return ALLOW;
	session_of_current(&session);
	return verdict_call(&session, &attempt, session.policy ? REASON_SYSCTL : REASON_NO_SESSION);
}
