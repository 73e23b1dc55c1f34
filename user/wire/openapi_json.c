// SPDX-License-Identifier: GPL-2.0-only
/*
 * One pass over the methods for the paths, and one over the schemas for the components. Those are the files of
 * schemas/ as they are: OpenAPI 3.1 takes JSON Schema 2020-12 whole. A component is found by its file's name,
 * and the schema's own $id goes, since references here are by component.
 */
#include "openapi_json.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "json.h"
#include "schemas.h"

#define PROBLEM_SCHEMA "problem.v1"

static bool schema_is_there(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(schemas); i++)
		if (strcmp(schemas[i].name, name) == 0)
			return true;
	return false;
}

static bool add_ref(cJSON *object, const char *key, const char *schema)
{
	cJSON *ref = cJSON_AddObjectToObject(object, key);
	char target[128];

	if (!*schema)
		return ref;
	snprintf(target, sizeof(target), "#/components/schemas/%s", schema);
	return schema_is_there(schema) && json_add_text(ref, "$ref", target);
}

static bool add_type(cJSON *object, const char *key, const char *type)
{
	cJSON *schema = cJSON_AddObjectToObject(object, key);

	return json_add_text(schema, "type", type);
}

/* {"items": [...], "next": the id to go on behind, or null} */
static bool add_list(cJSON *media, const char *schema)
{
	cJSON *list = cJSON_AddObjectToObject(media, "schema");
	cJSON *required = cJSON_AddArrayToObject(list, "required");
	cJSON *properties = cJSON_AddObjectToObject(list, "properties");
	cJSON *items = cJSON_AddObjectToObject(properties, "items");
	cJSON *next = cJSON_AddObjectToObject(properties, "next");
	cJSON *types = cJSON_AddArrayToObject(next, "type");

	return json_add_text(list, "type", "object") && required &&
	       json_append_text(required, "items") && json_append_text(required, "next") &&
	       json_add_text(items, "type", "array") && add_ref(items, "items", schema) && types &&
	       json_append_text(types, "string") && json_append_text(types, "null");
}

static bool add_content(cJSON *object, const char *type, const char *schema, bool is_list)
{
	cJSON *content = cJSON_AddObjectToObject(object, "content");
	cJSON *media = cJSON_AddObjectToObject(content, type);

	if (!schema)
		return strcmp(type, "application/json") == 0 ? add_type(media, "schema", "object")
							     : add_type(media, "schema", "string");
	return is_list ? add_list(media, schema) : add_ref(media, "schema", schema);
}

static bool add_parameter(cJSON *array, const struct openapi_parameter *parameter)
{
	cJSON *object = cJSON_CreateObject();

	if (!cJSON_AddItemToArray(array, object))
		return false;
	return json_add_text(object, "name", parameter->name) &&
	       json_add_text(object, "in", parameter->in) &&
	       json_add_text(object, "description", parameter->text) &&
	       json_add_bool(object, "required", strcmp(parameter->in, "path") == 0) &&
	       add_type(object, "schema", parameter->is_number ? "integer" : "string");
}

static bool add_parameters(cJSON *object, const struct openapi_method *method)
{
	cJSON *array = cJSON_AddArrayToObject(object, "parameters");
	bool added = array;

	for (size_t i = 0; added && i < method->n_parameters; i++)
		added = add_parameter(array, &method->parameters[i]);
	return added;
}

/* One response a status, whose text names the codes that it may have. */
static bool add_problems(cJSON *responses, const struct openapi_method *method)
{
	for (size_t i = 0; i < method->n_problems; i++) {
		int status = method->problems[i].status;
		char key[16], text[512] = "";
		cJSON *response;

		snprintf(key, sizeof(key), "%d", status);
		if (cJSON_GetObjectItemCaseSensitive(responses, key))
			continue;
		for (size_t j = i; j < method->n_problems; j++) {
			size_t n = strlen(text);

			if (method->problems[j].status == status)
				snprintf(text + n, sizeof(text) - n, "%s%s", n ? ", " : "",
					 method->problems[j].code);
		}
		response = cJSON_AddObjectToObject(responses, key);
		if (!json_add_text(response, "description", text) ||
		    !add_content(response, "application/problem+json", PROBLEM_SCHEMA, false))
			return false;
	}
	return true;
}

static bool add_responses(cJSON *object, const struct openapi_method *method)
{
	cJSON *responses = cJSON_AddObjectToObject(object, "responses"), *success;
	char key[16];

	snprintf(key, sizeof(key), "%d", method->status);
	success = cJSON_AddObjectToObject(responses, key);
	return json_add_text(success, "description", method->summary) &&
	       add_content(success, method->type, method->gives, method->is_list) &&
	       add_problems(responses, method);
}

static bool add_body(cJSON *object, const struct openapi_method *method)
{
	cJSON *body;

	if (!method->takes)
		return true;
	body = cJSON_AddObjectToObject(object, "requestBody");
	return json_add_bool(body, "required", true) &&
	       add_content(body, "application/json", method->takes, false);
}

static bool add_method(cJSON *paths, const struct openapi_method *method)
{
	cJSON *path = cJSON_GetObjectItemCaseSensitive(paths, method->path), *object;
	char verb[16];
	size_t i;

	for (i = 0; method->verb[i] && i + 1 < sizeof(verb); i++)
		verb[i] = (char)tolower((unsigned char)method->verb[i]);
	verb[i] = 0;
	if (!path)
		path = cJSON_AddObjectToObject(paths, method->path);
	object = cJSON_AddObjectToObject(path, verb);
	return json_add_text(object, "operationId", method->name) &&
	       json_add_text(object, "summary", method->summary) && add_parameters(object, method) &&
	       add_body(object, method) && add_responses(object, method);
}

static bool add_schemas(cJSON *root)
{
	cJSON *components = cJSON_AddObjectToObject(root, "components");
	cJSON *object = cJSON_AddObjectToObject(components, "schemas");

	for (size_t i = 0; i < ARRAY_SIZE(schemas); i++) {
		cJSON *schema = cJSON_Parse(schemas[i].text);

		cJSON_DeleteItemFromObjectCaseSensitive(schema, "$id");
		cJSON_DeleteItemFromObjectCaseSensitive(schema, "$schema");
		if (!schema || !cJSON_AddItemToObject(object, schemas[i].name, schema)) {
			cJSON_Delete(schema);
			return false;
		}
	}
	return object;
}

int openapi_json_print(const struct openapi *openapi, char **ret)
{
	_cleanup_json_ cJSON *root = cJSON_CreateObject();
	cJSON *info, *paths;

	if (!json_add_text(root, "openapi", "3.1.0") ||
	    !json_add_text(root, "jsonSchemaDialect", "https://json-schema.org/draft/2020-12/schema"))
		return -ENOMEM;
	info = cJSON_AddObjectToObject(root, "info");
	if (!json_add_text(info, "title", openapi->title) ||
	    !json_add_text(info, "version", openapi->version) ||
	    !json_add_text(info, "description", openapi->text))
		return -ENOMEM;
	paths = cJSON_AddObjectToObject(root, "paths");
	for (size_t i = 0; i < openapi->n_methods; i++)
		if (!add_method(paths, &openapi->methods[i]))
			return -ENOMEM;
	if (!add_schemas(root))
		return -ENOMEM;
	return json_print(root, false, ret);
}
