// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the libc that this is compiled with makes of names: each with its addresses, or with the number of the
 * error of getaddrinfo(). The numbers are libc's own.
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>

static void lookup(const char *name, int family)
{
	const struct addrinfo hints = { .ai_family = family, .ai_socktype = SOCK_STREAM };
	char text[INET6_ADDRSTRLEN];
	struct addrinfo *list;
	int r = getaddrinfo(name, NULL, &hints, &list);

	if (r) {
		if (family == AF_INET)
			printf(" %d", r);
		return;
	}
	for (struct addrinfo *item = list; item; item = item->ai_next) {
		const void *address =
			family == AF_INET
				? (void *)&((struct sockaddr_in *)item->ai_addr)->sin_addr
				: (void *)&((struct sockaddr_in6 *)item->ai_addr)->sin6_addr;

		printf(" %s", inet_ntop(family, address, text, sizeof(text)));
	}
	freeaddrinfo(list);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		printf("%s", argv[i]);
		lookup(argv[i], AF_INET);
		lookup(argv[i], AF_INET6);
		putchar('\n');
	}
	return 0;
}
