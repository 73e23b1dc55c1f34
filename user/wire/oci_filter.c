// SPDX-License-Identifier: GPL-2.0-only
/*
 * "includes" and "excludes" of an entry, as moby writes them: capabilities, architectures by Go's
 * names, and the oldest kernel. An entry applies when all that it includes is so and nothing that
 * it excludes. One reader serves both: a condition that is as @exclude says makes the entry one to
 * skip.
 */
#include "oci_filter.h"

#include <string.h>

#include "../base/str.h"

struct filter {
	const struct oci_seccomp_host *host;
	bool exclude, skip;
};

struct arch_match {
	enum seccomp_arch arch;
	bool here;
};

/* Words between blanks: first as enum seccomp_arch, then those that are no architecture of ours. */
static const char port_words[] =
	"amd64 arm64 386 arm loong64 loongarch64 mips mips64 mips64le mips64n32 mipsle ppc ppc64 "
	"ppc64le riscv64 s390 s390x x32 x86";
_Static_assert(SECCOMP_ARCH_X86_64 == 0 && SECCOMP_ARCH_AARCH64 == 1, "as port_words begins");

/* From CAP_CHOWN, 0. */
static const char capability_words[] =
	"CAP_CHOWN CAP_DAC_OVERRIDE CAP_DAC_READ_SEARCH CAP_FOWNER CAP_FSETID CAP_KILL CAP_SETGID "
	"CAP_SETUID CAP_SETPCAP CAP_LINUX_IMMUTABLE CAP_NET_BIND_SERVICE CAP_NET_BROADCAST "
	"CAP_NET_ADMIN CAP_NET_RAW CAP_IPC_LOCK CAP_IPC_OWNER CAP_SYS_MODULE CAP_SYS_RAWIO "
	"CAP_SYS_CHROOT CAP_SYS_PTRACE CAP_SYS_PACCT CAP_SYS_ADMIN CAP_SYS_BOOT CAP_SYS_NICE "
	"CAP_SYS_RESOURCE CAP_SYS_TIME CAP_SYS_TTY_CONFIG CAP_MKNOD CAP_LEASE CAP_AUDIT_WRITE "
	"CAP_AUDIT_CONTROL CAP_SETFCAP CAP_MAC_OVERRIDE CAP_MAC_ADMIN CAP_SYSLOG CAP_WAKE_ALARM "
	"CAP_BLOCK_SUSPEND CAP_AUDIT_READ CAP_PERFMON CAP_BPF CAP_CHECKPOINT_RESTORE";

static int read_cap(struct json_walk *w, const cJSON *item, const struct json_at *at, void *into)
{
	struct filter *filter = into;
	unsigned int cap;
	int err;

	err = json_read_word(w, item, at, capability_words, &cap);
	if (err == 0 && (filter->host->capabilities >> cap & 1) == filter->exclude)
		filter->skip = true;
	return err;
}

static int read_caps(struct json_walk *w, const cJSON *item, const struct json_at *at, void *into)
{
	return json_read_array(w, item, at, read_cap, into);
}

static int read_arch(struct json_walk *w, const cJSON *item, const struct json_at *at, void *into)
{
	struct arch_match *match = into;
	unsigned int arch;
	int err;

	err = json_read_word(w, item, at, port_words, &arch);
	if (err == 0 && arch == match->arch)
		match->here = true;
	return err;
}

static int read_arches(struct json_walk *w, const cJSON *item, const struct json_at *at, void *into)
{
	struct filter *filter = into;
	struct arch_match match = { .arch = filter->host->arch };
	int err;

	err = json_read_array(w, item, at, read_arch, &match);
	if (err == 0 && cJSON_GetArraySize(item) > 0 && match.here == filter->exclude)
		filter->skip = true;
	return err;
}

static int read_kernel(struct json_walk *w, const cJSON *item, const struct json_at *at, void *into)
{
	const char *text = cJSON_IsString(item) ? item->valuestring : "";
	struct filter *filter = into;
	const struct oci_seccomp_host *host = filter->host;
	uint64_t major, minor;
	const char *dot = strchr(text, '.');
	char first[8] = "";

	if (dot && (size_t)(dot - text) < sizeof(first))
		memcpy(first, text, (size_t)(dot - text));
	if (!dot || !str_to_u64(first, 1000, &major) || !str_to_u64(dot + 1, 1000, &minor))
		return json_refuse_value(w, item, at, "a kernel version, \"4.8\"");
	if ((host->kernel_major > major ||
	     (host->kernel_major == major && host->kernel_minor >= minor)) == filter->exclude)
		filter->skip = true;
	return 0;
}

static const struct json_key filter_keys[] = {
	{ "caps", read_caps, true },
	{ "arches", read_arches, true },
	{ "minKernel", read_kernel, true },
};

int oci_filter_read(struct json_walk *w, const cJSON *item, const struct json_at *at,
		    const struct oci_seccomp_host *host, bool exclude, bool *skip)
{
	struct filter filter = { .host = host, .exclude = exclude };
	int r;

	r = json_read_object(w, item, at, filter_keys, ARRAY_SIZE(filter_keys), &filter);
	if (r == 0 && filter.skip)
		*skip = true;
	return r;
}
