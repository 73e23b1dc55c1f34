/* SPDX-License-Identifier: GPL-2.0-only */
/* What a service manager and a daemon say to each other, by the protocol of sd_notify(3) and sd_listen_fds(3). */
#ifndef REEVE_SERVICE_H
#define REEVE_SERVICE_H

#include <stdint.h>

#include "../base/fault.h"

/*
 * The one listening unix socket that the manager hands over: *ret_fd, or -1 when it hands over none. The environment
 * says nothing of it any more afterwards. Returns 0, or FAULT_E_SET when there are several or another kind.
 */
int service_take_socket(int *ret_fd, struct fault *ret_fault);

/* Sends "READY=1", "STOPPING=1", "WATCHDOG=1", …; nothing happens where nobody listens. */
void service_notify(const char *state);

/* How often the manager wants to hear WATCHDOG=1: 0 for never. */
uint64_t service_watchdog_us(void);

#endif
