/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_UUID_H
#define REEVE_UUID_H

#define UUID_LEN 36

/* Writes a random UUID (RFC 9562, version 4) in lower case. Returns 0 or -errno. */
int uuid_make(char ret[UUID_LEN + 1]);

#endif
