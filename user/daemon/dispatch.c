// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order is fixed: is it a request, is there such a method, can its reply be taken, is its body of the right kind, was it
 * replied to before (Idempotency-Key), does what it rests on still hold (If-Match). A replay comes before the precondition:
 * what the first try changed may be what the condition no longer fits.
 */
#include "dispatch.h"

#include <errno.h>
#include <sha2.h>
#include <string.h>
#include <strings.h>

#include "../base/str.h"
#include "change.h"
#include "daemon_parts.h"
#include "method.h"
#include "problem.h"

#define ETAG_SIZE 48

static bool range_takes(const char *range, size_t n, const char *type)
{
	size_t major = strcspn(type, "/"), whole = strcspn(type, ";");

	if (n == 3 && memcmp(range, "*/*", 3) == 0)
		return true;
	if (n == major + 2 && strncasecmp(range, type, major + 1) == 0 && range[n - 1] == '*')
		return true;
	return n == whole && strncasecmp(range, type, whole) == 0;
}

static bool weight_is_zero(const char *parameters, size_t n)
{
	const char *q = memmem(parameters, n, "q=0", 3);

	if (!q)
		return false;
	for (q += 3; q < parameters + n; q++)
		if (*q != '0' && *q != '.' && *q != ' ')
			return *q == ';';
	return true;
}

/* Accept, as far as one type is to be had: any range that takes it and does not weigh nothing. */
static bool is_acceptable(const char *accept, const char *type)
{
	if (!accept || !*accept)
		return true;
	while (*accept) {
		size_t n = strcspn(accept, ","), n_range;

		while (n && (*accept == ' ' || *accept == '\t')) {
			accept++;
			n--;
		}
		n_range = strcspn(accept, "; \t,");
		if (range_takes(accept, n_range, type) &&
		    !weight_is_zero(accept + n_range, n - n_range))
			return true;
		accept += n + (accept[n] == ',');
	}
	return false;
}

static bool is_json(const char *type)
{
	size_t n = strcspn(type, "; \t");

	return (n == 16 && strncasecmp(type, "application/json", n) == 0) ||
	       (n == 28 && strncasecmp(type, "application/merge-patch+json", n) == 0);
}

static int types_check(const struct exchange *exchange, const struct method *method,
		       struct fault *ret_fault)
{
	const char *type = http_head_field(&exchange->head, "Content-Type");

	if (!is_acceptable(http_head_field(&exchange->head, "Accept"), method->type))
		return fault_set(ret_fault, FAULT_REPLY_TYPE, "Accept", "leave Accept out",
				 "the reply is %s", method->type);
	if (method->takes && type && !is_json(type))
		return fault_set(ret_fault, FAULT_BODY_TYPE, "Content-Type",
				 "send Content-Type: application/json", "the body must be JSON");
	return 0;
}

static bool is_key(const char *key)
{
	size_t n = 0;

	for (; key[n]; n++)
		if (key[n] < ' ' || key[n] > '~')
			return false;
	return n > 0 && n <= REEVE_IDEMPOTENCY_KEY_MAX;
}

static int key_take(struct exchange *exchange, struct fault *ret_fault)
{
	const char *key = http_head_field(&exchange->head, "Idempotency-Key");
	SHA2_CTX sha;

	if (!key)
		return 0;
	if (!is_key(key))
		return fault_set(ret_fault, FAULT_REQUEST, "Idempotency-Key",
				 "give a text of your own making for each change",
				 "the key is not between 1 and %d printable characters",
				 REEVE_IDEMPOTENCY_KEY_MAX);
	exchange->key = strdup(key);
	if (!exchange->key)
		return -ENOMEM;
	SHA256Init(&sha);
	SHA256Update(&sha, (const uint8_t *)exchange->head.method, strlen(exchange->head.method) + 1);
	SHA256Update(&sha, (const uint8_t *)exchange->head.path, strlen(exchange->head.path) + 1);
	SHA256Update(&sha, (const uint8_t *)exchange->body, exchange->n_body);
	SHA256Final(exchange->digest, &sha);
	return 0;
}

static uint32_t text_digest(const char *text)
{
	uint32_t hash = 2166136261u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash;
}

static void etag_make(const struct desk *desk, const char *text, char ret[ETAG_SIZE])
{
	snprintf(ret, ETAG_SIZE, "\"%llu-%08x\"", (unsigned long long)desk->revision,
		 text_digest(text));
}

void dispatch_add_etag(struct exchange *exchange, const struct desk *desk, const char *text)
{
	char etag[ETAG_SIZE];

	etag_make(desk, text, etag);
	exchange_add_field(exchange, "ETag", "%s", etag);
}

/* The tag behind @at, without W/, and moves on; false at the end or at what is no list of tags. */
static bool tag_next(const char **at, const char **ret, size_t *ret_n)
{
	const char *end;

	*at += strspn(*at, ", \t");
	if (strncmp(*at, "W/", 2) == 0)
		*at += 2;
	if (**at != '"')
		return false;
	end = strchr(*at + 1, '"');
	if (!end)
		return false;
	*ret = *at;
	*ret_n = (size_t)(end + 1 - *at);
	*at = end + 1;
	return true;
}

bool dispatch_is_known(const struct exchange *exchange, const struct desk *desk, const char *text)
{
	const char *at = http_head_field(&exchange->head, "If-None-Match"), *tag;
	char etag[ETAG_SIZE];
	size_t n;

	if (!at)
		return false;
	etag_make(desk, text, etag);
	while (tag_next(&at, &tag, &n))
		if (n == strlen(etag) && memcmp(tag, etag, n) == 0)
			return true;
	return strcmp(at, "*") == 0;
}

static bool tag_has_revision(const char *tag, size_t n, uint64_t revision)
{
	char digits[24];
	size_t n_digits = strspn(tag + 1, "0123456789");
	uint64_t value;

	if (n_digits >= sizeof(digits) || n_digits + 1 >= n ||
	    (tag[n_digits + 1] != '-' && tag[n_digits + 1] != '"'))
		return false;
	memcpy(digits, tag + 1, n_digits);
	digits[n_digits] = 0;
	return str_to_u64(digits, UINT64_MAX, &value) && value == revision;
}

static int match_check(struct daemon *daemon, const struct exchange *exchange, struct fault *ret_fault)
{
	const char *at = http_head_field(&exchange->head, "If-Match"), *tag;
	const struct desk *desk = at ? hall_find(daemon->hall, exchange->id) : NULL;
	size_t n;

	/* of what is not there the method itself says so */
	if (!desk || strcmp(at, "*") == 0)
		return 0;
	while (tag_next(&at, &tag, &n))
		if (tag_has_revision(tag, n, desk->revision))
			return 0;
	return fault_set(ret_fault, FAULT_PRECONDITION, "If-Match",
			 "read the session again, and decide anew",
			 "the session is at revision %llu", (unsigned long long)desk->revision);
}

static int method_call(struct daemon *daemon, struct exchange *exchange,
		       const struct method *method, struct fault *ret_fault)
{
	int r = types_check(exchange, method, ret_fault);

	if (!r && (method->traits & METHOD_KEY))
		r = key_take(exchange, ret_fault);
	if (!r && exchange->key) {
		r = change_replay(daemon, exchange, ret_fault);
		if (r == CHANGE_E_REPLAYED)
			return 0;
	}
	if (!r && (method->traits & METHOD_MATCH))
		r = match_check(daemon, exchange, ret_fault);
	return r ? r : method->handle(daemon, exchange, ret_fault);
}

void dispatch(struct exchange *exchange, void *arg)
{
	char allow[METHOD_ALLOW_SIZE] = "";
	const struct method *method;
	struct fault fault = {};
	int r;

	if (exchange->wrong.status) {
		problem_reply_wrong(exchange);
		return;
	}
	exchange->is_head = strcmp(exchange->head.method, "HEAD") == 0;
	r = method_route(exchange->head.method, exchange->head.path, &method, exchange->id, allow,
			 &fault);
	if (!r) {
		exchange->route = method;
		r = method_call(arg, exchange, method, &fault);
	} else if (allow[0]) {
		exchange_add_field(exchange, "Allow", "%s", allow);
	}
	if (r)
		problem_reply(exchange, r, &fault);
}
