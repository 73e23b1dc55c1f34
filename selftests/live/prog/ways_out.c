// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ways out of the sandbox that an input directory could hold: connects to the unix socket "socket" in
 * the given directory, opens the FIFO "fifo" for writing, reads the file "file".
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void told(const char *what, int result)
{
	printf("%s: %s\n", what, result < 0 ? strerrorname_np(errno) : "ok");
}

int main(int argc, char **argv)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	char text[64] = "";
	int fd;

	if (argc != 2 || chdir(argv[1]) < 0)
		return 1;
	strcpy(addr.sun_path, "socket");
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	told("stream", connect(fd, (struct sockaddr *)&addr, sizeof(addr)));
	fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	told("datagram", connect(fd, (struct sockaddr *)&addr, sizeof(addr)));
	told("fifo", open("fifo", O_WRONLY | O_NONBLOCK));
	fd = open("file", O_RDONLY);
	told("file", (int)read(fd, text, sizeof(text) - 1));
	printf("%s\n", text);
	return 0;
}
