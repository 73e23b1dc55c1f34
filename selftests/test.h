/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A test program: any number of
 *
 *	TEST("a sentence that states the promise") { EXPECT_EQ(f(2), 4); }
 *	TEST("a slow one", .seconds = 60) { ... }
 *
 * and at most one TEARDOWN { ... }. test.c has main(): it runs each test in a child of its own with a
 * time limit (20 s unless told), then TEARDOWN in another child, whatever became of the test, and kills
 * what the test left in its process group. What a test prints is shown only when it fails.
 *
 * EXPECT_* goes on after a failure, ASSERT_* ends the test, SKIP("reason") ends it as not run. All work in
 * children that the test forks as well. Each argument is evaluated once.
 */
#ifndef REEVE_SELFTESTS_TEST_H
#define REEVE_SELFTESTS_TEST_H

#include <stdbool.h>
#include <stddef.h>

struct test {
	const char *sentence;
	void (*run)(void);
	unsigned int seconds; /* 0: the default */
	struct test *next;
};

struct test_site {
	const char *file;
	int line;
	bool fatal;
};

void test_register(struct test *test);
void test_set_teardown(void (*run)(void));
_Noreturn void test_skip(const char *reason_fmt, ...) __attribute__((format(printf, 1, 2)));

/* The program's arguments behind the filter, for programs that serve many inputs. */
const char *test_arg(int n);

void test_check(struct test_site site, bool ok, const char *expr);
void test_check_int(struct test_site site, bool ok, const char *expr, __int128 a, __int128 b);
void test_check_ok(struct test_site site, const char *expr, long long result);
void test_check_str(struct test_site site, bool want, const char *expr, const char *a, const char *b);
void test_check_has(struct test_site site, bool want, const char *expr, const char *text,
		    const char *part);
void test_check_mem(struct test_site site, const char *expr, const void *a, const void *b, size_t n);

#define TEST_CAT_(a, b) a##b
#define TEST_CAT(a, b) TEST_CAT_(a, b)
#define TEST(text, ...) TEST_(TEST_CAT(test_, __LINE__), text, ##__VA_ARGS__)
#define TEST_(id, text, ...)                                                                       \
	static void id(void);                                                                      \
	__attribute__((constructor)) static void TEST_CAT(id, _register)(void)                     \
	{                                                                                          \
		static struct test test = { .sentence = text, .run = id, ##__VA_ARGS__ };          \
		test_register(&test);                                                              \
	}                                                                                          \
	static void id(void)
#define TEARDOWN                                                                                   \
	static void test_teardown(void);                                                           \
	__attribute__((constructor)) static void test_teardown_register(void)                      \
	{                                                                                          \
		test_set_teardown(test_teardown);                                                  \
	}                                                                                          \
	static void test_teardown(void)

#define SKIP(...) test_skip(__VA_ARGS__)

#define TEST_SITE(fatal) ((struct test_site){ __FILE__, __LINE__, fatal })
#define TEST_INT(fatal, a, op, b)                                                                  \
	do {                                                                                       \
		__int128 a_ = (a), b_ = (b);                                                       \
		test_check_int(TEST_SITE(fatal), a_ op b_, #a " " #op " " #b, a_, b_);             \
	} while (0)

#define EXPECT_TRUE(a) test_check(TEST_SITE(false), (a), #a)
#define EXPECT_FALSE(a) test_check(TEST_SITE(false), !(a), "!(" #a ")")
#define EXPECT_NULL(a) test_check(TEST_SITE(false), (a) == NULL, #a " == NULL")
#define EXPECT_NOT_NULL(a) test_check(TEST_SITE(false), (a) != NULL, #a " != NULL")
#define EXPECT_OK(a) test_check_ok(TEST_SITE(false), #a, (a))
#define EXPECT_EQ(a, b) TEST_INT(false, a, ==, b)
#define EXPECT_NE(a, b) TEST_INT(false, a, !=, b)
#define EXPECT_LT(a, b) TEST_INT(false, a, <, b)
#define EXPECT_LE(a, b) TEST_INT(false, a, <=, b)
#define EXPECT_GT(a, b) TEST_INT(false, a, >, b)
#define EXPECT_GE(a, b) TEST_INT(false, a, >=, b)
#define EXPECT_STREQ(a, b) test_check_str(TEST_SITE(false), true, #a ", " #b, a, b)
#define EXPECT_STRNE(a, b) test_check_str(TEST_SITE(false), false, #a ", " #b, a, b)
#define EXPECT_HAS(text, part) test_check_has(TEST_SITE(false), true, #text, text, part)
#define EXPECT_HAS_NOT(text, part) test_check_has(TEST_SITE(false), false, #text, text, part)
#define EXPECT_MEMEQ(a, b, n) test_check_mem(TEST_SITE(false), #a ", " #b, a, b, n)

#define ASSERT_TRUE(a) test_check(TEST_SITE(true), (a), #a)
#define ASSERT_FALSE(a) test_check(TEST_SITE(true), !(a), "!(" #a ")")
#define ASSERT_NULL(a) test_check(TEST_SITE(true), (a) == NULL, #a " == NULL")
#define ASSERT_NOT_NULL(a) test_check(TEST_SITE(true), (a) != NULL, #a " != NULL")
#define ASSERT_OK(a) test_check_ok(TEST_SITE(true), #a, (a))
#define ASSERT_EQ(a, b) TEST_INT(true, a, ==, b)
#define ASSERT_NE(a, b) TEST_INT(true, a, !=, b)
#define ASSERT_LT(a, b) TEST_INT(true, a, <, b)
#define ASSERT_LE(a, b) TEST_INT(true, a, <=, b)
#define ASSERT_GT(a, b) TEST_INT(true, a, >, b)
#define ASSERT_GE(a, b) TEST_INT(true, a, >=, b)
#define ASSERT_STREQ(a, b) test_check_str(TEST_SITE(true), true, #a ", " #b, a, b)

#endif
