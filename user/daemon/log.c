// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lines for the journal carry their level as sd-daemon(3) describes it. Whether the journal reads stderr is in
 * $JOURNAL_STREAM, "device:inode" of the stream that it made: compared each time, for stderr may have been turned
 * elsewhere since.
 */
#include "log.h"

#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/io.h"
#include "../base/str.h"

#define LINE_BYTES_MAX 2048

static bool is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
	       fstat(STDERR_FILENO, &st) == 0 && st.st_dev == device && st.st_ino == inode;
}

void log_line(enum log_level level, const char *fmt, ...)
{
	char text[LINE_BYTES_MAX], shown[LINE_BYTES_MAX], line[LINE_BYTES_MAX + 16];
	va_list args;
	int n;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	str_show(text, strlen(text), shown, sizeof(shown));
	if (is_journal())
		n = snprintf(line, sizeof(line), "<%d>%s\n", level, shown);
	else
		n = snprintf(line, sizeof(line), "reeve: %s\n", shown);
	/* there is nobody to tell that stderr takes nothing */
	(void)io_write_all(STDERR_FILENO, line, (size_t)n);
}

void log_result(enum log_level level, const char *what, int r, const struct fault *fault)
{
	if (r < 0)
		log_line(level, "%s: %s", what, strerror(-r));
	else
		log_line(level, "%s: %s: %s (%s)", what, fault->field, fault->reason, fault->remedy);
}
