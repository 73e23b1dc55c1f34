// SPDX-License-Identifier: GPL-2.0-only
/*
 * A command comes as a text for the shell or as arguments, never as both. The shell's stays one argument
 * of /bin/sh -c and is never pasted into another string. An order says nothing of egress, files or limits: those
 * are the session's, and there are no files of the host.
 */
#include "order_json.h"

#include <errno.h>
#include <string.h>

#include "schema_error.h"

static int complain(struct schema_errors *errors, const char *message, const char *field,
		    struct fault *ret_fault)
{
	struct place place = { .key = field };
	char *copy = strdup(message);
	int r = schema_errors_add(errors, field ? &place : NULL, copy, NULL);
	char pointer[32];

	if (r)
		return r;
	snprintf(pointer, sizeof(pointer), "/%s", field ? field : "");
	return fault_set(ret_fault, FAULT_DOCUMENT, pointer, "give one command", "%s", message);
}

static int argv_read(const cJSON *argv, struct spec *spec, struct fault *ret_fault)
{
	size_t n = (size_t)cJSON_GetArraySize(argv), i = 0;
	_cleanup_free_ const char **words = calloc(n, sizeof(*words));
	const cJSON *word;

	if (!words)
		return -ENOMEM;
	cJSON_ArrayForEach(word, argv)
		words[i++] = word->valuestring;
	return spec_set_argv(spec, words, n, ret_fault);
}

static int command_read(const cJSON *root, bool needed, struct spec *spec,
			struct schema_errors *errors, struct fault *ret_fault)
{
	const cJSON *command = cJSON_GetObjectItemCaseSensitive(root, "command");
	const cJSON *argv = cJSON_GetObjectItemCaseSensitive(root, "argv");
	const char *shell[] = { "/bin/sh", "-c", command ? command->valuestring : "" };
	struct fault fault = { 0 };
	int r;

	if (command && argv)
		return complain(errors, "must NOT have both 'command' and 'argv'", NULL, ret_fault);
	if (!command && !argv)
		return needed ? complain(errors, "must have one of 'command' and 'argv'", NULL,
					 ret_fault)
			      : 0;
	r = command ? spec_set_argv(spec, shell, ARRAY_SIZE(shell), &fault)
		    : argv_read(argv, spec, &fault);
	if (!r)
		r = spec_check(spec, "/", &fault);
	return r > 0 ? complain(errors, fault.reason, command ? "command" : "argv", ret_fault) : r;
}

static int spec_read(const cJSON *root, enum spec_egress egress, bool needed, struct spec *ret,
		     struct schema_errors *errors, struct fault *ret_fault)
{
	_cleanup_spec_ struct spec spec = { 0 };
	int r;

	spec_init(&spec);
	spec.egress = egress;
	r = command_read(root, needed, &spec, errors, ret_fault);
	if (r)
		return r;
	*ret = spec;
	spec = (struct spec){ 0 };
	return 0;
}

int order_parse(struct contracts *contracts, const char *bytes, size_t n, enum spec_egress egress,
		struct spec *ret, bool *ret_open, struct schema_errors *ret_errors,
		struct fault *ret_fault)
{
	_cleanup_json_ cJSON *root = NULL;
	bool open;
	int r = contracts_read(contracts, "order@1", bytes, n, &root, ret_errors, ret_fault);

	if (r)
		return r;
	open = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "steps"));
	if (open && (cJSON_HasObjectItem(root, "command") || cJSON_HasObjectItem(root, "argv")))
		return complain(ret_errors,
				"must NOT have a command beside 'steps': send it as a step",
				"steps", ret_fault);
	r = spec_read(root, egress, !open, ret, ret_errors, ret_fault);
	if (!r)
		*ret_open = open;
	return r;
}

int step_parse(struct contracts *contracts, const char *bytes, size_t n, enum spec_egress egress,
	       struct spec *ret, struct schema_errors *ret_errors, struct fault *ret_fault)
{
	_cleanup_json_ cJSON *root = NULL;
	int r = contracts_read(contracts, "step@1", bytes, n, &root, ret_errors, ret_fault);

	return r ? r : spec_read(root, egress, true, ret, ret_errors, ret_fault);
}
