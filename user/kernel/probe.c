// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel says of itself and of this process. The list of capabilities is what was found to be
 * needed by taking each away in turn; CAP_SYS_ADMIN is among them and stands for CAP_BPF and CAP_PERFMON
 * wherever the kernel asks for one of those.
 */
#include "probe.h"

#include <bpf/btf.h>
#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../include/limits.h"

#define BTF_FILE "/sys/kernel/btf/vmlinux"
#define CONTROLLERS_FILE "/proc/cgroups"
/* <linux/proc_ns.h> of the kernel: the inode of its first user namespace, a constant since 3.8 */
#define FIRST_USER_NAMESPACE 0xeffffffdu

/* X(NAME, use) */
#define CAPABILITIES(X)                                                                            \
	X(CHOWN, "output pipes are handed to the sandbox")                                         \
	X(DAC_OVERRIDE, "inputs of any owner are opened")                                          \
	X(KILL, "the sandbox's processes are killed")                                              \
	X(SETGID, "the ids of a session are mapped")                                               \
	X(SETUID, "the ids of a session are mapped")                                               \
	X(NET_ADMIN, "network namespaces, devices and programs on cgroups")                        \
	X(SYS_ADMIN, "namespaces, mounts and BPF")

static const struct {
	const char *name, *use;
	unsigned int number;
} capabilities[] = {
#define X(NAME, use) { "CAP_" #NAME, use, CAP_##NAME },
	CAPABILITIES(X)
#undef X
};

const char *probe_privilege_names(void)
{
#define X(NAME, use) " " #NAME
	return &CAPABILITIES(X)[1];
#undef X
}

bool probe_privilege_row(size_t i, const char **ret_name, const char **ret_use)
{
	if (i >= ARRAY_SIZE(capabilities))
		return false;
	*ret_name = capabilities[i].name;
	*ret_use = capabilities[i].use;
	return true;
}

static int effective_read(uint64_t *ret)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data) < 0)
		return -errno;
	*ret = data[0].effective | (uint64_t)data[1].effective << 32;
	return 0;
}

static int namespace_check(struct fault *ret_fault)
{
	struct stat st;

	if (stat("/proc/self/ns/user", &st) < 0)
		return fault_set_errno(ret_fault, FAULT_HOST, "/proc", "mount procfs on /proc",
				       errno, "cannot look at this process's user namespace");
	if (st.st_ino == FIRST_USER_NAMESPACE)
		return 0;
	return fault_set(
		ret_fault, FAULT_HOST, "capabilities",
		"run reeve as root of the host, outside of every user namespace",
		"reeve runs in a user namespace, whose capabilities mean nothing to the host");
}

int probe_privilege(struct fault *ret_fault)
{
	char lacking[512] = "";
	uint64_t effective = 0;
	size_t len = 0;
	int r = effective_read(&effective);

	if (r < 0)
		return r;
	if (geteuid() != 0)
		return fault_set(ret_fault, FAULT_HOST, "user",
				 "run it as root, for example with sudo",
				 "reeve needs root for namespaces, cgroups and BPF; this is uid %u",
				 (unsigned int)geteuid());
	for (size_t i = 0; i < ARRAY_SIZE(capabilities); i++) {
		if (effective >> capabilities[i].number & 1)
			continue;
		len += (size_t)snprintf(lacking + len, sizeof(lacking) - len, "%s%s (%s)",
					len ? ", " : "", capabilities[i].name, capabilities[i].use);
	}
	if (len)
		return fault_set(ret_fault, FAULT_HOST, "capabilities",
				 "run reeve as root, with these in its bounding set",
				 "reeve lacks %s", lacking);
	return namespace_check(ret_fault);
}

int probe_btf(struct fault *ret_fault)
{
	if (access(BTF_FILE, R_OK) == 0)
		return 0;
	return fault_set_errno(ret_fault, FAULT_ENFORCEMENT, "btf",
			       "run a kernel built with CONFIG_DEBUG_INFO_BTF, and mount sysfs on /sys",
			       errno, BTF_FILE);
}

int probe_kernel_function(const char *name, bool *ret_there)
{
	struct btf *btf = btf__load_vmlinux_btf();

	if (!btf)
		return -errno;
	*ret_there = btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) > 0;
	btf__free(btf);
	return 0;
}

static void dir_close(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static int entries_count(const char *pin_dir, const char *kind, unsigned int *ret)
{
	_cleanup_(dir_close) DIR *dir = NULL;
	char path[REEVE_PATH_MAX];
	struct dirent *entry;
	unsigned int n = 0;

	snprintf(path, sizeof(path), "%s/%s", pin_dir, kind);
	dir = opendir(path);
	if (!dir && errno != ENOENT)
		return -errno;
	while (dir && (entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	*ret = n;
	return 0;
}

int probe_pins(const char *pin_dir, struct probe_pins *ret)
{
	struct probe_pins pins;
	int r = entries_count(pin_dir, "progs", &pins.progs);

	r = r ? r : entries_count(pin_dir, "links", &pins.links);
	r = r ? r : entries_count(pin_dir, "maps", &pins.maps);
	if (!r)
		*ret = pins;
	return r;
}

int probe_controller(const char *name, enum probe_controller *ret)
{
	_cleanup_file_ FILE *f = fopen(CONTROLLERS_FILE, "re");
	char line[128], found[32];
	unsigned int hierarchy, cgroups, enabled;

	if (!f)
		return -errno;
	*ret = PROBE_CONTROLLER_ABSENT;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%31s %u %u %u", found, &hierarchy, &cgroups, &enabled) != 4 ||
		    strcmp(found, name) != 0)
			continue;
		*ret = !enabled	   ? PROBE_CONTROLLER_DISABLED
		       : hierarchy ? PROBE_CONTROLLER_V1
				   : PROBE_CONTROLLER_FREE;
	}
	return 0;
}
