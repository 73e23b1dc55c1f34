/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What reeve promises of a run, by name. doctor says for each what the host lacks, a result says
 * for each whether it held.
 */
#ifndef REEVE_PROMISE_H
#define REEVE_PROMISE_H

#include <stdbool.h>

/* X(NAME, name, must, text): without a must nothing is run */
#define PROMISES(X)                                                                                \
	X(EGRESS, egress, true, "no address outside the egress mode is reached")                   \
	X(NETWORK, network, true, "a network of its own, filtered again at its link to the host")  \
	X(SOCKETS, sockets, true, "only plain TCP, UDP, unix and route sockets are made")          \
	X(METER, meter, true, "each nanosecond of CPU time is charged once")                       \
	X(CAP, cap, true, "the kernel itself stops a session at its cap")                          \
	X(TIME_BOX, time_box, true, "the kernel itself stops a request at its time box")           \
	X(SANDBOX, sandbox, true, "own namespaces, read-only root, no privilege on the host")      \
	X(SECCOMP, seccomp, true, "system calls that lead out are refused")                        \
	X(DEVICES, devices, true, "no device but the harmless ones is opened")                     \
	X(SYSCTLS, sysctls, true, "no sysctl is written")                                          \
	X(CLEANUP, cleanup, true, "nothing of a run is left but its output directory")             \
	X(UNIX_SOCKETS, unix_sockets, false, "unix sockets stop with the session")                 \
	X(MEMORY, memory, false, "memory is limited")                                              \
	X(PIDS, pids, false, "the number of processes is limited")                                 \
	X(CPU, cpu, false, "the share of the processors is limited")

enum promise {
#define X(NAME, name, must, text) PROMISE_##NAME,
	PROMISES(X)
#undef X
	PROMISE_COUNT,
};

const char *promise_name(enum promise promise);
const char *promise_text(enum promise promise);
bool promise_is_must(enum promise promise);

#endif
