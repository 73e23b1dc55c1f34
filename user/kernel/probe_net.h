/* SPDX-License-Identifier: GPL-2.0-only */
/* Datagrams between network namespaces of a probe, by sockets that belong to no session. */
#ifndef REEVE_PROBE_NET_H
#define REEVE_PROBE_NET_H

#include <netinet/in.h>

#define PROBE_PORT 80

/* A UDP socket in @netns_fd, bound to @port unless it is 0. Returns 0, -errno or -ENOTRECOVERABLE. */
int probe_socket(int netns_fd, uint16_t port, int *ret_fd);

/* One datagram to @address, PROBE_PORT, without waiting. Returns 0 or -errno. */
int probe_send(int fd, struct in_addr address);

/* Takes a datagram that comes within @timeout_ms. Returns 0, -ENOMSG or -errno. */
int probe_receive(int fd, int timeout_ms);

/* Writes a file below /proc/sys/net of @netns_fd, a namespace of a probe's own. The same results. */
int probe_setting(int netns_fd, const char *path, const char *value);

#endif
