// SPDX-License-Identifier: GPL-2.0-only
/*
 * The operator's configuration from its file. A fault inside it is told with the file in front, since a run
 * has other documents as well.
 */
#include "config_file.h"

#include <errno.h>
#include <unistd.h>

#include "../base/io.h"
#include "../engine/engine.h"
#include "../wire/config.h"

#define REMEDY "give a readable file of at most 1 MiB; \"reeve check FILE\" judges it"

static int defaults(struct config *ret)
{
	_cleanup_config_ struct config config = {};
	int r = config_finish(&config);

	if (r)
		return r;
	*ret = config;
	config = (struct config){};
	return 0;
}

bool config_file_is_there(const char *path)
{
	return access(path ? path : ENGINE_CONFIG_FILE, F_OK) == 0 || errno != ENOENT;
}

int config_file_read(const char *path, struct config *ret, struct fault *ret_fault)
{
	const char *file = path ? path : ENGINE_CONFIG_FILE;
	_cleanup_fd_ int fd = -1;
	_cleanup_free_ char *bytes = NULL;
	struct fault fault = {};
	size_t n;
	int r = io_open_document(file, &fd);

	if (!path && r == -ENOENT)
		return defaults(ret);
	if (r == IO_E_KIND)
		return fault_set(ret_fault, FAULT_CONFIG, file, REMEDY,
				 "it is neither a regular file nor a pipe");
	if (!r)
		r = io_read_all(fd, REEVE_CONFIG_BYTES_MAX, &bytes, &n);
	if (r == IO_E_TOO_BIG)
		return fault_set(ret_fault, FAULT_CONFIG, file, REMEDY, "it has more than %d bytes",
				 REEVE_CONFIG_BYTES_MAX);
	if (r)
		return fault_set_errno(ret_fault, FAULT_CONFIG, file, REMEDY, -r,
				       "the configuration cannot be read");
	r = config_parse(bytes, n, ret, &fault);
	if (r > 0)
		return fault_set(ret_fault, fault.code, fault.field, fault.remedy, "%.80s: %s",
				 file, fault.reason);
	return r;
}
