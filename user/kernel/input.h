/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files and directories of the host that a request asks for at /in. What is checked is the descriptor
 * that the mount is made of later, so that a swap of the path in between changes nothing.
 */
#ifndef REEVE_INPUT_H
#define REEVE_INPUT_H

#include <stddef.h>

#include "../base/fault.h"
#include "../model/spec.h"

/* The directories that foreign inputs must lie in; NULL where every path is allowed. */
struct input_roots {
	const char *const *paths;
	size_t n_paths;
	/* One more, what lies in whose directories only: itself, it would show each request's to the other. */
	const char *output_root;
};

/*
 * Opens one input with O_PATH: an existing regular file or directory, as its kind says. With @roots its
 * resolved path must lie inside one of them, or be one. @field names the input in faults ("--file",
 * "/files/0"). Returns 0 with the descriptor and the basename of the resolved path (free it), -errno, or
 * FAULT_E_SET.
 */
int input_open(const struct spec_input *input, const struct input_roots *roots, const char *field,
	       int *ret_fd, char **ret_basename, struct fault *ret_fault);

#endif
