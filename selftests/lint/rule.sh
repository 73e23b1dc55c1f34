# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the lint programs are made of:
#
#	rule "a sentence" function	the function prints each breach in the tree below the working directory
#	breach "what" PATH <<'END'	a file for an otherwise empty tree, in which the rule before must
#	...				find something: a rule that sees nothing would pass for ever
#	END

. "${0%/*}/../test.sh"
cd "${0%/*}/../.." || exit 1
root=$PWD
rules=() breaches=() breach_paths=()

# The project's files with one of these suffixes, or all. Inputs of fuzzers and samples of packets are data.
files() {
	local suffix names=()
	for suffix in "$@"; do names+=(-o -name "*$suffix"); done
	[ $# != 0 ] || names=(-o -true)
	find . \( -path ./.git -o -path './build*' -o -path './selftests/fuzz/corpus' -o \
		-path './selftests/vectors/hello' \) -prune -o \
		-type f \( "${names[@]:1}" \) -printf '%P\n' | sort
}

# grep over these files, with names and line numbers; no match is no fault.
search() {
	local pattern=$1
	shift
	[ $# = 0 ] || grep -HnE -- "$pattern" "$@" || true
}

# The C files named, as "file:line:code" with the insides of comments and strings taken out.
code() {
	[ $# = 0 ] || awk -f "$root/selftests/lint/code.awk" "$@"
}

rule_holds() {
	local found
	found=$("$1")
	echo "$found"
	[ -z "$found" ] || exit 1
}

rule_sees() {
	local path=$TEST_TMP/${breach_paths[$2]}
	cd "$TEST_TMP" || exit 1
	expect_eq "$("$1")" "" "in an empty tree"
	mkdir -p "${path%/*}"
	printf '%s\n' "${breaches[$2]}" >"$path"
	expect_ne "$("$1")" "" "with the breach"
}

rule() {
	rules+=("$2")
	eval "holds_${#rules[@]}() { rule_holds $2; }"
	t "$1" "holds_${#rules[@]}" 120
}

breach() {
	local n=${#breaches[@]}
	breaches+=("$(cat)") breach_paths+=("$2")
	eval "sees_$n() { rule_sees ${rules[-1]} $n; }"
	t "a breach is seen: $1" "sees_$n" 60
}
