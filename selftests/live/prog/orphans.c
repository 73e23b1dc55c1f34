// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes processes that lose their parent: "orphans reap" lets ten of them end and then counts the zombies
 * of the pid namespace; "orphans stay" leaves three behind that ignore SIGTERM, one of them a session
 * leader and one another id's, and ends at once.
 */
#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void orphan(void (*run)(int), int n)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (fork() == 0)
			run(n);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void end(int n)
{
	(void)n;
	_exit(0);
}

static void stay(int n)
{
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (n == 1)
		setsid();
	if (n == 2 && setuid(65534) < 0)
		_exit(1);
	for (;;)
		pause();
}

static int zombies(void)
{
	DIR *dir = opendir("/proc");
	int n = 0;

	for (struct dirent *e; dir && (e = readdir(dir));) {
		char path[300], line[512] = "";
		FILE *f;

		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/stat", e->d_name);
		f = fopen(path, "r");
		if (f && fgets(line, sizeof(line), f) && strstr(line, ") Z "))
			n++;
		if (f)
			fclose(f);
	}
	return n;
}

int main(int argc, char **argv)
{
	int reap = argc > 1 && strcmp(argv[1], "reap") == 0;

	for (int i = 0; i < (reap ? 10 : 3); i++)
		orphan(reap ? end : stay, i);
	usleep(reap ? 200000 : 50000);
	if (reap)
		printf("zombies: %d\n", zombies());
	return 0;
}
