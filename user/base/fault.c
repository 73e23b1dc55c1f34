// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults are values: filled where the wrong thing is seen, passed up untouched, and rendered once by the
 * command line or the wire. Nothing here allocates, so that a fault can tell of a lack of memory.
 */
#include "fault.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

static const char *const code_names[] = { [FAULT_NONE] = "none",
#define X(NAME, code) [FAULT_##NAME] = code,
					  FAULT_CODES(X)
#undef X
};

const char *fault_code_name(enum fault_code code)
{
	return code_names[code];
}

static void fault_fill(struct fault *ret, enum fault_code code, const char *field,
		       const char *remedy, const char *fmt, va_list args)
{
	ret->code = code;
	snprintf(ret->field, sizeof(ret->field), "%s", field ? field : "");
	snprintf(ret->remedy, sizeof(ret->remedy), "%s", remedy ? remedy : "");
	vsnprintf(ret->reason, sizeof(ret->reason), fmt, args);
}

int fault_set(struct fault *ret, enum fault_code code, const char *field, const char *remedy,
	      const char *fmt, ...)
{
	va_list args;

	if (ret->code != FAULT_NONE)
		return FAULT_E_SET;
	va_start(args, fmt);
	fault_fill(ret, code, field, remedy, fmt, args);
	va_end(args);
	return FAULT_E_SET;
}

/* Whatever was tried, these say that the process or the host has no more of something. */
static const struct {
	int err;
	const char *remedy;
} lacks[] = {
	{ EMFILE, "allow this process more open files: ulimit -n 1024" },
	{ ENFILE, "close files on this host, or raise the sysctl fs.file-max" },
};

const char *fault_lack_remedy(int err)
{
	for (size_t i = 0; i < ARRAY_SIZE(lacks); i++)
		if (lacks[i].err == err)
			return lacks[i].remedy;
	return NULL;
}

int fault_set_errno(struct fault *ret, enum fault_code code, const char *field, const char *remedy,
		    int err, const char *fmt, ...)
{
	const char *lack = fault_lack_remedy(err);
	va_list args;
	size_t len;

	if (ret->code != FAULT_NONE)
		return FAULT_E_SET;
	va_start(args, fmt);
	fault_fill(ret, code, field, lack ? lack : remedy, fmt, args);
	va_end(args);
	len = strlen(ret->reason);
	snprintf(ret->reason + len, sizeof(ret->reason) - len, ": %s", strerror(err));
	return FAULT_E_SET;
}
