/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What exactly will be done for a spec on this host: the map entry, the cgroup writes, the namespaces,
 * the addresses, every mount, credentials, seccomp, arguments and environment. Made once, pure, printed
 * by --dry-run, performed by kernel/ to the letter. Owns nothing but what plan_deinit frees.
 */
#ifndef REEVE_PLAN_H
#define REEVE_PLAN_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../include/policy.h"
#include "plan_host.h"
#include "spec.h"

#define PLAN_IFNAME_SIZE 16
#define PLAN_IFNAME_PREFIX "rv" /* and the slot: the host's end of a session's link */

/*
 * What uid 0 needs for files and ids inside, by the numbers of capabilities(7): CHOWN, DAC_OVERRIDE,
 * FOWNER and FSETID to unpack and install, SETGID and SETUID to become another id, KILL to end it
 * again. Not SETFCAP and SETPCAP (nothing may gain a capability), not DAC_READ_SEARCH (opens files by
 * handle), and none over the network, for the namespace is the host's.
 */
#define PLAN_CAPABILITIES (1u << 0 | 1u << 1 | 1u << 3 | 1u << 4 | 1u << 5 | 1u << 6 | 1u << 7)

enum plan_mount_kind {
	PLAN_MOUNT_TMPFS,      /* a new tmpfs at target */
	PLAN_MOUNT_SYSTEM,     /* read-only, nosuid, nodev bind of the host's @source */
	PLAN_MOUNT_SYMLINK,    /* a symlink at target to @source, as the host has it */
	PLAN_MOUNT_TEXT,       /* a file at target with the content @source, mode 0644 */
	PLAN_MOUNT_DEVICE,     /* bind of one device node of the host, checked by major:minor */
	PLAN_MOUNT_INPUT_FILE, /* inputs[input] at target, read-only */
	PLAN_MOUNT_INPUT_DIRECTORY,
	PLAN_MOUNT_OUT,	 /* the request's output directory, writable */
	PLAN_MOUNT_WORK, /* directories of the session that outlive the request, writable */
	PLAN_MOUNT_SITE,
	PLAN_MOUNT_PROC, /* a new procfs, hidepid, with the parts of @source-less masks read-only */
	PLAN_MOUNT_DEVPTS,
	PLAN_MOUNT_MASK_FILE,	   /* /dev/null, checked to be 1:3, over target */
	PLAN_MOUNT_MASK_DIRECTORY, /* an empty read-only tmpfs over target */
	PLAN_MOUNT_READ_ONLY,	   /* target made read-only by a bind onto itself */
	PLAN_MOUNT_DIRECTORY,	   /* an empty directory of the read-only root */
};

struct plan_mount {
	enum plan_mount_kind kind;
	const char *target; /* absolute, inside the sandbox */
	const char *source;
	uint64_t size_bytes; /* of a tmpfs */
	mode_t mode;	     /* of a tmpfs */
	unsigned int major, minor;
	size_t input;
};

/* The name of the host's end of a session's device. */
static inline void plan_ifname(unsigned int slot, char ret[PLAN_IFNAME_SIZE])
{
	snprintf(ret, PLAN_IFNAME_SIZE, PLAN_IFNAME_PREFIX "%u", slot);
}

/*
 * The session's link to the host. IPv4 /30: host .1, sandbox .2; IPv6 /126 the same way, or zero where the
 * host routes no IPv6: connects then fail at once instead of being lost.
 */
struct plan_network {
	bool veth; /* false: loopback only */
	char host_ifname[PLAN_IFNAME_SIZE];
	struct in_addr host_v4, sandbox_v4;
	struct in6_addr host_v6, sandbox_v6;
};

struct plan_limits {
	uint64_t memory_bytes, pids, cpu_millis; /* 0: controller not written */
};

struct plan {
	char session_id[REEVE_SESSION_ID_SIZE];
	char request_id[REEVE_SESSION_ID_SIZE];
	char output_name[40]; /* uuid4: the name of the output directory below the output root */
	unsigned int slot;
	uint32_t uid_base, uid_count;
	uint64_t capabilities; /* mask kept inside the user namespace */
	struct policy policy;  /* deadline and running_since are filled when the request starts */
	uint64_t time_box_ns;
	struct rate_card rates;
	struct plan_limits limits;
	struct plan_network network;
	struct plan_mount *mounts;
	size_t n_mounts;
	char **argv;
	char **envp;
	const char *cwd;
	const char *hostname;
	const char *seccomp_profile; /* NULL: the default */
	char **owned;		     /* strings made while planning */
	size_t n_owned;
};

/*
 * Makes the plan. Returns 0, -ENOMEM, or FAULT_E_SET: equal basenames, or a limit asked for whose
 * controller the host does not give.
 */
int plan_make(const struct spec *spec, const struct plan_host *host, const struct plan_input *inputs,
	      size_t n_inputs, struct plan *ret, struct fault *ret_fault);
void plan_deinit(struct plan *plan);
#define _cleanup_plan_ _cleanup_(plan_deinit)

#endif
