// SPDX-License-Identifier: GPL-2.0-only
/*
 * Idempotency keys. The reply is written in the transaction of the change that it tells of, so
 * there is both or neither. A key is used once; what was asked is kept as a digest, against which a
 * repetition is compared.
 */
#include "ledger_sql.h"

#include <string.h>

#define DIGEST_SIZE 32

int ledger_put_reply(struct ledger *ledger, const char *key, const uint8_t digest[32],
		     uint64_t at_ms, const struct ledger_reply *reply)
{
	static const struct sql_query query = {
		SQL_ADD_REPLY, .text = "INSERT INTO replies (key, digest, at_ms, status, body) "
				       "VALUES (?1, ?2, ?3, ?4, ?5)"
	};
	struct ledger_reply known = {};
	int r = ledger_get_reply(ledger, key, digest, &known);

	ledger_reply_deinit(&known);
	if (r)
		return r;
	return sql_change(ledger, &query, "tbuub", key, digest, (size_t)DIGEST_SIZE, at_ms,
			  (uint64_t)reply->status, reply->body, reply->n_body);
}

static int compare(sqlite3_stmt *statement, const uint8_t *digest)
{
	return sqlite3_column_bytes(statement, 0) == DIGEST_SIZE &&
			       !memcmp(sqlite3_column_blob(statement, 0), digest, DIGEST_SIZE)
		       ? LEDGER_E_REPLAY
		       : LEDGER_E_CONFLICT;
}

int ledger_get_reply(struct ledger *ledger, const char *key, const uint8_t digest[32],
		     struct ledger_reply *ret)
{
	static const struct sql_query query = {
		SQL_GET_REPLY, .text = "SELECT digest, status, body FROM replies WHERE key = ?1"
	};
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	struct ledger_reply reply = {};
	int r = sql_read(ledger, &query, &statement);

	if (r == 0)
		r = sql_bind(ledger, statement, "t", key);
	if (r == 0)
		r = sql_step(ledger, statement);
	if (r != SQL_ROW_READ)
		return r;
	r = compare(statement, digest);
	if (r == LEDGER_E_CONFLICT)
		return r;
	reply.status = sqlite3_column_int(statement, 1);
	r = sql_copy(ledger, statement, 2, &reply.body, &reply.n_body);
	if (r)
		return r;
	*ret = reply;
	return LEDGER_E_REPLAY;
}

int ledger_forget_replies(struct ledger *ledger, uint64_t before_ms)
{
	static const struct sql_query query = { SQL_FORGET_REPLIES,
						.text = "DELETE FROM replies WHERE at_ms < ?1" };

	/* no time is that late, and above it numbers are negative on disk */
	return sql_change(ledger, &query, "u",
			  before_ms < INT64_MAX ? before_ms : (uint64_t)INT64_MAX);
}

void ledger_reply_deinit(struct ledger_reply *reply)
{
	free(reply->body);
	*reply = (struct ledger_reply){};
}
