// SPDX-License-Identifier: GPL-2.0-only
/*
 * "reeve validate": whether a document keeps to a contract, in the words of the contract's reference
 * validator. A text that is no JSON is invalid like any other; a fault is only what kept it from being judged.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "../base/io.h"
#include "../base/str.h"
#include "../wire/report_json.h"
#include "../wire/verdict_json.h"
#include "command.h"
#include "render.h"

#define EXIT_CODE_INVALID 1

struct validate_options {
	bool json;
};

static int set_json(void *to, const char *value, struct fault *ret_fault)
{
	(void)value;
	(void)ret_fault;
	((struct validate_options *)to)->json = true;
	return 0;
}

const struct option_row validate_options[] = {
	{ "json", NULL, "print the verdict, or the fault, as a JSON document", set_json },
	{},
};

static int contract_choose(const char *name, size_t *ret, struct fault *ret_fault)
{
	char names[600] = "", one[CONTRACT_NAME_SIZE];
	size_t i, len = 0;

	if (contract_find(name, ret))
		return 0;
	for (i = 0; i < contract_count() && len < sizeof(names); i++) {
		contract_name(i, one);
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", i ? ", " : "", one);
	}
	return fault_set(ret_fault, FAULT_USAGE, "CONTRACT", "name one of these",
			 "there is no contract '%.64s'; there are %s", name, names);
}

static int file_read(const char *path, char **ret, size_t *ret_n, struct fault *ret_fault)
{
	_cleanup_fd_ int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
						     : open(path, O_RDONLY | O_CLOEXEC);
	int r = fd < 0 ? -errno : io_read_all(fd, REEVE_DOCUMENT_BYTES_MAX, ret, ret_n);

	if (r == IO_E_TOO_BIG)
		return fault_set(ret_fault, FAULT_USAGE, path, "give a smaller document",
				 "it has more than %d bytes", REEVE_DOCUMENT_BYTES_MAX);
	if (r)
		return fault_set_errno(ret_fault, FAULT_USAGE, path, "give a readable file, or -",
				       -r, "the document cannot be read");
	return 0;
}

/* Paths have keys of the document in them, which are the sender's. */
static void errors_show(const struct schema_errors *errors)
{
	char path[1024], message[1024];

	for (size_t i = 0; i < errors->n_items; i++) {
		const struct schema_error *error = &errors->items[i];

		str_show(error->path, strlen(error->path), path, sizeof(path));
		str_show(error->message, strlen(error->message), message, sizeof(message));
		printf("%s: %s", path, message);
		if (error->property) {
			str_show(error->property, strlen(error->property), path, sizeof(path));
			printf(": '%s'", path);
		}
		putchar('\n');
	}
	if (errors->n_dropped)
		printf("and %zu more\n", errors->n_dropped);
	if (!errors->n_items)
		puts("valid");
}

/* Returns an exit code, or -errno. */
static int judge(size_t contract, const char *bytes, size_t n, bool json)
{
	_cleanup_contracts_ struct contracts *contracts = NULL;
	_cleanup_schema_errors_ struct schema_errors errors = {};
	_cleanup_free_ char *text = NULL;
	int r = contracts_new(&contracts);

	if (!r)
		r = contracts_judge(contracts, contract, bytes, n, &errors);
	if (r < 0)
		return r;
	if (!json) {
		errors_show(&errors);
		return r ? EXIT_CODE_INVALID : 0;
	}
	if (verdict_json_print(contract, &errors, &text))
		return -ENOMEM;
	fputs(text, stdout);
	return r ? EXIT_CODE_INVALID : 0;
}

static int fail(int r, const struct fault *fault, bool json)
{
	_cleanup_free_ char *text = NULL;

	if (r < 0)
		render_errno(r);
	if (r > 0 && json && fault_json_print(fault, &text) == 0)
		fputs(text, stdout);
	if (r > 0)
		render_fault(fault);
	return EXIT_CODE_REEVE;
}

int command_validate(int argc, char **argv)
{
	struct validate_options options = {};
	_cleanup_free_ char *bytes = NULL;
	struct fault fault = {};
	size_t contract = 0, n = 0;
	int rest = 0;
	int r = command_parse(command_find("validate"), argc, argv, &options, &rest, &fault);

	if (!r && argc - rest != 2)
		r = fault_set(&fault, FAULT_USAGE, "validate", "see \"reeve validate --help\"",
			      "reeve validate takes a contract and a file");
	if (!r)
		r = contract_choose(argv[rest], &contract, &fault);
	if (!r)
		r = file_read(argv[rest + 1], &bytes, &n, &fault);
	if (r)
		return fail(r, &fault, options.json);
	r = judge(contract, bytes, n, options.json);
	return r < 0 ? fail(r, &fault, options.json) : r;
}
