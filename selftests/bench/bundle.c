// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plan as an OCI bundle (runtime-spec, config.json 1.0.2): symlinks and texts are put into the root
 * directory beforehand, all else becomes a mount, a masked or a read-only path.
 */
#include "bundle.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../user/base/macro.h"
#include "bench.h"

static void directory_make(const char *path)
{
	char part[1024];

	for (const char *slash = path + 1; slash; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		mkdir(part, 0755);
	}
	if (mkdir(path, 0755) && errno != EEXIST)
		bench_die(errno, "%s", path);
}

static void above_make(const char *path)
{
	char above[1024];

	snprintf(above, sizeof(above), "%.*s", (int)(strrchr(path, '/') - path), path);
	directory_make(above);
}

static void text_make(const char *path, const char *text)
{
	_cleanup_file_ FILE *f = fopen(path, "we");

	if (!f || fputs(text, f) < 0)
		bench_die(errno, "%s", path);
}

/* What is no mount, and the place of what is. */
static void root_entry_make(const char *root, const struct plan_mount *m)
{
	char path[1024];
	struct stat st;

	snprintf(path, sizeof(path), "%s%s", root, m->target);
	if (strncmp(m->target, "/dev/", 5) == 0 || strncmp(m->target, "/proc/", 6) == 0)
		return;
	above_make(path);
	if (m->kind == PLAN_MOUNT_SYMLINK) {
		unlink(path);
		if (symlink(m->source, path))
			bench_die(errno, "%s", path);
	} else if (m->kind == PLAN_MOUNT_TEXT || (m->kind == PLAN_MOUNT_SYSTEM &&
						  stat(m->source, &st) == 0 && S_ISREG(st.st_mode))) {
		text_make(path, m->kind == PLAN_MOUNT_TEXT ? m->source : "");
	} else if (m->target[1]) {
		directory_make(path);
	}
}

static cJSON *strings(char *const *list)
{
	cJSON *array = cJSON_CreateArray();

	for (; *list; list++)
		cJSON_AddItemToArray(array, cJSON_CreateString(*list));
	return array;
}

/* Options are split at commas. */
static void mount_add(cJSON *mounts, const char *target, const char *type, const char *source,
		      const char *options)
{
	_cleanup_free_ char *copy = strdup(options);
	cJSON *mount = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(mount, "options");
	char *rest = copy, *option;

	cJSON_AddStringToObject(mount, "destination", target);
	cJSON_AddStringToObject(mount, "type", type);
	cJSON_AddStringToObject(mount, "source", source);
	while ((option = strsep(&rest, ",")))
		cJSON_AddItemToArray(list, cJSON_CreateString(option));
	cJSON_AddItemToArray(mounts, mount);
}

static void tmpfs_add(cJSON *mounts, const struct plan_mount *m)
{
	char options[128];

	if (!m->target[1])
		return;
	snprintf(options, sizeof(options), "nosuid,nodev,size=%llu,mode=%04o",
		 (unsigned long long)m->size_bytes, (unsigned int)m->mode);
	mount_add(mounts, m->target, "tmpfs", "tmpfs", options);
}

/* The runtime makes the device nodes of every bundle by itself, in the tmpfs at /dev. */
static cJSON *mounts_of(const struct plan *plan, const char *out)
{
	cJSON *mounts = cJSON_CreateArray();

	mount_add(mounts, "/proc", "proc", "proc", "nosuid,nodev,noexec");
	mount_add(mounts, "/dev", "tmpfs", "tmpfs", "nosuid,mode=755,size=65536k");
	mount_add(mounts, "/dev/pts", "devpts", "devpts",
		  "nosuid,noexec,newinstance,ptmxmode=0666,mode=0620");
	for (size_t i = 0; i < plan->n_mounts; i++) {
		const struct plan_mount *m = &plan->mounts[i];

		if (m->kind == PLAN_MOUNT_SYSTEM)
			mount_add(mounts, m->target, "bind", m->source, "rbind,ro,nosuid,nodev");
		else if (m->kind == PLAN_MOUNT_OUT)
			mount_add(mounts, m->target, "bind", out, "bind,nosuid,nodev");
		else if (m->kind == PLAN_MOUNT_TMPFS)
			tmpfs_add(mounts, m);
	}
	return mounts;
}

static cJSON *targets_of(const struct plan *plan, unsigned int kinds)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < plan->n_mounts; i++)
		if (kinds & 1u << plan->mounts[i].kind && plan->mounts[i].target[1])
			cJSON_AddItemToArray(list, cJSON_CreateString(plan->mounts[i].target));
	return list;
}

static void mapping_add(cJSON *linux_, const char *name, uint32_t base, uint32_t count)
{
	cJSON *list = cJSON_AddArrayToObject(linux_, name), *row = cJSON_CreateObject();

	cJSON_AddNumberToObject(row, "containerID", 0);
	cJSON_AddNumberToObject(row, "hostID", base);
	cJSON_AddNumberToObject(row, "size", count);
	cJSON_AddItemToArray(list, row);
}

static void linux_add(cJSON *config, const struct plan *plan)
{
	static const char *const namespaces[] = { "pid",  "mount",   "ipc",   "uts",
						  "user", "network", "cgroup" };
	cJSON *linux_ = cJSON_AddObjectToObject(config, "linux");
	cJSON *list = cJSON_AddArrayToObject(linux_, "namespaces");

	for (size_t i = 0; i < ARRAY_SIZE(namespaces); i++) {
		cJSON *row = cJSON_CreateObject();

		cJSON_AddStringToObject(row, "type", namespaces[i]);
		cJSON_AddItemToArray(list, row);
	}
	mapping_add(linux_, "uidMappings", plan->uid_base, plan->uid_count);
	mapping_add(linux_, "gidMappings", plan->uid_base, plan->uid_count);
	cJSON_AddItemToObject(linux_, "maskedPaths",
			      targets_of(plan, 1u << PLAN_MOUNT_MASK_FILE |
						       1u << PLAN_MOUNT_MASK_DIRECTORY));
	cJSON_AddItemToObject(linux_, "readonlyPaths", targets_of(plan, 1u << PLAN_MOUNT_READ_ONLY));
	cJSON_AddObjectToObject(linux_, "resources");
	cJSON_AddStringToObject(linux_, "cgroupsPath", "/reeve-bench-outside/peer");
}

static void process_add(cJSON *config, const struct plan *plan)
{
	static const char *const sets[] = { "bounding", "effective", "permitted" };
	char *const kept[] = { (char *)"CAP_CHOWN",  (char *)"CAP_DAC_OVERRIDE",
			       (char *)"CAP_FOWNER", (char *)"CAP_FSETID",
			       (char *)"CAP_KILL",   (char *)"CAP_SETGID",
			       (char *)"CAP_SETUID", NULL };
	cJSON *process = cJSON_AddObjectToObject(config, "process");
	cJSON *user = cJSON_AddObjectToObject(process, "user");
	cJSON *capabilities = cJSON_AddObjectToObject(process, "capabilities");

	cJSON_AddBoolToObject(process, "terminal", false);
	cJSON_AddNumberToObject(user, "uid", 0);
	cJSON_AddNumberToObject(user, "gid", 0);
	cJSON_AddItemToObject(process, "args", strings(plan->argv));
	cJSON_AddItemToObject(process, "env", strings(plan->envp));
	cJSON_AddStringToObject(process, "cwd", plan->cwd);
	cJSON_AddBoolToObject(process, "noNewPrivileges", true);
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
		cJSON_AddItemToObject(capabilities, sets[i], strings(kept));
}

void bundle_make(const char *path, const char *out, const struct plan *plan)
{
	cJSON *config = cJSON_CreateObject(), *root = cJSON_AddObjectToObject(config, "root");
	_cleanup_free_ char *text = NULL;
	char file[1024];

	snprintf(file, sizeof(file), "%s/rootfs/dev", path);
	directory_make(file);
	snprintf(file, sizeof(file), "%s/rootfs/proc", path);
	directory_make(file);
	snprintf(file, sizeof(file), "%s/rootfs", path);
	for (size_t i = 0; i < plan->n_mounts; i++)
		root_entry_make(file, &plan->mounts[i]);
	cJSON_AddStringToObject(root, "path", "rootfs");
	cJSON_AddBoolToObject(root, "readonly", true);
	cJSON_AddStringToObject(config, "ociVersion", "1.0.2");
	cJSON_AddStringToObject(config, "hostname", plan->hostname);
	process_add(config, plan);
	cJSON_AddItemToObject(config, "mounts", mounts_of(plan, out));
	linux_add(config, plan);
	text = cJSON_Print(config);
	cJSON_Delete(config);
	snprintf(file, sizeof(file), "%s/config.json", path);
	text_make(file, text);
}
