/* SPDX-License-Identifier: GPL-2.0-only */
/* From a request to its method: what all methods have in common is done here, before any of them is asked. */
#ifndef REEVE_DISPATCH_H
#define REEVE_DISPATCH_H

#include "http.h"

struct desk;

/* For struct http_args: @arg is the daemon. */
void dispatch(struct exchange *exchange, void *arg);

/*
 * The validator of a document of the session: its revision, by which If-Match is judged, and a digest of the text, for
 * what is spent shows in it before the revision rises.
 */
void dispatch_add_etag(struct exchange *exchange, const struct desk *desk, const char *text);
/* Whether If-None-Match names the ETag that was added for the same @desk and @text. */
bool dispatch_is_known(const struct exchange *exchange, const struct desk *desk, const char *text);

#endif
