// SPDX-License-Identifier: GPL-2.0-only
/*
 * The other way to hold a command to a list of places: a proxy in between. A small object is fetched from a
 * server, one connection each: straight, without and with the policy, and through tinyproxy.
 *
 * Server, proxy and client share one processor, so that the figure is the work of all three. The client ends
 * each connection by reset: no waiting ports pile up at its side.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../user/base/clock.h"
#include "../../user/base/macro.h"
#include "bench.h"
#include "peer.h"
#include "room.h"

#define SLICE_MS 8
#define ROUNDS 100
#define SERVER_PORT 443
#define PROXY_PORT 3128
#define START_TIMEOUT_NS (5 * NSEC_PER_SEC)
#define OBJECT_BYTES 1024

struct way {
	uint16_t port;
	const char *request;
};

static const struct way straight = { SERVER_PORT, "GET /object HTTP/1.0\r\nHost: x\r\n\r\n" };
static char proxied_request[128];
static const struct way proxied = { PROXY_PORT, proxied_request };

static struct sockaddr_in address(uint16_t port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(BENCH_PUBLIC_V4),
		.sin_port = htons(port),
	};
}

/* Until the end of the header; what is behind it is the body's. */
static int serve_one(int fd, const char *answer, size_t n)
{
	char request[1024] = "";
	size_t got = 0;
	ssize_t part;

	while (!strstr(request, "\r\n\r\n")) {
		part = recv(fd, request + got, sizeof(request) - 1 - got, 0);
		if (part <= 0)
			return -1;
		got += (size_t)part;
		request[got] = '\0';
	}
	return send(fd, answer, n, MSG_NOSIGNAL) == (ssize_t)n ? 0 : -1;
}

static _Noreturn void server_main(int listener)
{
	char answer[OBJECT_BYTES + 128], ignored[64];
	int head = snprintf(answer, sizeof(answer),
			    "HTTP/1.0 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n",
			    OBJECT_BYTES);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	memset(answer + head, 'x', OBJECT_BYTES);
	for (;;) {
		_cleanup_fd_ int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

		/* the client ends it, or its port would wait here */
		if (fd >= 0 && serve_one(fd, answer, (size_t)head + OBJECT_BYTES) == 0)
			while (recv(fd, ignored, sizeof(ignored), 0) > 0)
				continue;
	}
}

static pid_t server_start(void)
{
	struct sockaddr_in addr = address(SERVER_PORT);
	_cleanup_fd_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pid_t pid;

	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(fd, SOMAXCONN))
		bench_die(errno, "server");
	pid = fork();
	if (pid == 0)
		server_main(fd);
	if (pid < 0)
		bench_die(errno, "server");
	return pid;
}

static int fetch(void *arg)
{
	const struct linger now = { .l_onoff = 1 };
	const struct way *way = arg;
	struct sockaddr_in addr = address(way->port);
	_cleanup_fd_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	size_t n = strlen(way->request), got = 0;
	char answer[OBJECT_BYTES + 1024];
	const char *body;
	ssize_t part;

	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) ||
	    setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now)) ||
	    send(fd, way->request, n, MSG_NOSIGNAL) != (ssize_t)n)
		return -errno;
	for (;;) {
		part = recv(fd, answer + got, sizeof(answer) - 1 - got, 0);
		if (part <= 0)
			return part ? -errno : -EPIPE;
		got += (size_t)part;
		answer[got] = '\0';
		body = strstr(answer, "\r\n\r\n");
		if (body && got - (size_t)(body + 4 - answer) == OBJECT_BYTES)
			return strstr(answer, " 200 ") ? 0 : -EPROTO;
	}
}

static pid_t proxy_start(const struct peer_place *place)
{
	struct way ready = proxied;
	uint64_t end = clock_monotonic_ns() + START_TIMEOUT_NS;
	char path[512];
	FILE *config;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/tinyproxy.conf", place->work);
	config = fopen(path, "we");
	if (!config ||
	    fprintf(config,
		    "Port %d\nListen " BENCH_PUBLIC "\nTimeout 10\nMaxClients 50\n"
		    "LogFile \"%s/tinyproxy.log\"\nLogLevel Critical\n",
		    PROXY_PORT, place->work) < 0 ||
	    fclose(config))
		bench_die(errno, "%s", path);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execlp("tinyproxy", "tinyproxy", "-d", "-c", path, NULL);
		_exit(127);
	}
	while (pid > 0 && fetch(&ready)) {
		if (clock_monotonic_ns() > end || waitpid(pid, NULL, WNOHANG) == pid)
			bench_die(0, "tinyproxy does not serve");
		usleep(1000);
	}
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int slice(void *arg, double *ret_ns)
{
	return room_slice(arg, ret_ns);
}

int main(void)
{
	_cleanup_engine_ struct engine engine = ENGINE_INIT;
	struct room outside, open, packages;
	struct peer_place place;
	pid_t server, proxy;
	bool valid;

	snprintf(proxied_request, sizeof(proxied_request),
		 "GET http://%s:%d/object HTTP/1.0\r\n\r\n", BENCH_PUBLIC, SERVER_PORT);
	peer_place_init(&place);
	room_engine(&place.config, &engine);
	bench_pin();
	if (system("ip address add " BENCH_PUBLIC " dev lo"))
		bench_die(0, "no address");
	room_outside(&outside);
	room_session(&engine, POLICY_UNLIMITED, POLICY_EGRESS_PUBLIC, &open);
	room_session(&engine, POLICY_UNLIMITED, POLICY_EGRESS_PACKAGE_MANAGERS, &packages);
	server = server_start();
	proxy = proxy_start(&place);

	struct room_work work[] = {
		{ .room = &outside, .run = fetch, .arg = (void *)&straight, .ms = SLICE_MS },
		{ .room = &open, .run = fetch, .arg = (void *)&straight, .ms = SLICE_MS },
		{ .room = &packages, .run = fetch, .arg = (void *)&straight, .ms = SLICE_MS },
		{ .room = &outside, .run = fetch, .arg = (void *)&proxied, .ms = SLICE_MS },
	};
	const struct bench_case cases[] = {
		{ "1 KiB by HTTP, public", slice, &work[1] },
		{ "1 KiB by HTTP, package-managers", slice, &work[2] },
		{ "1 KiB by HTTP, through tinyproxy", slice, &work[3] },
	};
	const struct bench_group group = {
		{ "1 KiB by HTTP, no policy", slice, &work[0] }, cases, ARRAY_SIZE(cases), ROUNDS
	};

	valid = bench_compare(&group);
	end(proxy);
	end(server);
	room_end(&packages);
	room_end(&open);
	room_end(&outside);
	return valid ? 0 : 1;
}
