// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading happens in a directory beside the real one, which takes its name in one rename when every
 * program is attached and every pin made: a loader that dies in the middle leaves a guard that no
 * session was ever started under, and the next run removes it.
 *
 * Opening trusts nothing but what it reads back: the pinned host record must name this build, this
 * parent cgroup and this network namespace, and each link must still hang on that cgroup. A link whose
 * cgroup was removed and made again shows another id and is refused.
 */
#include "guard.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "guard_load.h"

const char *const guard_map_names[GUARD_MAP_COUNT] = {
	[GUARD_POLICIES] = "policies",	 [GUARD_USAGES] = "usages",
	[GUARD_EVENTS] = "events",	 [GUARD_PREFIXES] = "prefixes",
	[GUARD_ADDRESSES] = "addresses", [GUARD_NAMES] = "names",
	[GUARD_FLOWS] = "flows",	 [GUARD_HALF_FLOWS] = "half_flows",
	[GUARD_READINGS] = "readings",	 [GUARD_NETDEVS] = "netdevs",
	[GUARD_HOST] = "host",		 [GUARD_DNS_SOCKETS] = "dns_sockets",
};

const struct guard_hook guard_hooks[] = {
	{ "reeve_connect4", "private addresses: connect", false },
	{ "reeve_connect6", "private addresses: connect, IPv6", false },
	{ "reeve_sendmsg4", "private addresses: datagrams", false },
	{ "reeve_sendmsg6", "private addresses: datagrams, IPv6", false },
	{ "reeve_recvmsg4", "answers of the resolver seem to come from who was asked", false },
	{ "reeve_recvmsg6", "answers of the resolver seem to come from who was asked, IPv6", false },
	{ "reeve_peername4", "the resolver bears the name of who was asked", false },
	{ "reeve_peername6", "the resolver bears the name of who was asked, IPv6", false },
	{ "reeve_bind4", "no server towards the outside", false },
	{ "reeve_bind6", "no server towards the outside, IPv6", false },
	{ "reeve_socket", "only TCP and UDP sockets", false },
	{ "reeve_sockopt", "no option that reroutes packets", false },
	{ "reeve_egress", "every packet out is judged and counted", false },
	{ "reeve_ingress", "every packet in is judged and counted", false },
	{ "reeve_device", "device nodes", false },
	{ "reeve_sysctl", "sysctl is read-only", false },
	{ "reeve_meter", "CPU time, caps and the time box", false },
	{ "reeve_unix_conn", "unix sockets obey the session's state", true },
	{ "reeve_unix_send", "unix sockets obey the session's state", true },
	{},
};

static int pin_get(const char *pin_dir, const char *kind, const char *name)
{
	char path[REEVE_PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s/%s", pin_dir, kind, name);
	fd = bpf_obj_get(path);
	return fd < 0 ? -errno : fd;
}

bool guard_exists(const char *pin_dir)
{
	return access(pin_dir, F_OK) == 0;
}

int guard_parent_id(const char *pin_dir, uint64_t *ret)
{
	_cleanup_fd_ int fd = pin_get(pin_dir, "maps", guard_map_names[GUARD_HOST]);
	struct host host;
	__u32 key = 0;

	if (fd < 0)
		return fd;
	if (bpf_map_lookup_elem(fd, &key, &host))
		return -errno;
	*ret = host.parent_cgroup;
	return 0;
}

static int fault_pins(struct fault *ret, const char *pin_dir, const char *what)
{
	return fault_set(ret, FAULT_ENFORCEMENT, "--pin-dir",
			 "run \"reeve gc --all\" to remove the old programs, or give another --pin-dir",
			 "%s: %s", pin_dir, what);
}

/* @r is why @what cannot be had: only what is not there is for gc to clear away. */
static int fault_pin(struct fault *ret, const char *pin_dir, int r, const char *what)
{
	char missing[160];

	snprintf(missing, sizeof(missing), "%s is missing", what);
	if (r == -ENOENT)
		return fault_pins(ret, pin_dir, missing);
	return fault_set_errno(ret, FAULT_ENFORCEMENT, "--pin-dir",
			       "look at the pins with \"bpftool\" and at the kernel's log", -r,
			       "%s: %s cannot be opened", pin_dir, what);
}

static int host_check(const struct host *host, const struct guard_place *place,
		      struct fault *ret_fault)
{
	if (host->build != guard_load_build())
		return fault_pins(ret_fault, place->pin_dir,
				  "the pinned programs are another build's");
	if (host->parent_cgroup != place->parent_id || host->session_level != place->parent_level + 1)
		return fault_pins(ret_fault, place->pin_dir,
				  "the pinned programs hang on another parent cgroup");
	if (host->netns != place->netns)
		return fault_pins(ret_fault, place->pin_dir,
				  "the pinned programs belong to another network namespace");
	return 0;
}

static int link_check(const struct guard_place *place, const struct guard_hook *hook,
		      bool *ret_there, struct fault *ret_fault)
{
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);
	char what[128];
	_cleanup_fd_ int fd = pin_get(place->pin_dir, "links", hook->program);
	int r = fd < 0 ? fd : 0;

	*ret_there = fd >= 0;
	if (fd == -ENOENT && hook->optional)
		return 0;
	snprintf(what, sizeof(what), "the link %s", hook->program);
	if (!r && bpf_obj_get_info_by_fd(fd, &info, &len))
		r = -errno;
	/* a link whose cgroup was removed and made again */
	if (!r && info.type == BPF_LINK_TYPE_CGROUP && info.cgroup.cgroup_id != place->parent_id)
		r = -ENOENT;
	return r ? fault_pin(ret_fault, place->pin_dir, r, what) : 0;
}

static int guard_open_pins(const struct guard_place *place, struct guard *ret, struct fault *ret_fault)
{
	__u32 key = 0;
	bool there;
	int r;

	for (unsigned int i = 0; i < GUARD_MAP_COUNT; i++) {
		ret->maps[i] = pin_get(place->pin_dir, "maps", guard_map_names[i]);
		if (ret->maps[i] < 0)
			return fault_pin(ret_fault, place->pin_dir, ret->maps[i], "a pinned map");
	}
	if (bpf_map_lookup_elem(ret->maps[GUARD_HOST], &key, &ret->host))
		return fault_pin(ret_fault, place->pin_dir, -errno, "the host record");
	r = host_check(&ret->host, place, ret_fault);
	if (r)
		return r;
	for (const struct guard_hook *hook = guard_hooks; hook->program; hook++) {
		r = link_check(place, hook, &there, ret_fault);
		if (r)
			return r;
		if (hook->optional)
			ret->unix_hooks = there;
	}
	ret->link_out_fd = pin_get(place->pin_dir, "progs", "reeve_link_out");
	ret->link_in_fd = pin_get(place->pin_dir, "progs", "reeve_link_in");
	if (ret->link_out_fd < 0 || ret->link_in_fd < 0)
		return fault_pin(ret_fault, place->pin_dir,
				 ret->link_out_fd < 0 ? ret->link_out_fd : ret->link_in_fd,
				 "a program of the device");
	return 0;
}

int guard_check_pin_dir(const char *pin_dir, struct fault *ret_fault)
{
	_cleanup_free_ char *parent = strdup(pin_dir);
	struct statfs fs;
	char *slash;

	if (!parent)
		return -ENOMEM;
	slash = strrchr(parent, '/');
	if (pin_dir[0] != '/' || slash == parent || !slash[1])
		return fault_set(ret_fault, FAULT_USAGE, "--pin-dir",
				 "give a directory on a bpffs, /sys/fs/bpf/reeve for example",
				 "\"%s\" is not an absolute path below a bpffs", pin_dir);
	*slash = '\0';
	if (statfs(parent, &fs))
		return fault_set_errno(ret_fault, FAULT_ENFORCEMENT, "--pin-dir",
				       "make the directory, on a bpffs", errno, "%s", parent);
	if ((unsigned long)fs.f_type != BPF_FS_MAGIC)
		return fault_set(ret_fault, FAULT_ENFORCEMENT, "--pin-dir",
				 "mount one: mount -t bpf -o mode=0700 bpf /sys/fs/bpf",
				 "%s is not on a bpffs", parent);
	return 0;
}

int guard_open(const struct guard_place *place, struct guard *ret, struct fault *ret_fault)
{
	_cleanup_guard_ struct guard guard = GUARD_INIT;
	int r = guard_check_pin_dir(place->pin_dir, ret_fault);

	if (r)
		return r;
	if (!guard_exists(place->pin_dir)) {
		r = guard_load(place, ret_fault);
		if (r)
			return r;
	}
	r = guard_open_pins(place, &guard, ret_fault);
	if (r)
		return r;
	*ret = guard;
	guard = (struct guard)GUARD_INIT;
	return 0;
}

void guard_close(struct guard *guard)
{
	for (unsigned int i = 0; i < GUARD_MAP_COUNT; i++)
		fd_close(&guard->maps[i]);
	fd_close(&guard->link_out_fd);
	fd_close(&guard->link_in_fd);
}

static void dir_close(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static int pins_remove(int pin_dir_fd, const char *kind)
{
	int fd = openat(pin_dir_fd, kind, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	_cleanup_(dir_close) DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		if (unlinkat(fd, entry->d_name, 0))
			return -errno;
	}
	return unlinkat(pin_dir_fd, kind, AT_REMOVEDIR) ? -errno : 0;
}

static int pin_dir_remove(const char *pin_dir)
{
	static const char *const kinds[] = { "links", "progs", "maps" };
	_cleanup_fd_ int fd = open(pin_dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int r = 0;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	for (unsigned int i = 0; !r && i < ARRAY_SIZE(kinds); i++)
		r = pins_remove(fd, kinds[i]);
	return r ? r : rmdir(pin_dir) ? -errno : 0;
}

int guard_remove_halves(const char *pin_dir, struct fault *ret_fault)
{
	static const char *const suffixes[] = { GUARD_LOADING, GUARD_REMOVING };
	char path[REEVE_PATH_MAX];
	int r;

	for (unsigned int i = 0; i < ARRAY_SIZE(suffixes); i++) {
		snprintf(path, sizeof(path), "%s%s", pin_dir, suffixes[i]);
		r = pin_dir_remove(path);
		if (r)
			return fault_set_errno(ret_fault, FAULT_CLEANUP, "--pin-dir",
					       "look with \"bpftool link show\" at who holds it",
					       -r, "%s cannot be removed", path);
	}
	return 0;
}

/* By one rename first: who is killed on the way leaves no half of a guard under its name. */
int guard_remove(const char *pin_dir, struct fault *ret_fault)
{
	char path[REEVE_PATH_MAX];
	int r = guard_remove_halves(pin_dir, ret_fault);

	if (r)
		return r;
	snprintf(path, sizeof(path), "%s" GUARD_REMOVING, pin_dir);
	if (rename(pin_dir, path))
		r = errno == ENOENT ? 0 : -errno;
	else
		r = pin_dir_remove(path);
	if (r)
		return fault_set_errno(ret_fault, FAULT_CLEANUP, "--pin-dir",
				       "look with \"bpftool link show\" at who holds it", -r,
				       "%s cannot be removed", pin_dir);
	return 0;
}
