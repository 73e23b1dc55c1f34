// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guard as a thing that is loaded, pinned, found again, refused and removed; and what its programs
 * cost the verifier. What they decide is in the other programs of this directory.
 */
#include "../gate.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#define NAME_MAX_LEN 15
#define PINS_MAX 64

TEARDOWN
{
	gate_remove();
}

static bool there(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

/* Calls @fn for each pin of one kind; returns how many there are. */
static unsigned int each_pin(const char *kind, void (*fn)(const char *name, int fd))
{
	char path[512], dir_path[128];
	unsigned int n = 0;
	struct dirent *entry;
	DIR *dir;

	snprintf(dir_path, sizeof(dir_path), GATE_PINS "/%s", kind);
	dir = opendir(dir_path);
	ASSERT_NOT_NULL(dir);
	while ((entry = readdir(dir))) {
		int fd;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir_path, entry->d_name);
		fd = bpf_obj_get(path);
		ASSERT_GE(fd, 0);
		fn(entry->d_name, fd);
		close(fd);
		n++;
	}
	closedir(dir);
	return n;
}

static void map_is_named(const char *name, int fd)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);

	ASSERT_OK(bpf_obj_get_info_by_fd(fd, &info, &len));
	EXPECT_LE(strlen(name), NAME_MAX_LEN);
	EXPECT_STREQ(info.name, name);
	/* the kernel takes no types for an array of maps */
	if (info.type != BPF_MAP_TYPE_ARRAY_OF_MAPS)
		EXPECT_NE(info.btf_value_type_id, 0);
}

static void program_is_named(const char *name, int fd)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	ASSERT_OK(bpf_obj_get_info_by_fd(fd, &info, &len));
	EXPECT_LE(strlen(name), NAME_MAX_LEN);
	EXPECT_STREQ(info.name, name);
	EXPECT_NE(info.btf_id, 0);
	EXPECT_EQ(info.gpl_compatible, 1);
}

static void link_hangs_on_parent(const char *name, int fd)
{
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);

	ASSERT_OK(bpf_obj_get_info_by_fd(fd, &info, &len));
	EXPECT_LE(strlen(name), NAME_MAX_LEN);
	if (info.type != BPF_LINK_TYPE_CGROUP) {
		EXPECT_STREQ(name, "reeve_meter");
		return;
	}
	EXPECT_EQ(info.cgroup.cgroup_id, gate.place.parent_id);
}

TEST("every map, program and link is pinned under a name that the kernel keeps whole, with its types")
{
	unsigned int hooks = 0;
	struct stat st;

	gate_place();
	ASSERT_OK(gate_open());
	for (const struct guard_hook *hook = guard_hooks; hook->program; hook++)
		hooks += !hook->optional || gate.guard.unix_hooks;
	EXPECT_EQ(each_pin("maps", map_is_named), GUARD_MAP_COUNT);
	EXPECT_EQ(each_pin("links", link_hangs_on_parent), hooks);
	EXPECT_EQ(each_pin("progs", program_is_named), hooks + 2);
	ASSERT_OK(stat(GATE_PINS, &st));
	EXPECT_EQ(st.st_mode & 07777, 0700);
	EXPECT_EQ(st.st_uid, 0);
	EXPECT_FALSE(there(GATE_PINS "-loading"));
}

TEST("a second opening finds the same objects and loads nothing")
{
	struct guard first, again = GUARD_INIT;
	struct bpf_map_info a = {}, b = {};
	__u32 len = sizeof(a);

	gate_place();
	ASSERT_OK(gate_open());
	first = gate.guard;
	ASSERT_OK(guard_open(&gate.place, &again, &gate.fault));
	for (int i = 0; i < GUARD_MAP_COUNT; i++) {
		len = sizeof(a);
		ASSERT_OK(bpf_obj_get_info_by_fd(first.maps[i], &a, &len));
		len = sizeof(b);
		ASSERT_OK(bpf_obj_get_info_by_fd(again.maps[i], &b, &len));
		EXPECT_EQ(a.id, b.id);
	}
	EXPECT_EQ(again.host.parent_cgroup, gate.place.parent_id);
	EXPECT_EQ(again.host.session_level, 2);
	EXPECT_EQ(again.host.netns, gate.place.netns);
	EXPECT_EQ(first.unix_hooks, again.unix_hooks);
}

/* Opens at @place, which must be refused with a fault that has @why. */
static void is_refused(const struct guard_place *place, const char *why)
{
	struct guard guard = GUARD_INIT;
	struct fault fault = {};

	EXPECT_EQ(guard_open(place, &guard, &fault), FAULT_E_SET);
	EXPECT_EQ(fault.code, FAULT_ENFORCEMENT);
	EXPECT_STREQ(fault.field, "--pin-dir");
	EXPECT_HAS(fault.reason, why);
	EXPECT_HAS(fault.reason, GATE_PINS);
	EXPECT_NE(fault.remedy[0], 0);
	/* untouched on failure */
	EXPECT_EQ(guard.maps[GUARD_POLICIES], -1);
	EXPECT_EQ(guard.link_out_fd, -1);
}

TEST("pins of another parent cgroup, level or network namespace are refused")
{
	struct guard_place other;

	gate_place();
	ASSERT_OK(gate_open());
	other = gate.place;
	other.parent_id++;
	is_refused(&other, "another parent cgroup");
	other = gate.place;
	other.parent_level++;
	is_refused(&other, "another parent cgroup");
	other = gate.place;
	other.netns++;
	is_refused(&other, "another network namespace");
}

TEST("pins of another build are refused")
{
	struct host host;
	__u32 key = 0;

	gate_place();
	ASSERT_OK(gate_open());
	host = gate.guard.host;
	host.build ^= 1;
	ASSERT_OK(bpf_map_update_elem(gate.guard.maps[GUARD_HOST], &key, &host, BPF_ANY));
	is_refused(&gate.place, "another build");
}

TEST("an opening with any link missing is refused and names the link")
{
	char path[128], moved[128];

	gate_place();
	ASSERT_OK(gate_open());
	for (const struct guard_hook *hook = guard_hooks; hook->program; hook++) {
		if (hook->optional)
			continue;
		snprintf(path, sizeof(path), GATE_PINS "/links/%s", hook->program);
		snprintf(moved, sizeof(moved), "/sys/fs/bpf/%s", hook->program);
		ASSERT_OK(rename(path, moved));
		is_refused(&gate.place, hook->program);
		ASSERT_OK(rename(moved, path));
	}
	ASSERT_OK(gate_open());
}

TEST("an opening with a map or a program of the device missing is refused")
{
	gate_place();
	ASSERT_OK(gate_open());
	ASSERT_OK(rename(GATE_PINS "/maps/netdevs", "/sys/fs/bpf/netdevs"));
	is_refused(&gate.place, "a pinned map is missing");
	ASSERT_OK(rename("/sys/fs/bpf/netdevs", GATE_PINS "/maps/netdevs"));
	ASSERT_OK(unlink(GATE_PINS "/progs/reeve_link_in"));
	is_refused(&gate.place, "program of the device is missing");
}

TEST("links whose cgroup was removed and made again under its name are refused")
{
	gate_place();
	ASSERT_OK(gate_open());
	close(gate.place.parent_fd);
	ASSERT_OK(cgroup_remove(gate.mount_fd, gate.parent));
	ASSERT_OK(cgroup_parent_open(gate.mount_fd, gate.parent, true, &gate.place.parent_fd,
				     &gate.place.parent_id, &gate.fault));
	is_refused(&gate.place, "parent cgroup");
}

TEST("a link that was detached behind its pin is refused")
{
	int fd;

	gate_place();
	ASSERT_OK(gate_open());
	fd = bpf_obj_get(GATE_PINS "/links/reeve_sendmsg6");
	ASSERT_GE(fd, 0);
	ASSERT_OK(bpf_link_detach(fd));
	is_refused(&gate.place, "the link reeve_sendmsg6");
}

TEST("a pin directory that is on no bpffs is refused, and nothing is made")
{
	struct guard_place place;
	struct guard guard = GUARD_INIT;

	gate_place();
	place = gate.place;
	place.pin_dir = "/tmp/reeve-pins";
	EXPECT_EQ(guard_open(&place, &guard, &gate.fault), FAULT_E_SET);
	EXPECT_HAS(gate.fault.reason, "not on a bpffs");
	EXPECT_FALSE(there("/tmp/reeve-pins"));
}

static unsigned int reeve_links(void)
{
	unsigned int n = 0;
	__u32 id = 0;

	while (bpf_link_get_next_id(id, &id) == 0) {
		struct bpf_link_info info = {};
		__u32 len = sizeof(info);
		int fd = bpf_link_get_fd_by_id(id);

		if (fd < 0)
			continue;
		if (bpf_obj_get_info_by_fd(fd, &info, &len) == 0 &&
		    info.type == BPF_LINK_TYPE_CGROUP &&
		    info.cgroup.cgroup_id == gate.place.parent_id)
			n++;
		close(fd);
	}
	return n;
}

/* Links and programs go when the last reference is dropped, a little later than the call. */
static bool links_gone(void)
{
	for (int i = 0; i < 100 && reeve_links(); i++)
		usleep(20000);
	return reeve_links() == 0;
}

TEST("removing leaves no pin and no link, and removing nothing is no fault")
{
	gate_place();
	ASSERT_OK(gate_open());
	EXPECT_GT(reeve_links(), 10);
	ASSERT_OK(guard_remove(GATE_PINS, &gate.fault));
	EXPECT_FALSE(guard_exists(GATE_PINS));
	guard_close(&gate.guard);
	EXPECT_TRUE(links_gone());
	ASSERT_OK(guard_remove(GATE_PINS, &gate.fault));
}

static void open_and_exit(void)
{
	struct guard guard = GUARD_INIT;
	struct fault fault = {};

	_exit(guard_open(&gate.place, &guard, &fault) ? 1 : 0);
}

/* Kills a loader after @us; whatever it got done, the next opening must be whole. */
static void kill_loader(unsigned int us)
{
	struct guard guard = GUARD_INIT;
	pid_t pid = fork();

	if (pid == 0)
		open_and_exit();
	usleep(us);
	kill(pid, SIGKILL);
	ASSERT_EQ(waitpid(pid, NULL, 0), pid);
	EXPECT_OK(guard_open(&gate.place, &guard, &gate.fault));
	EXPECT_FALSE(there(GATE_PINS "-loading"));
	guard_close(&guard);
	ASSERT_OK(guard_remove(GATE_PINS, &gate.fault));
}

TEST("a loader that is killed at any moment leaves what the next one completes", .seconds = 60)
{
	gate_place();
	for (unsigned int us = 1000; us < 400000; us = us * 3 / 2)
		kill_loader(us);
	EXPECT_TRUE(links_gone());
}

TEST("the remains of a loader that died half-way through its pins are taken away")
{
	gate_place();
	ASSERT_OK(gate_open());
	/* as they are before the rename, with the links not yet pinned */
	ASSERT_OK(rename(GATE_PINS, GATE_PINS "-loading"));
	ASSERT_OK(unlink(GATE_PINS "-loading/links/reeve_egress"));
	ASSERT_OK(unlink(GATE_PINS "-loading/maps/host"));
	guard_close(&gate.guard);
	ASSERT_OK(gate_open());
	EXPECT_FALSE(there(GATE_PINS "-loading"));
	EXPECT_TRUE(there(GATE_PINS "/links/reeve_egress"));
}

static void pin_is_readable(const char *name, int fd)
{
	struct btf *btf;
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);

	ASSERT_OK(bpf_obj_get_info_by_fd(fd, &info, &len));
	if (strcmp(name, "usages") != 0)
		return;
	btf = btf__load_from_kernel_by_id(info.btf_id);
	ASSERT_NOT_NULL(btf);
	EXPECT_GT(btf__find_by_name_kind(btf, "denials", BTF_KIND_STRUCT), 0);
	EXPECT_GT(btf__find_by_name_kind(btf, "usage", BTF_KIND_STRUCT), 0);
	btf__free(btf);
}

TEST("a dump of the usages has the names of the reasons")
{
	gate_place();
	ASSERT_OK(gate_open());
	EXPECT_EQ(each_pin("maps", pin_is_readable), GUARD_MAP_COUNT);
}

/*
 * What a program may cost: instructions that the verifier walks, of a million allowed, and instructions of
 * the program itself. About twice and once and a half what was measured when the table was written.
 */
static const struct budget {
	const char *program;
	unsigned int verified, own;
} budgets[] = {
	{ "reeve_connect4", 9000, 1600 }, { "reeve_connect6", 13000, 2000 },
	{ "reeve_sendmsg4", 9000, 1600 }, { "reeve_sendmsg6", 13000, 2000 },
	{ "reeve_recvmsg4", 50, 40 },	  { "reeve_recvmsg6", 110, 95 },
	{ "reeve_peername4", 50, 40 },	  { "reeve_peername6", 110, 95 },
	{ "reeve_bind4", 9000, 900 },	  { "reeve_bind6", 9000, 900 },
	{ "reeve_socket", 1500, 400 },	  { "reeve_sockopt", 1200, 400 },
	{ "reeve_egress", 13000, 1750 },  { "reeve_ingress", 12000, 1650 },
	{ "reeve_device", 1000, 400 },	  { "reeve_sysctl", 1000, 400 },
	{ "reeve_meter", 1500, 500 },	  { "reeve_unix_conn", 1500, 500 },
	{ "reeve_unix_send", 1500, 500 }, { "reeve_link_out", 300000, 3500 },
	{ "reeve_link_in", 7500, 1500 },
};

static void within_budget(const char *name, int fd)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	ASSERT_OK(bpf_obj_get_info_by_fd(fd, &info, &len));
	printf("%s: %u verified, %zu own, %u bytes of machine code\n", name, info.verified_insns,
	       info.xlated_prog_len / sizeof(struct bpf_insn), info.jited_prog_len);
	for (size_t i = 0; i < ARRAY_SIZE(budgets); i++) {
		if (strcmp(budgets[i].program, name) != 0)
			continue;
		EXPECT_LE(info.verified_insns, budgets[i].verified);
		EXPECT_LE(info.xlated_prog_len / sizeof(struct bpf_insn), budgets[i].own);
		return;
	}
	printf("%s has no budget\n", name);
	EXPECT_TRUE(false);
}

TEST("every program stays within what it may cost the verifier, and in size")
{
	gate_place();
	ASSERT_OK(gate_open());
	each_pin("progs", within_budget);
}
