// SPDX-License-Identifier: GPL-2.0-only
/*
 * A spec is filled by one of two writers, the command line or a document, and judged by one set of
 * rules. The rules are a table of functions that look at the spec alone: nothing here opens a path,
 * asks what time it is or knows the host. A fault names the field as its sender wrote it, so the
 * table of fields has two names for what can come from both.
 *
 * What the caller of the command line says beside a document only narrows it. An image or an egress
 * mode that this build has not is refused and never run as something near to it.
 *
 * The spec owns its strings; spec_deinit copes with any half-filled one.
 */
#include "spec.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../../include/policy.h"
#include "../base/str.h"
#include "rate.h"

static const char *const egress_names[] = {
	[SPEC_EGRESS_NONE] = "none",
	[SPEC_EGRESS_PACKAGE_MANAGERS] = "package-managers",
	[SPEC_EGRESS_PUBLIC] = "public",
};

static const char *const image_names[] = {
	"node", "python", "go", "anaconda", "browser", "media", "twine", "webgamedev",
};

enum spec_field {
	FIELD_COMMAND,
	FIELD_IMAGE,
	FIELD_EGRESS,
	FIELD_FILES,
	FIELD_DIRECTORIES,
	FIELD_CPU_SECONDS,
	FIELD_MONEY_CENTS,
	FIELD_RATE,
	FIELD_TIME_BOX,
};

/* What a document cannot say has its option's name in every fault. */
static const struct {
	const char *option, *pointer;
} fields[] = {
	[FIELD_COMMAND] = { "COMMAND", "/command" },
	[FIELD_IMAGE] = { "--image", "/image" },
	[FIELD_EGRESS] = { "--egress", "/egress" },
	[FIELD_FILES] = { "--file", "/files" },
	[FIELD_DIRECTORIES] = { "--directory", "/directories" },
	[FIELD_CPU_SECONDS] = { "--cpu-seconds", NULL },
	[FIELD_MONEY_CENTS] = { "--money-cents", NULL },
	[FIELD_RATE] = { "--rate", NULL },
	[FIELD_TIME_BOX] = { "--time-box", NULL },
};

/* What a rule is given: the spec, and how its sender wrote it. */
struct spec_view {
	const struct spec *spec;
	bool document;
};

static const char *field_name(const struct spec_view *view, enum spec_field field)
{
	if (view->document && fields[field].pointer)
		return fields[field].pointer;
	return fields[field].option;
}

static enum fault_code field_code(const struct spec_view *view, enum spec_field field)
{
	return view->document && fields[field].pointer ? FAULT_REQUEST : FAULT_USAGE;
}

void spec_init(struct spec *ret)
{
	*ret = (struct spec){
		.egress = SPEC_EGRESS_NONE,
		.cpu_cap_ns = POLICY_UNLIMITED,
		.money_cap_ucents = POLICY_UNLIMITED,
		.time_box_ns = REEVE_TIME_BOX_SECONDS_DEFAULT * NSEC_PER_SEC,
	};
}

static void argv_free(char **argv, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		free(argv[i]);
	free(argv);
}

void spec_deinit(struct spec *spec)
{
	size_t i;

	argv_free(spec->argv, spec->n_argv);
	for (i = 0; i < spec->n_inputs; i++)
		free(spec->inputs[i].path);
	free(spec->inputs);
	free(spec->image);
	free(spec->seccomp_profile);
	*spec = (struct spec){ 0 };
}

int spec_set_argv(struct spec *spec, const char *const *argv, size_t n_argv, struct fault *ret_fault)
{
	char **copy;
	size_t i;

	if (n_argv > REEVE_ARGS_MAX)
		return fault_set(ret_fault, spec->foreign ? FAULT_REQUEST : FAULT_USAGE, "COMMAND",
				 "put the command into a script",
				 "%zu arguments are given; the most is %d", n_argv, REEVE_ARGS_MAX);
	copy = calloc(n_argv + 1, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	for (i = 0; i < n_argv; i++) {
		copy[i] = strdup(argv[i]);
		if (!copy[i]) {
			argv_free(copy, i);
			return -ENOMEM;
		}
	}
	argv_free(spec->argv, spec->n_argv);
	spec->argv = copy;
	spec->n_argv = n_argv;
	return 0;
}

int spec_set_image(struct spec *spec, const char *image)
{
	char *copy = strdup(image);

	if (!copy)
		return -ENOMEM;
	free(spec->image);
	spec->image = copy;
	return 0;
}

int spec_set_egress(struct spec *spec, enum spec_egress egress, struct fault *ret_fault)
{
	if (spec->foreign && egress > spec->egress)
		return fault_set(ret_fault, FAULT_USAGE, "--egress",
				 "give a narrower mode, or leave --egress out",
				 "%s is wider than the request's %s", egress_names[egress],
				 egress_names[spec->egress]);
	spec->egress = egress;
	return 0;
}

int spec_add_input(struct spec *spec, enum spec_input_kind kind, const char *path,
		   struct fault *ret_fault)
{
	const struct spec_view view = { spec, spec->foreign };
	enum spec_field field = kind == SPEC_INPUT_FILE ? FIELD_FILES : FIELD_DIRECTORIES;
	struct spec_input *inputs;

	if (spec->n_inputs == REEVE_INPUTS_MAX)
		return fault_set(ret_fault, field_code(&view, field), field_name(&view, field),
				 "give a directory in the place of its files",
				 "more than %d files and directories are given", REEVE_INPUTS_MAX);
	inputs = reallocarray(spec->inputs, spec->n_inputs + 1, sizeof(*inputs));
	if (!inputs)
		return -ENOMEM;
	spec->inputs = inputs;
	inputs[spec->n_inputs].kind = kind;
	inputs[spec->n_inputs].path = strdup(path);
	if (!inputs[spec->n_inputs].path)
		return -ENOMEM;
	spec->n_inputs++;
	return 0;
}

const char *spec_egress_name(enum spec_egress egress)
{
	return egress_names[egress];
}

bool spec_egress_find(const char *name, enum spec_egress *ret)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(egress_names); i++) {
		if (strcmp(egress_names[i], name) == 0) {
			*ret = (enum spec_egress)i;
			return true;
		}
	}
	return false;
}

bool spec_image_is_known(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(image_names); i++)
		if (strcmp(image_names[i], name) == 0)
			return true;
	return false;
}

static int check_command(const struct spec_view *view, struct fault *ret_fault)
{
	const struct spec *spec = view->spec;
	const char *name = field_name(view, FIELD_COMMAND);
	enum fault_code code = field_code(view, FIELD_COMMAND);
	size_t i, n, total = 0;

	if (spec->n_argv == 0 || !spec->argv[0][0])
		return fault_set(ret_fault, code, name, "give the command to run",
				 "there is no command");
	for (i = 0; i < spec->n_argv; i++) {
		n = strlen(spec->argv[i]) + 1;
		total += n;
		/*
		 * the kernel counts the zero at the end as well, and refuses a longer one with
		 * E2BIG
		 */
		if (n > REEVE_COMMAND_BYTES_MAX)
			return fault_set(ret_fault, code, name, "put the command into a script",
					 "one argument has %zu bytes; the most is %d", n - 1,
					 REEVE_COMMAND_BYTES_MAX - 1);
	}
	if (total > REEVE_REQUEST_BYTES_MAX)
		return fault_set(ret_fault, code, name, "put the command into a script",
				 "the arguments have %zu bytes; the most is %d", total,
				 REEVE_REQUEST_BYTES_MAX);
	return 0;
}

static int check_image(const struct spec_view *view, struct fault *ret_fault)
{
	const char *image = view->spec->image;
	const char *name = field_name(view, FIELD_IMAGE);
	char shown[64];

	if (!image || strcmp(image, SPEC_IMAGE_HOST) == 0)
		return 0;
	if (spec_image_is_known(image))
		return fault_set(ret_fault, FAULT_UNSUPPORTED, name,
				 "give --image host: a read-only view of this host's programs",
				 "image %s is not installed; installed: " SPEC_IMAGE_HOST, image);
	str_show(image, strlen(image), shown, sizeof(shown));
	return fault_set(ret_fault, field_code(view, FIELD_IMAGE), name, "give --image host",
			 "there is no image '%s'; the images are " SPEC_IMAGE_HOST
			 ", " SPEC_IMAGES_TEXT,
			 shown);
}

static int check_egress(const struct spec_view *view, struct fault *ret_fault)
{
	const struct spec *spec = view->spec;
	const char *name = field_name(view, FIELD_EGRESS);

	if (spec->egress == SPEC_EGRESS_PUBLIC && spec->n_inputs > 0)
		return fault_set(ret_fault, field_code(view, FIELD_EGRESS), name,
				 "give --egress none, or leave the files and directories out",
				 "public egress and files of the host are never given together: "
				 "what can be read could be sent away");
	return 0;
}

static const char *path_complaint(const char *path)
{
	if (path[0] != '/')
		return "is not an absolute path";
	if (strlen(path) >= REEVE_PATH_MAX)
		return "is longer than a path can be";
	if (path[strspn(path, "/")] == 0)
		return "is the whole file system";
	return NULL;
}

static int check_inputs(const struct spec_view *view, struct fault *ret_fault)
{
	const struct spec *spec = view->spec;
	size_t i, counts[2] = { 0 };
	char name[64], shown[256];

	for (i = 0; i < spec->n_inputs; i++) {
		enum spec_input_kind kind = spec->inputs[i].kind;
		enum spec_field field = kind == SPEC_INPUT_FILE ? FIELD_FILES : FIELD_DIRECTORIES;
		const char *path = spec->inputs[i].path, *complaint = path_complaint(path);
		size_t at = counts[kind]++;

		if (!complaint)
			continue;
		if (view->document)
			snprintf(name, sizeof(name), "%s/%zu", field_name(view, field), at);
		else
			snprintf(name, sizeof(name), "%s", field_name(view, field));
		str_show(path, strlen(path), shown, sizeof(shown));
		return fault_set(ret_fault, field_code(view, field), name,
				 "give an absolute path of a file or directory", "'%s' %s", shown,
				 complaint);
	}
	return 0;
}

static int check_cap(const struct spec_view *view, struct fault *ret_fault)
{
	const struct spec *spec = view->spec;

	if (spec->cpu_cap_ns != POLICY_UNLIMITED &&
	    (spec->cpu_cap_ns == 0 || spec->cpu_cap_ns > REEVE_CPU_SECONDS_MAX * NSEC_PER_SEC))
		return fault_set(ret_fault, FAULT_USAGE, field_name(view, FIELD_CPU_SECONDS),
				 "give a number of seconds, or leave it out for no cap",
				 "%" PRIu64 " ns is out of range; allowed is more than 0 and at most "
				 "%d seconds",
				 spec->cpu_cap_ns, REEVE_CPU_SECONDS_MAX);
	if (spec->money_cap_ucents == POLICY_UNLIMITED)
		return 0;
	if (spec->money_cap_ucents > REEVE_MONEY_CENTS_MAX * REEVE_UCENTS_PER_CENT)
		return fault_set(ret_fault, FAULT_USAGE, field_name(view, FIELD_MONEY_CENTS),
				 "give a number of cents, or leave it out for no cap",
				 "%" PRIu64 " micro-cents are out of range; at most %d cents are "
				 "allowed",
				 spec->money_cap_ucents, REEVE_MONEY_CENTS_MAX);
	if (spec->money_cap_ucents > 0 && rate_card_is_free(&spec->rates))
		return fault_set(ret_fault, FAULT_USAGE, field_name(view, FIELD_MONEY_CENTS),
				 "give --rate, for example --rate cpu_second=1000",
				 "without a rate nothing costs anything, and the cap is never "
				 "reached");
	return 0;
}

static int check_rates(const struct spec_view *view, struct fault *ret_fault)
{
	return rate_card_check(&view->spec->rates, field_name(view, FIELD_RATE), ret_fault);
}

static int check_time_box(const struct spec_view *view, struct fault *ret_fault)
{
	uint64_t ns = view->spec->time_box_ns;

	if (ns > 0 && ns <= REEVE_TIME_BOX_SECONDS_MAX * NSEC_PER_SEC)
		return 0;
	return fault_set(ret_fault, FAULT_USAGE, field_name(view, FIELD_TIME_BOX),
			 "give a number of seconds",
			 "%" PRIu64 " ns is out of range; allowed is more than 0 and at most %d "
			 "seconds",
			 ns, REEVE_TIME_BOX_SECONDS_MAX);
}

int spec_check(const struct spec *spec, const char *field_prefix, struct fault *ret_fault)
{
	static int (*const rules[])(const struct spec_view *, struct fault *) = {
		check_command, check_image, check_egress,   check_inputs,
		check_cap,     check_rates, check_time_box,
	};
	const struct spec_view view = { spec, field_prefix[0] == '/' };
	size_t i;
	int r;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		r = rules[i](&view, ret_fault);
		if (r)
			return r;
	}
	return 0;
}
