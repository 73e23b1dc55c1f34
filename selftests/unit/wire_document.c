// SPDX-License-Identifier: GPL-2.0-only
/* Documents by pointer: what is there, what is not, lists cut out of their text, and bodies put together. */
#include "../../user/wire/document.h"

#include <errno.h>
#include <string.h>

#include "../test.h"

static struct document *read_text(const char *text)
{
	struct document *document = NULL;
	struct fault fault = {};

	EXPECT_OK(document_read(text, strlen(text), &document, &fault));
	return document;
}

TEST("a pointer finds what is there, and nothing for what is not")
{
	_cleanup_document_ struct document *document = read_text(
		"{\"a\":{\"b\":[{\"c\":\"x\"},7,true,null,-1,1e300]},\"big\":9007199254740993}");

	EXPECT_STREQ(document_text(document, "/a/b/0/c"), "x");
	EXPECT_EQ(document_number(document, "/a/b/1"), 7);
	EXPECT_TRUE(document_is_true(document, "/a/b/2"));
	EXPECT_TRUE(document_has(document, "/a/b/1"));
	EXPECT_FALSE(document_has(document, "/a/b/3"));
	EXPECT_FALSE(document_has(document, "/a/b/6"));
	EXPECT_FALSE(document_has(document, "/a/b/x"));
	EXPECT_FALSE(document_has(document, "/a/z/c"));
	EXPECT_EQ(document_number(document, "/a/b/4"), 0);
	EXPECT_EQ(document_number(document, "/a/b/5"), 1ull << 63);
	EXPECT_EQ(document_count(document, "/a/b"), 6);
	EXPECT_EQ(document_count(document, "/a"), 0);
	EXPECT_STREQ(document_text(document, "/a/b/1"), "");
	EXPECT_EQ(document_number(document, "/a/b/0/c"), 0);
}

TEST("what is no JSON is a fault")
{
	struct document *document = NULL;
	struct fault fault = {};

	EXPECT_EQ(document_read("{\"a\":", 5, &document, &fault), FAULT_E_SET);
	EXPECT_NULL(document);
}

struct items {
	char text[4][64];
	size_t n;
	int end;
};

static int item_take(const char *item, size_t n, void *arg)
{
	struct items *items = arg;

	snprintf(items->text[items->n++], 64, "%.*s", (int)n, item);
	return items->n == 2 ? items->end : 0;
}

TEST("the items of a list come as they stand in its text")
{
	static const char *const lists[] = {
		"{\"items\":[{\"a\":\"],}\\\"\",\"b\":[1,{}]},18446744073709551615,\"x,y\"],\"next\":null}",
		" { \"next\" : \"items\\\"\" , \"items\" : [ {\"a\":\"],}\\\"\",\"b\":[1,{}]}, "
		"18446744073709551615,\"x,y\"] }",
	};

	for (size_t i = 0; i < 2; i++) {
		struct items items = {};

		EXPECT_EQ(document_each_item(lists[i], item_take, &items), 0);
		ASSERT_EQ(items.n, 3);
		EXPECT_STREQ(items.text[0], "{\"a\":\"],}\\\"\",\"b\":[1,{}]}");
		EXPECT_STREQ(items.text[1], "18446744073709551615");
		EXPECT_STREQ(items.text[2], "\"x,y\"");
	}
}

TEST("a list ends where its reader says, and an empty one or none has no items")
{
	static const char *const empty[] = {
		"{\"items\":[],\"next\":null}", "{}", "[]", "7", "{\"items\":7}", "{\"a\":1}"
	};
	struct items items = { .end = 9 };

	EXPECT_EQ(document_each_item("{\"items\":[1,2,3]}", item_take, &items), 9);
	EXPECT_EQ(items.n, 2);
	for (size_t i = 0; i < sizeof(empty) / sizeof(*empty); i++) {
		items = (struct items){};
		EXPECT_EQ(document_each_item(empty[i], item_take, &items), 0);
		EXPECT_EQ(items.n, 0);
	}
}

static void expect_body(const char *pointer, enum document_kind kind, const char *value,
			const char *want)
{
	_cleanup_document_ struct document *document = NULL;
	_cleanup_free_ char *text = NULL;

	ASSERT_OK(document_new(&document));
	EXPECT_OK(document_put(document, pointer, kind, value));
	EXPECT_OK(document_print(document, &text));
	EXPECT_STREQ(text, want);
}

TEST("a value is put as what it is, and as a text where it is no number")
{
	expect_body("/a", DOCUMENT_TEXT, "1", "{\"a\":\"1\"}\n");
	expect_body("/a/b", DOCUMENT_NUMBER, "18446744073709551615",
		    "{\"a\":{\"b\":18446744073709551615}}\n");
	expect_body("/a", DOCUMENT_NUMBER, "-0.5", "{\"a\":-0.5}\n");
	expect_body("/a", DOCUMENT_NUMBER, "1,\"b\":2", "{\"a\":\"1,\\\"b\\\":2\"}\n");
	expect_body("/a", DOCUMENT_NUMBER, "true", "{\"a\":\"true\"}\n");
	expect_body("/a", DOCUMENT_NUMBER, "01", "{\"a\":\"01\"}\n");
	expect_body("/a", DOCUMENT_NUMBER, "", "{\"a\":\"\"}\n");
	expect_body("/a", DOCUMENT_TRUE, NULL, "{\"a\":true}\n");
}

TEST("members share their objects, the later of two holds, and no byte is changed on the way")
{
	_cleanup_document_ struct document *document = NULL;
	_cleanup_free_ char *text = NULL;
	char one[] = "a b", two[] = "ü\n", bad[] = "\xff";
	char *words[] = { one, two, bad };

	ASSERT_OK(document_new(&document));
	EXPECT_OK(document_put(document, "/cap/minutes", DOCUMENT_NUMBER, "1"));
	EXPECT_OK(document_put(document, "/cap/money_cents", DOCUMENT_NUMBER, "2"));
	EXPECT_OK(document_put(document, "/cap/minutes", DOCUMENT_NUMBER, "3"));
	EXPECT_OK(document_put_list(document, "argv", words, 2));
	EXPECT_EQ(document_put(document, "/a", DOCUMENT_TEXT, bad), -EILSEQ);
	EXPECT_EQ(document_put_list(document, "argv", words, 3), -EILSEQ);
	EXPECT_OK(document_print(document, &text));
	EXPECT_STREQ(text,
		     "{\"cap\":{\"money_cents\":2,\"minutes\":3},\"argv\":[\"a b\",\"ü\\n\"]}\n");
	EXPECT_STREQ(document_text(document, "/cap/minutes"), "3");
}
