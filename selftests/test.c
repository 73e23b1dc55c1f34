// SPDX-License-Identifier: GPL-2.0-only
/*
 * main() of every test program, and the checks of test.h.
 *
 *	program             run all tests
 *	program -l          print their sentences
 *	program -t PART     only those whose sentence has PART
 *
 * Output, on stdout, is what selftests/run reads: "KTAP version 1", the plan "1..N", and for each test
 * "ok I SENTENCE", "ok I SENTENCE # SKIP reason" or the test's log in lines that begin with "# " and then
 * "not ok I SENTENCE". A program that dies early is seen by its missing lines.
 *
 * A test is a child in a process group of its own; its verdict lies in memory shared with all that it
 * forks. This program is the reaper of what the test leaves and kills it, so that no test runs beside
 * the last one's remains.
 */
#include "test.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_SECONDS 20
#define LOG_SHOWN_BYTES (64 * 1024)

struct verdict {
	atomic_uint failures;
	char skip[256];
};

static struct test *first, **last = &first;
static void (*teardown)(void);
static struct verdict *verdict;
static char **extra_args;

void test_register(struct test *test)
{
	*last = test;
	last = &test->next;
}

void test_set_teardown(void (*run)(void))
{
	teardown = run;
}

const char *test_arg(int n)
{
	for (char **arg = extra_args; *arg; arg++)
		if (n-- == 0)
			return *arg;
	return NULL;
}

void test_skip(const char *reason_fmt, ...)
{
	va_list args;

	va_start(args, reason_fmt);
	vsnprintf(verdict->skip, sizeof(verdict->skip), reason_fmt, args);
	va_end(args);
	exit(0);
}

static bool fails(struct test_site site, bool ok)
{
	if (ok)
		return false;
	verdict->failures++;
	printf("%s:%d: ", site.file, site.line);
	return true;
}

static void end_if_fatal(struct test_site site)
{
	if (site.fatal)
		exit(1);
}

void test_check(struct test_site site, bool ok, const char *expr)
{
	if (!fails(site, ok))
		return;
	printf("not so: %s\n", expr);
	end_if_fatal(site);
}

static void print_int(const char *label, __int128 value)
{
	if (value < 0)
		printf("%s%lld", label, (long long)value);
	else
		printf("%s%llu (0x%llx)", label, (unsigned long long)value,
		       (unsigned long long)value);
}

void test_check_int(struct test_site site, bool ok, const char *expr, __int128 a, __int128 b)
{
	if (!fails(site, ok))
		return;
	printf("not so: %s", expr);
	print_int(": left ", a);
	print_int(", right ", b);
	printf("\n");
	end_if_fatal(site);
}

void test_check_ok(struct test_site site, const char *expr, long long result)
{
	if (!fails(site, result == 0))
		return;
	printf("not 0: %s: %lld%s%s\n", expr, result, result < 0 ? ", " : "",
	       result < 0 ? strerror((int)-result) : "");
	end_if_fatal(site);
}

void test_check_str(struct test_site site, bool want, const char *expr, const char *a, const char *b)
{
	bool equal = a && b ? strcmp(a, b) == 0 : a == b;

	if (!fails(site, equal == want))
		return;
	printf("%s: %s\n  left  \"%s\"\n  right \"%s\"\n", want ? "not equal" : "equal", expr,
	       a ? a : "(null)", b ? b : "(null)");
	end_if_fatal(site);
}

void test_check_has(struct test_site site, bool want, const char *expr, const char *text,
		    const char *part)
{
	bool has = text && strstr(text, part);

	if (!fails(site, has == want))
		return;
	printf("%s %s \"%s\":\n%s\n", expr, want ? "lacks" : "has", part, text ? text : "(null)");
	end_if_fatal(site);
}

void test_check_mem(struct test_site site, const char *expr, const void *a, const void *b, size_t n)
{
	const unsigned char *left = a, *right = b;
	size_t at = 0;

	while (at < n && left[at] == right[at])
		at++;
	if (!fails(site, at == n))
		return;
	printf("differ at byte %zu of %zu: %s: left 0x%02x, right 0x%02x\n", at, n, expr, left[at],
	       right[at]);
	end_if_fatal(site);
}

static _Noreturn void run_child(void (*run)(void), int log_fd)
{
	setpgid(0, 0);
	dup2(log_fd, STDOUT_FILENO);
	dup2(log_fd, STDERR_FILENO);
	setvbuf(stdout, NULL, _IONBF, 0);
	run();
	exit(0);
}

/* This program's children now; orphans of a test are among them, for they fall to it. */
static void kill_children(void)
{
	char path[64], line[4096];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	f = fopen(path, "re");
	if (!f)
		return;
	if (fgets(line, sizeof(line), f))
		for (char *pid = strtok(line, " \n"); pid; pid = strtok(NULL, " \n"))
			kill((pid_t)atoi(pid), SIGKILL);
	fclose(f);
}

/* Each death may hand over further orphans: until none is left. */
static void kill_leftovers(pid_t group)
{
	kill(-group, SIGKILL);
	do
		kill_children();
	while (waitpid(-1, NULL, 0) > 0);
}

/* Runs @run in a child; returns its wait status, or -1 when its time was over. */
static int run_limited(void (*run)(void), unsigned int seconds, int log_fd)
{
	struct pollfd ended = { .events = POLLIN };
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return -1;
	if (pid == 0)
		run_child(run, log_fd);
	setpgid(pid, pid);
	ended.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (poll(&ended, 1, (int)seconds * 1000) == 1)
		waitpid(pid, &status, 0);
	close(ended.fd);
	kill_leftovers(pid);
	return status;
}

static void print_log(int log_fd)
{
	off_t size = lseek(log_fd, 0, SEEK_END), from = 0;
	FILE *f = fdopen(log_fd, "r");
	char line[4096];

	if (!f)
		return;
	if (size > LOG_SHOWN_BYTES) {
		from = size - LOG_SHOWN_BYTES;
		printf("# (%lld bytes before this are not shown)\n", (long long)from);
	}
	fseeko(f, from, SEEK_SET);
	while (fgets(line, sizeof(line), f))
		printf("# %.*s\n", (int)strcspn(line, "\n"), line);
	fclose(f);
}

static bool describe_end(int status, unsigned int seconds, const char *what)
{
	if (status == -1)
		printf("# %s did not end within %u s\n", what, seconds);
	else if (WIFSIGNALED(status))
		printf("# %s died of signal %d (%s)\n", what, WTERMSIG(status),
		       strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) != 0)
		printf("# %s ended with exit code %d\n", what, WEXITSTATUS(status));
	return status == 0;
}

static void run_test(struct test *test, int number)
{
	unsigned int seconds = test->seconds ? test->seconds : DEFAULT_SECONDS;
	int log_fd = memfd_create("log", MFD_CLOEXEC);
	int status, cleaned = 0;

	memset(verdict, 0, sizeof(*verdict));
	status = run_limited(test->run, seconds, log_fd);
	if (teardown)
		cleaned = run_limited(teardown, DEFAULT_SECONDS, log_fd);
	if (status == 0 && cleaned == 0 && verdict->failures == 0) {
		close(log_fd);
		printf("ok %d %s%s%s\n", number, test->sentence, *verdict->skip ? " # SKIP " : "",
		       verdict->skip);
		return;
	}
	print_log(log_fd);
	describe_end(status, seconds, "the test");
	describe_end(cleaned, DEFAULT_SECONDS, "its teardown");
	printf("not ok %d %s\n", number, test->sentence);
}

static bool chosen(const struct test *test, const char *part)
{
	return !part || strstr(test->sentence, part);
}

int main(int argc, char **argv)
{
	const char *part = argc > 2 && strcmp(argv[1], "-t") == 0 ? argv[2] : NULL;
	bool list = argc > 1 && strcmp(argv[1], "-l") == 0;
	int n = 0;

	extra_args = argv + (part ? 3 : 1);
	verdict = mmap(NULL, sizeof(*verdict), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (verdict == MAP_FAILED || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0) {
		perror("test program");
		return 1;
	}
	for (struct test *test = first; test; test = test->next)
		n += chosen(test, part);
	if (!list)
		printf("KTAP version 1\n1..%d\n", n);
	n = 0;
	for (struct test *test = first; test; test = test->next)
		if (list)
			printf("%s\n", test->sentence);
		else if (chosen(test, part))
			run_test(test, ++n);
	return 0;
}
