// SPDX-License-Identifier: GPL-2.0-only
/*
 * Layers that can be left out: linked into a reeve of the test's own, never into the product. The
 * environment variable LEFT_OUT names them, with a space before and behind each; what is not named is as in
 * the product. The linker puts the __wrap_ functions here in the place of the product's (--wrap), the test
 * renames the table of hooks (guard.c) and asks before each isolation step (child.c).
 *
 * Programs are loaded once: a hook that is left out is taken off its cgroup when the next run opens the
 * guard, and attached again when one wants it.
 *
 * Which layers there are is told by the tables here; ways.sh says what each of them stops.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../../include/usage.h"
#include "../../../user/base/macro.h"
#include "../../../user/kernel/nft.h"
#include "../../../user/kernel/proof.h"
#include "../../../user/kernel/seccomp.h"
#include "../../../user/model/seccomp.h"

/* guard.h declares the table const */
struct guard_hook {
	const char *program, *holds;
	bool optional;
};
struct guard_hook guard_hooks[32];
extern const struct guard_hook hooks_whole[];

struct guard_place {
	const char *pin_dir;
	int parent_fd;
};

static const struct {
	const char *program, *layer;
	enum bpf_attach_type type;
} hook_layers[] = {
	{ "reeve_connect4", "connect", BPF_CGROUP_INET4_CONNECT },
	{ "reeve_connect6", "connect", BPF_CGROUP_INET6_CONNECT },
	{ "reeve_sendmsg4", "sendmsg", BPF_CGROUP_UDP4_SENDMSG },
	{ "reeve_sendmsg6", "sendmsg", BPF_CGROUP_UDP6_SENDMSG },
	{ "reeve_bind4", "bind", BPF_CGROUP_INET4_BIND },
	{ "reeve_bind6", "bind", BPF_CGROUP_INET6_BIND },
	{ "reeve_socket", "create", BPF_CGROUP_INET_SOCK_CREATE },
	{ "reeve_sockopt", "options", BPF_CGROUP_SETSOCKOPT },
	{ "reeve_egress", "packet", BPF_CGROUP_INET_EGRESS },
	{ "reeve_ingress", "packet", BPF_CGROUP_INET_INGRESS },
	{ "reeve_device", "device", BPF_CGROUP_DEVICE },
	{ "reeve_sysctl", "sysctl", BPF_CGROUP_SYSCTL },
};

static const struct {
	const char *step, *layer;
} step_layers[] = {
	{ "network namespace", "netns" },
	{ "cgroup namespace", "cgroupns" },
	{ "user namespace", "userns" },
	{ "capabilities", "caps" },
	{ "propagation", "mounts" },
	{ "root", "mounts" },
	{ "system", "mounts" },
	{ "devices", "mounts" },
	{ "proc", "mounts" },
	{ "inputs", "mounts" },
	{ "output", "mounts" },
	{ "scratch", "mounts" },
	{ "pivot", "mounts" },
	{ "sealed root", "mounts" },
	{ "working directory", "mounts" },
};

#ifdef __aarch64__
#define NATIVE SECCOMP_ARCH_AARCH64
#else
#define NATIVE SECCOMP_ARCH_X86_64
#endif

static bool left_out(const char *layer)
{
	const char *all = getenv("LEFT_OUT");
	char word[32];

	snprintf(word, sizeof(word), " %s ", layer);
	return all && strstr(all, word);
}

/* A sandbox without hooks cannot prove them, and this reeve must start all the same. */
bool step_left_out(const char *step)
{
	if (strcmp(step, "proof") == 0)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(step_layers); i++)
		if (strcmp(step, step_layers[i].step) == 0)
			return left_out(step_layers[i].layer);
	return false;
}

/* The layer "overlay": an input directory is shown as it is when that is left out. */
bool input_left_out(int tree, const char *target, int *ret)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", tree);
	if (!left_out("overlay"))
		return false;
	*ret = mount(path, target, NULL, MS_BIND, NULL) < 0 ? -errno : 0;
	return true;
}

int __real_guard_session_usage(const void *guard, uint64_t id, struct usage *ret);
int __wrap_guard_session_usage(const void *guard, uint64_t id, struct usage *ret)
{
	static uint64_t looks;
	int r = __real_guard_session_usage(guard, id, ret);

	/* what counts is how many more there are than at the look before */
	if (r == 0)
		ret->denials.proof += ++looks * PROOF_CONNECTS;
	return r;
}

/* --- hooks --------------------------------------------------------------------------------------------- */

static int pin_of(const struct guard_place *place, const char *kind, const char *program,
		  char ret[256])
{
	snprintf(ret, 256, "%s/%s/%s", place->pin_dir, kind, program);
	return bpf_obj_get(ret);
}

static void hook_set(const struct guard_place *place, size_t i)
{
	char path[256];
	_cleanup_fd_ int prog = pin_of(place, "progs", hook_layers[i].program, path);
	_cleanup_fd_ int link = pin_of(place, "links", hook_layers[i].program, path);
	bool out = left_out(hook_layers[i].layer);

	if (prog < 0 || (link < 0) == out)
		return;
	if (out) {
		if (bpf_link_detach(link) < 0 || unlink(path) < 0)
			abort();
		return;
	}
	link = bpf_link_create(prog, place->parent_fd, hook_layers[i].type, NULL);
	if (link < 0 || bpf_obj_pin(link, path) < 0)
		abort();
}

static void hooks_take(bool all)
{
	size_t n = 0;

	for (const struct guard_hook *hook = hooks_whole; hook->program; hook++) {
		bool out = false;

		for (size_t i = 0; i < ARRAY_SIZE(hook_layers); i++)
			if (strcmp(hook->program, hook_layers[i].program) == 0)
				out = left_out(hook_layers[i].layer);
		if (all || !out)
			guard_hooks[n++] = *hook;
	}
	guard_hooks[n] = (struct guard_hook){ 0 };
}

int __real_guard_open(const struct guard_place *place, void *ret, struct fault *ret_fault);
int __wrap_guard_open(const struct guard_place *place, void *ret, struct fault *ret_fault)
{
	hooks_take(access(place->pin_dir, F_OK) != 0);
	for (size_t i = 0; i < ARRAY_SIZE(hook_layers); i++)
		hook_set(place, i);
	return __real_guard_open(place, ret, ret_fault);
}

/* --- the device, the host, the sandbox ------------------------------------------------------------------ */

int __real_bpf_tc_attach(const void *hook, void *opts);
int __wrap_bpf_tc_attach(const void *hook, void *opts)
{
	return left_out("link") ? 0 : __real_bpf_tc_attach(hook, opts);
}

int __real_nft_check(enum nft_state *ret_state);
int __wrap_nft_check(enum nft_state *ret_state)
{
	*ret_state = NFT_WHOLE;
	return left_out("nft") ? 0 : __real_nft_check(ret_state);
}

int __real_close_range(unsigned int first, unsigned int last, int flags);
int __wrap_close_range(unsigned int first, unsigned int last, int flags)
{
	return left_out("descriptors") ? 0 : __real_close_range(first, last, flags);
}

/* An init that is none of a namespace's own would mean the whole machine. */
int __real_kill(pid_t pid, int sig);
int __wrap_kill(pid_t pid, int sig)
{
	return pid == -1 ? 0 : __real_kill(pid, sig);
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
	struct clone_args *clone;
	long a[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	clone = (struct clone_args *)a[0];
	if (number == SYS_clone3 && left_out("pidns"))
		clone->flags &= ~(uint64_t)CLONE_NEWPID;
	if (number == SYS_clone3 && left_out("cgroup"))
		clone->flags &= ~(uint64_t)CLONE_INTO_CGROUP;
	return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static bool rule_left_out(const char *name)
{
	if (strncmp(name, "socket", 6) == 0)
		return left_out("families");
	return left_out(strncmp(name, "io_uring_", 9) == 0 ? "rings" : "calls");
}

/* The built-in rules but for those left out, compiled anew. */
const struct sock_fprog *__wrap_seccomp_default(void)
{
	static struct seccomp_rule rules[256];
	static struct sock_fprog program;
	struct seccomp_plan plan = *seccomp_plan_default();
	struct fault fault = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < plan.n_rules; i++)
		if (!rule_left_out(plan.rules[i].name))
			rules[n++] = plan.rules[i];
	plan.rules = rules;
	plan.n_rules = n;
	if (seccomp_compile(&plan, NATIVE, &program, &fault))
		abort();
	return &program;
}
