/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts of the host that a run rests on and that no other file of this layer finds out by using them.
 * Only looks.
 */
#ifndef REEVE_PROBE_H
#define REEVE_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/fault.h"

/*
 * Whether this process is root with every capability that a run uses, over the host and not over a user
 * namespace of its own. Returns 0, -errno, or FAULT_E_SET that names those it lacks and what each is for.
 */
int probe_privilege(struct fault *ret_fault);

/* The names of what probe_privilege() asks for, with spaces between. */
const char *probe_privilege_names(void);

/* The same one by one, with what each is for. False behind the last. */
bool probe_privilege_row(size_t i, const char **ret_name, const char **ret_use);

/* Whether the kernel tells its own types, which the programs are fitted to. Returns 0 or FAULT_E_SET. */
int probe_btf(struct fault *ret_fault);

/* Whether BPF may call the kernel's function @name. Returns 0 or -errno. */
int probe_kernel_function(const char *name, bool *ret_there);

/* What is pinned below a directory: see guard.h. */
struct probe_pins {
	unsigned int progs, links, maps;
};

/* Returns 0 or -errno; a kind that is not there counts 0. */
int probe_pins(const char *pin_dir, struct probe_pins *ret);

/*
 * Who holds a control group controller that version 2 does not offer.
 */
enum probe_controller {
	PROBE_CONTROLLER_FREE,	   /* nobody, or version 2 */
	PROBE_CONTROLLER_V1,	   /* a hierarchy of version 1 */
	PROBE_CONTROLLER_DISABLED, /* switched off when the kernel was started */
	PROBE_CONTROLLER_ABSENT,   /* the kernel was built without it */
};

/* Returns 0 or -errno. */
int probe_controller(const char *name, enum probe_controller *ret);

#endif
