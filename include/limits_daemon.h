/* SPDX-License-Identifier: GPL-2.0-only */
/* The part of limits.h that bounds the daemon's clients. */
#ifndef REEVE_LIMITS_DAEMON_H
#define REEVE_LIMITS_DAEMON_H

/* The daemon's HTTP: how many, how much, how long until a client is given up, and what is kept for one. */
#define REEVE_HTTP_CONNECTIONS_MAX 512
#define REEVE_HTTP_STREAMS_MAX 256
#define REEVE_HTTP_HEAD_BYTES_MAX (16 * 1024)
#define REEVE_HTTP_HEADERS_MAX 64
#define REEVE_HTTP_OUTPUT_BYTES_MAX (256 * 1024)
#define REEVE_HTTP_READ_MS 10000
#define REEVE_HTTP_IDLE_MS 60000
#define REEVE_HTTP_STALL_MS 30000
#define REEVE_HTTP_HEARTBEAT_MS 15000
#define REEVE_HTTP_LIST_MAX 500
#define REEVE_HTTP_LIST_DEFAULT 100
#define REEVE_IDEMPOTENCY_KEY_MAX 255
#define REEVE_IDEMPOTENCY_MS (24ull * 3600 * 1000)
#define REEVE_EVENTS_KEPT (100 * 1000)

#endif
