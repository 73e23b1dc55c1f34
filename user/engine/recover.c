// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a run leaves when it is killed, and how it goes. Its processes die with it; cgroups, map entries
 * and the device do not. The slot file says whose they are. The order is that of a normal end: kill, then
 * the policy, then the rest, the cgroup last, so that nothing is ever alive without a policy.
 */
#include "recover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "../base/clock.h"
#include "../kernel/cgroup.h"
#include "../kernel/nft.h"
#include "../kernel/veth.h"
#include "keeper_link.h"

#define EMPTY_TIMEOUT_NS (10 * NSEC_PER_SEC)

static void dir_close(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static int fault_left(struct fault *ret, const char *session_id, int err, const char *what)
{
	return fault_set_errno(ret, FAULT_CLEANUP, session_id,
			       "look at the cgroup named after the session, then run \"reeve gc\"",
			       -err, "%s is left", what);
}

static int processes_end(const struct engine *engine, const char *session_id)
{
	_cleanup_fd_ int fd = -1;
	uint64_t id;
	int r = cgroup_open(engine->parent_fd, session_id, &fd, &id);

	if (r == -ENOENT)
		return 0;
	if (!r)
		r = cgroup_kill(fd);
	if (!r)
		r = cgroup_wait_empty(fd, EMPTY_TIMEOUT_NS);
	return r;
}

/* Most sessions have no device, and hearing that by netlink costs more than removing their cgroups. */
static int device_remove(const char *ifname)
{
	if (if_nametoindex(ifname) == 0 && errno == ENODEV)
		return 0;
	return veth_remove(ifname);
}

int recover_session(const struct engine *engine, const struct slot_record *record,
		    unsigned int slot, struct fault *ret_fault)
{
	char ifname[PLAN_IFNAME_SIZE];
	int r = processes_end(engine, record->session_id);

	if (r)
		return fault_left(ret_fault, record->session_id, r, "a process");
	r = record->cgroup_id ? guard_session_remove(&engine->guard, record->cgroup_id) : 0;
	if (r)
		return fault_left(ret_fault, record->session_id, r, "a map entry");
	plan_ifname(slot, ifname);
	r = device_remove(ifname);
	if (r)
		return fault_left(ret_fault, record->session_id, r, ifname);
	r = cgroup_remove(engine->parent_fd, record->session_id);
	if (r)
		return fault_left(ret_fault, record->session_id, r, "a cgroup");
	return 0;
}

struct sweep {
	const struct engine *engine;
	unsigned int swept;
	struct fault *fault;
};

static int slot_sweep(unsigned int number, int fd, bool alive, void *arg)
{
	struct sweep *sweep = arg;
	struct slot_record record;
	int r;

	if (alive)
		return 0;
	r = slot_read(fd, &record);
	if (r || !record.session_id[0])
		return r;
	r = recover_session(sweep->engine, &record, number, sweep->fault);
	if (r)
		return r;
	sweep->swept++;
	return ftruncate(fd, 0) ? -errno : 0;
}

int recover_sweep(const struct engine *engine, unsigned int *ret_swept, struct fault *ret_fault)
{
	struct sweep sweep = { .engine = engine, .fault = ret_fault };
	int r = slot_each(engine->slots_fd, slot_sweep, &sweep);

	if (r)
		return r;
	*ret_swept = sweep.swept;
	return 0;
}

static int slot_count(unsigned int slot, int fd, bool alive, void *arg)
{
	(void)slot;
	(void)fd;
	*(unsigned int *)arg += alive;
	return 0;
}

int recover_count_live(int slots_fd, unsigned int *ret)
{
	unsigned int live = 0;
	int r = slot_each(slots_fd, slot_count, &live);

	if (!r)
		*ret = live;
	return r;
}

static int slot_is_live(unsigned int number, int fd, bool alive, void *arg)
{
	struct sweep *sweep = arg;
	struct slot_record record;
	int r = alive ? slot_read(fd, &record) : 0;

	if (r || !alive)
		return r;
	if (record.kept)
		return fault_set(sweep->fault, FAULT_BUSY, "gc --all",
				 "end the session first: the ledger of \"reeve daemon\" has it",
				 "session %s in slot %u lives on without a process",
				 record.session_id, number);
	return fault_set(sweep->fault, FAULT_BUSY, "gc --all",
			 "end the sessions first, or run \"reeve gc\" without --all",
			 "the session of slot %u is alive", number);
}

/* Map entries go with the maps: what is left of a dead session is the rest. */
static int slot_clear(unsigned int number, int fd, bool alive, void *arg)
{
	struct sweep *sweep = arg;
	struct slot_record record;
	int r = slot_is_live(number, fd, alive, arg);

	if (!r)
		r = slot_read(fd, &record);
	if (r || !record.session_id[0])
		return r;
	record.cgroup_id = 0;
	r = recover_session(sweep->engine, &record, number, sweep->fault);
	sweep->swept += !r;
	return r;
}

static int slot_unlink(unsigned int number, int fd, bool alive, void *arg)
{
	struct sweep *sweep = arg;
	char name[16];

	(void)fd;
	(void)alive;
	snprintf(name, sizeof(name), "%u", number);
	return unlinkat(sweep->engine->slots_fd, name, 0) ? -errno : 0;
}

/* The channels of keepers that died: none lives without a session. */
static int channels_remove(int run_fd)
{
	_cleanup_(dir_close) DIR *dir = NULL;
	struct dirent *entry;
	int fd = openat(run_fd, KEEPER_DIRECTORY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	dir = fdopendir(fd);
	if (!dir) {
		fd_close(&fd);
		return -ENOMEM;
	}
	while ((entry = readdir(dir)))
		if (entry->d_type == DT_SOCK && unlinkat(fd, entry->d_name, 0) && errno != ENOENT)
			return -errno;
	return unlinkat(run_fd, KEEPER_DIRECTORY, AT_REMOVEDIR) && errno != ENOTEMPTY ? -errno : 0;
}

/* What others put there stays, and so does the directory then. */
static int run_dir_remove(const struct engine *engine)
{
	static const struct {
		const char *name;
		int flags;
	} parts[] = { { "slots", AT_REMOVEDIR },
		      { ENGINE_DAEMON_LOCK, 0 },
		      { ENGINE_SOCKET, 0 },
		      { "place", 0 },
		      { "lock", 0 } };
	int r = channels_remove(engine->run_fd);

	if (r)
		return r;
	for (unsigned int i = 0; i < ARRAY_SIZE(parts); i++)
		if (unlinkat(engine->run_fd, parts[i].name, parts[i].flags) && errno != ENOENT)
			return -errno;
	if (rmdir(engine->config->run_dir) && errno != ENOENT && errno != ENOTEMPTY)
		return -errno;
	return 0;
}

/*
 * Removing the pins opens every session that lives under them. The slots know only those of this run
 * directory; the parent cgroup, and the one that the pins themselves name, know all.
 */
static int others_check(const struct engine *engine, int mount_fd, struct fault *ret_fault)
{
	_cleanup_fd_ int pinned_fd = -1;
	uint64_t id;
	int r = 0;

	if (guard_parent_id(engine->config->pin_dir, &id) == 0 &&
	    cgroup_open_id(mount_fd, id, &pinned_fd) == 0)
		r = cgroup_wait_empty(pinned_fd, 0);
	if (!r && engine->parent_fd >= 0)
		r = cgroup_wait_empty(engine->parent_fd, 0);
	if (r == -ETIMEDOUT)
		return fault_set(ret_fault, FAULT_BUSY, "gc --all",
				 "give the --parent and the --run-dir that those sessions were started "
				 "with, or end them",
				 "processes live under the programs pinned at %s, and %s does not know "
				 "whose they are",
				 engine->config->pin_dir, engine->config->run_dir);
	return r;
}

/* A daemon without a session needs what would be removed for its next one. */
static int daemon_check(const struct engine *engine, struct fault *ret_fault)
{
	_cleanup_fd_ int fd = -1;

	if (engine->run_fd >= 0)
		fd = openat(engine->run_fd, ENGINE_DAEMON_LOCK, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	return fault_set(ret_fault, FAULT_BUSY, "gc --all",
			 "stop it first, or run \"reeve gc\" without --all",
			 "a daemon serves the sessions of %s", engine->config->run_dir);
}

static void removed_note(const struct engine *engine, struct recover_removed *ret)
{
	enum nft_state state;

	ret->pins = guard_exists(engine->config->pin_dir);
	ret->table = nft_check(&state) == 0 && state != NFT_ABSENT;
	ret->parent = engine->parent_fd >= 0;
	ret->run_dir = engine->run_fd >= 0;
}

static int remove_all_locked(struct engine *engine, int mount_fd, struct recover_removed *removed,
			     struct fault *ret_fault)
{
	struct sweep sweep = { .engine = engine, .fault = ret_fault };
	int r = daemon_check(engine, ret_fault);

	removed_note(engine, removed);
	if (!r && engine->slots_fd >= 0)
		r = slot_each(engine->slots_fd, slot_is_live, &sweep);
	if (!r && engine->slots_fd >= 0 && engine->parent_fd >= 0)
		r = slot_each(engine->slots_fd, slot_clear, &sweep);
	if (!r)
		r = others_check(engine, mount_fd, ret_fault);
	if (!r)
		r = guard_remove(engine->config->pin_dir, ret_fault);
	if (!r)
		r = nft_remove();
	if (!r)
		r = cgroup_parent_remove(mount_fd, engine->config->parent);
	if (!r && engine->slots_fd >= 0)
		r = slot_each(engine->slots_fd, slot_unlink, &sweep);
	removed->sessions = sweep.swept;
	return r;
}

/* -ENOENT: there is no run directory, and nobody to lock out. */
static int run_dir_take(const struct engine_config *config, struct engine *engine, int *ret_lock,
			struct fault *ret_fault)
{
	bool fresh;
	int r;

	engine->run_fd = open(config->run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (engine->run_fd < 0 && errno == ENOENT)
		return -ENOENT;
	if (engine->run_fd >= 0)
		engine->slots_fd = openat(engine->run_fd, "slots",
					  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	/* what is no run directory gets no lock file, and loses nothing */
	if (engine->slots_fd < 0)
		return fault_set_errno(ret_fault, FAULT_USAGE, "--run-dir",
				       "give the directory that the runs were given", errno,
				       "%s is no run directory", config->run_dir);
	r = engine_lock(engine->run_fd, ret_lock);
	return r ? r : engine_place_check(config, engine->run_fd, &fresh, ret_fault);
}

int recover_remove_all(const struct engine_config *config, struct recover_removed *ret,
		       struct fault *ret_fault)
{
	_cleanup_engine_ struct engine engine = ENGINE_INIT;
	struct recover_removed removed = {};
	_cleanup_fd_ int lock = -1, mount_fd = -1;
	int r;

	engine.config = config;
	r = run_dir_take(config, &engine, &lock, ret_fault);
	if (r == -ESTALE)
		return fault_set(ret_fault, FAULT_BUSY, "gc --all", "start it again",
				 "%s was removed meanwhile", config->run_dir);
	if (!r || r == -ENOENT)
		r = cgroup_mount_open(&mount_fd, ret_fault);
	if (!r)
		r = cgroup_parent_open(mount_fd, config->parent, false, &engine.parent_fd,
				       &engine.parent_id, ret_fault);
	if (r && r != -ENOENT)
		return r;
	r = remove_all_locked(&engine, mount_fd, &removed, ret_fault);
	if (!r && engine.run_fd >= 0)
		r = run_dir_remove(&engine);
	if (!r)
		*ret = removed;
	return r;
}
