/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_REQUEST_H
#define REEVE_REQUEST_H

#include <stddef.h>

#include "../model/spec.h"

/*
 * Reads a sandbox_script document. @ret is initialised here, with the document's defaults, and
 * owned by the caller when 0 is returned. Returns 0, -ENOMEM or FAULT_E_SET: the field as a JSON
 * pointer, its value, what is allowed, and the next step. Whether this host and this build can do
 * it is asked later, by spec_check(spec, "/"), so that the caller may set another image or a
 * narrower egress in between.
 */
int request_parse(const char *bytes, size_t n, struct spec *ret, struct fault *ret_fault);

#endif
