// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clients that are slow, hostile or wrong, and one beside them that is neither: it is answered at once, whatever the
 * others do. Bounds are those of production but for the times, which are short.
 */
#include "../daemon_desk.h"

#include "../../user/base/clock.h"

#define GET "GET /v1/sessions HTTP/1.1\r\nHost: a\r\n\r\n"
#define POST "POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
/* Far below the time that a slow client is given. */
#define PROMPT_MS 4000
#define SLOW_CLIENTS 200

static const struct http_limits usual = HTTP_LIMITS_INIT;
static char heard[1024 * 1024];

static const char *hear(int fd, const char *part)
{
	heard[0] = 0;
	EXPECT_TRUE(daemon_hear(fd, part, 10000, heard, sizeof(heard)));
	return heard;
}

/* The whole reply to one request on a connection of its own. */
static const char *ask(const char *text)
{
	int fd = daemon_dial();

	daemon_say(fd, text);
	shutdown(fd, SHUT_WR);
	hear(fd, NULL);
	close(fd);
	return heard;
}

static void expect_prompt(void)
{
	uint64_t before = clock_monotonic_ns();

	EXPECT_HAS(ask(GET), "HTTP/1.1 200 OK\r\n");
	EXPECT_LT((clock_monotonic_ns() - before) / NSEC_PER_MSEC, PROMPT_MS);
}

static void expect_ended(int fd)
{
	char rest[4096] = "";

	EXPECT_TRUE(daemon_hear(fd, NULL, 10000, rest, sizeof(rest)));
	close(fd);
}

TEST("two hundred clients that send a byte now and then delay nobody", .seconds = 60)
{
	int fds[SLOW_CLIENTS];

	daemon_start(&usual);
	for (int i = 0; i < SLOW_CLIENTS; i++) {
		fds[i] = daemon_dial();
		ASSERT_GE(fds[i], 0);
	}
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < SLOW_CLIENTS; i++)
			send(fds[i], &GET[round], 1, MSG_NOSIGNAL);
		expect_prompt();
	}
	/* and they are clients all the same */
	daemon_say(fds[7], &GET[20]);
	hear(fds[7], "\"next\":null}");
	for (int i = 0; i < SLOW_CLIENTS; i++)
		close(fds[i]);
	daemon_stop();
}

TEST("a request has a time to arrive in, which no byte extends", .seconds = 30)
{
	struct http_limits limits = usual;
	uint64_t before;
	int fd;

	limits.read_ms = 500;
	daemon_start(&limits);
	fd = daemon_dial();
	before = clock_monotonic_ns();
	heard[0] = 0;
	for (int i = 0; i < 200 && !daemon_hear(fd, "\r\n\r\n", 50, heard, sizeof(heard)); i++)
		send(fd, "G", 1, MSG_NOSIGNAL);
	EXPECT_HAS(heard, "HTTP/1.1 408 Request Timeout\r\n");
	EXPECT_HAS(heard, "http.invalid");
	EXPECT_GE((clock_monotonic_ns() - before) / NSEC_PER_MSEC, 500);
	EXPECT_LT((clock_monotonic_ns() - before) / NSEC_PER_MSEC, 9000);
	expect_ended(fd);
	/* a body as well */
	fd = daemon_dial();
	daemon_say(fd, POST "Content-Length: 10\r\n\r\n{");
	EXPECT_HAS(hear(fd, "\r\n\r\n"), " 408 ");
	expect_ended(fd);
	daemon_stop();
}

TEST("a connection at rest is closed after a while, and one in use is not", .seconds = 30)
{
	struct http_limits limits = usual;
	int fd;

	limits.idle_ms = 300;
	daemon_start(&limits);
	expect_ended(daemon_dial());
	fd = daemon_dial();
	for (int i = 0; i < 5; i++) {
		daemon_say(fd, GET);
		hear(fd, "\"next\":null}\n");
		usleep(100000);
	}
	expect_ended(fd);
	daemon_stop();
}

TEST("when there are too many, who waits longest makes room", .seconds = 60)
{
	struct http_limits limits = usual;
	int fds[100];

	limits.connections = 50;
	daemon_start(&limits);
	for (int i = 0; i < 100; i++) {
		fds[i] = daemon_dial();
		ASSERT_GE(fds[i], 0);
		send(fds[i], "G", 1, MSG_NOSIGNAL);
	}
	expect_prompt();
	/* the first are gone, the last are there */
	expect_ended(fds[0]);
	daemon_say(fds[99], &GET[1]);
	hear(fds[99], "\"next\":null}");
	for (int i = 1; i < 100; i++)
		close(fds[i]);
	daemon_stop();
}

TEST("what is too large is refused before it is read, and the refusal arrives", .seconds = 30)
{
	static char much[2 * 1024 * 1024];
	int fd;

	daemon_start(&usual);
	memset(much, 'a', sizeof(much) - 1);
	fd = daemon_dial();
	daemon_say(fd, POST "Content-Length: 1048577\r\n\r\n");
	EXPECT_HAS(hear(fd, "body.too_large"), "HTTP/1.1 413 Content Too Large\r\n");
	expect_ended(fd);
	/* of one that sends all the same */
	fd = daemon_dial();
	daemon_say(fd, POST "Content-Length: 2097151\r\n\r\n");
	send(fd, much, sizeof(much) - 1, MSG_NOSIGNAL);
	EXPECT_HAS(hear(fd, "body.too_large"), " 413 ");
	close(fd);
	/* in chunks, where no length is said */
	fd = daemon_dial();
	daemon_say(fd, POST "Transfer-Encoding: chunked\r\n\r\nffffff\r\n");
	send(fd, much, sizeof(much) - 1, MSG_NOSIGNAL);
	EXPECT_HAS(hear(fd, "body.too_large"), " 413 ");
	close(fd);
	fd = daemon_dial();
	send(fd, much, 20000, MSG_NOSIGNAL);
	EXPECT_HAS(hear(fd, "http.invalid"), " 431 ");
	close(fd);
	expect_prompt();
	daemon_stop();
}

TEST("requests that are sent ahead are answered in their order", .seconds = 30)
{
	static char many[64 * 1024];
	unsigned int n = 0;
	int fd;

	daemon_start(&usual);
	for (unsigned int i = 0; i < 500; i++)
		sprintf(many + strlen(many), "GET /v1/sessions/n%u HTTP/1.1\r\nHost: a\r\n\r\n", i);
	fd = daemon_dial();
	daemon_say(fd, many);
	shutdown(fd, SHUT_WR);
	hear(fd, NULL);
	for (const char *at = heard; (at = strstr(at, "there is no session n")); at++) {
		ASSERT_EQ(strtoul(at + 21, NULL, 10), n);
		n++;
	}
	EXPECT_EQ(n, 500);
	close(fd);
	daemon_stop();
}

TEST("who does not read the replies gets no more of them, and holds up nobody", .seconds = 60)
{
	struct http_limits limits = usual;
	int fd;

	limits.stall_ms = 1000;
	daemon_start(&limits);
	fd = daemon_dial();
	for (int i = 0; i < 20000; i++)
		if (send(fd, GET, sizeof(GET) - 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
			break;
	expect_prompt();
	/* the daemon has given it up: what is buffered can be read, and then there is an end */
	usleep(1500000);
	expect_prompt();
	heard[0] = 0;
	while (daemon_hear(fd, "never", 2000, heard, sizeof(heard)))
		heard[0] = 0;
	EXPECT_LT(recv(fd, heard, 1, MSG_DONTWAIT), 1);
	close(fd);
	daemon_stop();
}

TEST("what is no document is refused by its place", .seconds = 30)
{
	daemon_start(&usual);
	EXPECT_HAS(ask(POST "Content-Length: 4\r\n\r\n\"\xff\xfe\""), " 422 ");
	EXPECT_HAS(heard, "document.invalid");
	EXPECT_HAS(ask(POST "Content-Length: 0\r\n\r\n"), " 422 ");
	EXPECT_HAS(ask("POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: "
		       "2\r\n\r\n{}"),
		   " 415 ");
	EXPECT_HAS(
		ask("GET /v1/sessions HTTP/1.1\r\nHost: a\r\nAccept: text/html, application/json;q=0\r\n\r\n"),
		" 406 ");
	EXPECT_HAS(
		ask("GET /v1/sessions HTTP/1.1\r\nHost: a\r\nAccept: text/html, application/*;q=0.5\r\n\r\n"),
		" 200 ");
	EXPECT_HAS(ask("BREW /v1/sessions HTTP/1.1\r\nHost: a\r\n\r\n"), " 405 ");
	EXPECT_HAS(heard, "\r\nAllow: POST, GET, HEAD\r\n");
	EXPECT_HAS(ask("GET /v1/sessions?limit=0 HTTP/1.1\r\nHost: a\r\n\r\n"), " 400 ");
	EXPECT_HAS(ask("GET /v1/events HTTP/1.1\r\nHost: a\r\nLast-Event-ID: x\r\n\r\n"), " 400 ");
	EXPECT_HAS(ask(POST "Idempotency-Key: \xff\r\nContent-Length: 2\r\n\r\n{}"), " 400 ");
	EXPECT_HAS(ask("nonsense\r\n\r\n"), " 400 ");
	daemon_stop();
}

TEST("a client that asks first is told to go on", .seconds = 30)
{
	int fd;

	daemon_start(&usual);
	fd = daemon_dial();
	daemon_say(fd, POST "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n");
	EXPECT_HAS(hear(fd, "\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
	daemon_say(fd, "{}");
	hear(fd, "document.invalid");
	close(fd);
	daemon_stop();
}

TEST("a second daemon for the same place is refused, and a dead one's socket is taken over",
     .seconds = 30)
{
	int status = 0;
	pid_t pid;

	daemon_start(&usual);
	pid = fork();
	if (pid == 0)
		exit(daemon_serve(&usual));
	waitpid(pid, &status, 0);
	EXPECT_EQ(WEXITSTATUS(status), 1);
	expect_prompt();
	kill(daemon_pid, SIGKILL);
	waitpid(daemon_pid, NULL, 0);
	EXPECT_EQ(access(daemon_socket, F_OK), 0);
	daemon_pid = fork();
	if (daemon_pid == 0)
		exit(daemon_serve(&usual));
	for (int i = 0, fd = -1; fd < 0 && i < 500; i++, usleep(10000)) {
		fd = daemon_dial();
		if (fd >= 0)
			close(fd);
	}
	expect_prompt();
	daemon_stop();
	EXPECT_NE(access(daemon_socket, F_OK), 0);
}
