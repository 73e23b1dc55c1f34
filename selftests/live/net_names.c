// SPDX-License-Identifier: GPL-2.0-only
/*
 * Real clients of a session under "package-managers" and a real TLS server on an address of the internet that
 * serves every name: the allowed name is served, whatever is lost on the way, any other is refused at once,
 * with a reset, and none of its bytes reaches the server. Only the programs are at work, set up through the
 * guard, and the host's forwarding.
 */
#include "../gate_account.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "../../user/base/clock.h"
#include "../../user/kernel/nft.h"
#include "playnet.h"
#include "../segment.h"

#define SLOT 7
#define SERVER "93.184.216.34"
#define IN_INTERNET "selftests/playnet in $TMPDIR/playnet internet "
#define CURL                                                                                       \
	"curl -sS -k -m 10 --noproxy '*' -o $TMPDIR/got --resolve '*:443:" SERVER                  \
	"' --resolve '*:80:" SERVER "' "

static int netns = -1;

/* What runs in the session; its output goes to $TMPDIR/out. */
static void inside(void *command)
{
	char line[2048];
	int home;

	ASSERT_OK(netns_enter(netns, &home));
	snprintf(line, sizeof(line), "{ %s; } >$TMPDIR/out 2>&1", (const char *)command);
	_exit(WEXITSTATUS(system(line)));
}

static char out[4096];
static uint64_t took_ms;

/* Runs a command in the session; returns its exit code, and leaves its output and time in @out, @took_ms. */
static int run(const char *command)
{
	uint64_t began = clock_monotonic_ns();
	char path[512];
	int code = gate_run_in(gate.session_fd, inside, (void *)(uintptr_t)command), fd;
	ssize_t n;

	took_ms = (clock_monotonic_ns() - began) / 1000000;
	snprintf(path, sizeof(path), "%s/out", getenv("TMPDIR"));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = read(fd, out, sizeof(out) - 1);
	close(fd);
	out[n < 0 ? 0 : n] = 0;
	printf("exit code %d, %lu ms: %s: %.300s\n", code, took_ms, command, out);
	return code;
}

static void server_up(void)
{
	ASSERT_EQ(sh("cd $TMPDIR && head -c 8000000 /dev/urandom >big && "
		     "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=any "
		     "-days 2 -keyout key -out cert 2>/dev/null"),
		  0);
	ASSERT_EQ(sh(IN_INTERNET "nft 'add table ip t; add chain ip t p { type nat hook prerouting "
				 "priority -100; }; add rule ip t p ip daddr " SERVER
				 " tcp dport 443 redirect to :7443; "
				 "add rule ip t p ip daddr " SERVER
				 " tcp dport 80 redirect to :7080'"),
		  0);
	ASSERT_EQ(sh("here=$PWD; cd $TMPDIR && $here/" IN_INTERNET
		     "openssl s_server -accept 7443 -cert $TMPDIR/cert -key $TMPDIR/key -WWW "
		     "-quiet </dev/null >server.log 2>&1 &"),
		  0);
	ASSERT_EQ(sh("for i in $(seq 100); do " IN_INTERNET
		     "ss -Hltn sport = 7443 | grep -q . && exit; sleep 0.05; done; cat $TMPDIR/server.log; exit 1"),
		  0);
}

/* A server of HTTP that never answers: its kernel takes connections and what they send. */
static int http_up(void)
{
	struct sockaddr_storage at;
	socklen_t len = net_address("0.0.0.0", 7080, &at);
	char path[512], pid[16] = "";
	int fd, there, home;

	snprintf(path, sizeof(path), "%s/playnet/internet.pid", getenv("TMPDIR"));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT_GT(read(fd, pid, sizeof(pid) - 1), 0);
	close(fd);
	snprintf(path, sizeof(path), "/proc/%d/ns/net", atoi(pid));
	there = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT_OK(netns_enter(there, &home));
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ASSERT_OK(netns_leave(&home));
	close(there);
	ASSERT_OK(bind(fd, (struct sockaddr *)&at, len));
	ASSERT_OK(listen(fd, 16));
	return fd;
}

static void setup(void)
{
	const uint8_t server[16] = { [10] = 0xff, 0xff, 93, 184, 216, 34 };
	struct plan_network network = net_plan(SLOT);
	struct fault fault = {};
	unsigned int ifindex;

	net_up();
	ASSERT_OK(nft_make(&fault));
	gate_make();
	ASSERT_OK(netns_make(&netns, &fault));
	ASSERT_OK(veth_make(&network, netns, &ifindex, &fault));
	ASSERT_OK(guard_link_add(&gate.guard, ifindex, gate.id));
	ASSERT_OK(veth_up(ifindex));
	gate.policy.egress = POLICY_EGRESS_PACKAGE_MANAGERS;
	gate_update();
	ASSERT_OK(guard_name_put(&gate.guard, gate.id, ".example.org", POLICY_PORT_TLS));
	ASSERT_OK(guard_name_put(&gate.guard, gate.id, "plain.example.org", POLICY_PORT_HTTP));
	ASSERT_OK(guard_address_put(&gate.guard, gate.id, server,
				    POLICY_PORT_TLS | POLICY_PORT_HTTP, UINT64_MAX));
	server_up();
}

TEARDOWN
{
	gate_remove();
	veth_remove("rv7");
	net_down();
}

static void served(const char *command)
{
	EXPECT_EQ(run(command), 0);
	EXPECT_EQ(sh("cmp -s $TMPDIR/got $TMPDIR/big"), 0);
}

/* Refused at once, and the client says that its connection was reset. */
static void reset(const char *command, enum reason reason, const char *says)
{
	uint64_t before = gate_denials(gate.id, reason);

	EXPECT_NE(run(command), 0);
	EXPECT_LT(took_ms, 1000);
	EXPECT_HAS(out, says);
	EXPECT_EQ(gate_denials(gate.id, reason), before + 1);
}

TEST("curl gets what it asks of an allowed name, and no other name of the same address", .seconds = 60)
{
	setup();
	served(CURL "https://files.example.org/big");
	reset(CURL "https://files.example.net/big", REASON_NAME, "reset by peer");
	reset(CURL "--proto-default https evilexample.org/big", REASON_NAME, "reset by peer");
	reset(CURL "--proto-default https " SERVER "/big", REASON_NAME_HIDDEN, "reset by peer");
	reset(CURL "https://plain.example.org/", REASON_PORT, "reset by peer");
	served(CURL "https://files.example.org/big");
	EXPECT_EQ(sh("! grep -q 'evil\\|example.net' $TMPDIR/server.log"), 0);
}

/* What the next connection sent, or "" where it was reset before it sent anything. */
static const char *http_heard(int server)
{
	static char text[1024];
	_cleanup_fd_ int fd = accept(server, NULL, NULL);
	ssize_t n = recv(fd, text, sizeof(text) - 1, 0);

	text[n < 0 ? 0 : n] = 0;
	return text;
}

TEST("of plain HTTP the server hears only what is for the allowed Host", .seconds = 60)
{
	int server;

	setup();
	server = http_up();
	reset(CURL "http://other.example.org/", REASON_PORT, "reset by peer");
	EXPECT_STREQ(http_heard(server), "");
	reset(CURL "http://other.example.net/", REASON_NAME, "reset by peer");
	EXPECT_STREQ(http_heard(server), "");
	reset(CURL "-H Host: http://plain.example.org/", REASON_NAME_HIDDEN, "reset by peer");
	EXPECT_STREQ(http_heard(server), "");
	EXPECT_EQ(run(CURL "-m 1 http://plain.example.org/x"), 28);
	EXPECT_HAS(http_heard(server), "GET /x HTTP/1.1\r\nHost: plain.example.org\r\n");
	close(server);
}

/* What a client of its own making says on one connection, a segment each; 0 bytes end it. */
struct saying {
	const void *bytes;
	size_t len;
	int flags;
};

static unsigned int said_to;

/* Each is sent when the one before it has arrived. */
static void say(void *arg)
{
	struct sockaddr_storage at;
	socklen_t len = net_address(SERVER, (uint16_t)said_to, &at);
	int home, fd, left, on = 1;

	ASSERT_OK(netns_enter(netns, &home));
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ASSERT_OK(connect(fd, (struct sockaddr *)&at, len));
	ASSERT_OK(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)));
	for (const struct saying *saying = arg; saying->len; saying++) {
		if (send(fd, saying->bytes, saying->len, saying->flags | MSG_NOSIGNAL) < 0)
			break;
		for (int i = 0; i < 200 && ioctl(fd, SIOCOUTQ, &left) == 0 && left; i++)
			usleep(5000);
	}
	_exit(0);
}

/* The server hears the first @heard sayings and no byte more, and there is one denial. */
static void hears(int server, unsigned int port, struct saying *sayings, size_t heard,
		  enum reason reason)
{
	uint64_t before = gate_denials(gate.id, reason);
	uint8_t bytes[8192], want[8192];
	size_t n = 0, len = 0;
	ssize_t got;
	int fd;

	said_to = port;
	EXPECT_EQ(gate_run_in(gate.session_fd, say, sayings), 0);
	fd = accept(server, NULL, NULL);
	while ((got = recv(fd, bytes + len, sizeof(bytes) - len, 0)) > 0)
		len += (size_t)got;
	close(fd);
	for (size_t i = 0; i < heard; i++) {
		memcpy(want + n, sayings[i].bytes, sayings[i].len);
		n += sayings[i].len;
	}
	EXPECT_EQ(len, n);
	EXPECT_MEMEQ(bytes, want, n < len ? n : len);
	EXPECT_EQ(gate_denials(gate.id, reason), before + 1);
}

#define REQUEST(host) "GET /x HTTP/1.1\r\nHost: " host "\r\n\r\n"
#define TEXT(text)                                                                                 \
	{                                                                                          \
		text, sizeof(text) - 1, 0                                                          \
	}

TEST("no second hello and no second request comes through that is for another name", .seconds = 60)
{
	struct sample hello, evil;
	int server;

	setup();
	server = http_up();
	hello = sample_of("made-plain");
	evil = sample_of("name-one-label");
	ASSERT_EQ(sh(IN_INTERNET "nft 'flush chain ip t p; add rule ip t p ip daddr " SERVER
				 " tcp dport { 80, 443 } redirect to :7080'"),
		  0);
	hears(server, 443,
	      (struct saying[]){ { hello.bytes, hello.len, 0 },
				 TEXT("\x15\3\3\0\2\1\x5a"),
				 { evil.bytes, evil.len, 0 },
				 {} },
	      2, REASON_NAME_HIDDEN);
	hears(server, 443,
	      (struct saying[]){
		      { hello.bytes, hello.len, 0 }, { "\x16\3\1\1\x10\x10", 6, MSG_OOB }, {} },
	      1, REASON_NAME_HIDDEN);
	hears(server, 443,
	      (struct saying[]){ { hello.bytes, hello.len, 0 }, { evil.bytes, evil.len, 0 }, {} },
	      1, REASON_NAME);
	hears(server, 80,
	      (struct saying[]){ TEXT(REQUEST("plain.example.org")),
				 TEXT(REQUEST("plain.example.org")),
				 TEXT(REQUEST("other.example.net")),
				 {} },
	      2, REASON_NAME);
	hears(server, 80,
	      (struct saying[]){ TEXT(REQUEST("plain.example.org") REQUEST("other.example.net")), {} },
	      0, REASON_NAME);
	close(server);
}

TEST("other clients are told at once as well", .seconds = 60)
{
	setup();
	reset("openssl s_client -connect " SERVER ":443 -servername a.example.net </dev/null",
	      REASON_NAME, "errno=104");
	reset("openssl s_client -connect " SERVER ":443 -noservername </dev/null",
	      REASON_NAME_HIDDEN, "errno=104");
	EXPECT_EQ(run("openssl s_client -connect " SERVER ":443 -servername a.example.org </dev/null"),
		  0);
	EXPECT_HAS(out, "CN = any");
}

TEST("an address that no name has, a port and a protocol that are not open are refused by connect()")
{
	setup();
	EXPECT_EQ(run("curl -sS -m 5 -k https://1.1.1.1/"), 7);
	EXPECT_LT(took_ms, 500);
	EXPECT_EQ(run("curl -sS -m 5 " SERVER ":7777/"), 7);
	EXPECT_LT(took_ms, 500);
	EXPECT_GE(gate_denials(gate.id, REASON_ADDRESS_UNKNOWN), 1);
	EXPECT_GE(gate_denials(gate.id, REASON_PORT), 1);
	EXPECT_EQ(net_count("internet", "packets", "1.1.1.1"), 0);
}

/* Enough protocols to offer that the hello takes two segments. */
#define LARGE_HELLO                                                                                \
	"openssl s_client -connect " SERVER ":443 -servername a.example.org -alpn "                \
	"$(for i in $(seq 10); do head -c 200 /dev/zero | tr '\\0' $((i % 10)); printf ,; done)end "

/* Not of the SYNs': who lost two of them begins with one segment, and a large hello takes two. */
TEST("with a third of their segments lost, large hellos come through, part by part", .seconds = 120)
{
	const char *command = LARGE_HELLO "</dev/null";
	int good = 0;

	setup();
	EXPECT_EQ(run(command), 0);
	ASSERT_EQ(sh("nft 'add table ip loss; add chain ip loss f { type filter hook forward priority 20; }; "
		     "add rule ip loss f tcp dport 443 meta length > 400 numgen random mod 3 == 0 drop'"),
		  0);
	for (int i = 0; i < 12; i++)
		good += run(command) == 0;
	EXPECT_EQ(sh("nft delete table ip loss"), 0);
	EXPECT_EQ(good, 12);
	EXPECT_EQ(gate_denials_all(gate.id), 0);
}
