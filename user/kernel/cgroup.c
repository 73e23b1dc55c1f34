// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control groups, version 2.
 *
 * A cgroup is a directory descriptor; its id, the one that BPF sees, is the file handle of that
 * directory (a 64-bit kernfs id, never reused while the machine runs). Every walk is RESOLVE_BENEATH,
 * without symlinks or other mounts, and what is opened is checked by the file system's magic number.
 *
 * The kernel's files are small and whole in one read or write; a failed write leaves the old value.
 *
 * Descriptors returned are the caller's. Nothing is kept here.
 */
#include "cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/macro.h"

#define HANDLE_TYPE_KERNFS 0xfe

static const struct {
	enum cgroup_controller bit;
	const char *name;
} controllers[] = {
	{ CGROUP_MEMORY, "memory" },
	{ CGROUP_PIDS, "pids" },
	{ CGROUP_CPU, "cpu" },
};

static int directory_open(int dir_fd, const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
	};
	int fd = (int)syscall(SYS_openat2, dir_fd, path, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

static bool is_cgroup2(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC;
}

/* A file handle of kernfs is the id. */
union kernfs_handle {
	struct file_handle handle;
	char bytes[sizeof(struct file_handle) + sizeof(uint64_t)];
};

int cgroup_id(int fd, uint64_t *ret_id)
{
	union kernfs_handle u = { .handle.handle_bytes = sizeof(uint64_t) };
	int mount_id;

	if (!is_cgroup2(fd))
		return -EINVAL;
	if (name_to_handle_at(fd, "", &u.handle, &mount_id, AT_EMPTY_PATH) < 0)
		return -errno;
	if (u.handle.handle_type != HANDLE_TYPE_KERNFS || u.handle.handle_bytes != sizeof(uint64_t))
		return -EINVAL;
	memcpy(ret_id, u.handle.f_handle, sizeof(*ret_id));
	return 0;
}

int cgroup_open_id(int mount_fd, uint64_t id, int *ret_fd)
{
	union kernfs_handle u = {
		.handle.handle_bytes = sizeof(uint64_t),
		.handle.handle_type = HANDLE_TYPE_KERNFS,
	};
	int fd;

	memcpy(u.handle.f_handle, &id, sizeof(id));
	fd = open_by_handle_at(mount_fd, &u.handle, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

int cgroup_open(int parent_fd, const char *name, int *ret_fd, uint64_t *ret_id)
{
	_cleanup_fd_ int fd = directory_open(parent_fd, name);
	int r;

	if (fd < 0)
		return fd;
	r = cgroup_id(fd, ret_id);
	if (r < 0)
		return r;
	*ret_fd = fd_take(&fd);
	return 0;
}

int cgroup_create(int parent_fd, const char *name, int *ret_fd, uint64_t *ret_id)
{
	int r;

	if (mkdirat(parent_fd, name, 0755) < 0)
		return -errno;
	r = cgroup_open(parent_fd, name, ret_fd, ret_id);
	if (r < 0)
		unlinkat(parent_fd, name, AT_REMOVEDIR);
	return r;
}

static int file_write(int fd, const char *name, const char *fmt, ...) _printf_(3, 4);

static int file_write(int fd, const char *name, const char *fmt, ...)
{
	_cleanup_fd_ int file = openat(fd, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	char text[128];
	va_list args;
	int n;

	if (file < 0)
		return -errno;
	va_start(args, fmt);
	n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return write(file, text, (size_t)n) < 0 ? -errno : 0;
}

static int file_read(int fd, const char *name, char *ret, size_t size)
{
	_cleanup_fd_ int file = openat(fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n;

	if (file < 0)
		return -errno;
	n = read(file, ret, size - 1);
	if (n < 0)
		return -errno;
	ret[n] = '\0';
	return 0;
}

int cgroup_set_max_depth(int fd, unsigned int depth)
{
	return file_write(fd, "cgroup.max.depth", "%u", depth);
}

int cgroup_kill(int fd)
{
	return file_write(fd, "cgroup.kill", "1");
}

int cgroup_freeze(int fd, bool freeze)
{
	return file_write(fd, "cgroup.freeze", "%d", freeze);
}

/* The value behind "@key " in the flat file @text; -ENOENT when the key is missing. */
static int flat_value(const char *text, const char *key, uint64_t *ret)
{
	size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) != 0 || line[len] != ' ')
			continue;
		*ret = strtoull(line + len + 1, NULL, 10);
		return 0;
	}
	return -ENOENT;
}

/* Waits until cgroup.events says @wanted of @key. */
static int events_wait(int fd, const char *key, uint64_t wanted, uint64_t timeout_ns)
{
	_cleanup_fd_ int events = openat(fd, "cgroup.events", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	uint64_t deadline = clock_monotonic_ns() + timeout_ns;

	if (events < 0)
		return -errno;
	for (;;) {
		struct pollfd p = { .fd = events, .events = POLLPRI };
		uint64_t value, now = clock_monotonic_ns();
		char text[128];
		ssize_t n = pread(events, text, sizeof(text) - 1, 0);

		if (n < 0)
			return -errno;
		text[n] = '\0';
		if (flat_value(text, key, &value) < 0)
			return -EINVAL;
		if (value == wanted)
			return 0;
		if (now >= deadline)
			return -ETIMEDOUT;
		if (poll(&p, 1, (int)((deadline - now) / NSEC_PER_MSEC) + 1) < 0 && errno != EINTR)
			return -errno;
	}
}

int cgroup_wait_empty(int fd, uint64_t timeout_ns)
{
	return events_wait(fd, "populated", 0, timeout_ns);
}

int cgroup_wait_frozen(int fd, uint64_t timeout_ns)
{
	return events_wait(fd, "frozen", 1, timeout_ns);
}

int cgroup_read_cpu_ns(int fd, uint64_t *ret_ns)
{
	char text[1024];
	uint64_t usec;
	int r = file_read(fd, "cpu.stat", text, sizeof(text));

	if (r < 0)
		return r;
	r = flat_value(text, "usage_usec", &usec);
	if (r < 0)
		return r;
	*ret_ns = usec * 1000;
	return 0;
}

bool cgroup_was_oom(int fd)
{
	char text[1024];
	uint64_t kills;

	return file_read(fd, "memory.events", text, sizeof(text)) >= 0 &&
	       flat_value(text, "oom_kill", &kills) >= 0 && kills > 0;
}

static void dir_close(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static int dir_open(int fd, DIR **ret)
{
	int copy = directory_open(fd, ".");
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);

	if (copy < 0)
		return copy;
	if (!dir) {
		close(copy);
		return -ENOMEM;
	}
	*ret = dir;
	return 0;
}

/* The next cgroup below an open one; NULL behind the last. */
static const char *below_next(DIR *dir)
{
	for (struct dirent *entry; (entry = readdir(dir));)
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			return entry->d_name;
	return NULL;
}

/* A session bounds the depth below itself, so that this recursion is bounded as well. */
int cgroup_remove_below(int fd)
{
	_cleanup_(dir_close) DIR *dir = NULL;
	int r = dir_open(fd, &dir);

	for (const char *name; r == 0 && (name = below_next(dir));)
		r = cgroup_remove(fd, name);
	return r;
}

int cgroup_has_below(int fd, bool *ret)
{
	_cleanup_(dir_close) DIR *dir = NULL;
	int r = dir_open(fd, &dir);

	if (r == 0)
		*ret = below_next(dir) != NULL;
	return r;
}

int cgroup_remove(int parent_fd, const char *name)
{
	_cleanup_fd_ int fd = -1;
	int r;

	if (unlinkat(parent_fd, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return 0;
	if (errno != EBUSY && errno != ENOTEMPTY)
		return -errno;
	fd = directory_open(parent_fd, name);
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	r = cgroup_remove_below(fd);
	if (r < 0)
		return r;
	return unlinkat(parent_fd, name, AT_REMOVEDIR) < 0 && errno != ENOENT ? -errno : 0;
}

static int controllers_read(int fd, const char *file, unsigned int *ret_mask)
{
	char text[512], *rest = text;
	unsigned int mask = 0;
	int r = file_read(fd, file, text, sizeof(text));

	if (r < 0)
		return r;
	for (char *name; (name = strsep(&rest, " \n"));)
		for (size_t i = 0; i < ARRAY_SIZE(controllers); i++)
			if (strcmp(name, controllers[i].name) == 0)
				mask |= controllers[i].bit;
	*ret_mask = mask;
	return 0;
}

int cgroup_read_controllers(int fd, unsigned int *ret_mask)
{
	return controllers_read(fd, "cgroup.controllers", ret_mask);
}

int cgroup_read_given(int fd, unsigned int *ret_mask)
{
	return controllers_read(fd, "cgroup.subtree_control", ret_mask);
}

int cgroup_enable_controllers(int fd, unsigned int mask)
{
	for (size_t i = 0; i < ARRAY_SIZE(controllers); i++) {
		int r;

		if (!(mask & controllers[i].bit))
			continue;
		r = file_write(fd, "cgroup.subtree_control", "+%s", controllers[i].name);
		if (r < 0)
			return r;
	}
	return 0;
}

unsigned int cgroup_limits_controllers(const struct plan_limits *limits)
{
	return (limits->memory_bytes ? CGROUP_MEMORY : 0u) | (limits->pids ? CGROUP_PIDS : 0u) |
	       (limits->cpu_millis ? CGROUP_CPU : 0u);
}

static int limit_write(int fd, const char *file, uint64_t first, const char *second,
		       struct fault *ret_fault)
{
	int r = file_write(fd, file, "%llu%s", (unsigned long long)first, second);

	if (r < 0)
		return fault_set_errno(
			ret_fault, FAULT_LIMIT, file,
			"give the controller to the parent cgroup (cgroup.subtree_control), "
			"or ask for no such limit",
			-r, "cannot write the limit %llu", (unsigned long long)first);
	return 0;
}

/* memory.max leaves swap out: what exceeds it would go to the host's. A kernel without swap has no file. */
static int swap_deny(int fd, struct fault *ret_fault)
{
	if (faccessat(fd, "memory.swap.max", F_OK, 0) < 0 && errno == ENOENT)
		return 0;
	return limit_write(fd, "memory.swap.max", 0, "", ret_fault);
}

int cgroup_write_limits(int fd, const struct plan_limits *limits, struct fault *ret_fault)
{
	int r = 0;

	if (limits->memory_bytes) {
		r = limit_write(fd, "memory.max", limits->memory_bytes, "", ret_fault);
		if (r == 0)
			r = limit_write(fd, "memory.oom.group", 1, "", ret_fault);
		if (r == 0)
			r = swap_deny(fd, ret_fault);
	}
	if (r == 0 && limits->pids)
		r = limit_write(fd, "pids.max", limits->pids, "", ret_fault);
	/* Thousandths of one processor are microseconds of each 100 ms, times 100. */
	if (r == 0 && limits->cpu_millis)
		r = limit_write(fd, "cpu.max", limits->cpu_millis * 100, " 100000", ret_fault);
	return r;
}
