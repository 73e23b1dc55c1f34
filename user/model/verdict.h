/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's reasons and hooks by name, and an event's addresses as text. */
#ifndef REEVE_VERDICT_H
#define REEVE_VERDICT_H

#include <stddef.h>

#include "../../include/usage.h"

/* "ok" for REASON_OK; NULL when there is no such reason. */
const char *reason_name(enum reason reason);
const char *reason_text(enum reason reason);

/* NULL when there is no such hook. */
const char *event_hook_name(enum event_hook hook);

/* The longest address is an IPv6 one with an embedded IPv4 one. */
#define EVENT_ADDRESS_SIZE 48

/* The address as the caller gave it; "" for a family that has none or a hook without an address. */
void event_given_text(const struct event *event, char ret[EVENT_ADDRESS_SIZE]);
/* The address that was judged: IPv4 when it was decoded out of an IPv6 one. */
void event_decoded_text(const struct event *event, char ret[EVENT_ADDRESS_SIZE]);

#endif
