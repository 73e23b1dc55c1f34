// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pid 1 of the sandbox.
 *
 * It has passed every isolation step, seccomp included, and so lives under the same rules as what it
 * starts. It makes few system calls and only such as any usable profile permits: read, write, ppoll,
 * wait4, kill, vfork, execve, exit_group, rt_sig*.
 *
 * Its descriptors are the three standard streams and two pipes, both close-on-exec: the command inherits
 * the streams alone. Every process that loses its parent becomes init's child and is reaped here. When
 * the command itself ends, init tells how and dies; the kernel then kills and reaps all that is left
 * in the pid namespace. End of file on the go pipe means that the owner is gone: init dies as well.
 *
 * An open request has no command of its own: init starts one for each order, beside those that still run, and
 * tells the end of each. It dies when it is told to finish, or when nothing is left after a TERM.
 *
 * The command is started by vfork: init holds a copy of its owner's memory, and copying the page tables
 * of that once more is not free. Between the two the child writes to nothing that init reads.
 */
#include "init.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127
#define SHELL "/bin/sh"

static void report(struct child *c, enum child_report_kind kind, uint32_t step, int a, int b)
{
	struct child_report r = { kind, a, b, step };

	/* Who would read it is gone when this fails. */
	if (write(c->status_fd, &r, sizeof(r)) < 0)
		_exit(1);
}

struct command {
	char **argv, **envp;
	char **shell_argv; /* "/bin/sh", a path, and argv from the second on */
};

/* A script without an interpreter line is the shell's, as execvp has it. */
static int exec_path(const struct command *command, char *path)
{
	execve(path, command->argv, command->envp);
	if (errno != ENOEXEC)
		return errno;
	command->shell_argv[0] = (char *)SHELL;
	command->shell_argv[1] = path;
	execve(SHELL, command->shell_argv, command->envp);
	return errno;
}

static const char *path_variable(char *const *envp)
{
	for (; *envp; envp++)
		if (strncmp(*envp, "PATH=", 5) == 0)
			return *envp + 5;
	return "";
}

static int exec_search(const struct command *command, const char *name)
{
	char path[REEVE_PATH_MAX];
	size_t len, name_size = strlen(name) + 1;
	int err = ENOENT;

	for (const char *dir = path_variable(command->envp); *dir; dir += len + (dir[len] == ':')) {
		int r;

		len = strcspn(dir, ":");
		if (len == 0 || len + 1 + name_size > sizeof(path))
			continue;
		memcpy(path, dir, len);
		path[len] = '/';
		memcpy(path + len + 1, name, name_size);
		r = exec_path(command, path);
		if (r == EACCES)
			err = EACCES;
		else if (r != ENOENT && r != ENOTDIR)
			return r;
	}
	return err;
}

static void complain(const char *name, int err)
{
	const char *text = strerrordesc_np(err);
	struct iovec parts[] = {
		{ (char *)"reeve: ", 7 }, { (char *)name, strlen(name) },
		{ (char *)": ", 2 },	  { (char *)text, text ? strlen(text) : 0 },
		{ (char *)"\n", 1 },
	};

	/* The exit code says it all the same. */
	if (writev(STDERR_FILENO, parts, sizeof(parts) / sizeof(parts[0])) < 0)
		return;
}

/* The kernel's own form: libc's sigaction() refuses its two private signals, which may come in ignored. */
struct kernel_sigaction {
	void *handler;
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

static _Noreturn void command_exec(const struct command *command)
{
	const struct kernel_sigaction by_default = {};
	char *name = command->argv[0];
	sigset_t none;
	int err;

	for (int sig = 1; sig < NSIG; sig++)
		syscall(SYS_rt_sigaction, sig, &by_default, NULL, sizeof(by_default.mask));
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	err = strchr(name, '/') ? exec_path(command, name) : exec_search(command, name);
	complain(name, err);
	_exit(err == ENOENT || err == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

static pid_t command_start(const struct command *command)
{
	pid_t pid = vfork();

	if (pid == 0)
		command_exec(command);
	return pid;
}

/* One byte from the owner; 0 when it is gone. */
static char order_read(struct child *c)
{
	ssize_t n;
	char byte;

	do
		n = read(c->go_fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	return n == 1 ? byte : 0;
}

/* Takes every zombie; true when the command, whose end goes to @ret_status, was among them. */
static bool reap(pid_t command, int *ret_status)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != command)
			continue;
		*ret_status = status;
		return true;
	}
	return false;
}

static int supervise(struct child *c, pid_t command)
{
	struct pollfd go = { .fd = c->go_fd, .events = POLLIN };
	sigset_t none;
	int status;

	sigemptyset(&none);
	while (!reap(command, &status)) {
		if (ppoll(&go, 1, NULL, &none) <= 0)
			continue;
		if (order_read(c) != CHILD_TERM)
			_exit(1);
		kill(-1, SIGTERM);
	}
	return status;
}

static void report_exit(struct child *c, enum child_report_kind kind, uint32_t step, int status)
{
	report(c, kind, step, WIFEXITED(status) ? WEXITSTATUS(status) : -1,
	       WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static void command_serve(struct child *c)
{
	const struct command command = { c->plan->argv, c->plan->envp, c->shell_argv };
	pid_t pid = command_start(&command);

	if (pid < 0) {
		report(c, CHILD_REPORT_NOT_STARTED, 0, 0, errno);
		_exit(1);
	}
	/* the output ends with the command's own processes, not with the taking down of this namespace */
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	report_exit(c, CHILD_REPORT_EXIT, 0, supervise(c, pid));
}

/* Takes every zombie and tells the end of those that are steps; false when no child is left. */
static bool steps_reap(struct child *c)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (size_t i = 0; i < REEVE_STEPS_RUNNING_MAX; i++) {
			if (c->room->running[i].pid != pid)
				continue;
			c->room->running[i].pid = 0;
			report_exit(c, CHILD_REPORT_STEP_EXIT, c->room->running[i].number, status);
		}
	}
	return pid == 0;
}

/* Points argv and the shell's into the order, whose owner has checked it. */
static int step_start(struct child *c, size_t n)
{
	const struct command command = { c->room->argv, c->plan->envp, c->room->shell_argv };
	const struct child_step_order *order = &c->room->order;
	char *at = c->room->order.args, *end = c->room->bytes + n;
	size_t free_at = 0, n_args = 0;
	pid_t pid;

	for (; at < end && n_args < REEVE_ARGS_MAX; at += strlen(at) + 1)
		c->room->argv[n_args++] = at;
	c->room->argv[n_args] = NULL;
	memcpy(&c->room->shell_argv[2], &c->room->argv[1], n_args * sizeof(char *));
	while (free_at < REEVE_STEPS_RUNNING_MAX && c->room->running[free_at].pid)
		free_at++;
	if (free_at == REEVE_STEPS_RUNNING_MAX)
		return EAGAIN;
	pid = command_start(&command);
	if (pid < 0)
		return errno;
	c->room->running[free_at].pid = pid;
	c->room->running[free_at].number = order->number;
	return 0;
}

static void step_take(struct child *c, size_t n)
{
	int err = step_start(c, n);

	if (err)
		report(c, CHILD_REPORT_STEP_NOT_STARTED, c->room->order.number, 0, err);
}

static void steps_serve(struct child *c)
{
	struct pollfd go = { .fd = c->go_fd, .events = POLLIN };
	bool ending = false;
	sigset_t none;

	sigemptyset(&none);
	for (;;) {
		ssize_t n;

		if (!steps_reap(c) && ending)
			break;
		if (ppoll(&go, 1, NULL, &none) <= 0)
			continue;
		n = read(c->go_fd, c->room->bytes, sizeof(c->room->bytes));
		if (n <= 0)
			_exit(1);
		if (c->room->order.order == CHILD_FINISH)
			break;
		if (c->room->order.order == CHILD_TERM) {
			kill(-1, SIGTERM);
			ending = true;
		} else if ((size_t)n > sizeof(struct child_step_order)) {
			step_take(c, (size_t)n);
		}
	}
	report(c, CHILD_REPORT_EXIT, 0, 0, 0);
}

static void wakes(int sig)
{
	(void)sig;
}

_Noreturn void init_main(struct child *c)
{
	const struct sigaction wake = { .sa_handler = wakes };
	sigset_t all;

	/* Blocked but in ppoll, so that no death falls between a look and the sleep. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigaction(SIGCHLD, &wake, NULL);
	report(c, CHILD_REPORT_READY, 0, 0, 0);
	if (order_read(c) != CHILD_GO)
		_exit(1);
	if (c->room)
		steps_serve(c);
	else
		command_serve(c);
	_exit(0);
}
