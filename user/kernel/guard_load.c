// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the object in this binary to attached links. The only place that knows the skeleton. Two users:
 * the real guard, which pins what it attached, and a trial, which doctor drops again.
 *
 * A program that this kernel cannot load is a fault that names it and shows the end of the verifier's
 * log; only the hooks that guard.h calls optional are left out where the kernel does not know them.
 */
#include "guard_load.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "reeve.skel.h"

/* <linux/bpf.h> since 6.7; the numbers are the kernel's API */
#define ATTACH_UNIX_CONNECT ((enum bpf_attach_type)49)
#define ATTACH_UNIX_SENDMSG ((enum bpf_attach_type)50)

#define HOOKS_MAX 24
#define DETACH_MS 1000

struct guard_trial {
	struct reeve *skel;
	struct bpf_link *links[HOOKS_MAX];
	unsigned int n_links;
};

/* The first complaint of libbpf, for the fault: it names the program; later ones are of its callers. */
static char complaint[512];

static int complaint_keep(enum libbpf_print_level level, const char *fmt, va_list args)
{
	if (level == LIBBPF_WARN && !complaint[0])
		vsnprintf(complaint, sizeof(complaint), fmt, args);
	return 0;
}

static int fault_kernel(struct fault *ret, int err, const char *what)
{
	complaint[strcspn(complaint, "\n")] = '\0';
	return fault_set_errno(ret, FAULT_ENFORCEMENT, "kernel",
			       "run \"reeve doctor\": it names what this kernel lacks", -err,
			       "%s (%s)", what, complaint);
}

uint64_t guard_load_build(void)
{
	uint64_t hash = 0xcbf29ce484222325ull, word; /* FNV-1a, by words of 8 bytes */
	size_t size;
	const char *bytes = reeve__elf_bytes(&size);

	for (; size >= sizeof(word); size -= sizeof(word), bytes += sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		hash = (hash ^ word) * 0x100000001b3ull;
	}
	return hash ^ size;
}

/* libbpf asks for a section's attach type; those of the unix hooks are younger than libbpf 1.1. */
static int unix_hooks_register(void)
{
	static bool done;
	int r;

	if (done)
		return 0;
	r = libbpf_register_prog_handler("reeve/connect_unix", BPF_PROG_TYPE_CGROUP_SOCK_ADDR,
					 ATTACH_UNIX_CONNECT, NULL);
	if (r >= 0)
		r = libbpf_register_prog_handler("reeve/sendmsg_unix", BPF_PROG_TYPE_CGROUP_SOCK_ADDR,
						 ATTACH_UNIX_SENDMSG, NULL);
	done = r >= 0;
	return r < 0 ? r : 0;
}

/* Asks the kernel instead of its version: EINVAL for an attach type that it does not know. */
static bool unix_hooks_there(void)
{
	struct bpf_insn allow[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = ATTACH_UNIX_CONNECT);
	_cleanup_fd_ int fd = bpf_prog_load(BPF_PROG_TYPE_CGROUP_SOCK_ADDR, "reeve_probe", "GPL",
					    allow, ARRAY_SIZE(allow), &opts);

	return fd >= 0;
}

static int hooks_attach(struct guard_trial *trial, int parent_fd, struct fault *ret_fault)
{
	for (const struct guard_hook *hook = guard_hooks; hook->program; hook++) {
		struct bpf_program *prog =
			bpf_object__find_program_by_name(trial->skel->obj, hook->program);
		struct bpf_link *link;
		char what[128];

		if (hook->optional && !bpf_program__autoload(prog))
			continue;
		link = bpf_program__type(prog) == BPF_PROG_TYPE_TRACING
			       ? bpf_program__attach(prog)
			       : bpf_program__attach_cgroup(prog, parent_fd);
		snprintf(what, sizeof(what), "%s cannot be attached to the parent cgroup",
			 hook->program);
		if (!link)
			return fault_kernel(ret_fault, -errno, what);
		trial->links[trial->n_links++] = link;
	}
	return 0;
}

static int host_write(const struct reeve *skel, const struct guard_place *place)
{
	struct host host = {
		.build = guard_load_build(),
		.parent_cgroup = place->parent_id,
		.netns = place->netns,
		.session_level = place->parent_level + 1,
	};
	struct usage usage = {};
	__u64 none = 0;
	__u32 key = 0;

	if (bpf_map_update_elem(bpf_map__fd(skel->maps.usages), &none, &usage, BPF_ANY) ||
	    bpf_map_update_elem(bpf_map__fd(skel->maps.host), &key, &host, BPF_ANY))
		return -errno;
	return 0;
}

/* The host record, and the counters of key 0, are there before the first hook can run. */
static int trial_fill(struct guard_trial *trial, const struct guard_place *place,
		      struct fault *ret_fault)
{
	bool unix_hooks = unix_hooks_there();
	int r;

	trial->skel = reeve__open();
	if (!trial->skel)
		return fault_kernel(ret_fault, -errno, "the BPF object cannot be opened");
	trial->skel->rodata->session_level = place->parent_level + 1;
	if (getrandom((void *)&trial->skel->rodata->flow_secret,
		      sizeof(trial->skel->rodata->flow_secret), 0) < 0)
		return -errno;
	bpf_program__set_autoload(trial->skel->progs.reeve_unix_conn, unix_hooks);
	bpf_program__set_autoload(trial->skel->progs.reeve_unix_send, unix_hooks);
	r = reeve__load(trial->skel);
	if (r)
		return fault_kernel(ret_fault, r, "the kernel refuses the BPF programs");
	r = host_write(trial->skel, place);
	if (r)
		return fault_kernel(ret_fault, r, "the host record cannot be written");
	return hooks_attach(trial, place->parent_fd, ret_fault);
}

void guard_trial_free(struct guard_trial *trial)
{
	if (!trial)
		return;
	for (unsigned int i = 0; i < trial->n_links; i++)
		bpf_link__destroy(trial->links[i]);
	reeve__destroy(trial->skel);
	free(trial);
}

static void trial_freep(struct guard_trial **trial)
{
	guard_trial_free(*trial);
}

static int trial_make(const struct guard_place *place, struct guard_trial **ret,
		      struct fault *ret_fault)
{
	_cleanup_(trial_freep) struct guard_trial *trial = calloc(1, sizeof(*trial));
	libbpf_print_fn_t before;
	int r;

	if (!trial)
		return -ENOMEM;
	complaint[0] = '\0';
	before = libbpf_set_print(complaint_keep);
	r = unix_hooks_register();
	if (!r)
		r = trial_fill(trial, place, ret_fault);
	libbpf_set_print(before);
	if (r)
		return r;
	*ret = trial;
	trial = NULL;
	return 0;
}

int guard_trial_make(const struct guard_place *place, struct guard_trial **ret,
		     struct guard *ret_guard, struct fault *ret_fault)
{
	struct guard guard = GUARD_INIT;
	struct guard_trial *trial;
	int r = trial_make(place, &trial, ret_fault);

	if (r)
		return r;
	for (unsigned int i = 0; i < GUARD_MAP_COUNT; i++)
		guard.maps[i] =
			dup(bpf_object__find_map_fd_by_name(trial->skel->obj, guard_map_names[i]));
	guard.link_out_fd = dup(bpf_program__fd(trial->skel->progs.reeve_link_out));
	guard.link_in_fd = dup(bpf_program__fd(trial->skel->progs.reeve_link_in));
	guard.unix_hooks = bpf_program__autoload(trial->skel->progs.reeve_unix_conn);
	*ret = trial;
	*ret_guard = guard;
	return 0;
}

static int pin_kind(char *path, size_t size, const char *dir, const char *kind)
{
	snprintf(path, size, "%s/%s", dir, kind);
	return mkdir(path, 0700) && errno != EEXIST ? -errno : 0;
}

static int pins_make(const struct guard_trial *trial, const char *dir)
{
	char path[REEVE_PATH_MAX + 128];
	struct bpf_program *prog;
	struct bpf_map *map;
	int r = mkdir(dir, 0700) ? -errno : pin_kind(path, sizeof(path), dir, "maps");

	bpf_object__for_each_map(map, trial->skel->obj) {
		if (r || bpf_map__is_internal(map))
			continue;
		snprintf(path, sizeof(path), "%s/maps/%s", dir, bpf_map__name(map));
		r = bpf_map__pin(map, path);
	}
	if (!r)
		r = pin_kind(path, sizeof(path), dir, "progs");
	bpf_object__for_each_program(prog, trial->skel->obj) {
		if (r || !bpf_program__autoload(prog))
			continue;
		snprintf(path, sizeof(path), "%s/progs/%s", dir, bpf_program__name(prog));
		r = bpf_program__pin(prog, path);
	}
	if (!r)
		r = pin_kind(path, sizeof(path), dir, "links");
	/* the optional hooks stand last in the table: links are in its order, without holes */
	for (unsigned int i = 0; !r && i < trial->n_links; i++) {
		snprintf(path, sizeof(path), "%s/links/%s", dir, guard_hooks[i].program);
		r = bpf_link__pin(trial->links[i], path);
	}
	return r;
}

/* 1 when a program of ours hangs on the parent, 0 when none does, or -errno. */
static int parent_is_taken(int parent_fd)
{
	__u32 ids[64], n = ARRAY_SIZE(ids), flags;

	if (bpf_prog_query(parent_fd, BPF_CGROUP_INET4_CONNECT, 0, &flags, ids, &n))
		return -errno;
	for (__u32 i = 0; i < n; i++) {
		_cleanup_fd_ int fd = bpf_prog_get_fd_by_id(ids[i]);
		struct bpf_prog_info info = {};
		__u32 len = sizeof(info);

		if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &len) == 0 &&
		    strcmp(info.name, "reeve_connect4") == 0)
			return 1;
	}
	return 0;
}

/*
 * Two sets of hooks on one cgroup would deny each other's sessions. Links whose last pin went are detached by
 * a worker of the kernel, a moment later.
 */
static int parent_check(const struct guard_place *place, struct fault *ret_fault)
{
	int r = parent_is_taken(place->parent_fd);

	for (unsigned int ms = 0; r > 0 && ms < DETACH_MS; ms += 10) {
		usleep(10 * 1000);
		r = parent_is_taken(place->parent_fd);
	}
	if (r <= 0)
		return r;
	return fault_set(ret_fault, FAULT_ENFORCEMENT, "--parent",
			 "give each --pin-dir a --parent of its own, or the --pin-dir that this "
			 "one's programs are pinned at",
			 "the parent cgroup has reeve's programs of another --pin-dir");
}

int guard_load(const struct guard_place *place, struct fault *ret_fault)
{
	_cleanup_(trial_freep) struct guard_trial *trial = NULL;
	char dir[REEVE_PATH_MAX];
	int r;

	snprintf(dir, sizeof(dir), "%s" GUARD_LOADING, place->pin_dir);
	r = guard_remove_halves(place->pin_dir, ret_fault);
	if (!r)
		r = parent_check(place, ret_fault);
	if (!r)
		r = trial_make(place, &trial, ret_fault);
	if (r)
		return r;
	r = pins_make(trial, dir);
	if (!r && rename(dir, place->pin_dir))
		r = -errno;
	if (!r)
		return 0;
	guard_remove_halves(place->pin_dir, ret_fault);
	return fault_set_errno(ret_fault, FAULT_ENFORCEMENT, "--pin-dir",
			       "look at the directory's owner and mode", -r, "%s cannot be filled",
			       place->pin_dir);
}
