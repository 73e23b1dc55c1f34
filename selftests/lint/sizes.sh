#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# How long a file, a header and a function may be, and how deep its blocks.

. "${0%/*}/rule.sh"

too_long() {
	local limit=$1 file lines
	shift
	for file in "$@"; do
		lines=$(wc -l <"$file")
		[ "$lines" -le "$limit" ] || echo "$file: $lines lines, at most $limit"
	done
}

# shellcheck disable=SC2046
source_breaches() {
	too_long 150 $(files .bpf.c)
	too_long 120 $(files .h)
	too_long 600 $(files .c)
}
lines() { local i; for ((i = 0; i < $1; i++)); do echo "int line_$i;"; done; }
rule "files keep their size: .c 600 lines, .bpf.c 150, headers 120" source_breaches
breach "a long source file" user/base/a.c < <(lines 601)
breach "a long BPF file" bpf/a.bpf.c < <(lines 151)
breach "a long header" include/a.h < <(lines 121)

# A function's body lies between a brace alone at the margin and the next closing brace there.
function_breaches() {
	# shellcheck disable=SC2046
	code $(files .c .h) | awk '{
		at = $0; sub(/^[^:]*:[^:]*:/, "")
		if ($0 == "{") { start = NR; where = substr(at, 1, length(at) - 2) }
		else if (/^}/ && start) {
			if (NR - start - 1 > 60) print where ": a function of " NR - start - 1 " lines, at most 60"
			start = 0
		}
	}'
}
long_function() { echo 'int f(void)'; echo '{'; lines 61 | sed 's/^/	/'; echo '}'; }
rule "functions have at most 60 lines" function_breaches
breach "a long function" user/base/a.c < <(long_function)

# The indentation is clang-format's, so it tells how deep a statement is.
depth_breaches() {
	# shellcheck disable=SC2046
	code $(files .c .h) | grep -P '^[^:]*:\d+:\t{4,}(\} *)?(if|else|for|while|do|switch)\b'
}
rule "blocks are nested at most three deep" depth_breaches
breach "a fourth level" user/base/a.c <<<'				if (a)'

run_tests "$@"
