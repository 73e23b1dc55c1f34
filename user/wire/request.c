// SPDX-License-Identifier: GPL-2.0-only
/*
 * A sandbox_script document as a spec. The table of keys below is the schema's list of properties
 * in the form of code; a test holds the two together. Three things are taken that the schema
 * refuses, since callers send them: null for "not given" in image, files and directories, an empty
 * image, and "true" and "false" in quotes for background. One is refused that it takes: an empty
 * command.
 *
 * The command stays one argument of /bin/sh -c and is never pasted into another string. What is
 * parsed here is form; whether the host has the image and the paths is asked when the spec is
 * checked and planned.
 */
#include "request.h"

#include <errno.h>
#include <string.h>

#include "json.h"
#include "json_walk.h"

#define REQUEST_EXAMPLE "give an object such as {\"command\": \"make test\", \"egress\": \"none\"}"

static int read_command(struct json_walk *walk, const cJSON *item, const struct json_at *at,
			void *into)
{
	const char *argv[] = { "/bin/sh", "-c", item->valuestring };

	if (!cJSON_IsString(item) || !item->valuestring[0])
		return json_refuse_value(walk, item, at, "a string that is not empty");
	return spec_set_argv(into, argv, ARRAY_SIZE(argv), walk->fault);
}

static int read_image(struct json_walk *walk, const cJSON *item, const struct json_at *at, void *into)
{
	char shown[80];

	if (!cJSON_IsString(item))
		return json_refuse_value(walk, item, at, SPEC_IMAGES_TEXT);
	if (!item->valuestring[0])
		return 0;
	if (spec_image_is_known(item->valuestring))
		return spec_set_image(into, item->valuestring);
	json_show(item, shown, sizeof(shown));
	return fault_set(walk->fault, FAULT_REQUEST, "/image",
			 "name one of these, or run the request with --image host",
			 "the value is %s; allowed are " SPEC_IMAGES_TEXT, shown);
}

/* The modes that a document may name, as hints for those that people try. */
static const struct {
	const char *name, *hint;
} egress_hints[] = {
	{ "open", "there is no open network: give none, or package-managers for the registries" },
	{ "public", "a request never gets public egress: reeve run --egress public -- COMMAND does" },
};

static int read_egress(struct json_walk *walk, const cJSON *item, const struct json_at *at, void *into)
{
	const char *hint = "name one of these, or leave egress out";
	struct spec *spec = into;
	enum spec_egress egress;
	char shown[80];
	size_t i;

	(void)at;
	if (cJSON_IsString(item) && spec_egress_find(item->valuestring, &egress) &&
	    egress != SPEC_EGRESS_PUBLIC) {
		spec->egress = egress;
		return 0;
	}
	for (i = 0; cJSON_IsString(item) && i < ARRAY_SIZE(egress_hints); i++)
		if (strcmp(egress_hints[i].name, item->valuestring) == 0)
			hint = egress_hints[i].hint;
	json_show(item, shown, sizeof(shown));
	return fault_set(walk->fault, FAULT_REQUEST, "/egress", hint,
			 "the value is %s; allowed are package-managers, none", shown);
}

static int read_path(struct json_walk *walk, const cJSON *item, const struct json_at *at,
		     enum spec_input_kind kind, void *into)
{
	if (!cJSON_IsString(item))
		return json_refuse_value(walk, item, at, "an absolute path");
	return spec_add_input(into, kind, item->valuestring, walk->fault);
}

static int read_file(struct json_walk *walk, const cJSON *item, const struct json_at *at, void *into)
{
	return read_path(walk, item, at, SPEC_INPUT_FILE, into);
}

static int read_directory(struct json_walk *walk, const cJSON *item, const struct json_at *at,
			  void *into)
{
	return read_path(walk, item, at, SPEC_INPUT_DIRECTORY, into);
}

static int read_files(struct json_walk *walk, const cJSON *item, const struct json_at *at, void *into)
{
	return json_read_array(walk, item, at, read_file, into);
}

static int read_directories(struct json_walk *walk, const cJSON *item, const struct json_at *at,
			    void *into)
{
	return json_read_array(walk, item, at, read_directory, into);
}

static int read_background(struct json_walk *walk, const cJSON *item, const struct json_at *at,
			   void *into)
{
	struct spec *spec = into;
	bool quoted_true = cJSON_IsString(item) && strcmp(item->valuestring, "true") == 0;
	bool quoted_false = cJSON_IsString(item) && strcmp(item->valuestring, "false") == 0;

	if (!cJSON_IsBool(item) && !quoted_true && !quoted_false)
		return json_refuse_value(walk, item, at, "true or false");
	spec->background = cJSON_IsTrue(item) || quoted_true;
	return 0;
}

static const struct json_key keys[] = {
	{ "command", read_command, false },	   { "image", read_image, true },
	{ "egress", read_egress, false },	   { "files", read_files, true },
	{ "directories", read_directories, true }, { "background", read_background, false },
};

static int request_init(struct spec *ret)
{
	spec_init(ret);
	ret->foreign = true;
	ret->egress = SPEC_EGRESS_PACKAGE_MANAGERS;
	return spec_set_image(ret, SPEC_IMAGE_DEFAULT);
}

int request_parse(const char *bytes, size_t n, struct spec *ret, struct fault *ret_fault)
{
	static const struct json_origin origin = { FAULT_REQUEST, "the request", REQUEST_EXAMPLE };
	struct json_walk walk = { &origin, ret_fault };
	_cleanup_json_ cJSON *tree = NULL;
	_cleanup_spec_ struct spec spec = { 0 };
	int r;

	if (n > REEVE_REQUEST_BYTES_MAX)
		return fault_set(ret_fault, FAULT_REQUEST, "/",
				 "put large inputs into files and name them in \"files\"",
				 "the request has %zu bytes; the most is %d", n,
				 REEVE_REQUEST_BYTES_MAX);
	r = json_parse(bytes, n, &origin, &tree, ret_fault);
	if (!r)
		r = request_init(&spec);
	if (!r)
		r = json_read_object(&walk, tree, &(struct json_at){ 0 }, keys, ARRAY_SIZE(keys),
				     &spec);
	if (r)
		return r;
	if (!spec.argv)
		return fault_set(ret_fault, FAULT_REQUEST, "/command", REQUEST_EXAMPLE,
				 "the key \"command\" is missing; it is the shell command to run");
	*ret = spec;
	spec = (struct spec){ 0 };
	return 0;
}
