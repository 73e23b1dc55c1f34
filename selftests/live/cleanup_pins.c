// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is pinned is taken by a later run only when it is exactly what that run would load: its own build,
 * for the same parent cgroup at the same level, in the same network namespace, and whole. Everything else
 * is refused with the way out; what a loader that died left beside it is removed.
 */
#include <bpf/bpf.h>
#include <sys/stat.h>

#include "meter_burn.h"

TEARDOWN
{
	struct fault fault = {};

	EXPECT_OK(guard_remove(DESK_PIN_DIR "-loading", &fault));
	desk_remove_all();
}

static struct guard guard;

/* The place of the guard that desk_guard_open() opened. */
static void place_of(struct guard_place *ret)
{
	*ret = (struct guard_place){
		.pin_dir = DESK_PIN_DIR,
		.parent_level = 1,
		.netns = guard.host.netns,
	};
	ASSERT_OK(desk_parent(true, &ret->parent_fd, &ret->parent_id));
}

static void expect_refused(const struct guard_place *place, const char *part)
{
	struct fault fault = {};
	struct guard other;

	EXPECT_EQ(guard_open(place, &other, &fault), FAULT_E_SET);
	EXPECT_EQ(fault.code, FAULT_ENFORCEMENT);
	EXPECT_STREQ(fault.field, "--pin-dir");
	EXPECT_HAS(fault.reason, DESK_PIN_DIR);
	EXPECT_HAS(fault.reason, part);
	EXPECT_HAS(fault.remedy, "reeve gc --all");
}

static void expect_taken(const struct guard_place *place)
{
	struct fault fault = {};
	struct guard other;

	EXPECT_OK(guard_open(place, &other, &fault));
	EXPECT_STREQ(fault.reason, "");
	guard_close(&other);
}

static void host_write(const struct host *host)
{
	uint32_t key = 0;

	ASSERT_OK(bpf_map_update_elem(guard.maps[GUARD_HOST], &key, host, BPF_ANY));
}

TEST("pins of another build, parent, level or network namespace are refused")
{
	struct guard_place place;
	struct host host;

	desk_guard_open(&guard);
	place_of(&place);
	expect_taken(&place);

	host = guard.host;
	host.build ^= 1;
	host_write(&host);
	expect_refused(&place, "another build");
	host_write(&guard.host);
	expect_taken(&place);

	place.netns ^= 1;
	expect_refused(&place, "another network namespace");
	place.netns ^= 1;
	place.parent_level = 2;
	expect_refused(&place, "another parent cgroup");
	place.parent_level = 1;
	place.parent_id++;
	expect_refused(&place, "another parent cgroup");
	place.parent_id--;
	expect_taken(&place);
}

TEST("a second pin directory on the same parent is refused, and the first goes on")
{
	struct guard_place place;
	struct guard second = GUARD_INIT;
	struct fault fault = {};

	desk_guard_open(&guard);
	place_of(&place);
	place.pin_dir = "/sys/fs/bpf/second";
	EXPECT_EQ(guard_open(&place, &second, &fault), FAULT_E_SET);
	EXPECT_HAS(fault.reason, "another --pin-dir");
	EXPECT_FALSE(guard_exists(place.pin_dir));
	place_of(&place);
	expect_taken(&place);
}

TEST("a parent cgroup that was removed and made again has lost its programs, and is refused")
{
	_cleanup_fd_ int mount_fd = -1;
	struct guard_place place;
	struct fault fault = {};
	char name[32];

	desk_guard_open(&guard);
	desk_parent_name(name);
	ASSERT_OK(cgroup_mount_open(&mount_fd, &fault));
	ASSERT_OK(cgroup_remove(mount_fd, name));
	place_of(&place);
	EXPECT_NE(place.parent_id, guard.host.parent_cgroup);
	expect_refused(&place, "another parent cgroup");
}

TEST("the parent that is pinned can be told, also when all else is damaged")
{
	uint64_t id = 0;

	EXPECT_EQ(guard_parent_id(DESK_PIN_DIR, &id), -ENOENT);
	desk_guard_open(&guard);
	ASSERT_OK(system("rm -r " DESK_PIN_DIR "/links " DESK_PIN_DIR "/progs"));
	EXPECT_OK(guard_parent_id(DESK_PIN_DIR, &id));
	EXPECT_EQ(id, guard.host.parent_cgroup);
}

TEST("what a loader that died left beside the pins is replaced")
{
	struct fault fault = {};

	ASSERT_OK(mkdir(DESK_PIN_DIR "-loading", 0700));
	ASSERT_OK(mkdir(DESK_PIN_DIR "-loading/links", 0700));
	desk_guard_open(&guard);
	EXPECT_NE(access(DESK_PIN_DIR "-loading", F_OK), 0);
	EXPECT_OK(guard_remove(DESK_PIN_DIR, &fault));
	EXPECT_FALSE(guard_exists(DESK_PIN_DIR));
	EXPECT_OK(guard_remove(DESK_PIN_DIR, &fault));
}

TEST("nobody but root can look into the pins")
{
	struct stat st;

	desk_guard_open(&guard);
	ASSERT_OK(stat(DESK_PIN_DIR, &st));
	EXPECT_EQ(st.st_mode & 07777, 0700);
	EXPECT_EQ(st.st_uid, 0);
}
