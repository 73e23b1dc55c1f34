// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names for what the kernel side says in numbers. The tables are made from the lists in
 * include/reason.h, so that a new reason has its name here without anyone typing it again. An event
 * comes out of a ring buffer: its numbers are looked up, never trusted as indexes.
 */
#include "verdict.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

static const struct {
	const char *name, *text;
} reasons[] = { [REASON_OK] = { "ok", "allowed" },
#define X(NAME, name, errno_, stops, text) [REASON_##NAME] = { #name, text },
		REASONS(X)
#undef X
};

static const char *const hooks[] = {
	[EVENT_CONNECT] = "connect",
	[EVENT_SENDMSG] = "sendmsg",
	[EVENT_BIND] = "bind",
	[EVENT_SOCKET] = "socket",
	[EVENT_PACKET_OUT] = "packet_out",
	[EVENT_PACKET_IN] = "packet_in",
	[EVENT_LINK] = "link",
	[EVENT_DEVICE] = "device",
	[EVENT_SYSCTL] = "sysctl",
	[EVENT_SOCKOPT] = "sockopt",
	[EVENT_METER] = "meter",
};

const char *reason_name(enum reason reason)
{
	return (unsigned int)reason < REASON_COUNT ? reasons[reason].name : NULL;
}

const char *reason_text(enum reason reason)
{
	return (unsigned int)reason < REASON_COUNT ? reasons[reason].text : NULL;
}

const char *event_hook_name(enum event_hook hook)
{
	return (unsigned int)hook < sizeof(hooks) / sizeof(hooks[0]) ? hooks[hook] : NULL;
}

void event_given_text(const struct event *event, char ret[EVENT_ADDRESS_SIZE])
{
	ret[0] = 0;
	if (event->family == AF_INET || event->family == AF_INET6)
		inet_ntop(event->family, event->given, ret, EVENT_ADDRESS_SIZE);
}

void event_decoded_text(const struct event *event, char ret[EVENT_ADDRESS_SIZE])
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

	ret[0] = 0;
	if (event->family != AF_INET && event->family != AF_INET6)
		return;
	if (memcmp(event->decoded, mapped, sizeof(mapped)) == 0)
		inet_ntop(AF_INET, event->decoded + sizeof(mapped), ret, EVENT_ADDRESS_SIZE);
	else
		inet_ntop(AF_INET6, event->decoded, ret, EVENT_ADDRESS_SIZE);
}
