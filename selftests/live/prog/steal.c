// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes back what it wrote: opens its own output for reading and races its keeper for each byte. When it
 * won, and the other stream is not read any more, its keeper waits in that read; it then sleeps for longer
 * than its time box.
 *
 *	steal TRIES
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int out = open("/proc/self/fd/1", O_RDONLY | O_NONBLOCK);
	int err = open("/proc/self/fd/2", O_RDONLY | O_NONBLOCK);
	static char bytes[65536];

	signal(SIGTERM, SIG_IGN);
	if (argc != 2 || out < 0 || err < 0)
		return 2;
	for (int i = 0; i < atoi(argv[1]); i++) {
		int left = 1;

		if (write(1, "x", 1) != 1)
			return 3;
		for (volatile int wait = i * 7 % 400; wait > 0; wait--)
			;
		if (read(out, bytes, sizeof(bytes)) <= 0)
			continue;
		if (write(2, ".", 1) != 1)
			return 3;
		for (int k = 0; k < 40 && left; k++) {
			ioctl(err, FIONREAD, &left);
			usleep(500);
		}
		if (left)
			sleep(30);
	}
	return 0;
}
