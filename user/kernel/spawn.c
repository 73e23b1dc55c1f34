// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parent's side of a start.
 *
 * clone3 gives, in one call, a copy of this process as pid 1 of new namespaces, in the request's cgroup
 * from its first instruction, and a descriptor of it. Mounts can be cloned only by who owns them, so the
 * inputs and the output directory are made detached mounts here, and placed by the child.
 *
 * Two pipes: reports come up, orders go down. The child's ends are close-on-exec and closed here, so
 * that end of file means death, on either side. Until spawn_start has returned, the half-made sandbox is
 * owned by a struct spawn whose end kills and reaps it.
 */
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/macro.h"
#include "child.h"
#include "mount.h"

/* A start takes milliseconds; only a file system that does not answer takes longer. */
#define START_TIMEOUT_MS 30000

/* What the parent makes for the child and drops once the child has its copies. */
struct kit {
	struct child child;
	int status_write_fd, go_read_fd;
};

static void kit_deinit(struct kit *kit)
{
	for (size_t i = 0; i < kit->child.n_inputs; i++)
		fd_close(&kit->child.input_trees[i]);
	for (size_t i = 0; i < CHILD_OWN_COUNT; i++)
		fd_close(&kit->child.own_trees[i]);
	fd_close(&kit->child.owner_fd);
	fd_close(&kit->status_write_fd);
	fd_close(&kit->go_read_fd);
	free(kit->child.shell_argv);
	free(kit->child.room);
}

void spawn_deinit(struct spawn *spawn)
{
	if (spawn->pidfd >= 0) {
		syscall(SYS_pidfd_send_signal, spawn->pidfd, SIGKILL, NULL, 0);
		spawn_reap(spawn);
	}
	fd_close(&spawn->pidfd);
	fd_close(&spawn->status_fd);
	fd_close(&spawn->go_fd);
	spawn->pid = -1;
}

int spawn_reap(struct spawn *spawn)
{
	siginfo_t info;
	int r;

	if (spawn->pid < 0)
		return 0;
	do
		r = waitid(P_PIDFD, (id_t)spawn->pidfd, &info, WEXITED);
	while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	spawn->pid = -1;
	return 0;
}

/* Orders of an open request are messages, taken whole or not at all. */
static int orders_open(bool open, int ret[2])
{
	int r = open ? socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ret)
		     : pipe2(ret, O_CLOEXEC);

	return r < 0 ? -errno : 0;
}

static int kit_descriptors(struct kit *kit, bool open, struct spawn *spawn)
{
	int status[2], go[2], r;

	if (pipe2(status, O_CLOEXEC) < 0)
		return -errno;
	spawn->status_fd = status[0];
	kit->status_write_fd = kit->child.status_fd = status[1];
	r = orders_open(open, go);
	if (r < 0)
		return r;
	kit->go_read_fd = kit->child.go_fd = go[0];
	spawn->go_fd = go[1];
	/* an init that does not take its orders is killed, and not waited for */
	if (open && fcntl(go[1], F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	kit->child.owner_fd = pidfd_open(getpid(), 0);
	if (kit->child.owner_fd < 0)
		return -errno;
	return status[0] < 3 || status[1] < 3 || go[0] < 3 || go[1] < 3 ? -EBADF : 0;
}

static bool plan_mounts(const struct plan *plan, enum plan_mount_kind kind)
{
	for (size_t i = 0; i < plan->n_mounts; i++)
		if (plan->mounts[i].kind == kind)
			return true;
	return false;
}

static int kit_own_trees(struct kit *kit, const struct spawn_args *args, struct fault *ret_fault)
{
	const struct {
		enum plan_mount_kind kind;
		int fd;
	} own[] = {
		[CHILD_OUT] = { PLAN_MOUNT_OUT, args->out_fd },
		[CHILD_WORK] = { PLAN_MOUNT_WORK, args->work_fd },
		[CHILD_SITE] = { PLAN_MOUNT_SITE, args->site_fd },
	};

	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		int r = plan_mounts(args->plan, own[i].kind)
				? mount_clone_output(own[i].fd, &kit->child.own_trees[i])
				: 0;

		if (r < 0)
			return fault_set_errno(ret_fault, FAULT_START, "output",
					       "run reeve as root of the host, with CAP_SYS_ADMIN",
					       -r,
					       "cannot clone the mount of a directory of its own");
	}
	return 0;
}

static int kit_trees(struct kit *kit, const struct spawn_args *args, struct fault *ret_fault)
{
	int r = kit_own_trees(kit, args, ret_fault);

	if (r)
		return r;
	for (size_t i = 0; i < args->n_inputs; i++) {
		r = mount_clone_input(args->input_fds[i], args->userns_fd,
				      &kit->child.input_trees[i]);
		if (r < 0)
			return fault_set_errno(ret_fault, FAULT_START, "inputs",
					       "check that the input still exists", -r,
					       "cannot clone the mount of input %zu", i);
		kit->child.n_inputs = i + 1;
	}
	return 0;
}

static int kit_argv(struct kit *kit, const struct plan *plan, bool open)
{
	size_t n = 0;

	if (open) {
		kit->child.room = calloc(1, sizeof(*kit->child.room));
		return kit->child.room ? 0 : -ENOMEM;
	}
	while (plan->argv[n])
		n++;
	kit->child.shell_argv = calloc(n + 2, sizeof(char *));
	if (!kit->child.shell_argv)
		return -ENOMEM;
	memcpy(&kit->child.shell_argv[2], &plan->argv[1], n * sizeof(char *));
	return 0;
}

/* Whether each input of the plan has its descriptor. */
static bool inputs_match(const struct spawn_args *args)
{
	for (size_t i = 0; i < args->plan->n_mounts; i++) {
		const struct plan_mount *m = &args->plan->mounts[i];

		if ((m->kind == PLAN_MOUNT_INPUT_FILE || m->kind == PLAN_MOUNT_INPUT_DIRECTORY) &&
		    m->input >= args->n_inputs)
			return false;
	}
	return args->n_inputs <= REEVE_INPUTS_MAX;
}

static int kit_fill(struct kit *kit, const struct spawn_args *args, struct spawn *spawn,
		    struct fault *ret_fault)
{
	int r;

	kit->child.plan = args->plan;
	kit->child.userns_fd = args->userns_fd;
	kit->child.netns_fd = args->netns_fd;
	kit->child.stdout_fd = args->stdout_fd;
	kit->child.stderr_fd = args->stderr_fd;
	kit->child.seccomp = args->seccomp;
	kit->child.fail_step = args->fail_step;
	if (!inputs_match(args) || !args->seccomp)
		return -EINVAL;
	r = kit_argv(kit, args->plan, args->open);
	if (r == 0)
		r = kit_descriptors(kit, args->open, spawn);
	if (r == 0)
		r = kit_trees(kit, args, ret_fault);
	return r;
}

static int clone_child(struct kit *kit, int cgroup_fd, struct spawn *spawn, struct fault *ret_fault)
{
	struct clone_args clone = {
		.flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_PIDFD |
			 CLONE_INTO_CGROUP | CLONE_CLEAR_SIGHAND,
		.pidfd = (uint64_t)(uintptr_t)&spawn->pidfd,
		.exit_signal = SIGCHLD,
		.cgroup = (uint64_t)cgroup_fd,
	};
	long pid = syscall(SYS_clone3, &clone, sizeof(clone));

	if (pid == 0)
		child_main(&kit->child);
	if (pid < 0)
		return fault_set_errno(ret_fault, FAULT_START, "namespaces",
				       "run reeve as root of the host; \"reeve doctor\" names what is "
				       "missing",
				       errno, "cannot make the namespaces and the first process");
	spawn->pid = (pid_t)pid;
	return 0;
}

/* Returns 1 with a report, 0 at end of file, or -errno. */
static int report_read(int status_fd, struct child_report *ret)
{
	struct child_report report;
	ssize_t n;

	do
		n = read(status_fd, &report, sizeof(report));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (n != sizeof(report))
		return n ? -EBADMSG : 0;
	*ret = report;
	return 1;
}

static int report_wait(int status_fd)
{
	struct pollfd p = { .fd = status_fd, .events = POLLIN };
	int r;

	do
		r = poll(&p, 1, START_TIMEOUT_MS);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : r == 0 ? -ETIMEDOUT : 0;
}

static int step_fault(const struct child_report *report, struct fault *ret_fault)
{
	size_t n;
	const struct child_step *steps = child_steps(&n), *step;

	if (report->a < 0 || (size_t)report->a >= n)
		return -EBADMSG;
	step = &steps[report->a];
	return fault_set_errno(ret_fault, FAULT_START, step->name, step->remedy, report->b,
			       "the isolation step \"%s\" (%s) failed", step->name, step->guards);
}

static int wait_ready(int status_fd, struct fault *ret_fault)
{
	struct child_report report;
	int r = report_wait(status_fd);

	if (r == -ETIMEDOUT)
		return fault_set(ret_fault, FAULT_START, "namespaces",
				 "check that the file systems of the inputs answer",
				 "the sandbox was not ready within %d s", START_TIMEOUT_MS / 1000);
	if (r == 0)
		r = report_read(status_fd, &report);
	if (r < 0)
		return r;
	if (r == 0)
		return fault_set(ret_fault, FAULT_START, "namespaces",
				 "start the request again; look for an out-of-memory kill in the "
				 "kernel log",
				 "the sandbox was killed while it started");
	if (report.kind == CHILD_REPORT_STEP_FAILED)
		return step_fault(&report, ret_fault);
	return report.kind == CHILD_REPORT_READY ? 0 : -EBADMSG;
}

int spawn_start(const struct spawn_args *args, struct spawn *ret, struct fault *ret_fault)
{
	_cleanup_(kit_deinit) struct kit kit = {
		.child = { .own_trees = { -1, -1, -1 }, .owner_fd = -1 },
		.status_write_fd = -1,
		.go_read_fd = -1,
	};
	_cleanup_spawn_ struct spawn spawn = SPAWN_INIT;
	int r = kit_fill(&kit, args, &spawn, ret_fault);

	if (r != 0)
		return r;
	r = clone_child(&kit, args->cgroup_fd, &spawn, ret_fault);
	if (r != 0)
		return r;
	fd_close(&kit.status_write_fd);
	fd_close(&kit.go_read_fd);
	r = wait_ready(spawn.status_fd, ret_fault);
	if (r != 0)
		return r;
	*ret = spawn;
	spawn = (struct spawn)SPAWN_INIT;
	return 0;
}

static int order_write(struct spawn *spawn, char order)
{
	return write(spawn->go_fd, &order, 1) == 1 ? 0 : -errno;
}

int spawn_go(struct spawn *spawn)
{
	return order_write(spawn, CHILD_GO);
}

int spawn_finish(struct spawn *spawn)
{
	return order_write(spawn, CHILD_FINISH);
}

static bool args_are_whole(const char *args, size_t n, size_t n_args)
{
	size_t zeros = 0;

	for (size_t i = 0; i < n; i++)
		zeros += args[i] == '\0';
	return n > 0 && args[n - 1] == '\0' && zeros == n_args && args[0];
}

int spawn_check_step(const char *args, size_t n, size_t n_args)
{
	if (n_args > REEVE_ARGS_MAX || n > CHILD_STEP_BYTES_MAX)
		return -E2BIG;
	return args_are_whole(args, n, n_args) ? 0 : -EINVAL;
}

int spawn_step(struct spawn *spawn, uint32_t number, const char *args, size_t n, size_t n_args)
{
	struct child_step_order head = { .order = CHILD_STEP, .number = number };
	struct iovec parts[] = { { &head, sizeof(head) }, { (void *)args, n } };
	const struct msghdr message = { .msg_iov = parts, .msg_iovlen = ARRAY_SIZE(parts) };
	int r = spawn_check_step(args, n, n_args);

	if (r)
		return r;
	return sendmsg(spawn->go_fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int spawn_term(struct spawn *spawn)
{
	return order_write(spawn, CHILD_TERM);
}

int spawn_read_exit(struct spawn *spawn, struct spawn_exit *ret)
{
	struct child_report report;
	int r = report_read(spawn->status_fd, &report);

	if (r < 0)
		return r;
	if (r == 0) {
		*ret = (struct spawn_exit){ .exit_code = -1, .signal = SIGKILL };
		return 0;
	}
	*ret = (struct spawn_exit){ .exit_code = report.a, .signal = report.b, .step = report.step };
	switch (report.kind) {
	case CHILD_REPORT_EXIT:
	case CHILD_REPORT_STEP_EXIT:
		return 0;
	case CHILD_REPORT_STEP_NOT_STARTED:
		*ret = (struct spawn_exit){ .exit_code = -1, .step = report.step, .err = report.b };
		return 0;
	case CHILD_REPORT_NOT_STARTED:
		return -report.b;
	}
	return -EBADMSG;
}
