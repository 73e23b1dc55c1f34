// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sandbox's resolv.conf. A name server is taken over when the sandbox may reach it: public by
 * the address table and no address of the host. Search domains are not: they tell of the network
 * inside, and names in it cannot be asked for anyway.
 *
 * Where the host's own file names only the stub of systemd-resolved, the servers behind it are
 * looked at.
 */
#include "hostnet.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../base/macro.h"
#include "route.h"

static const char *const files[] = {
	"/etc/resolv.conf",
	"/run/systemd/resolve/resolv.conf",
};

static int covers(enum hostnet_kind kind, const struct host_prefix *prefix, void *arg)
{
	const struct decide_addr own = route_address(AF_INET6, prefix->addr);

	(void)kind;
	return route_same_prefix(arg, &own, prefix->prefixlen);
}

/* Returns 1 when a sandbox may reach it, 0 when not, or -errno. */
static int is_reachable(const char *server)
{
	struct decide_addr address;
	struct in6_addr bytes;
	int r;

	if (inet_pton(AF_INET, server, &bytes) == 1)
		address = route_address(AF_INET, &bytes);
	else if (inet_pton(AF_INET6, server, &bytes) == 1)
		address = route_address(AF_INET6, &bytes);
	else
		return 0;
	if (decide_class(&address) != REASON_OK)
		return 0;
	r = hostnet_each_own(covers, &address);
	return r < 0 ? r : !r;
}

/* Returns how many servers were written, or -errno. */
static int copy_servers(FILE *from, FILE *to)
{
	char line[512], server[INET6_ADDRSTRLEN];
	int n = 0;

	while (fgets(line, sizeof(line), from)) {
		int r = sscanf(line, " nameserver %45s", server) == 1 ? is_reachable(server) : 0;

		if (r < 0)
			return r;
		if (r)
			fprintf(to, "nameserver %s\n", server);
		n += r;
	}
	return n;
}

int hostnet_resolv_conf(char **ret_text)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	int r = 0;

	if (!to)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(files); i++) {
		_cleanup_file_ FILE *from = fopen(files[i], "re");

		if (from)
			r = copy_servers(from, to);
	}
	if (fclose(to) != 0 && r >= 0)
		r = -ENOMEM;
	if (r < 0)
		return r;
	*ret_text = text;
	text = NULL;
	return 0;
}
