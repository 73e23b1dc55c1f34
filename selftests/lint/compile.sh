#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What the compiler and clang-format have to say: headers that stand alone, and the format.

. "${0%/*}/rule.sh"

alone_breaches() { make -f "$root/Makefile" PACKAGES="$root/.ci/packages" -s -k headers 2>&1; }
rule "every header compiles alone" alone_breaches
breach "a header that leans on another" user/base/a.h <<<'static inline size_t a(void) { return 0; }'
breach "a BPF header that does" bpf/a.bpf.h <<<'static inline __u32 a(void) { return 0; }'

# Versions differ in what they do with the same file; 14 is the one that .clang-format is for.
format_program() {
	local program
	for program in clang-format-14 clang-format; do
		"$program" --version 2>/dev/null | grep -q 'version 14\.' && echo "$program" && return
	done
}

format_breaches() {
	local program
	program=$(format_program)
	# shellcheck disable=SC2046
	"$program" --style="file:$root/.clang-format" --dry-run $(files .c .h) 2>&1 |
		sed -n 's/:[0-9]*:[0-9]*: .*code should be.*/: not as make format leaves it/p' | uniq
}
if [ -n "$(format_program)" ]; then
	rule "the format is clang-format's" format_breaches
	breach "another format" user/base/a.c <<<'int  a ;'
else
	unformatted() { skip "clang-format 14 is not installed"; }
	t "the format is clang-format's" unformatted
fi

run_tests "$@"
