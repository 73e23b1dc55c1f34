// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a process in the sandbox is and has, one fact a line, by system calls rather than by the tools of
 * the host.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static void descriptors(void)
{
	printf("descriptors:");
	for (int fd = 0; fd < 4096; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf(" %d", fd);
	printf("\n");
}

static void standard_input(void)
{
	char byte;

	printf("stdin: %zd\n", read(0, &byte, 1));
}

static void status(void)
{
	static const char *const keys[] = { "Cap", "NoNewPrivs", "Seccomp:", "Uid",
					    "Gid", "Groups",	 "Sig" };
	FILE *f = fopen("/proc/self/status", "r");
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			if (strncmp(line, keys[i], strlen(keys[i])) == 0)
				fputs(line, stdout);
}

static void file(const char *label, const char *path)
{
	FILE *f = fopen(path, "r");
	char line[512];

	if (!f)
		printf("%s: %s\n", label, strerrorname_np(errno));
	while (f && fgets(line, sizeof(line), f))
		printf("%s: %s", label, line);
}

static void namespaces(void)
{
	static const char *const names[] = { "cgroup", "ipc", "mnt", "net", "pid", "user", "uts" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[64], link[64];
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/self/ns/%s", names[i]);
		n = readlink(path, link, sizeof(link) - 1);
		printf("namespace: %.*s\n", n > 0 ? (int)n : 0, link);
	}
}

static void names(void)
{
	struct utsname uts;

	uname(&uts);
	printf("host: %s\ndomain: %s\n", uts.nodename, uts.domainname);
}

static void limit(const char *label, int which)
{
	struct rlimit is;

	getrlimit((__rlimit_resource_t)which, &is);
	printf("%s: %llu %llu\n", label, (unsigned long long)is.rlim_cur,
	       (unsigned long long)is.rlim_max);
}

static void terminal(void)
{
	int fd = open("/dev/tty", O_RDWR);

	printf("tty: %s\n", fd < 0 ? strerrorname_np(errno) : "open");
}

int main(void)
{
	char cwd[256];

	descriptors();
	standard_input();
	status();
	file("cgroup", "/proc/self/cgroup");
	file("init", "/proc/1/status");
	namespaces();
	names();
	limit("core", RLIMIT_CORE);
	limit("rtprio", RLIMIT_RTPRIO);
	limit("nice", RLIMIT_NICE);
	terminal();
	printf("mask: %03o\n", (unsigned int)umask(0));
	printf("cwd: %s\n", getcwd(cwd, sizeof(cwd)) ? cwd : "");
	printf("session: %d\n", getsid(0));
	for (char **e = environ; *e; e++)
		printf("env: %s\n", *e);
	return 0;
}
