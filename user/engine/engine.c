// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opening is done under one lock, so that two runs never load the programs twice and a sweep never meets
 * a half-made session. The run directory remembers the parent cgroup and the pin directory it was made
 * for: with others, its slots would say nothing about who is alive.
 *
 * Opening that fails leaves nothing: what did not exist before goes again, under the same lock. A lock
 * file that somebody removed meanwhile locks nothing, so whoever got it starts over.
 */
#include "engine.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/io.h"
#include "../kernel/cgroup.h"
#include "../kernel/netns.h"
#include "../kernel/probe.h"
#include "recover.h"

#define PLACE_FILE "place"
#define PLACE_SIZE (2 * REEVE_PATH_MAX + 4)
#define LOCK_TRIES 100

unsigned int engine_path_level(const char *path)
{
	unsigned int level = 0;
	const char *at = path;

	while (*at) {
		at += strspn(at, "/");
		if (!*at)
			break;
		level++;
		at += strcspn(at, "/");
	}
	return level;
}

int engine_lock(int run_fd, int *ret_fd)
{
	_cleanup_fd_ int fd = openat(run_fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct stat st;
	int r;

	if (fd < 0)
		return errno == ENOENT ? -ESTALE : -errno;
	do {
		r = flock(fd, LOCK_EX);
	} while (r && errno == EINTR);
	if (r || fstat(fd, &st))
		return -errno;
	if (st.st_nlink == 0)
		return -ESTALE;
	*ret_fd = fd_take(&fd);
	return 0;
}

/* What opening made that was not there before, and takes back when it fails. */
struct fresh {
	bool run_dir, place, parent;
};

static int run_dir_open(const struct engine_config *config, struct engine *engine,
			struct fresh *fresh, struct fault *ret_fault)
{
	static const char remedy[] = "give a directory that root can write, with --run-dir";

	if (mkdir(config->run_dir, 0700) == 0)
		fresh->run_dir = true;
	else if (errno != EEXIST)
		return fault_set_errno(ret_fault, FAULT_HOST, "--run-dir", remedy, errno, "%s",
				       config->run_dir);
	engine->run_fd = open(config->run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (engine->run_fd >= 0 && (mkdirat(engine->run_fd, "slots", 0700) == 0 || errno == EEXIST))
		engine->slots_fd = openat(engine->run_fd, "slots",
					  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (engine->slots_fd >= 0)
		return 0;
	/* removed between two of these calls */
	if (errno == ENOENT)
		return -ESTALE;
	return fault_set_errno(ret_fault, FAULT_HOST, "--run-dir", remedy, errno, "%s",
			       config->run_dir);
}

static int run_dir_lock(const struct engine_config *config, struct engine *engine,
			struct fresh *fresh, int *ret_lock, struct fault *ret_fault)
{
	int r;

	for (unsigned int i = 0; i < LOCK_TRIES; i++) {
		r = run_dir_open(config, engine, fresh, ret_fault);
		if (!r)
			r = engine_lock(engine->run_fd, ret_lock);
		if (r != -ESTALE)
			return r;
		fd_close(&engine->run_fd);
		fd_close(&engine->slots_fd);
	}
	return fault_set(ret_fault, FAULT_BUSY, "--run-dir", "start the request again",
			 "%s is removed and made again all the time", config->run_dir);
}

static int place_text(const struct engine_config *config, char ret[PLACE_SIZE])
{
	int n = snprintf(ret, PLACE_SIZE, "%s %s\n", config->parent, config->pin_dir);

	return n < PLACE_SIZE ? n : -ENAMETOOLONG;
}

int engine_place_check(const struct engine_config *config, int run_fd, bool *ret_fresh,
		       struct fault *ret_fault)
{
	_cleanup_fd_ int fd = openat(run_fd, PLACE_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char wanted[PLACE_SIZE];
	_cleanup_free_ char *found = NULL;
	size_t n = 0;
	int r = 0;

	if (fd < 0 && errno != ENOENT)
		return -errno;
	if (fd >= 0)
		r = io_read_all(fd, sizeof(wanted), &found, &n);
	if (r)
		return r < 0 ? r : -EUCLEAN;
	r = place_text(config, wanted);
	if (r < 0)
		return r;
	if (n == 0 || strcmp(found, wanted) == 0) {
		*ret_fresh = n == 0;
		return 0;
	}
	found[strcspn(found, "\n")] = '\0';
	return fault_set(ret_fault, FAULT_USAGE, "--run-dir",
			 "give each pair of --parent and --pin-dir a --run-dir of its own",
			 "%s belongs to \"%s\", not to \"%s %s\"", config->run_dir, found,
			 config->parent, config->pin_dir);
}

static int place_write(const struct engine_config *config, int run_fd)
{
	_cleanup_fd_ int fd =
		openat(run_fd, PLACE_FILE, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	char text[PLACE_SIZE];
	int n = place_text(config, text);

	if (fd < 0)
		return -errno;
	return n < 0 ? n : io_write_all(fd, text, (size_t)n);
}

static int parent_open(const struct engine_config *config, struct engine *engine,
		       struct fresh *fresh, struct fault *ret_fault)
{
	_cleanup_fd_ int mount_fd = -1;
	int r = cgroup_mount_open(&mount_fd, ret_fault);

	if (!r)
		r = cgroup_parent_open(mount_fd, config->parent, false, &engine->parent_fd,
				       &engine->parent_id, ret_fault);
	if (r != -ENOENT)
		return r;
	fresh->parent = true;
	return cgroup_parent_open(mount_fd, config->parent, true, &engine->parent_fd,
				  &engine->parent_id, ret_fault);
}

static int guard_place_open(const struct engine_config *config, struct engine *engine,
			    struct fresh *fresh, struct fault *ret_fault)
{
	struct guard_place place = {
		.pin_dir = config->pin_dir,
		.parent_level = engine_path_level(config->parent),
	};
	int r = parent_open(config, engine, fresh, ret_fault);

	if (!r)
		r = netns_identity(&place.netns);
	if (r)
		return r;
	place.parent_fd = engine->parent_fd;
	place.parent_id = engine->parent_id;
	return guard_open(&place, &engine->guard, ret_fault);
}

/* Whatever is in use by then stays: none of these removes more than what is empty. */
static void fresh_undo(const struct engine *engine, const struct fresh *fresh)
{
	_cleanup_fd_ int mount_fd = -1;
	struct fault ignored = {};

	if (fresh->parent && cgroup_mount_open(&mount_fd, &ignored) == 0)
		cgroup_parent_remove(mount_fd, engine->config->parent);
	if (!fresh->place || unlinkat(engine->run_fd, "slots", AT_REMOVEDIR))
		return;
	unlinkat(engine->run_fd, PLACE_FILE, 0);
	unlinkat(engine->run_fd, "lock", 0);
	if (fresh->run_dir)
		rmdir(engine->config->run_dir);
}

/* What no run can do without, and the same words that doctor has for it. */
static int host_check(struct fault *ret_fault)
{
	int r = probe_privilege(ret_fault);

	return r ? r : probe_btf(ret_fault);
}

int engine_open(const struct engine_config *config, struct engine *ret, unsigned int *ret_swept,
		struct fault *ret_fault)
{
	_cleanup_engine_ struct engine engine = ENGINE_INIT;
	_cleanup_fd_ int lock = -1;
	struct fresh fresh = {};
	int r = host_check(ret_fault);

	engine.config = config;
	if (!r)
		r = run_dir_lock(config, &engine, &fresh, &lock, ret_fault);
	if (!r)
		r = engine_place_check(config, engine.run_fd, &fresh.place, ret_fault);
	if (!r)
		r = guard_place_open(config, &engine, &fresh, ret_fault);
	if (!r && fresh.place)
		r = place_write(config, engine.run_fd);
	if (r) {
		fresh_undo(&engine, &fresh);
		return r;
	}
	r = recover_sweep(&engine, ret_swept, ret_fault);
	if (r)
		return r;
	*ret = engine;
	engine = (struct engine)ENGINE_INIT;
	return 0;
}

static int fault_nothing(const struct engine_config *config, struct fault *ret_fault)
{
	return fault_set(ret_fault, FAULT_USAGE, "--run-dir",
			 "give the --parent, --pin-dir and --run-dir that the runs were given",
			 "no session lives: nothing is at %s and %s", config->run_dir,
			 config->pin_dir);
}

static int existing_open(const struct engine_config *config, struct engine *engine, int *ret_lock,
			 struct fault *ret_fault)
{
	bool nobodys;
	int r;

	engine->run_fd = open(config->run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (engine->run_fd >= 0)
		engine->slots_fd = openat(engine->run_fd, "slots",
					  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (engine->slots_fd < 0 || !guard_exists(config->pin_dir))
		return fault_nothing(config, ret_fault);
	r = engine_lock(engine->run_fd, ret_lock);
	if (!r)
		r = engine_place_check(config, engine->run_fd, &nobodys, ret_fault);
	return r == -ESTALE || (!r && nobodys) ? fault_nothing(config, ret_fault) : r;
}

int engine_open_existing(const struct engine_config *config, struct engine *ret, int *ret_lock,
			 struct fault *ret_fault)
{
	_cleanup_engine_ struct engine engine = ENGINE_INIT;
	_cleanup_fd_ int lock = -1;
	struct fresh fresh = {};
	int r = host_check(ret_fault);

	engine.config = config;
	if (!r)
		r = existing_open(config, &engine, &lock, ret_fault);
	if (!r)
		r = guard_place_open(config, &engine, &fresh, ret_fault);
	if (r) {
		fresh_undo(&engine, &fresh);
		return r;
	}
	*ret = engine;
	engine = (struct engine)ENGINE_INIT;
	*ret_lock = fd_take(&lock);
	return 0;
}

void engine_close(struct engine *engine)
{
	fd_close(&engine->run_fd);
	fd_close(&engine->slots_fd);
	fd_close(&engine->parent_fd);
	guard_close(&engine->guard);
}
