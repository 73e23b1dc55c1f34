// SPDX-License-Identifier: GPL-2.0-only
/*
 * The options of "reeve run", one row each. A setter reads one value and says what is allowed; what
 * options mean together is judged later, by spec_check().
 */
#include "run_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../base/str.h"
#include "../model/rate.h"

static struct spec *spec_of(void *to)
{
	return &((struct run_options *)to)->spec;
}

static int set_egress(void *to, const char *value, struct fault *ret_fault)
{
	struct run_options *options = to;

	options->has_egress = true;
	if (spec_egress_find(value, &options->egress))
		return 0;
	return fault_set(ret_fault, FAULT_USAGE, "--egress", "give one of these",
			 "\"%s\" is not none, package-managers or public", value);
}

static int set_image(void *to, const char *value, struct fault *ret_fault)
{
	(void)ret_fault;
	((struct run_options *)to)->image = value;
	return 0;
}

/* A spec has absolute paths only; what the command line names is seen from where it was typed. */
static int add_input(void *to, enum spec_input_kind kind, const char *value, struct fault *ret_fault)
{
	_cleanup_free_ char *here = NULL, *path = NULL;

	if (value[0] == '/' || !value[0])
		return spec_add_input(spec_of(to), kind, value, ret_fault);
	here = getcwd(NULL, 0);
	/* glibc refuses what the kernel tells of a directory that is out of reach */
	if (!here)
		return fault_set_errno(ret_fault, FAULT_USAGE,
				       kind == SPEC_INPUT_FILE ? "--file" : "--directory",
				       "give an absolute path", errno,
				       "there is no working directory to take it from");
	if (asprintf(&path, "%s/%s", here, value) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	return spec_add_input(spec_of(to), kind, path, ret_fault);
}

static int set_file(void *to, const char *value, struct fault *ret_fault)
{
	return add_input(to, SPEC_INPUT_FILE, value, ret_fault);
}

static int set_directory(void *to, const char *value, struct fault *ret_fault)
{
	return add_input(to, SPEC_INPUT_DIRECTORY, value, ret_fault);
}

static int bad_number(struct fault *ret, const char *option, const char *value, const char *allowed)
{
	return fault_set(ret, FAULT_USAGE, option, "give a number in that range",
			 "\"%s\" is not %s", value, allowed);
}

static int set_cpu_seconds(void *to, const char *value, struct fault *ret_fault)
{
	uint64_t ns;

	if (!str_to_nano(value, REEVE_CPU_SECONDS_MAX, &ns) || ns == 0)
		return bad_number(ret_fault, "--cpu-seconds", value,
				  "a number of seconds above 0 and up to 1000000000");
	spec_of(to)->cpu_cap_ns = ns;
	return 0;
}

static int set_money_cents(void *to, const char *value, struct fault *ret_fault)
{
	uint64_t cents;

	if (!str_to_u64(value, REEVE_MONEY_CENTS_MAX, &cents))
		return bad_number(ret_fault, "--money-cents", value,
				  "a whole number from 0 to 1000000000");
	spec_of(to)->money_cap_ucents = cents * REEVE_UCENTS_PER_CENT;
	return 0;
}

static int set_rate(void *to, const char *value, struct fault *ret_fault)
{
	return rate_card_parse(value, "--rate", &spec_of(to)->rates, ret_fault);
}

static int set_time_box(void *to, const char *value, struct fault *ret_fault)
{
	static const struct {
		char suffix;
		uint64_t seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 } };
	size_t len = strlen(value);
	uint64_t ns = 0, factor = 1;
	char number[32];

	for (unsigned int i = 0; len && i < ARRAY_SIZE(units); i++)
		if (value[len - 1] == units[i].suffix)
			factor = units[i].seconds;
	if (len && strchr("smh", value[len - 1]))
		len--;
	snprintf(number, sizeof(number), "%.*s", (int)len, value);
	if (len >= sizeof(number) ||
	    !str_to_nano(number, REEVE_TIME_BOX_SECONDS_MAX / factor, &ns) || ns == 0)
		return bad_number(ret_fault, "--time-box", value,
				  "a time above 0 and up to 168h, as 90, 90s, 10m or 1h");
	spec_of(to)->time_box_ns = ns * factor;
	return 0;
}

static int set_memory(void *to, const char *value, struct fault *ret_fault)
{
	if (!str_to_bytes(value, 1ull << 50, &spec_of(to)->memory_bytes) ||
	    spec_of(to)->memory_bytes == 0)
		return bad_number(
			ret_fault, "--memory-bytes", value,
			"a whole number from 1 to 2^50, as 1073741824, 1048576K, 1024M or 1G");
	return 0;
}

static int set_pids(void *to, const char *value, struct fault *ret_fault)
{
	if (!str_to_u64(value, 1ull << 22, &spec_of(to)->pids) || spec_of(to)->pids == 0)
		return bad_number(ret_fault, "--pids", value, "a whole number from 1 to 4194304");
	return 0;
}

static int set_cpu_millis(void *to, const char *value, struct fault *ret_fault)
{
	if (!str_to_u64(value, 1000000, &spec_of(to)->cpu_millis) || spec_of(to)->cpu_millis < 10)
		return bad_number(ret_fault, "--cpu-millis", value,
				  "a whole number from 10 to 1000000");
	return 0;
}

static int set_seccomp(void *to, const char *value, struct fault *ret_fault)
{
	free(spec_of(to)->seccomp_profile);
	spec_of(to)->seccomp_profile = strdup(value);
	(void)ret_fault;
	return spec_of(to)->seccomp_profile ? 0 : -ENOMEM;
}

static int set_request(void *to, const char *value, struct fault *ret_fault)
{
	(void)ret_fault;
	((struct run_options *)to)->request = value;
	return 0;
}

static int set_json(void *to, const char *value, struct fault *ret_fault)
{
	(void)value;
	(void)ret_fault;
	((struct run_options *)to)->json = true;
	return 0;
}

static int set_dry_run(void *to, const char *value, struct fault *ret_fault)
{
	(void)value;
	(void)ret_fault;
	((struct run_options *)to)->dry_run = true;
	return 0;
}

const struct option_row run_options[] = {
	{ "egress", "MODE", "none (default), package-managers or public; see above", set_egress },
	{ "image", "NAME", "root file system: host (default)", set_image },
	{ "file", "PATH",
	  "show a file read-only in /in; may be repeated; a relative path is one from here",
	  set_file },
	{ "directory", "PATH", "the same for a directory", set_directory },
	{ "cpu-seconds", "N", "cap: CPU time, also 0.5; the kernel stops the session",
	  set_cpu_seconds },
	{ "money-cents", "N", "cap: money by the rates; the kernel stops the session",
	  set_money_cents },
	{ "rate", "UNIT=N,...",
	  "micro-cents for a cpu_second, wall_minute, step, request, egress_gib", set_rate },
	{ "time-box", "TIME", "how long it may run: 90, 90s, 10m, 1h (10m)", set_time_box },
	{ "memory-bytes", "N", "limit through cgroup v2, also 512M, 2G (2G where the host can)",
	  set_memory },
	{ "pids", "N", "limit through cgroup v2 (1024 where the host can)", set_pids },
	{ "cpu-millis", "N", "limit: thousandths of one processor", set_cpu_millis },
	{ "seccomp", "FILE", "a profile in the OCI format instead of the built-in rules",
	  set_seccomp },
	{ "request", "FILE", "a sandbox_script document, - for stdin, instead of COMMAND",
	  set_request },
	{ "json", NULL, "print one JSON document instead of the output and the account", set_json },
	{ "dry-run", NULL, "print the plan as JSON and make nothing", set_dry_run },
	{},
};
