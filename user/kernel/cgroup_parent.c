// SPDX-License-Identifier: GPL-2.0-only
/*
 * The way to the parent of all sessions: the cgroup2 mount, then a path below it.
 *
 * The root cgroup is never a parent: links there would bind the whole machine. An empty path leads to it,
 * so the path is checked before it is walked, and the id after.
 *
 * A cgroup2 mount that shows only a part of the tree (its root is not "/") is passed over: levels below
 * it would not be levels of the tree, and the meter counts those.
 */
#include "cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "../base/macro.h"

#define ROOT_CGROUP_ID 1
/* on a cgroup that was made here: its owner may take it away again */
#define MADE_BY_REEVE "trusted.reeve.made"

_Static_assert(REEVE_PARENT_DEPTH_MAX == 8, "the text of a refused path says eight");

/* Turns the octal escapes of mountinfo back into characters, in place. */
static void mountinfo_unescape(char *s)
{
	char *out = s;

	while (*s) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] && s[3]) {
			*out++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 4;
		} else {
			*out++ = *s++;
		}
	}
	*out = '\0';
}

/* The mount point of a mountinfo line that shows a cgroup2, whole; NULL otherwise. Cuts @line up. */
static char *mountinfo_cgroup2(char *line)
{
	char *fields[5], *rest = line, *type = strstr(line, " - ");

	if (!type || strncmp(type + 3, "cgroup2 ", 8) != 0)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		fields[i] = strsep(&rest, " ");
		if (!rest)
			return NULL;
	}
	if (strcmp(fields[3], "/") != 0)
		return NULL;
	mountinfo_unescape(fields[4]);
	return fields[4];
}

int cgroup_mount_open(int *ret_fd, struct fault *ret_fault)
{
	_cleanup_file_ FILE *f = fopen("/proc/self/mountinfo", "re");
	_cleanup_free_ char *line = NULL;
	size_t size = 0;

	if (!f)
		return fault_set_errno(ret_fault, FAULT_HOST, "/proc/self/mountinfo",
				       "mount procfs on /proc", errno, "cannot read the mounts");
	while (getline(&line, &size, f) > 0) {
		const char *path = mountinfo_cgroup2(line);
		_cleanup_fd_ int fd = -1;
		uint64_t id;

		if (!path)
			continue;
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0 || cgroup_id(fd, &id) < 0)
			continue;
		*ret_fd = fd_take(&fd);
		return 0;
	}
	return fault_set(ret_fault, FAULT_HOST, "cgroup2",
			 "mount it: mount -t cgroup2 none /sys/fs/cgroup, or boot with "
			 "systemd.unified_cgroup_hierarchy=1",
			 "no cgroup2 file system is mounted");
}

/* Splits @path, leading slashes taken off. Returns the number of names, or -EINVAL. */
static int path_split(char *path, char *names[REEVE_PARENT_DEPTH_MAX])
{
	int n = 0;

	for (char *rest = path, *name; (name = strsep(&rest, "/"));) {
		if (!*name)
			continue;
		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || n == REEVE_PARENT_DEPTH_MAX)
			return -EINVAL;
		names[n++] = name;
	}
	return n > 0 ? n : -EINVAL;
}

/* The cgroup at the end of @names; its id tells the root, which a bind mount could have brought in. */
static int path_walk(int mount_fd, char *const *names, int n, bool create, int *ret_fd,
		     uint64_t *ret_id)
{
	_cleanup_fd_ int fd = -1;
	uint64_t id;
	int r = cgroup_open(mount_fd, ".", &fd, &id);

	for (int i = 0; i < n && r == 0; i++) {
		_cleanup_fd_ int above = fd_take(&fd);

		r = cgroup_open(above, names[i], &fd, &id);
		if (r != -ENOENT || !create)
			continue;
		r = cgroup_create(above, names[i], &fd, &id);
		/* without a mark it merely stays */
		if (r == 0)
			fsetxattr(fd, MADE_BY_REEVE, "", 0, 0);
		if (r == -EEXIST)
			r = cgroup_open(above, names[i], &fd, &id);
	}
	if (r < 0)
		return r;
	*ret_fd = fd_take(&fd);
	*ret_id = id;
	return 0;
}

static int refuse(const char *path, const char *what, struct fault *ret_fault)
{
	return fault_set(ret_fault, FAULT_USAGE, "--parent",
			 "name a cgroup below the root, for example reeve.slice",
			 "\"%.200s\" is %s", path, what);
}

/* A path cut into its names, in a copy. */
struct parent_path {
	char copy[REEVE_PATH_MAX], *names[REEVE_PARENT_DEPTH_MAX];
	int n;
};

static int path_parse(const char *path, struct parent_path *ret, struct fault *ret_fault)
{
	ret->n = -EINVAL;
	if (snprintf(ret->copy, sizeof(ret->copy), "%s", path) < (int)sizeof(ret->copy))
		ret->n = path_split(ret->copy, ret->names);
	if (ret->n < 0)
		return refuse(path, "not a path of one to eight names below the cgroup2 mount",
			      ret_fault);
	return 0;
}

int cgroup_parent_open(int mount_fd, const char *path, bool create, int *ret_fd, uint64_t *ret_id,
		       struct fault *ret_fault)
{
	struct parent_path parent;
	_cleanup_fd_ int fd = -1;
	uint64_t id;
	int r = path_parse(path, &parent, ret_fault);

	if (r)
		return r;
	r = path_walk(mount_fd, parent.names, parent.n, create, &fd, &id);
	if (r == -ENOENT && !create)
		return r;
	if (r < 0)
		return fault_set_errno(ret_fault, FAULT_HOST, "--parent",
				       "run as root, or name a cgroup that this process may write",
				       -r, "cannot open the cgroup \"%.200s\"", path);
	if (id == ROOT_CGROUP_ID)
		return refuse(path, "the root cgroup", ret_fault);
	*ret_fd = fd_take(&fd);
	*ret_id = id;
	return 0;
}

static bool is_made_here(int mount_fd, char *const *names, int n)
{
	_cleanup_fd_ int fd = -1;
	uint64_t id;

	return path_walk(mount_fd, names, n, false, &fd, &id) == 0 &&
	       fgetxattr(fd, MADE_BY_REEVE, NULL, 0) >= 0;
}

/* Another program's cgroups stay, and so does what they are in. */
int cgroup_parent_remove(int mount_fd, const char *path)
{
	struct fault ignored = {};
	struct parent_path parent;

	if (path_parse(path, &parent, &ignored))
		return -EINVAL;
	for (int n = parent.n; n > 0; n--) {
		_cleanup_fd_ int above = -1;
		uint64_t id;
		int r = path_walk(mount_fd, parent.names, n - 1, false, &above, &id);

		if (r == -ENOENT || (n < parent.n && !is_made_here(mount_fd, parent.names, n)))
			continue;
		if (r == 0 && unlinkat(above, parent.names[n - 1], AT_REMOVEDIR) && errno != ENOENT)
			r = -errno;
		if (r)
			return r == -EBUSY || r == -ENOTEMPTY ? 0 : r;
	}
	return 0;
}

/* A new cgroup gets what the one above gives; one above that is new itself gives nothing. */
int cgroup_parent_controllers(int mount_fd, const char *path, unsigned int *ret_mask,
			      struct fault *ret_fault)
{
	struct parent_path parent;
	_cleanup_fd_ int fd = -1;
	uint64_t id;
	int r = cgroup_parent_open(mount_fd, path, false, &fd, &id, ret_fault);

	if (r == 0)
		return cgroup_read_controllers(fd, ret_mask);
	if (r != -ENOENT)
		return r;
	r = path_parse(path, &parent, ret_fault);
	if (r == 0)
		r = path_walk(mount_fd, parent.names, parent.n - 1, false, &fd, &id);
	if (r == 0)
		return cgroup_read_given(fd, ret_mask);
	if (r != -ENOENT)
		return r;
	*ret_mask = 0;
	return 0;
}
