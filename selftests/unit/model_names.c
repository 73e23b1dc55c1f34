// SPDX-License-Identifier: GPL-2.0-only
/* Which names a rule allows, and above all which it does not. */
#include "../../user/model/names.h"
#include "../test.h"

#include <string.h>

TEST("a domain is itself and every name below it, and no name that only ends alike")
{
	_cleanup_names_ struct names names = { 0 };

	ASSERT_OK(names_add(&names, ".example.org"));
	EXPECT_TRUE(names_match(&names, "example.org"));
	EXPECT_TRUE(names_match(&names, "www.example.org"));
	EXPECT_TRUE(names_match(&names, "a.b.c.example.org"));
	EXPECT_FALSE(names_match(&names, "evilexample.org"));
	EXPECT_FALSE(names_match(&names, "example.org.evil.net"));
	EXPECT_FALSE(names_match(&names, "example.orgs"));
	EXPECT_FALSE(names_match(&names, "xample.org"));
	EXPECT_FALSE(names_match(&names, "org"));
	EXPECT_FALSE(names_match(&names, ""));
}

TEST("a host is that name alone")
{
	_cleanup_names_ struct names names = { 0 };

	ASSERT_OK(names_add(&names, "host.example.org"));
	EXPECT_TRUE(names_match(&names, "host.example.org"));
	EXPECT_FALSE(names_match(&names, "a.host.example.org"));
	EXPECT_FALSE(names_match(&names, "example.org"));
	EXPECT_FALSE(names_match(&names, "ahost.example.org"));
}

TEST("no rule allows no name")
{
	struct names names = { 0 };

	EXPECT_FALSE(names_match(&names, "example.org"));
}

TEST("rules are read in any case and any order, and each is kept once")
{
	static const char *const rules[] = { ".b.org", ".A.org", "host.c.org",
					     ".a.org", ".B.ORG", NULL };
	_cleanup_names_ struct names names = { 0 };

	ASSERT_OK(names_add_all(&names, rules));
	ASSERT_EQ(names.n, 3);
	EXPECT_STREQ(names.rules[0], ".a.org");
	EXPECT_STREQ(names.rules[1], ".b.org");
	EXPECT_STREQ(names.rules[2], "host.c.org");
	EXPECT_TRUE(names_match(&names, "x.a.org"));
	EXPECT_TRUE(names_match(&names, "x.b.org"));
	EXPECT_TRUE(names_match(&names, "host.c.org"));
}

TEST("what is no rule is refused, and nothing of it kept")
{
	static const char *const rules[] = {
		"",	   ".",	      "..org",	      "a..org",	     "example.org.", "*.org",
		"a b.org", "a\\.org", "\xc3\xbc.org", "http:/a.org", "a.org:80",     "10.0.0.0/8"
	};
	_cleanup_names_ struct names names = { 0 };
	char name[300];

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		EXPECT_EQ(names_add(&names, rules[i]), NAMES_E_INVALID);
	memset(name, 'a', 64);
	strcpy(name + 64, ".org");
	EXPECT_EQ(names_add(&names, name), NAMES_E_INVALID);
	EXPECT_OK(names_add(&names, name + 1));
	for (size_t i = 0; i < 255; i++)
		name[i] = i % 2 ? '.' : 'a';
	name[255] = '\0';
	EXPECT_EQ(names_add(&names, name), NAMES_E_INVALID);
	EXPECT_EQ(names.n, 1);
}

TEST("the longest names are matched like any other")
{
	_cleanup_names_ struct names names = { 0 };
	char name[256];

	for (size_t i = 0; i < 253; i++)
		name[i] = i % 2 ? '.' : 'a';
	name[253] = '\0';
	ASSERT_OK(names_add(&names, ".a.a"));
	EXPECT_TRUE(names_match(&names, name));
	strcpy(name + 253, ".a");
	EXPECT_FALSE(names_match(&names, name));
}

TEST("the list of package managers has domains only, and the registries' hosts are in them")
{
	_cleanup_names_ struct names names = { 0 };

	for (const char *const *rule = names_package_managers; *rule; rule++) {
		EXPECT_TRUE(names_rule_is_valid(*rule));
		EXPECT_EQ((*rule)[0], '.');
		EXPECT_NOT_NULL(strchr(*rule + 1, '.'));
	}
	ASSERT_OK(names_add_all(&names, names_package_managers));
	EXPECT_TRUE(names_match(&names, "registry"
					".npmjs.org"));
	EXPECT_TRUE(names_match(&names, "files.pythonhosted.org"));
	EXPECT_TRUE(names_match(&names, "conda.anaconda.org"));
	EXPECT_TRUE(names_match(&names, "repo.anaconda.com"));
	EXPECT_FALSE(names_match(&names, "example.org"));
	EXPECT_FALSE(names_match(&names, "notpythonhosted.org"));
}
