/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is wanted: one request as its sender states it, before anything is known of the host.
 * Immutable once parsed; owns all its strings.
 */
#ifndef REEVE_SPEC_H
#define REEVE_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../include/limits.h"
#include "../base/fault.h"

enum spec_egress {
	SPEC_EGRESS_NONE,
	SPEC_EGRESS_PACKAGE_MANAGERS,
	SPEC_EGRESS_PUBLIC,
};

enum spec_input_kind {
	SPEC_INPUT_FILE,
	SPEC_INPUT_DIRECTORY,
};

struct spec_input {
	enum spec_input_kind kind;
	char *path; /* absolute */
};

/* Micro-cents for one unit of what a request uses. */
struct rate_card {
	uint64_t cpu_second_ucents;
	uint64_t wall_minute_ucents;
	uint64_t step_ucents;
	uint64_t request_ucents;
	uint64_t egress_gib_ucents;
};

struct spec {
	char **argv; /* ends with NULL; never empty */
	size_t n_argv;
	enum spec_egress egress;
	char *image; /* NULL or "host", or one of the names of sandbox_script */
	struct spec_input *inputs;
	size_t n_inputs;
	bool foreign; /* came as a document: its paths must lie inside the allowed ones */
	bool background;

	uint64_t cpu_cap_ns;	   /* POLICY_UNLIMITED when there is none */
	uint64_t money_cap_ucents; /* POLICY_UNLIMITED when there is none */
	struct rate_card rates;
	uint64_t time_box_ns;

	/* Limits through cgroup v2: 0 takes the default where the host gives the controller. */
	uint64_t memory_bytes;
	uint64_t pids;
	uint64_t cpu_millis; /* of one processor, for each second */

	char *seccomp_profile; /* path of a profile in the OCI format, or NULL for the default */
};

/*
 * A spec with every default of the command line set (image host, no egress, no cap) and no command;
 * a NULL image is "host". Free with spec_deinit.
 */
void spec_init(struct spec *ret);
void spec_deinit(struct spec *spec);
#define _cleanup_spec_ _cleanup_(spec_deinit)

/* Copies @argv and puts it in the place of the command. Returns 0, -ENOMEM, or FAULT_E_SET. */
int spec_set_argv(struct spec *spec, const char *const *argv, size_t n_argv, struct fault *ret_fault);

/*
 * Puts a copy of @image in the place of the image. Returns 0 or -ENOMEM; spec_check judges the
 * name.
 */
int spec_set_image(struct spec *spec, const char *image);

/*
 * What the caller says of egress beside the spec. A document can only be narrowed so: a wider mode
 * than the one it asks for is a fault. Returns 0 or FAULT_E_SET.
 */
int spec_set_egress(struct spec *spec, enum spec_egress egress, struct fault *ret_fault);

/* Copies @path and appends it. Returns 0, -ENOMEM, or FAULT_E_SET when there are too many. */
int spec_add_input(struct spec *spec, enum spec_input_kind kind, const char *path,
		   struct fault *ret_fault);

/*
 * The rules that need no look at the host: a command, absolute paths, known image, egress that this
 * build enforces, no public egress together with host files, bounds. @field_prefix names the source
 * in faults: "--" for options, "/" for a document. Returns 0 or FAULT_E_SET.
 */
int spec_check(const struct spec *spec, const char *field_prefix, struct fault *ret_fault);

const char *spec_egress_name(enum spec_egress egress);

/* Whether there is such an egress mode; *ret is set when there is. */
bool spec_egress_find(const char *name, enum spec_egress *ret);

/* Whether @name is one of the images that a sandbox_script document may name. */
bool spec_image_is_known(const char *name);
#define SPEC_IMAGE_HOST "host"
#define SPEC_IMAGE_DEFAULT "anaconda"
#define SPEC_IMAGES_TEXT "node, python, go, anaconda, browser, media, twine, webgamedev"

#endif
