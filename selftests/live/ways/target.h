/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whom an attempt is for. Every attempt of every family has an address of its own, so that who counts the
 * packets knows which attempt they came from.
 */
#ifndef REEVE_SELFTESTS_LIVE_WAYS_TARGET_H
#define REEVE_SELFTESTS_LIVE_WAYS_TARGET_H

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define WAY_PORT 443

union way_name {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* What an attempt wants to reach; WAY_CALL: nothing, the call itself is it. */
enum way_to {
	WAY_CALL,
	WAY_PRIVATE,
	WAY_PUBLIC,
	WAY_MAPPED,
	WAY_SCOPED,
	WAY_MULTICAST,
	WAY_BROADCAST,
};

struct target {
	int family; /* AF_INET or AF_INET6 */
	enum way_to to;
	union way_name name;
	socklen_t len;
	char text[INET6_ADDRSTRLEN];	    /* as who counts shows it */
	char public_text[INET6_ADDRSTRLEN]; /* an allowed address, of this attempt as well */
};

static inline socklen_t way_name_set(int family, const char *text, union way_name *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->any.sa_family = (sa_family_t)family;
	ret->v4.sin_port = htons(WAY_PORT); /* at the same place in both */
	if (family == AF_INET)
		inet_pton(family, text, &ret->v4.sin_addr);
	else
		inet_pton(family, text, &ret->v6.sin6_addr);
	return family == AF_INET ? sizeof(ret->v4) : sizeof(ret->v6);
}

/* The device by which the outside is reached: the session's, or that of the private network. */
static inline unsigned int way_device(char ret[IF_NAMESIZE])
{
	unsigned int index = if_nametoindex(strcpy(ret, "lan0"));

	return index ? index : if_nametoindex(strcpy(ret, "eth0"));
}

static inline void target_set(int family, enum way_to to, unsigned int number, struct target *ret)
{
	static const char *const forms[][2] = {
		[WAY_CALL] = { "0.0.0.0", "::" },
		[WAY_PRIVATE] = { "10.0.7.%u", "fd00:8::%u" },
		[WAY_PUBLIC] = { "1.1.7.%u", "2606:4700::7:%u" },
		[WAY_MAPPED] = { "", "::ffff:10.0.8.%u" },
		[WAY_SCOPED] = { "", "fe80::%u" },
		[WAY_MULTICAST] = { "224.0.7.%u", "ff0e::7:%u" },
		[WAY_BROADCAST] = { "255.255.255.255", "" },
	};
	const int v6 = family == AF_INET6;
	char device[IF_NAMESIZE];

	*ret = (struct target){ .family = family, .to = to };
	/* the forms are the table's own */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(ret->text, sizeof(ret->text), forms[to][v6], number);
	snprintf(ret->public_text, sizeof(ret->public_text), forms[WAY_PUBLIC][v6], number);
#pragma GCC diagnostic pop
	ret->len = way_name_set(family, ret->text, &ret->name);
	if (to == WAY_SCOPED)
		ret->name.v6.sin6_scope_id = way_device(device);
	if (to == WAY_MAPPED)
		memmove(ret->text, ret->text + 7, strlen(ret->text + 7) + 1);
}

/* An address of this network namespace that strangers can send to. */
static inline bool way_own(int family, union way_name *ret)
{
	struct ifaddrs *all, *a;
	char text[INET6_ADDRSTRLEN];
	bool found = false;

	if (getifaddrs(&all) < 0)
		return false;
	for (a = all; a && !found; a = a->ifa_next) {
		if (!a->ifa_addr || a->ifa_addr->sa_family != family || a->ifa_flags & IFF_LOOPBACK)
			continue;
		memcpy(ret, a->ifa_addr, family == AF_INET ? sizeof(ret->v4) : sizeof(ret->v6));
		inet_ntop(family, family == AF_INET ? (void *)&ret->v4.sin_addr : &ret->v6.sin6_addr,
			  text, sizeof(text));
		found = strncmp(text, "192.168.", 8) != 0 && strncmp(text, "fe80:", 5) != 0 &&
			strncmp(text, "fd00:7:", 7) != 0;
	}
	freeifaddrs(all);
	return found;
}

#endif
