// SPDX-License-Identifier: GPL-2.0-only
/*
 * The result of a run as its document. The order of the keys is the schema's. Each part is built
 * under its parent at once, so that the tree has one owner whatever fails: the root, freed where it
 * is made.
 *
 * Of an output stream its end is shown: a failing command says why last. The cut never divides a
 * character, and a line in brackets before it says how much is missing, so that no reader takes the
 * part for the whole.
 */
#include "result_json.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../model/verdict.h"
#include "denials_json.h"
#include "json.h"
#include "limits_json.h"

static bool add_name(cJSON *array, const struct run_name *name, uint64_t since_ns)
{
	cJSON *object = cJSON_CreateObject();

	return cJSON_AddItemToArray(array, object) &&
	       json_add_u64(object, "at_ns", name->time_ns > since_ns ? name->time_ns - since_ns : 0) &&
	       json_add_text(object, "name", name->name) &&
	       json_add_text(object, "reason", reason_name(name->reason)) &&
	       denials_json_add_address(object, "address", name->address);
}

static bool add_names(cJSON *root, const struct run_result *result)
{
	const struct run_names *names = &result->names;
	cJSON *object, *first;

	if (!result->has_names)
		return json_add_null(root, "names");
	object = cJSON_AddObjectToObject(root, "names");
#define X(name) &&json_add_u64(object, #name, names->counts.name)
	if (!(object DNS_COUNTS(X)))
		return false;
#undef X
	first = cJSON_AddArrayToObject(object, "first");
	for (size_t i = 0; first && i < names->n_first; i++)
		if (!add_name(first, &names->first[i], result->events_since_ns))
			return false;
	return first;
}

static bool add_cap(cJSON *root, const struct run_cap *cap)
{
	cJSON *object = cJSON_AddObjectToObject(root, "cap");

	return json_add_u64_or_null(object, "cpu_ns", cap->cpu_ns, POLICY_UNLIMITED) &&
	       json_add_u64_or_null(object, "money_ucents", cap->money_ucents, POLICY_UNLIMITED) &&
	       json_add_u64(object, "time_box_ns", cap->time_box_ns) &&
	       json_add_text(object, "reached",
			     cap->reached == REASON_OK ? NULL : reason_name(cap->reached));
}

/* Where the shown part begins: at most @max bytes before the end, and not inside a character. */
static size_t shown_from(const struct run_output *output, size_t max)
{
	size_t at = output->n_bytes > max ? output->n_bytes - max : 0, skip;

	if (at == 0 && output->total_bytes == output->n_bytes)
		return 0;
	/* bytes that go on with a character; four in a row belong to none, and are shown */
	for (skip = 0; skip < 4 && at + skip < output->n_bytes; skip++)
		if ((output->bytes[at + skip] & 0xc0) != 0x80)
			return at + skip;
	return at;
}

static bool add_output(cJSON *root, const char *name, const struct run_output *output, size_t max)
{
	size_t at = shown_from(output, max), n = output->n_bytes - at, marker = 0;
	uint64_t missing = output->total_bytes - n;
	_cleanup_free_ char *text = malloc(n + REEVE_OUTPUT_MARKER_BYTES + 1);
	char key[32];

	if (!text)
		return false;
	if (missing)
		marker = (size_t)snprintf(text, REEVE_OUTPUT_MARKER_BYTES,
					  "[reeve: the first %" PRIu64 " bytes are left out here; "
					  "%s.log has them]\n",
					  missing, name);
	if (n)
		memcpy(text + marker, output->bytes + at, n);
	if (!json_add_bytes(root, name, text, marker + n))
		return false;
	snprintf(key, sizeof(key), "%s_bytes", name);
	if (!json_add_u64(root, key, output->total_bytes))
		return false;
	snprintf(key, sizeof(key), "%s_truncated", name);
	return json_add_bool(root, key, missing > 0);
}

static bool add_ending(cJSON *root, const struct run_result *result)
{
	bool added = json_add_text(root, "outcome", run_outcome_name(result->outcome));

	if (result->exit_code < 0)
		added = added && json_add_null(root, "exit_code");
	else
		added = added && json_add_u64(root, "exit_code", (uint64_t)result->exit_code);
	return added && json_add_u64_or_null(root, "signal", (uint64_t)result->signal, 0);
}

static bool add_result(cJSON *root, const struct run_result *result)
{
	return json_add_text(root, "session_id", result->session_id) &&
	       json_add_text(root, "request_id", result->request_id) && add_ending(root, result) &&
	       json_add_u64(root, "cpu_ns", result->cpu_ns) &&
	       json_add_u64(root, "wall_ns", result->wall_ns) &&
	       json_add_u64(root, "money_ucents", result->money_ucents) &&
	       json_add_u64(root, "steps", result->steps) &&
	       json_add_u64(root, "bytes_out", result->bytes_out) &&
	       json_add_u64(root, "bytes_in", result->bytes_in) &&
	       denials_json_add(root, result->denials, result->events_since_ns) &&
	       add_names(root, result) && json_add_u64(root, "events_lost", result->events_lost) &&
	       add_cap(root, &result->cap) &&
	       enforced_json_add(root, result->enforced, &result->limits) &&
	       json_add_text(root, "output_dir", result->output_dir) &&
	       add_output(root, "stdout", &result->output, REEVE_STDOUT_SHOWN_BYTES) &&
	       add_output(root, "stderr", &result->errors, REEVE_STDERR_SHOWN_BYTES);
}

int result_json_print(const struct run_result *result, char **ret)
{
	_cleanup_json_ cJSON *root = cJSON_CreateObject();

	if (!root || !add_result(root, result))
		return -ENOMEM;
	return json_print(root, false, ret);
}
