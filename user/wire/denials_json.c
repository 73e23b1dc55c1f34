// SPDX-License-Identifier: GPL-2.0-only
/*
 * What was denied, as part of a document: the exact counts, and the first events of each reason to show
 * what they mean. What has no name here is shown by its number, so that no event is left out.
 */
#include "denials_json.h"

#include <string.h>
#include <sys/socket.h>

#include "../model/verdict.h"

static const struct {
	unsigned int family;
	const char *name;
} families[] = {
	{ AF_UNIX, "unix" },	 { AF_INET, "inet" },
	{ AF_INET6, "inet6" },	 { AF_NETLINK, "netlink" },
	{ AF_PACKET, "packet" }, { AF_ALG, "alg" },
	{ AF_VSOCK, "vsock" },	 { AF_BLUETOOTH, "bluetooth" },
	{ AF_CAN, "can" },	 { AF_XDP, "xdp" },
	{ AF_TIPC, "tipc" },	 { AF_KEY, "key" },
	{ AF_RDS, "rds" },	 { AF_KCM, "kcm" },
};

static bool add_family(cJSON *object, unsigned int family)
{
	char number[16];
	size_t i;

	if (family == AF_UNSPEC)
		return json_add_null(object, "family");
	for (i = 0; i < ARRAY_SIZE(families); i++)
		if (families[i].family == family)
			return json_add_text(object, "family", families[i].name);
	snprintf(number, sizeof(number), "%u", family);
	return json_add_text(object, "family", number);
}

bool denials_json_add_address(cJSON *object, const char *key, const char *address)
{
	return json_add_text(object, key, address[0] ? address : NULL);
}

/* An event from before the start, of which clocks of two processors can disagree, is at 0. */
static bool add_event(cJSON *array, const struct event *event, uint64_t since_ns)
{
	cJSON *object = cJSON_CreateObject();
	char given[EVENT_ADDRESS_SIZE], decoded[EVENT_ADDRESS_SIZE];
	const char *hook = event_hook_name(event->hook);

	if (!cJSON_AddItemToArray(array, object))
		return false;
	event_given_text(event, given);
	event_decoded_text(event, decoded);
	return json_add_u64(object, "at_ns",
			    event->time_ns > since_ns ? event->time_ns - since_ns : 0) &&
	       json_add_text(object, "hook", hook ? hook : "unknown") &&
	       json_add_u64_or_null(object, "pid", event->pid, 0) &&
	       json_add_bytes(object, "comm", event->comm, strnlen(event->comm, REEVE_COMM_SIZE)) &&
	       add_family(object, event->family) &&
	       denials_json_add_address(object, "address", given) &&
	       denials_json_add_address(object, "decoded", decoded) &&
	       json_add_u64_or_null(object, "port", event->port, 0) &&
	       json_add_u64_or_null(object, "protocol", event->protocol, 0);
}

static bool add_denial(cJSON *array, enum reason reason, const struct run_denials *denials,
		       uint64_t since_ns)
{
	cJSON *object = cJSON_CreateObject(), *first;
	size_t i;

	if (!cJSON_AddItemToArray(array, object))
		return false;
	if (!json_add_text(object, "reason", reason_name(reason)) ||
	    !json_add_text(object, "text", reason_text(reason)) ||
	    !json_add_u64(object, "count", denials->count))
		return false;
	first = cJSON_AddArrayToObject(object, "first");
	if (!first)
		return false;
	for (i = 0; i < denials->n_first; i++)
		if (!add_event(first, &denials->first[i], since_ns))
			return false;
	return true;
}

bool denials_json_add(cJSON *root, const struct run_denials *denials, uint64_t since_ns)
{
	cJSON *array = cJSON_AddArrayToObject(root, "denials");
	unsigned int reason;

	for (reason = REASON_OK + 1; array && reason < REASON_COUNT; reason++)
		if (denials[reason - 1].count &&
		    !add_denial(array, (enum reason)reason, &denials[reason - 1], since_ns))
			return false;
	return array;
}
