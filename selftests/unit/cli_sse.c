// SPDX-License-Identifier: GPL-2.0-only
/* Events out of a stream, in whatever parts its bytes come. */
#include "../../user/cli/sse.h"

#include <string.h>

#include "../../user/base/macro.h"
#include "../test.h"

struct told {
	char text[512];
	int end;
};

static int tell(const struct sse_event *event, void *arg)
{
	struct told *told = arg;
	size_t n = strlen(told->text);

	snprintf(told->text + n, sizeof(told->text) - n, "%llu/%s/%s|",
		 (unsigned long long)event->id, event->type, event->data);
	return event->id == 2 ? told->end : 0;
}

static const char stream[] = "id: 1\n\n:\n\nid: 2\nevent: a.b\ndata: {\"x\":\ndata: 1}\n\n"
			     "retry: 5\ndata:no blank\n\nid: x\nevent: c\n\ndata: cut";

TEST("events are the same, in whatever parts their bytes come")
{
	for (size_t part = 1; part < sizeof(stream); part++) {
		_cleanup_sse_ struct sse sse = {};
		struct told told = {};

		for (size_t i = 0; i < sizeof(stream) - 1; i += part) {
			size_t left = sizeof(stream) - 1 - i;

			EXPECT_OK(sse_feed(&sse, stream + i, left < part ? left : part, tell, &told));
		}
		EXPECT_STREQ(told.text, "1//|1//|2/a.b/{\"x\":\n1}|2//no blank|2/c/|");
	}
}

TEST("a reader ends the stream, and what did not come whole is dropped for the next one")
{
	_cleanup_sse_ struct sse sse = {};
	struct told told = { .end = 7 };

	EXPECT_EQ(sse_feed(&sse, stream, sizeof(stream) - 1, tell, &told), 7);
	EXPECT_EQ(sse.id, 2);
	EXPECT_OK(sse_feed(&sse, "event: half\ndata: ha", 20, tell, &told));
	sse_reset(&sse);
	told.text[0] = 0;
	EXPECT_OK(sse_feed(&sse, "id: 3\ndata: whole\n\n", 19, tell, &told));
	EXPECT_STREQ(told.text, "3//whole|");
}
