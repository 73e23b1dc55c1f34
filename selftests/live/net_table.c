// SPDX-License-Identifier: GPL-2.0-only
/* The table "inet reeve": that every damage is seen and mended, and nothing of others is touched. */
#include <sys/wait.h>

#include "../../user/kernel/nft.h"
#include "playnet.h"

static enum nft_state check(void)
{
	enum nft_state state;

	ASSERT_OK(nft_check(&state));
	return state;
}

static void make(void)
{
	struct fault fault = {};
	int r = nft_make(&fault);

	printf("%s %s\n", fault.field, fault.reason);
	ASSERT_EQ(r, 0);
	ASSERT_EQ(check(), NFT_WHOLE);
}

TEST("the table is absent, then whole, and made anew over itself")
{
	EXPECT_EQ(check(), NFT_ABSENT);
	make();
	make();
	EXPECT_EQ(sh("test \"$(nft list tables)\" = 'table inet reeve'"), 0);
	EXPECT_OK(nft_remove());
	EXPECT_EQ(check(), NFT_ABSENT);
	EXPECT_OK(nft_remove());
	EXPECT_EQ(sh("test -z \"$(nft list ruleset)\""), 0);
}

TEST("whatever is done to the table is told, found and mended")
{
	static const struct {
		const char *command;
		enum nft_state state;
	} damages[] = {
		{ "flush ruleset", NFT_ABSENT },
		{ "delete table inet reeve", NFT_ABSENT },
		{ "flush table inet reeve", NFT_DAMAGED },
		{ "flush chain inet reeve input", NFT_DAMAGED },
		{ "insert rule inet reeve forward accept", NFT_DAMAGED },
		{ "add rule inet reeve to_session accept", NFT_DAMAGED },
		{ "add table inet reeve { flags dormant; }", NFT_DAMAGED },
		{ "delete element inet reeve denied_v4 { 10.0.0.0/8 }", NFT_DAMAGED },
		{ "add element inet reeve allowed_v6 { fc00::/7 }", NFT_DAMAGED },
		{ "flush set inet reeve denied_v6", NFT_DAMAGED },
		{ "add chain inet reeve first { type filter hook input priority -5; }", NFT_DAMAGED },
		{ "add chain inet reeve seal_0", NFT_DAMAGED },
	};
	bool changed = false;
	int fd;

	ASSERT_OK(nft_watch_open(&fd));
	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		make();
		ASSERT_OK(nft_watch_drain(fd, &changed));
		ASSERT_EQ(sh("nft '%s'", damages[i].command), 0);
		EXPECT_EQ(check(), damages[i].state);
		EXPECT_OK(nft_watch_drain(fd, &changed));
		EXPECT_TRUE(changed);
	}
	make();
}

TEST("what others do to their rules is no news, and theirs stay as they are")
{
	bool changed = true;
	int fd;

	make();
	ASSERT_OK(nft_watch_open(&fd));
	ASSERT_EQ(sh("nft 'table ip other { set s { type ipv4_addr; elements = { 10.0.0.1 } }; "
		     "chain c { type filter hook forward priority 0; ip saddr @s accept; }; }'"),
		  0);
	EXPECT_OK(nft_watch_drain(fd, &changed));
	EXPECT_FALSE(changed);
	EXPECT_EQ(check(), NFT_WHOLE);
	ASSERT_EQ(sh("nft list table ip other >$TMPDIR/before"), 0);
	make();
	ASSERT_OK(nft_remove());
	EXPECT_EQ(sh("nft list table ip other | diff - $TMPDIR/before"), 0);
	ASSERT_EQ(sh("nft delete table ip other"), 0);
}

TEST("two that make it at once end with a whole one")
{
	int status, failed = 0;

	for (int i = 0; i < 3; i++) {
		if (fork() == 0) {
			for (int n = 0; n < 5; n++)
				EXPECT_OK(nft_make(&(struct fault){}));
			_exit(0);
		}
	}
	while (wait(&status) > 0)
		failed |= status;
	EXPECT_EQ(failed, 0);
	EXPECT_EQ(check(), NFT_WHOLE);
}

TEST("without the privilege there is an errno or a fault, and no table")
{
	struct fault fault = {};
	enum nft_state state;

	if (fork() == 0) {
		ASSERT_OK(setuid(65534));
		EXPECT_EQ(nft_check(&state), -EPERM);
		EXPECT_EQ(nft_make(&fault), FAULT_E_SET);
		EXPECT_EQ(fault.code, FAULT_HOST);
		EXPECT_HAS(fault.reason, "refuses the rules");
		_exit(0);
	}
	wait(NULL);
	EXPECT_EQ(check(), NFT_ABSENT);
}

TEARDOWN
{
	nft_remove();
}
