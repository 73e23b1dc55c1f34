// SPDX-License-Identifier: GPL-2.0-only
/*
 * A request as a document: what is taken, what is refused, and that each refusal can be acted on.
 */
#include <dirent.h>

#include "../../user/wire/request.h"
#include "../document.h"

#define EXAMPLES "schemas/examples/sandbox_script"

static struct spec parse(const char *text)
{
	struct spec spec = { 0 };
	struct fault fault = { 0 };
	int r = request_parse(text, strlen(text), &spec, &fault);

	if (r)
		printf("%s: %s: %s\n", text, fault.field, fault.reason);
	ASSERT_OK(r);
	return spec;
}

static void refuse_bytes(const char *text, size_t n, const char *field, const char *reason)
{
	struct spec spec = { 0 };
	struct fault fault = { 0 };

	EXPECT_EQ(request_parse(text, n, &spec, &fault), FAULT_E_SET);
	EXPECT_EQ(fault.code, FAULT_REQUEST);
	EXPECT_STREQ(fault.field, field);
	EXPECT_HAS(fault.reason, reason);
	EXPECT_TRUE(fault.remedy[0]);
	EXPECT_NULL(spec.argv);
}

static void refuse(const char *text, const char *field, const char *reason)
{
	refuse_bytes(text, strlen(text), field, reason);
}

TEST("the smallest document has the document's defaults")
{
	_cleanup_spec_ struct spec spec = parse("{\"command\":\"true\"}");
	struct fault fault = { 0 };

	EXPECT_EQ(spec.egress, SPEC_EGRESS_PACKAGE_MANAGERS);
	EXPECT_STREQ(spec.image, "anaconda");
	EXPECT_TRUE(spec.foreign);
	EXPECT_FALSE(spec.background);
	EXPECT_EQ(spec.n_inputs, 0);
	EXPECT_EQ(spec_check(&spec, "/", &fault), FAULT_E_SET);
	EXPECT_EQ(fault.code, FAULT_UNSUPPORTED);
	EXPECT_STREQ(fault.field, "/image");
}

TEST("a document runs once its caller has named an image and an egress that there are")
{
	_cleanup_spec_ struct spec spec = parse("{\"command\":\"true\"}");
	struct fault fault = { 0 };

	EXPECT_OK(spec_set_image(&spec, "host"));
	EXPECT_OK(spec_set_egress(&spec, SPEC_EGRESS_NONE, &fault));
	EXPECT_OK(spec_check(&spec, "/", &fault));
}

TEST("the command stays one argument of the shell, whatever is in it")
{
	_cleanup_spec_ struct spec spec =
		parse("{\"command\":\"echo 'a' \\\"$b\\\" ) # c\\n\\tcat <<X\\nX\"}");

	ASSERT_EQ(spec.n_argv, 3);
	EXPECT_STREQ(spec.argv[0], "/bin/sh");
	EXPECT_STREQ(spec.argv[1], "-c");
	EXPECT_STREQ(spec.argv[2], "echo 'a' \"$b\" ) # c\n\tcat <<X\nX");
	EXPECT_NULL(spec.argv[3]);
}

TEST("every key arrives where it belongs")
{
	_cleanup_spec_ struct spec spec = parse(
		"{\"background\":true,\"directories\":[\"/d\"],\"files\":[\"/f\",\"/\\u00e9\"],"
		"\"egress\":\"none\",\"image\":\"go\",\"command\":\"x\"}");

	EXPECT_EQ(spec.egress, SPEC_EGRESS_NONE);
	EXPECT_STREQ(spec.image, "go");
	EXPECT_TRUE(spec.background);
	ASSERT_EQ(spec.n_inputs, 3);
	EXPECT_STREQ(spec.inputs[0].path, "/d");
	EXPECT_EQ(spec.inputs[0].kind, SPEC_INPUT_DIRECTORY);
	EXPECT_STREQ(spec.inputs[2].path, "/\xc3\xa9");
	EXPECT_EQ(spec.inputs[2].kind, SPEC_INPUT_FILE);
}

TEST("what callers send for nothing is taken as nothing, though the schema has no such value")
{
	_cleanup_spec_ struct spec nulls = parse("{\"command\":\"x\",\"image\":null,\"files\":null,"
						 "\"directories\":null,\"background\":\"true\"}");
	_cleanup_spec_ struct spec empty =
		parse("{\"command\":\"x\",\"image\":\"\",\"files\":[],\"background\":\"false\"}");

	EXPECT_STREQ(nulls.image, "anaconda");
	EXPECT_EQ(nulls.n_inputs, 0);
	EXPECT_TRUE(nulls.background);
	EXPECT_STREQ(empty.image, "anaconda");
	EXPECT_FALSE(empty.background);
}

TEST("a refusal names the field, the value and what is allowed")
{
	refuse("{}", "/command", "\"command\" is missing");
	refuse("{\"command\":\"\"}", "/command",
	       "the value is \"\"; allowed is a string that is not");
	refuse("{\"command\":null}", "/command", "the value is null");
	refuse("{\"command\":[\"a\"]}", "/command", "the value is [\"a\"]");
	refuse("{\"command\":\"x\",\"image\":\"ubuntu\"}", "/image",
	       "\"ubuntu\"; allowed are node, python, go, anaconda, browser, media, twine, webgamedev");
	refuse("{\"command\":\"x\",\"image\":\"host\"}", "/image", "\"host\"; allowed are node");
	refuse("{\"command\":\"x\",\"image\":7}", "/image", "the value is 7");
	refuse("{\"command\":\"x\",\"egress\":\"internet\"}", "/egress",
	       "\"internet\"; allowed are package-managers, none");
	refuse("{\"command\":\"x\",\"egress\":null}", "/egress", "the value is null");
	refuse("{\"command\":\"x\",\"files\":\"/a\"}", "/files", "\"/a\"; allowed is an array");
	refuse("{\"command\":\"x\",\"files\":[\"/a\",1]}", "/files/1", "the value is 1");
	refuse("{\"command\":\"x\",\"directories\":[null]}", "/directories/0", "the value is null");
	refuse("{\"command\":\"x\",\"background\":\"yes\"}", "/background", "true or false");
	refuse("{\"command\":\"x\",\"background\":1}", "/background", "true or false");
	refuse("[]", "/", "an object");
	refuse("\"x\"", "/", "an object");
}

TEST("people who try an open network are told what there is instead")
{
	static const char *const modes[] = { "open", "public" };
	char text[64];

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		struct spec spec = { 0 };
		struct fault fault = { 0 };

		snprintf(text, sizeof(text), "{\"command\":\"x\",\"egress\":\"%s\"}", modes[i]);
		EXPECT_EQ(request_parse(text, strlen(text), &spec, &fault), FAULT_E_SET);
		EXPECT_HAS(fault.reason, "allowed are package-managers, none");
		EXPECT_HAS(fault.remedy, i ? "--egress public" : "no open network");
	}
}

TEST("unknown keys are refused by name, with the known ones")
{
	refuse("{\"command\":\"x\",\"timeout\":5}", "/",
	       "\"timeout\" is not known; allowed are command, image, egress, files, directories, "
	       "background");
	refuse("{\"Command\":\"x\"}", "/", "\"Command\"");
	refuse("{\"command\":\"x\",\"a\\u001b[2Jb\":1}", "/", "\"a\\x1b[2Jb\"");
}

TEST("a key that comes twice is refused")
{
	refuse("{\"command\":\"x\",\"egress\":\"none\",\"command\":\"y\"}", "/",
	       "the key \"command\" twice");
	refuse("{\"command\":\"x\",\"comm\\u0061nd\":\"y\"}", "/", "the key \"command\" twice");
}

TEST("text that is no JSON is refused with its place")
{
	static const struct {
		const char *text, *reason;
	} cases[] = {
		{ "", "line 1, byte 1: the document ends where a value is expected" },
		{ "{\n  \"command\": }", "line 2, byte 14: a value is expected" },
		{ "{\"command\":\"x\"} x", "something follows the document" },
		{ "{\"command\":\"x\",}", "a string is expected" },
		{ "{\"command\" \"x\"}", "':' is expected" },
		{ "{\"command\":\"x\" \"a\":1}", "',' or '}' is expected" },
		{ "{\"files\":[1 2]}", "',' or ']' is expected" },
		{ "{\"command\":\"x", "the string does not end" },
		{ "{\"command\":\"\\q\"}", "there is no such escape" },
		{ "{\"command\":\"a\nb\"}", "a control character in a string is not escaped" },
		{ "{\"command\":\"\\u12g4\"}", "four hexadecimal digits" },
		{ "{\"command\":\"\\ud800\"}", "half a surrogate pair" },
		{ "{\"command\":\"\\ud800\\u0041\"}", "half a surrogate pair" },
		{ "{\"command\":\"\\udc00\"}", "half a surrogate pair" },
		{ "{\"command\":\"a\\u0000b\"}", "holds the character U+0000" },
		{ "{\"command\":\"\xff\"}", "line 1, byte 13: the bytes are not UTF-8" },
		{ "{\"command\":\"\xc0\xaf\"}", "the bytes are not UTF-8" },
		{ "{\"command\":\"\xed\xa0\x80\"}", "the bytes are not UTF-8" },
		{ "{\"command\":01}", "',' or '}' is expected" },
		{ "{\"command\":1.}", "a digit is expected behind the point" },
		{ "{\"command\":1e}", "a digit is expected in the exponent" },
		{ "{\"command\":-}", "a value is expected" },
		{ "{\"command\":+1}", "a value is expected" },
		{ "{\"command\":NaN}", "a value is expected" },
		{ "{\"command\":1e999}", "a number that is too large" },
		{ "{\"command\":111111111111111111111111111111111111111111111111111111111111111111}",
		  "the number has too many digits" },
		{ "\xef\xbb\xbf{}", "a value is expected" },
		{ "\f{}", "a value is expected" },
		{ "tru", "a value is expected" },
		{ "nul\x01", "a value is expected" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		refuse(cases[i].text, "/", cases[i].reason);
	refuse_bytes("{}\0", 3, "/", "something follows the document");
	refuse_bytes("{\"command\":\"x\0y\"}", 17, "/", "a control character");
}

TEST("what nests too deep is refused before anything recurses into it")
{
	_cleanup_free_ char *deep = malloc(REEVE_REQUEST_BYTES_MAX + 1);
	char allowed[128] = "";

	memset(deep, '[', REEVE_REQUEST_BYTES_MAX);
	refuse_bytes(deep, REEVE_REQUEST_BYTES_MAX, "/", "nest too deep");
	memset(allowed, '[', REEVE_JSON_DEPTH_MAX);
	memset(allowed + REEVE_JSON_DEPTH_MAX, ']', REEVE_JSON_DEPTH_MAX);
	refuse(allowed, "/", "an object");
}

TEST("a request is bounded, and a command with it")
{
	_cleanup_free_ char *big = malloc(REEVE_REQUEST_BYTES_MAX + 2);
	_cleanup_spec_ struct spec spec = { 0 };
	struct fault fault = { 0 };
	size_t n = REEVE_REQUEST_BYTES_MAX;

	memset(big, ' ', n + 1);
	refuse_bytes(big, n + 1, "/", "has 1048577 bytes; the most is 1048576");
	memcpy(big, "{\"command\":\"", 12);
	memset(big + 12, 'x', n - 14);
	memcpy(big + n - 2, "\"}", 2);
	EXPECT_OK(request_parse(big, n, &spec, &fault));
	EXPECT_OK(spec_set_image(&spec, "host"));
	EXPECT_EQ(spec_check(&spec, "/", &fault), FAULT_E_SET);
	EXPECT_STREQ(fault.field, "/command");
}

TEST("too many keys or inputs cost no more than others")
{
	_cleanup_free_ char *big = malloc(REEVE_REQUEST_BYTES_MAX + 1);
	size_t n = (size_t)sprintf(big, "{\"command\":\"x\",\"files\":[\"/\"");

	while (n < REEVE_REQUEST_BYTES_MAX - 8)
		n += (size_t)sprintf(big + n, ",\"/\"");
	n += (size_t)sprintf(big + n, "]}");
	refuse_bytes(big, n, "/files", "more than 64");

	n = (size_t)sprintf(big, "{\"a\":1");
	for (int i = 0; n < REEVE_REQUEST_BYTES_MAX - 24; i++)
		n += (size_t)sprintf(big + n, ",\"%x\":1", i);
	n += (size_t)sprintf(big + n, "}");
	refuse_bytes(big, n, "/", "twice");
}

TEST("every example of a script is taken")
{
	DIR *dir = opendir(EXAMPLES);
	struct dirent *entry;
	char path[512];
	int n = 0;

	ASSERT_NOT_NULL(dir);
	while ((entry = readdir(dir))) {
		_cleanup_free_ char *text = NULL;
		_cleanup_spec_ struct spec spec = { 0 };

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), EXAMPLES "/%s", entry->d_name);
		text = document_bytes(path);
		spec = parse(text);
		n++;
	}
	closedir(dir);
	EXPECT_GE(n, 4);
}

/* Where the reading of a request differs from the seed's schema, and on purpose. */
static const struct {
	const char *name;
	bool taken;
} differs[] = {
	{ "empty_command", false },
	{ "empty_image", true },
	{ "files_null", true },
	{ "bg_string", true },
};

TEST("the script vectors are judged as the schema judges them, but for four on purpose")
{
	_cleanup_json_ cJSON *vectors =
		document_read("selftests/vectors/sandbox_script.vectors.json");
	const cJSON *vector;

	cJSON_ArrayForEach(vector, vectors) {
		_cleanup_free_ char *args = cJSON_PrintUnformatted(document_get(vector, "args"));
		const char *name = document_get(vector, "name")->valuestring;
		bool taken = cJSON_IsTrue(document_get(vector, "schema_valid"));
		_cleanup_spec_ struct spec spec = { 0 };
		struct fault why = { 0 };

		for (size_t i = 0; i < ARRAY_SIZE(differs); i++)
			if (strcmp(differs[i].name, name) == 0)
				taken = differs[i].taken;
		if ((request_parse(args, strlen(args), &spec, &why) == 0) != taken)
			printf("%s: %s\n", name, why.reason);
		EXPECT_EQ(why.code == FAULT_NONE, taken);
	}
}
