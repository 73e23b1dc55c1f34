// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bytes as a request. Whatever they are: a fault that can be acted on and nothing owned, or a spec
 * that keeps its bounds, in agreement with the schema of scripts. The same bytes go, as a document,
 * through the check of the session contract, which has formats and patterns.
 */
#include <stdint.h>
#include <string.h>

#include "../../user/base/utf8.h"
#include "../../user/wire/json.h"
#include "../../user/wire/report_json.h"
#include "../../user/wire/request.h"
#include "../../user/wire/schema.h"
#include "schemas.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static struct schema *compiled(const char *name)
{
	struct schema *schema = NULL;
	struct fault fault = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(schemas); i++)
		if (strcmp(schemas[i].name, name) == 0)
			must(schema_new(schemas[i].text, strlen(schemas[i].text), &schema, &fault) ==
			     0);
	must(schema);
	return schema;
}

static bool passes(const struct schema *schema, const cJSON *document)
{
	_cleanup_schema_errors_ struct schema_errors errors = { 0 };
	int r = schema_check(schema, document, &errors);

	must(r == 0 || (r == SCHEMA_E_INVALID && errors.n_items > 0));
	return r == 0;
}

static void fault_is_whole(const struct fault *fault)
{
	_cleanup_json_ cJSON *document = NULL;
	_cleanup_free_ char *text = NULL;
	struct json_origin origin = { FAULT_INTERNAL, "the fault", "mend it" };
	struct fault none = { 0 };

	must(fault->code && fault->field[0] && fault->reason[0] && fault->remedy[0]);
	must(fault_json_print(fault, &text) == 0);
	must(json_parse(text, strlen(text), &origin, &document, &none) == 0);
}

static void spec_is_whole(struct spec *spec)
{
	static const char *const prefixes[] = { "/", "--" };
	size_t at;

	must(spec->n_argv == 3 && spec->argv[2][0] && !spec->argv[3]);
	must(spec->n_inputs <= REEVE_INPUTS_MAX && spec->foreign);
	must(spec->egress != SPEC_EGRESS_PUBLIC && spec_image_is_known(spec->image));
	must(utf8_is_valid(spec->argv[2], strlen(spec->argv[2]), &at));
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		struct fault fault = { 0 };

		must(spec_check(spec, prefixes[i], &fault) == FAULT_E_SET);
		fault_is_whole(&fault);
		/* the only thing that no request can say is that it wants the image of the host */
		must(spec_set_image(spec, SPEC_IMAGE_HOST) == 0);
		fault = (struct fault){ 0 };
		must(spec_set_egress(spec, SPEC_EGRESS_NONE, &fault) == 0);
		if (spec_check(spec, prefixes[i], &fault))
			fault_is_whole(&fault);
		must(spec_set_image(spec, SPEC_IMAGE_DEFAULT) == 0);
	}
}

/*
 * What the schema passes and the reading of it does not: an empty command, and too much of
 * something.
 */
static bool stricter(const struct fault *fault)
{
	return strcmp(fault->field, "/command") == 0 || strncmp(fault->field, "/files", 6) == 0 ||
	       strncmp(fault->field, "/directories", 12) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct json_origin origin = { FAULT_REQUEST, "the request", "mend it" };
	static struct schema *script, *session;
	_cleanup_json_ cJSON *document = NULL;
	_cleanup_spec_ struct spec spec = { 0 };
	struct fault fault = { 0 }, why = { 0 };
	bool parsed, taken;

	script = script ? script : compiled("sandbox_script");
	session = session ? session : compiled("codes.sandbox-session.v1");
	taken = request_parse((const char *)bytes, size, &spec, &fault) == 0;
	if (taken)
		spec_is_whole(&spec);
	else
		fault_is_whole(&fault);

	parsed = size <= REEVE_REQUEST_BYTES_MAX &&
		 json_parse((const char *)bytes, size, &origin, &document, &why) == 0;
	must(parsed || !taken);
	if (!parsed)
		return 0;
	must(taken || !passes(script, document) || stricter(&fault));
	passes(session, document);
	return 0;
}
