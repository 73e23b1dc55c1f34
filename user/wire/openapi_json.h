/* SPDX-License-Identifier: GPL-2.0-only */
/* The description of an HTTP interface as an OpenAPI 3.1 document, with the project's schemas as its components. */
#ifndef REEVE_OPENAPI_JSON_H
#define REEVE_OPENAPI_JSON_H

#include <stdbool.h>
#include <stddef.h>

struct openapi_parameter {
	const char *name, *in; /* "path", "query", "header" */
	const char *text;
	bool is_number;
};

struct openapi_problem {
	int status;
	const char *code;
};

struct openapi_method {
	const char *name, *verb, *path, *summary;
	const char *takes; /* name of a schema, as in schemas/; "" for any document, NULL for none */
	const char *gives; /* the same; NULL for a body that is no document */
	const char *type;  /* of the reply's body */
	int status;
	bool is_list; /* of what it gives */
	const struct openapi_parameter *parameters;
	size_t n_parameters;
	const struct openapi_problem *problems;
	size_t n_problems;
};

struct openapi {
	const char *title, *version, *text;
	const struct openapi_method *methods;
	size_t n_methods;
};

/* *ret is freed by the caller. Returns 0, or -ENOMEM, also for a schema that is not there. */
int openapi_json_print(const struct openapi *openapi, char **ret);

#endif
