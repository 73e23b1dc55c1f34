// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that belong to nobody: of sessions that were being made when their hall died, and of copies that were not put
 * in place. What cannot be removed is left for the next time.
 */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

#include "hall_parts.h"
#include "wipe_tree.h"
#include "workspace.h"

static void workspace_drop(const char *state_dir, int sessions_fd, const char *name)
{
	_cleanup_fd_ int fd = workspace_dir_open(state_dir, name);
	struct wipe_left left = {};

	/* a wiper may not be quite dead yet */
	if (fd >= 0 && flock(fd, LOCK_EX) == 0 && wipe_tree(fd, &left) == 0 && !left.err)
		unlinkat(sessions_fd, name, AT_REMOVEDIR);
}

void strays_workspaces(struct hall *hall)
{
	char path[REEVE_PATH_MAX];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "%.4000s/sessions", hall->args->state_dir);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		const struct hall_session *s = hall_session_find(hall, entry->d_name);

		if (strncmp(entry->d_name, "sbs_", 4) == 0 && (!s || hall_is_over(s)))
			workspace_drop(hall->args->state_dir, dirfd(dir), entry->d_name);
	}
	if (dir)
		closedir(dir);
}

static bool site_is_wanted(const char *name, void *arg)
{
	const size_t prefix = strlen(HALL_SITE_NEW);
	struct hall *hall = arg;
	struct desk_request row;

	if (strncmp(name, HALL_SITE_NEW, prefix) == 0)
		return ledger_get_request(hall->ledger, name + prefix, &row) == 0 &&
		       row.state != DESK_REQUEST_FINISHED;
	for (size_t i = 0; i < hall->n_sessions; i++) {
		const struct hall_session *s = hall->sessions[i];
		char slug[DESK_SLUG_SIZE];

		hall_site_slug(s->desk.id, slug);
		if (strcmp(slug, name) == 0)
			return s->desk.site.slug[0] || s->run;
	}
	return false;
}

void strays_sites(struct hall *hall)
{
	hall_site_sweep(hall->args->state_dir, site_is_wanted, hall);
}
