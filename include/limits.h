/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every maximum of reeve, once. Map sizes, parser bounds and the schemas' maxItems come from
 * here; selftests compare the schemas with these numbers.
 */
#ifndef REEVE_LIMITS_H
#define REEVE_LIMITS_H

#include "limits_daemon.h"

/* "sbs_" and a ULID of 26 characters, with its terminating zero. */
#define REEVE_SESSION_ID_SIZE 32
#define REEVE_SESSION_ID_LEN 30

/* Sessions whose policy the kernel holds at one time. */
#define REEVE_SESSIONS_MAX 16384
/* Prefixes that the host alone adds to the built-in address table, and with the operator's and the sessions'. */
#define REEVE_HOST_PREFIXES_MAX 4096
#define REEVE_PREFIXES_MAX 65536
/* Names, and addresses that allowed names have, of all sessions together. */
#define REEVE_NAMES_MAX 65536
#define REEVE_ADDRESSES_MAX 262144
/* A host name that can be allowed, without a dot at its end. */
#define REEVE_NAME_MAX 238
/* The operator's configuration: its text, prefixes, names and NAT64 prefixes. */
#define REEVE_CONFIG_BYTES_MAX (1024 * 1024)
#define REEVE_CONFIG_PREFIXES_MAX 4096
#define REEVE_CONFIG_NAMES_MAX 4096
#define REEVE_CONFIG_NAT64_MAX 4
/* Connections whose server name was read; the least recently used one is forgotten first. */
#define REEVE_FLOWS_MAX 65536
/* Connections that are opening or closing, in the same way. */
#define REEVE_HALF_FLOWS_MAX 16384
/*
 * Rings of events: one a slot and one more for a daemon, made when first taken, kept for the next. A
 * power of two and a multiple of every page size in use.
 */
#define REEVE_RINGS_MAX (REEVE_SLOTS_MAX + 1)
#define REEVE_EVENTS_BYTES (64 * 1024)
/* How deep a session's processes may nest cgroups below it; the meter walks no further. */
#define REEVE_CGROUP_DEPTH_MAX 8
/* How deep the parent cgroup itself may sit. */
#define REEVE_PARENT_DEPTH_MAX 8
#define REEVE_COMM_SIZE 16

/* Sessions with a network of their own at one time: one /30, one /126 and 65,536 uids each. */
#define REEVE_SLOTS_MAX 4000
#define REEVE_UID_BASE 0x70000000u
#define REEVE_UIDS_PER_SLOT 65536u

/* Bounds of one request. */
#define REEVE_REQUEST_BYTES_MAX (1024 * 1024)
#define REEVE_COMMAND_BYTES_MAX (128 * 1024)
#define REEVE_ARGS_MAX 1024
#define REEVE_INPUTS_MAX 64
#define REEVE_PATH_MAX 4096
#define REEVE_TIME_BOX_SECONDS_MAX (7 * 24 * 3600)
#define REEVE_TIME_BOX_SECONDS_DEFAULT 600
#define REEVE_CPU_SECONDS_MAX (1000 * 1000 * 1000)
#define REEVE_MONEY_CENTS_MAX (1000 * 1000 * 1000)
/* One micro-cent is 1e-6 cent. The bound keeps every product of the account inside 64 bits. */
#define REEVE_UCENTS_PER_CENT 1000000ull
#define REEVE_RATE_UCENTS_MAX 0xffffffffull
/* A session's own bounds: requests that wait, the time box of one, what its owner may ask for. */
#define REEVE_QUEUE_MAX 32
#define REEVE_TIME_BOX_MINUTES_MIN 5
#define REEVE_TIME_BOX_MINUTES_MAX 30
#define REEVE_TIME_BOX_MINUTES_DEFAULT 10
/* What a session may publish: files and directories, how deep, of how many bytes together. */
#define REEVE_SITE_FILES_MAX 4096u
#define REEVE_SITE_DEPTH_MAX 16u
#define REEVE_SITE_BYTES_MAX (256ull * 1024 * 1024)
/* The greatest whole number that all readers of JSON tell from its neighbours; more is taken for as much. */
#define REEVE_WHOLE_MAX (1ull << 53)
/* How deep arrays and objects of a document may nest, and how many digits a number may have. */
#define REEVE_JSON_DEPTH_MAX 32
#define REEVE_JSON_NUMBER_MAX 60
/* A document that is judged and nothing else. */
#define REEVE_DOCUMENT_BYTES_MAX (16 * 1024 * 1024)
/* Complaints that one check of a document against its schema lists. */
#define REEVE_SCHEMA_ERRORS_MAX 256
/* A seccomp profile: its text, and its rules, one for each name in each entry. */
#define REEVE_SECCOMP_BYTES_MAX (256 * 1024)
#define REEVE_SECCOMP_RULES_MAX 4096
/* Commands of an open request that may run beside each other. */
#define REEVE_STEPS_RUNNING_MAX 64
/* Between TERM and KILL at the end of a time box. */
#define REEVE_TERM_GRACE_MS 2000

/* Bounds of one result: denials told in full for each reason, and output shown in the document. */
#define REEVE_DENIALS_FIRST 5
#define REEVE_STDOUT_SHOWN_BYTES (256 * 1024)
#define REEVE_STDERR_SHOWN_BYTES (16 * 1024)
/* The line that stands before output of which the beginning was cut, at most. */
#define REEVE_OUTPUT_MARKER_BYTES 128

/* A session's resolver: questions a second and at once, on their way upstream, and connections. */
#define REEVE_DNS_PER_SECOND 200u
#define REEVE_DNS_BURST 400u
#define REEVE_DNS_IN_FLIGHT_MAX 64u
#define REEVE_DNS_CONNECTIONS_MAX 32u
/* Names of servers are shorter; longer ones are counted, since they are what data would be sent out in. */
#define REEVE_DNS_NAME_USUAL 100
/* Addresses that a session may have open through names at one time. */
#define REEVE_DNS_ADDRESSES_MAX 512

/* Default limits of a request, through cgroup v2 where the host gives the controllers. */
#define REEVE_PIDS_DEFAULT 1024
#define REEVE_MEMORY_BYTES_DEFAULT (2ull * 1024 * 1024 * 1024)

#endif
