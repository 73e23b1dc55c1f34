// SPDX-License-Identifier: GPL-2.0-only
/*
 * The plan comes from the engine, as "reeve run --dry-run" prints it, so that all see the same host. What a
 * peer has no word for is given to it in its own: bubblewrap makes /dev by itself, a runtime masks and
 * makes read-only by lists. Only bubblewrap takes the compiled seccomp program; the runtimes go without,
 * which makes them faster, not slower.
 *
 * A peer owns its arguments.
 */
#include "peer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../user/base/macro.h"
#include "../../user/engine/run.h"
#include "../../user/kernel/seccomp.h"
#include "bench.h"
#include "bundle.h"

/* Descriptors above those that any of the programs opens by itself. */
#define FIRST_FD 40

extern char **environ;

static const char *environment(const char *name)
{
	const char *value = getenv(name);

	if (!value)
		bench_die(0, "%s is not set: start this by selftests/bench/run", name);
	return value;
}

void peer_place_init(struct peer_place *ret)
{
	*ret = (struct peer_place){
		.config = {
			.parent = environment("BENCH_PARENT"),
			.pin_dir = environment("BENCH_PIN_DIR"),
			.run_dir = environment("BENCH_RUN_DIR"),
			.output_root = environment("BENCH_OUTPUT_ROOT"),
		},
		.reeve = environment("REEVE"),
		.work = environment("BENCH_WORK"),
	};
}

static void add(struct peer *peer, const char *fmt, ...) _printf_(2, 3);

static void add(struct peer *peer, const char *fmt, ...)
{
	va_list args;

	if (peer->n_argv + 1 >= PEER_ARGS_MAX)
		bench_die(E2BIG, "%s", peer->name);
	va_start(args, fmt);
	if (vasprintf(&peer->argv[peer->n_argv], fmt, args) < 0)
		bench_die(ENOMEM, "%s", peer->name);
	va_end(args);
	peer->argv[++peer->n_argv] = NULL;
}

static void add_all(struct peer *peer, const char *const *args)
{
	for (; *args; args++)
		add(peer, "%s", *args);
}

/* Files and no device: container runtimes give their standard streams to the container's owner. */
static void peer_init(const struct peer_place *place, struct peer *ret, const char *name)
{
	char stream[sizeof(ret->log)];

	*ret = (struct peer){ .name = name };
	snprintf(ret->log, sizeof(ret->log), "%s/stderr", place->work);
	posix_spawn_file_actions_init(&ret->actions);
	snprintf(stream, sizeof(stream), "%s/stdin", place->work);
	posix_spawn_file_actions_addopen(&ret->actions, 0, stream, O_RDONLY | O_CREAT, 0600);
	snprintf(stream, sizeof(stream), "%s/stdout", place->work);
	posix_spawn_file_actions_addopen(&ret->actions, 1, stream, O_WRONLY | O_CREAT | O_TRUNC,
					 0600);
	posix_spawn_file_actions_addopen(&ret->actions, 2, ret->log, O_WRONLY | O_CREAT | O_TRUNC,
					 0600);
}

void peer_deinit(struct peer *peer)
{
	posix_spawn_file_actions_destroy(&peer->actions);
	for (size_t i = 0; i < peer->n_argv; i++)
		free(peer->argv[i]);
}

void peer_plain(const struct peer_place *place, const char *const *command, struct peer *ret)
{
	peer_init(place, ret, "posix_spawn");
	add_all(ret, command);
}

void peer_reeve(const struct peer_place *place, const char *const *command, struct peer *ret)
{
	const struct engine_config *c = &place->config;
	const char *const args[] = {
		place->reeve, "run",	  "--parent",	   c->parent,	   "--pin-dir", c->pin_dir,
		"--run-dir",  c->run_dir, "--output-root", c->output_root, "--egress",	"none",
		"--",	      NULL,
	};

	peer_init(place, ret, "reeve run");
	add_all(ret, args);
	add_all(ret, command);
}

static void plan_read(const struct peer_place *place, const char *const *command, struct plan *ret)
{
	struct spec spec;
	struct run_args args = {
		.spec = &spec, .field_prefix = "--", .stdout_fd = -1, .stderr_fd = -1
	};
	struct fault fault = {};
	size_t n = 0;
	int r;

	while (command[n])
		n++;
	spec_init(&spec);
	r = spec_set_argv(&spec, command, n, &fault);
	if (!r)
		r = run_plan(&place->config, &args, ret, &fault);
	if (r)
		bench_die(r < 0 ? r : 0, "no plan %s", fault.reason);
	spec_deinit(&spec);
}

static void file_write(const char *path, const void *bytes, size_t n)
{
	_cleanup_fd_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
		bench_die(errno, "%s", path);
}

/* Has the started program find the file at the next free number. */
static int file_hand(struct peer *peer, const char *path, int *next_fd)
{
	if (posix_spawn_file_actions_addopen(&peer->actions, *next_fd, path, O_RDONLY, 0))
		bench_die(ENOMEM, "%s", path);
	return (*next_fd)++;
}

static void bwrap_text(const struct peer_place *place, const struct plan_mount *m, struct peer *ret,
		       int *next_fd)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/text-%d", place->work, *next_fd);
	file_write(path, m->source, strlen(m->source));
	add(ret, "--file");
	add(ret, "%d", file_hand(ret, path, next_fd));
	add(ret, "%s", m->target);
}

static void add_three(struct peer *peer, const char *option, const char *from, const char *to)
{
	add(peer, "%s", option);
	add(peer, "%s", from);
	add(peer, "%s", to);
}

static void bwrap_tmpfs(const struct plan_mount *m, struct peer *ret)
{
	if (!m->target[1])
		return;
	add(ret, "--perms");
	add(ret, "%04o", (unsigned int)m->mode);
	add(ret, "--size");
	add(ret, "%llu", (unsigned long long)m->size_bytes);
	add(ret, "--tmpfs");
	add(ret, "%s", m->target);
}

/* bubblewrap's own --dev makes the nodes, /dev/pts and the links of /dev. */
static void bwrap_mount(const struct peer_place *place, const struct plan_mount *m,
			struct peer *ret, int *next_fd)
{
	const bool in_dev = strncmp(m->target, "/dev/", 5) == 0;

	if (m->kind == PLAN_MOUNT_SYSTEM)
		add_three(ret, "--ro-bind", m->source, m->target);
	else if (m->kind == PLAN_MOUNT_SYMLINK && !in_dev)
		add_three(ret, "--symlink", m->source, m->target);
	else if (m->kind == PLAN_MOUNT_TEXT)
		bwrap_text(place, m, ret, next_fd);
	else if (m->kind == PLAN_MOUNT_MASK_FILE && access(m->target, F_OK) == 0)
		add_three(ret, "--dev-bind", "/dev/null", m->target);
	else if (m->kind == PLAN_MOUNT_READ_ONLY && m->target[1])
		add_three(ret, "--ro-bind", m->target, m->target);
	else if (m->kind == PLAN_MOUNT_OUT)
		add_three(ret, "--bind", place->work, m->target);
	else if (m->kind == PLAN_MOUNT_TMPFS)
		bwrap_tmpfs(m, ret);
	else if (m->kind == PLAN_MOUNT_PROC)
		add_three(ret, "--proc", m->target, "--dev"), add(ret, "/dev");
	else if (m->kind == PLAN_MOUNT_DIRECTORY)
		add(ret, "--dir"), add(ret, "%s", m->target);
}

static void bwrap_seccomp(const struct peer_place *place, struct peer *ret, int *next_fd)
{
	const struct sock_fprog *filter = seccomp_default();
	char path[512];

	snprintf(path, sizeof(path), "%s/seccomp", place->work);
	file_write(path, filter->filter, filter->len * sizeof(*filter->filter));
	add(ret, "--seccomp");
	add(ret, "%d", file_hand(ret, path, next_fd));
}

void peer_bwrap(const struct peer_place *place, const char *const *command, struct peer *ret)
{
	static const char *const options[] = {
		"bwrap",
		"--unshare-user",
		"--uid",
		"0",
		"--gid",
		"0",
		"--unshare-ipc",
		"--unshare-pid",
		"--unshare-net",
		"--unshare-uts",
		"--unshare-cgroup",
		"--hostname",
		"reeve",
		"--die-with-parent",
		"--new-session",
		"--clearenv",
		"--cap-drop",
		"ALL",
		NULL,
	};
	_cleanup_plan_ struct plan plan = {};
	int next_fd = FIRST_FD;

	plan_read(place, command, &plan);
	peer_init(place, ret, "bubblewrap");
	add_all(ret, options);
	for (size_t i = 0; plan.envp[i]; i++) {
		const char *equals = strchr(plan.envp[i], '=');

		add(ret, "--setenv");
		add(ret, "%.*s", (int)(equals - plan.envp[i]), plan.envp[i]);
		add(ret, "%s", equals + 1);
	}
	for (size_t i = 0; i < plan.n_mounts; i++)
		bwrap_mount(place, &plan.mounts[i], ret, &next_fd);
	bwrap_seccomp(place, ret, &next_fd);
	add_three(ret, "--remount-ro", "/", "--chdir");
	add(ret, "%s", plan.cwd);
	add_all(ret, command);
}

void peer_oci(const struct peer_place *place, const char *runtime, const char *const *command,
	      struct peer *ret)
{
	_cleanup_plan_ struct plan plan = {};
	char bundle[512];

	plan_read(place, command, &plan);
	snprintf(bundle, sizeof(bundle), "%s/%s", place->work, runtime);
	bundle_make(bundle, place->work, &plan);
	peer_init(place, ret, runtime);
	add(ret, "%s", runtime);
	add(ret, "--root");
	add(ret, "%s/%s-state", place->work, runtime);
	add(ret, "run");
	add(ret, "--bundle");
	add(ret, "%s", bundle);
	add(ret, "reeve-bench-0000000000");
	ret->id = &ret->argv[ret->n_argv - 1];
}

pid_t peer_start(struct peer *peer)
{
	pid_t pid;
	int r;

	if (peer->id)
		snprintf(*peer->id, strlen(*peer->id) + 1, "reeve-bench-%010u", peer->starts);
	peer->starts++;
	r = posix_spawnp(&pid, peer->argv[0], &peer->actions, NULL, peer->argv, environ);
	if (r)
		bench_die(r, "%s cannot be started", peer->argv[0]);
	return pid;
}

void peer_check(const struct peer *peer, int status)
{
	_cleanup_fd_ int fd = -1;
	char text[512] = "";

	if (!status)
		return;
	fd = open(peer->log, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	bench_die(0, "%s ended with status %#x: %s", peer->name, (unsigned int)status, text);
}

int peer_slice(void *arg, double *ret_ns)
{
	struct peer *peer = arg;
	double start = bench_now_ns();
	pid_t pid = peer_start(peer);
	int status;

	if (waitpid(pid, &status, 0) != pid)
		return -errno;
	*ret_ns = bench_now_ns() - start;
	peer_check(peer, status);
	return 0;
}
