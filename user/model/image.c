// SPDX-License-Identifier: GPL-2.0-only
/*
 * The image "host": what programs need to run, and nothing that identifies the host or its users. Of /etc
 * only what loaders, language runtimes, TLS and name tables read; the rest of it is written here.
 *
 * Host files keep their owners, which no id inside stands for; so uid 0 of the sandbox reads what the
 * world may read. The root itself is read-only and the host's, scratch space the sandbox's own.
 *
 * Constant tables, owned by nobody.
 */
#include "image.h"

#include "../base/macro.h"

#define KIB 1024ull
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

static const char *const host_root[] = {
	"/usr",
	"/bin",
	"/sbin",
	"/lib",
	"/lib32",
	"/lib64",
	"/libx32",
	"/etc/alternatives",
	"/etc/crypto-policies",
	"/etc/fonts",
	"/etc/java",
	"/etc/java-11-openjdk",
	"/etc/java-17-openjdk",
	"/etc/java-21-openjdk",
	"/etc/java-25-openjdk",
	"/etc/ld.so.cache",
	"/etc/ld.so.conf",
	"/etc/ld.so.conf.d",
	"/etc/localtime",
	"/etc/mime.types",
	"/etc/os-release",
	"/etc/perl",
	"/etc/pki/ca-trust/extracted",
	"/etc/pki/tls/certs",
	"/etc/protocols",
	"/etc/services",
	"/etc/ssl/certs",
	"/etc/ssl/openssl.cnf",
};

#define ROW(k, t)                                                                                  \
	{                                                                                          \
		.kind = PLAN_MOUNT_##k, .target = (t)                                              \
	}
#define SOURCED(k, t, s)                                                                           \
	{                                                                                          \
		.kind = PLAN_MOUNT_##k, .target = (t), .source = (s)                               \
	}
#define TMPFS(t, size, m)                                                                          \
	{                                                                                          \
		.kind = PLAN_MOUNT_TMPFS, .target = (t), .size_bytes = (size), .mode = (m)         \
	}
#define NODE(k, t, s, ma, mi)                                                                      \
	{                                                                                          \
		.kind = PLAN_MOUNT_##k, .target = (t), .source = (s), .major = (ma), .minor = (mi) \
	}
#define DEVICE(path, ma, mi) NODE(DEVICE, path, path, ma, mi)
#define MASK(path) NODE(MASK_FILE, path, "/dev/null", 1, 3)

static const struct plan_mount first_mounts[] = {
	TMPFS("/", 4 * MIB, 0755),
};

/* After what the host has of host_root. */
static const struct plan_mount fixed_mounts[] = {
	SOURCED(TEXT, "/etc/passwd",
		"root:x:0:0:root:/root:/bin/sh\n"
		"nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"),
	SOURCED(TEXT, "/etc/group", "root:x:0:\nnogroup:x:65534:\n"),
	SOURCED(TEXT, "/etc/hosts", "127.0.0.1 localhost reeve\n::1 localhost reeve\n"),
	SOURCED(TEXT, "/etc/hostname", "reeve\n"),
	SOURCED(TEXT, "/etc/nsswitch.conf",
		"passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n"),
	SOURCED(SYMLINK, "/etc/mtab", "/proc/self/mounts"),
	ROW(DIRECTORY, "/in"),
	ROW(DIRECTORY, "/sys"),
	SOURCED(SYMLINK, "/var/tmp", "/tmp"),
	SOURCED(SYMLINK, "/var/run", "/run"),

	DEVICE("/dev/null", 1, 3),
	DEVICE("/dev/zero", 1, 5),
	DEVICE("/dev/full", 1, 7),
	DEVICE("/dev/random", 1, 8),
	DEVICE("/dev/urandom", 1, 9),
	DEVICE("/dev/tty", 5, 0),
	ROW(DEVPTS, "/dev/pts"),
	SOURCED(SYMLINK, "/dev/ptmx", "pts/ptmx"),
	SOURCED(SYMLINK, "/dev/fd", "/proc/self/fd"),
	SOURCED(SYMLINK, "/dev/stdin", "/proc/self/fd/0"),
	SOURCED(SYMLINK, "/dev/stdout", "/proc/self/fd/1"),
	SOURCED(SYMLINK, "/dev/stderr", "/proc/self/fd/2"),

	ROW(PROC, "/proc"),
	ROW(READ_ONLY, "/proc/sys"),
	ROW(READ_ONLY, "/proc/irq"),
	ROW(READ_ONLY, "/proc/bus"),
	ROW(READ_ONLY, "/proc/fs"),
	MASK("/proc/kallsyms"),
	MASK("/proc/kcore"),
	MASK("/proc/key-users"),
	MASK("/proc/keys"),
	MASK("/proc/kmsg"),
	MASK("/proc/sched_debug"),
	MASK("/proc/sysrq-trigger"),
	MASK("/proc/timer_list"),
	ROW(MASK_DIRECTORY, "/proc/acpi"),
	ROW(MASK_DIRECTORY, "/proc/scsi"),
};

/* After the inputs. */
static const struct plan_mount last_mounts[] = {
	ROW(OUT, "/out"),
	TMPFS("/tmp", 1 * GIB, 01777),
	TMPFS("/root", 1 * GIB, 0700),
	TMPFS("/run", 16 * MIB, 0755),
	TMPFS("/dev/shm", 256 * MIB, 01777),
	ROW(READ_ONLY, "/"),
};

const struct image_mounts image_first = { first_mounts, ARRAY_SIZE(first_mounts) };
const struct image_mounts image_fixed = { fixed_mounts, ARRAY_SIZE(fixed_mounts) };
const struct image_mounts image_last = { last_mounts, ARRAY_SIZE(last_mounts) };

/* Made from nothing; the lower part keeps common tools from reporting home and from chatter. */
const char *const image_environment[] = {
	"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
	"HOME=/root",
	"USER=root",
	"LOGNAME=root",
	"SHELL=/bin/sh",
	"LANG=C.UTF-8",
	"TMPDIR=/tmp",
	"DO_NOT_TRACK=1",
	"DOTNET_CLI_TELEMETRY_OPTOUT=1",
	"HF_HUB_DISABLE_TELEMETRY=1",
	"NEXT_TELEMETRY_DISABLED=1",
	"NO_UPDATE_NOTIFIER=1",
	"SCARF_ANALYTICS=false",
	"NPM_CONFIG_AUDIT=false",
	"NPM_CONFIG_FUND=false",
	"NPM_CONFIG_PROGRESS=false",
	"NPM_CONFIG_UPDATE_NOTIFIER=false",
	"PIP_DISABLE_PIP_VERSION_CHECK=1",
	"PIP_NO_INPUT=1",
	"PIP_PROGRESS_BAR=off",
	"PIP_ROOT_USER_ACTION=ignore",
	NULL,
};

const char *const *plan_host_root(size_t *ret_n)
{
	*ret_n = ARRAY_SIZE(host_root);
	return host_root;
}
