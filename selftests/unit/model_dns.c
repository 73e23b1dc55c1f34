// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the sandbox may ask and what it is answered. Messages are made here byte by byte, good and hostile
 * ones; answers are read back by libc's parser, which shares nothing with the writer.
 */
#include <strings.h>

#include "../../user/model/dns.h"
#include "../dns_message.h"
#include "../test.h"

#define RD 0x0100

static struct dns_message message;
static struct dns_question question;

/* Reads the message in a block of exactly its size, so that a read past its end is seen. */
static int read_question(void)
{
	uint8_t *bytes = malloc(message.n + 1);
	int r;

	memcpy(bytes, message.bytes, message.n);
	bytes = realloc(bytes, message.n ? message.n : 1);
	memset(&question, 0, sizeof(question));
	r = dns_question_read(bytes, message.n, &question);
	free(bytes);
	return r;
}

static void ask(const char *name, unsigned int type)
{
	dns_begin(&message, 0x1234, RD, 1, 0, 0, 0);
	dns_put_question(&message, name, type, ns_c_in);
	EXPECT_OK(read_question());
}

static void expect_rcode(unsigned int rcode)
{
	EXPECT_OK(read_question());
	EXPECT_EQ(question.rcode, rcode);
}

TEST("a question is read: its id, type, name in lower case, and the name as it was asked")
{
	ask("wWw.ExAmple.ORG", ns_t_aaaa);
	EXPECT_EQ(question.rcode, ns_r_noerror);
	EXPECT_EQ(question.id, 0x1234);
	EXPECT_EQ(question.type, ns_t_aaaa);
	EXPECT_TRUE(question.recursion);
	EXPECT_FALSE(question.edns);
	EXPECT_EQ(question.udp_bytes, 512);
	EXPECT_STREQ(question.name, "www.example.org");
	EXPECT_EQ(question.n_raw, 17);
	EXPECT_MEMEQ(question.raw, "\3wWw\7ExAmple\3ORG", 17);
}

TEST("what is no question has no answer")
{
	for (message.n = 0; message.n < 12; message.n++)
		EXPECT_EQ(read_question(), DNS_E_NO_QUESTION);
	dns_begin(&message, 1, 0x8000 | RD, 1, 0, 0, 0);
	dns_put_question(&message, "example.org", ns_t_a, ns_c_in);
	EXPECT_EQ(read_question(), DNS_E_NO_QUESTION);
}

TEST("none and two questions, answers, other records and bytes behind the end are format errors")
{
	dns_begin(&message, 1, RD, 0, 0, 0, 0);
	expect_rcode(ns_r_formerr);
	EXPECT_EQ(question.n_raw, 0);
	dns_begin(&message, 1, RD, 2, 0, 0, 0);
	dns_put_question(&message, "example.org", ns_t_a, ns_c_in);
	dns_put_question(&message, "example.net", ns_t_a, ns_c_in);
	expect_rcode(ns_r_formerr);
	dns_begin(&message, 1, RD, 1, 1, 0, 0);
	dns_put_question(&message, "example.org", ns_t_a, ns_c_in);
	dns_put_address(&message, "example.org", 1, "192.0.2.1");
	expect_rcode(ns_r_formerr);
	dns_begin(&message, 1, RD, 1, 0, 0, 1);
	dns_put_question(&message, "example.org", ns_t_a, ns_c_in);
	dns_put_address(&message, "example.org", 1, "192.0.2.1");
	expect_rcode(ns_r_formerr);
	dns_begin(&message, 1, RD, 1, 0, 0, 0);
	dns_put_question(&message, "example.org", ns_t_a, ns_c_in);
	dns_put16(&message, 0);
	expect_rcode(ns_r_formerr);
}

TEST("a question cut anywhere is a format error")
{
	size_t whole;

	dns_begin(&message, 1, RD, 1, 0, 0, 1);
	dns_put_question(&message, "www.example.org", ns_t_a, ns_c_in);
	dns_put_opt(&message, 1232, 0);
	expect_rcode(ns_r_noerror);
	whole = message.n;
	for (message.n = 12; message.n < whole; message.n++)
		expect_rcode(ns_r_formerr);
}

TEST("compression in a question, loops above all, is a format error")
{
	static const char *const names[] = { "@12", "@0", "@13", "@300", "@4095" };

	for (size_t i = 0; i < 5; i++) {
		dns_begin(&message, 1, RD, 1, 0, 0, 0);
		dns_put_question(&message, names[i], ns_t_a, ns_c_in);
		expect_rcode(ns_r_formerr);
	}
	dns_begin(&message, 1, RD, 1, 0, 0, 0);
	dns_put(&message, "\3www\300\14", 6);
	dns_put16(&message, ns_t_a);
	dns_put16(&message, ns_c_in);
	expect_rcode(ns_r_formerr);
	/* to a name in the header, so a whole one */
	dns_begin(&message, 0x0161, 0, 1, 0, 0, 0);
	dns_put_question(&message, "@0", ns_t_a, ns_c_in);
	expect_rcode(ns_r_formerr);
}

TEST("labels and names have the length of RFC 1035, and not a byte more")
{
	char name[400];

	memset(name, 'a', sizeof(name));
	strcpy(name + 63, ".org");
	ask(name, ns_t_a);
	EXPECT_EQ(question.rcode, ns_r_noerror);
	memset(name, 'a', sizeof(name));
	strcpy(name + 64, ".org");
	ask(name, ns_t_a);
	EXPECT_EQ(question.rcode, ns_r_formerr);
	for (size_t i = 0; i < 253; i++)
		name[i] = i % 2 ? '.' : 'a';
	name[253] = '\0';
	ask(name, ns_t_a);
	EXPECT_EQ(question.rcode, ns_r_noerror);
	EXPECT_STREQ(question.name, name);
	EXPECT_EQ(question.n_raw, 255);
	strcpy(name + 253, ".a");
	ask(name, ns_t_a);
	EXPECT_EQ(question.rcode, ns_r_formerr);
}

TEST("a name with bytes that no host's name has is none, and never taken for another")
{
	static const struct {
		const char *raw;
		size_t n;
	} names[] = {
		{ "\7www.org\3org", 13 }, { "\4a\0bc\3org", 10 }, { "\3a b\3org", 9 },
		{ "\2\303\274\3org", 8 }, { "\1*\3org", 7 },	  { "\4a\\.b\3org", 10 },
		{ "\1/\3org", 7 },	  { "\1@\3org", 7 },	  { "", 1 },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		dns_begin(&message, 1, RD, 1, 0, 0, 0);
		dns_put(&message, names[i].raw, names[i].n);
		dns_put16(&message, ns_t_a);
		dns_put16(&message, ns_c_in);
		expect_rcode(ns_r_noerror);
		EXPECT_STREQ(question.name, "");
		EXPECT_EQ(question.n_raw, names[i].n);
	}
	ask("_dmarc.xn--bcher-kva.example-1.org", ns_t_a);
	EXPECT_STREQ(question.name, "_dmarc.xn--bcher-kva.example-1.org");
}

TEST("another class is refused, another operation is not known")
{
	dns_begin(&message, 1, RD, 1, 0, 0, 0);
	dns_put_question(&message, "version.bind", ns_t_txt, ns_c_chaos);
	expect_rcode(ns_r_refused);
	EXPECT_EQ(question.class, ns_c_chaos);
	for (unsigned int opcode = 1; opcode < 16; opcode++) {
		dns_begin(&message, 1, RD | opcode << 11, 1, 0, 0, 0);
		dns_put_question(&message, "example.org", ns_t_a, ns_c_in);
		expect_rcode(ns_r_notimpl);
	}
}

TEST("EDNS gives the size of the answer, within bounds, and no version but the first")
{
	static const size_t sizes[][2] = { { 0, 512 },	   { 511, 512 },   { 512, 512 },
					   { 513, 513 },   { 1232, 1232 }, { 4096, 1232 },
					   { 65535, 1232 } };

	for (size_t i = 0; i < 7; i++) {
		dns_begin(&message, 1, RD, 1, 0, 0, 1);
		dns_put_question(&message, "example.org", ns_t_a, ns_c_in);
		dns_put_opt(&message, (unsigned int)sizes[i][0], 0);
		expect_rcode(ns_r_noerror);
		EXPECT_TRUE(question.edns);
		EXPECT_EQ(question.udp_bytes, sizes[i][1]);
	}
	dns_begin(&message, 1, RD, 1, 0, 0, 1);
	dns_put_question(&message, "example.org", ns_t_a, ns_c_in);
	dns_put_opt(&message, 1232, 0x00010000);
	expect_rcode(ns_r_badvers);
	dns_begin(&message, 1, RD, 1, 0, 0, 2);
	dns_put_question(&message, "example.org", ns_t_a, ns_c_in);
	dns_put_opt(&message, 1232, 0);
	dns_put_opt(&message, 1232, 0);
	expect_rcode(ns_r_formerr);
	dns_begin(&message, 1, RD, 1, 0, 0, 1);
	dns_put_question(&message, "example.org", ns_t_a, ns_c_in);
	dns_put_name(&message, "a");
	dns_put16(&message, ns_t_opt);
	dns_put16(&message, 1232);
	dns_put32(&message, 0);
	dns_put16(&message, 0);
	expect_rcode(ns_r_formerr);
}

/* --- answers ----------------------------------------------------------------------------------------- */

static uint8_t answer_bytes[DNS_ANSWER_BYTES_MAX];
static size_t answer_n;
static ns_msg answered;

static bool write_answer(const struct dns_answer *answer, size_t size)
{
	bool truncated;

	answer_n = dns_answer_write(&question, answer, answer_bytes, size, &truncated);
	EXPECT_LE(answer_n, size);
	ASSERT_OK(ns_initparse(answer_bytes, (int)answer_n, &answered));
	EXPECT_EQ(ns_msg_id(answered), question.id);
	EXPECT_EQ(ns_msg_getflag(answered, ns_f_qr), 1);
	EXPECT_EQ(ns_msg_getflag(answered, ns_f_ra), 1);
	EXPECT_EQ(ns_msg_getflag(answered, ns_f_rd), question.recursion);
	EXPECT_EQ(ns_msg_getflag(answered, ns_f_tc), truncated);
	return truncated;
}

TEST("an answer repeats the question in its own case and has the addresses with their time")
{
	const struct decide_addr v4[] = { decide_from_v4(0x5db8d701), decide_from_v4(0x5db8d702) };
	const struct decide_addr v6[] = { { 0x26064700ull << 32, 0x1111 } };
	ns_rr record;

	ask("wWw.Example.org", ns_t_a);
	EXPECT_FALSE(write_answer(&(struct dns_answer){ .ttl = 60, .addrs = v4, .n_addrs = 2 }, 512));
	EXPECT_MEMEQ(answer_bytes + 12, "\3wWw\7Example\3org", 17);
	ASSERT_EQ(ns_msg_count(answered, ns_s_an), 2);
	ASSERT_OK(ns_parserr(&answered, ns_s_an, 1, &record));
	EXPECT_STREQ(record.name, "wWw.Example.org");
	EXPECT_EQ(ns_rr_ttl(record), 60);
	EXPECT_EQ(ns_rr_type(record), ns_t_a);
	EXPECT_EQ(ns_rr_rdlen(record), 4);
	EXPECT_MEMEQ(ns_rr_rdata(record), "\x5d\xb8\xd7\2", 4);
	ask("example.org", ns_t_aaaa);
	EXPECT_FALSE(write_answer(&(struct dns_answer){ .ttl = 1, .addrs = v6, .n_addrs = 1 }, 512));
	ASSERT_OK(ns_parserr(&answered, ns_s_an, 0, &record));
	EXPECT_EQ(ns_rr_rdlen(record), 16);
	EXPECT_MEMEQ(ns_rr_rdata(record), "\x26\6\x47\0\0\0\0\0\0\0\0\0\0\0\x11\x11", 16);
}

TEST("no such name, no data, and failures are told apart, also without a question to repeat")
{
	static const unsigned int codes[] = { ns_r_noerror,  ns_r_formerr, ns_r_servfail,
					      ns_r_nxdomain, ns_r_notimpl, ns_r_refused };

	for (size_t i = 0; i < 6; i++) {
		ask("example.org", ns_t_aaaa);
		write_answer(&(struct dns_answer){ .rcode = codes[i] }, 512);
		EXPECT_EQ(ns_msg_getflag(answered, ns_f_rcode), codes[i]);
		EXPECT_EQ(ns_msg_count(answered, ns_s_qd), 1);
		EXPECT_EQ(ns_msg_count(answered, ns_s_an), 0);
		question.n_raw = 0;
		write_answer(&(struct dns_answer){ .rcode = codes[i] }, 512);
		EXPECT_EQ(ns_msg_count(answered, ns_s_qd), 0);
		EXPECT_EQ(answer_n, 12);
	}
}

TEST("an answer to EDNS has EDNS, with the upper part of the code")
{
	ns_rr record;

	ask("example.org", ns_t_a);
	question.edns = true;
	write_answer(&(struct dns_answer){ .rcode = ns_r_badvers }, 512);
	ASSERT_EQ(ns_msg_count(answered, ns_s_ar), 1);
	ASSERT_OK(ns_parserr(&answered, ns_s_ar, 0, &record));
	EXPECT_EQ(ns_rr_type(record), ns_t_opt);
	EXPECT_EQ(ns_rr_class(record), 1232);
	EXPECT_EQ(ns_rr_ttl(record), 1u << 24);
	EXPECT_EQ(ns_msg_getflag(answered, ns_f_rcode), 0);
}

TEST("what does not fit is left out whole, and said to be")
{
	struct decide_addr addrs[DNS_ADDRESSES_MAX];

	for (unsigned int i = 0; i < DNS_ADDRESSES_MAX; i++)
		addrs[i] = decide_from_v4(0x5db80000 + i);
	ask("example.org", ns_t_a);
	for (size_t n = 0; n <= DNS_ADDRESSES_MAX; n++) {
		const struct dns_answer answer = { .ttl = 9, .addrs = addrs, .n_addrs = n };
		const bool fits = 12 + 17 + 16 * n <= 512;

		EXPECT_EQ(write_answer(&answer, 512), !fits);
		EXPECT_EQ(ns_msg_count(answered, ns_s_an), fits ? n : 0);
		EXPECT_FALSE(write_answer(&answer, sizeof(answer_bytes)));
	}
	ask("example.org", ns_t_aaaa);
	question.edns = true;
	EXPECT_FALSE(write_answer(&(struct dns_answer){ .addrs = addrs, .n_addrs = 256 },
				  sizeof(answer_bytes)));
}

TEST("the name that another stands for is answered where it is asked for")
{
	char target[NS_MAXDNAME];
	ns_rr record;

	ask("example.org", ns_t_cname);
	EXPECT_FALSE(write_answer(&(struct dns_answer){ .ttl = 5, .cname = "cdn.example.net" }, 512));
	ASSERT_OK(ns_parserr(&answered, ns_s_an, 0, &record));
	EXPECT_EQ(ns_rr_type(record), ns_t_cname);
	ASSERT_EQ(ns_name_uncompress(answer_bytes, answer_bytes + answer_n, ns_rr_rdata(record),
				     target, sizeof(target)),
		  ns_rr_rdlen(record));
	EXPECT_STREQ(target, "cdn.example.net");
}
