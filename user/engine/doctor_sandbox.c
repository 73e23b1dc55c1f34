// SPDX-License-Identifier: GPL-2.0-only
/*
 * The whole way of a request: a real command in a real sandbox, made by the functions that every run
 * uses, in the throw-away cgroup, under the programs of the trial, and in the network namespace that
 * stands for the host. So each step of the isolation table is proved, and one that fails names itself.
 *
 * No slot of the host is taken: the highest number lends its ids, which a live session could only have
 * beside all others.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "../base/clock.h"
#include "../kernel/cgroup.h"
#include "../kernel/netns.h"
#include "../kernel/seccomp.h"
#include "doctor_exam.h"
#include "facts.h"
#include "request.h"

#define COMMAND_TIMEOUT_MS 5000
#define WRITTEN "written"

/* A directory beside @path, where @path itself does not exist: its parent is asked all the same. */
static int beside_make(const struct exam *exam, const char *path, char *ret, size_t size)
{
	if (snprintf(ret, size, "%s-%s", path, exam->name) >= (int)size)
		return -ENAMETOOLONG;
	return mkdir(ret, 0700) ? -errno : 0;
}

/* What is there must be this parent's and pin directory's; a new one is made beside, and removed. */
static int run_directory_try(const struct exam *exam, struct fault *ret_fault)
{
	const char *path = exam->config->run_dir;
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char beside[REEVE_PATH_MAX + sizeof(exam->name)];
	bool fresh;
	int r = 0;

	if (fd < 0 && errno != ENOENT)
		return -errno;
	if (fd >= 0)
		return faccessat(fd, ".", W_OK, 0)
			       ? -errno
			       : engine_place_check(exam->config, fd, &fresh, ret_fault);
	r = beside_make(exam, path, beside, sizeof(beside));
	return r ? r : rmdir(beside) ? -errno : 0;
}

static void run_directory(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	struct fault fault = {};
	int r = run_directory_try(exam, &fault);

	(void)row;
	if (r < 0)
		exam_no(check, DOCTOR_MISSING, "give a directory that root can write, with --run-dir",
			"--run-dir: %.160s: %s", exam->config->run_dir, strerror(-r));
	else if (r)
		exam_fault(check, DOCTOR_MISSING, r, &fault);
	else
		exam_ok(check, "%.180s can be used", exam->config->run_dir);
}

void exam_output_empty(int dir_fd)
{
	static const char *const names[] = { "stdout.log", "stderr.log", WRITTEN };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		unlinkat(dir_fd, names[i], 0);
}

static void dir_close(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* The output directories of dead doctors in @path. */
static void dead_outputs_remove(const char *path)
{
	_cleanup_(dir_close) DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		_cleanup_fd_ int fd = -1;

		if (!exam_is_dead(entry->d_name))
			continue;
		fd = openat(dirfd(dir), entry->d_name,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0)
			exam_output_empty(fd);
		unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
	}
}

/* The roots that dead doctors made beside @path. */
static void dead_roots_remove(const char *path)
{
	char pattern[REEVE_PATH_MAX];
	glob_t found = {};

	snprintf(pattern, sizeof(pattern), "%s-" EXAM_NAME "*", path);
	if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++) {
			if (!exam_is_dead(found.gl_pathv[i] + strlen(path) + 1))
				continue;
			dead_outputs_remove(found.gl_pathv[i]);
			rmdir(found.gl_pathv[i]);
		}
	globfree(&found);
}

static void output_root(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	const char *path = exam->config->output_root;
	struct fault fault = {};
	int r = 0;

	(void)row;
	snprintf(exam->output_root, sizeof(exam->output_root), "%.*s", REEVE_PATH_MAX, path);
	dead_outputs_remove(path);
	dead_roots_remove(path);
	if (access(path, F_OK)) {
		r = beside_make(exam, path, exam->output_root, sizeof(exam->output_root));
		exam->output_root_made = !r;
	}
	if (!r)
		r = output_dir_make(exam->output_root, exam->name, &exam->output, &fault);
	if (r < 0)
		exam_no(check, DOCTOR_MISSING,
			"give a directory that root can write, with --output-root",
			"--output-root: %.160s: %s", path, strerror(-r));
	else if (r)
		exam_fault(check, DOCTOR_MISSING, r, &fault);
	else
		exam_ok(check, "%.180s can be used", path);
}

static int plan_it(struct exam *exam, unsigned int slot, struct facts *facts, struct plan *ret,
		   struct fault *ret_fault)
{
	static const char *const command[] = { "/bin/sh", "-c", ("echo >" WRITTEN) };
	_cleanup_spec_ struct spec spec;
	unsigned int controllers;
	int r;

	spec_init(&spec);
	r = spec_set_argv(&spec, command, ARRAY_SIZE(command), ret_fault);
	if (!r)
		r = facts_name(facts);
	if (!r)
		r = cgroup_read_controllers(exam->parent_fd, &controllers);
	if (!r)
		r = facts_read(&spec, controllers, slot, facts, ret_fault);
	return r ? r : plan_make(&spec, &facts->host, NULL, 0, ret, ret_fault);
}

/* Lets the command run and waits for its end. */
static int command_run(struct request *request, struct fault *ret_fault)
{
	struct pollfd p = { .fd = request->spawn.status_fd, .events = POLLIN };
	struct spawn_exit end = {};
	int r = request_go(request, ret_fault);

	if (r)
		return r;
	r = poll(&p, 1, COMMAND_TIMEOUT_MS);
	if (r <= 0)
		return r < 0 ? -errno : -ETIMEDOUT;
	r = spawn_read_exit(&request->spawn, &end);
	if (r || end.exit_code == 0)
		return r;
	return fault_set(ret_fault, FAULT_START, "command",
			 "look whether /bin/sh of the host works by itself",
			 "/bin/sh ended with exit code %d, signal %d", end.exit_code, end.signal);
}

static int sandbox_run(struct exam *exam, struct fault *ret_fault)
{
	struct engine engine = ENGINE_INIT;
	struct facts facts = {};
	_cleanup_plan_ struct plan plan = {};
	struct session session = SESSION_INIT;
	struct request request = REQUEST_INIT;
	struct policy policy;
	struct slot slot = { .number = REEVE_SLOTS_MAX - 1 };
	struct request_files files = {
		.out_fd = exam->output.fd,
		.seccomp = seccomp_default(),
	};
	int out[2] = { -1, -1 }, left, r = plan_it(exam, slot.number, &facts, &plan, ret_fault);

	if (r)
		return r;
	engine.config = exam->config;
	engine.parent_fd = exam->parent_fd;
	engine.parent_id = exam->parent_id;
	engine.guard = exam->guard;
	slot.fd = memfd_create("slot", MFD_CLOEXEC);
	if (slot.fd < 0 || pipe2(out, O_CLOEXEC))
		r = -errno;
	files.stdout_fd = files.stderr_fd = out[1];
	policy = request_policy(&plan);
	if (!r)
		r = session_make(&engine, plan.session_id, &slot, &policy, &session, ret_fault);
	if (!r)
		r = request_make(&session, &plan, &files, &request, ret_fault);
	if (!r)
		r = command_run(&request, ret_fault);
	fd_close(&out[0]);
	fd_close(&out[1]);
	request_release(&request);
	left = session_close(&session, ret_fault);
	fd_close(&slot.fd);
	if (unlinkat(exam->output.fd, WRITTEN, 0) && !r)
		r = -errno;
	return r ? r : left;
}

static void sandbox(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	uint64_t start = clock_monotonic_ns();
	struct fault fault = {};
	int home, r = netns_enter(exam->host_netns_fd, &home);

	(void)row;
	if (!r) {
		r = sandbox_run(exam, &fault);
		exam->astray = netns_leave(&home) != 0;
	}
	if (r)
		exam_fault(check, DOCTOR_MISSING, r, &fault);
	else
		exam_ok(check,
			"a command ran in a sandbox, wrote its output, and all of it was "
			"removed: %.1f ms",
			(double)(clock_monotonic_ns() - start) / NSEC_PER_MSEC);
}

const struct exam_row exam_sandbox_rows[] = {
	{ "run-directory", PROMISE_CLEANUP, {}, run_directory, 0 },
	{ "output-root", PROMISE_CLEANUP, {}, output_root, 0 },
	{ "sandbox", PROMISE_SANDBOX, { "policy", "user-namespace", "output-root" }, sandbox, 0 },
	{},
};
