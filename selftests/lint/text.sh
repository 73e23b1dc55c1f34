#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What every file says, and what none does. Words that must not occur are written here with a bracket, so
# that this file does not find itself.

. "${0%/*}/rule.sh"

top_breaches() {
	find . -mindepth 1 -maxdepth 1 -printf '%P\n' | grep -vxE \
		'Makefile|LICENSE|README\.md|bpf|user|include|schemas|selftests|vmlinux|\.ci|\.git|\.gitignore|\.clang-format|build(-san|-fuzz)?'
}
rule "the top level is fixed" top_breaches
breach "a new directory" tools/a <<<''
breach "a new file" NOTES <<<''

name_breaches() { files | grep -iE '(^|[/_.-])(utils?|helpers?|common|managers?|misc)([/_.-]|$)'; }
rule "no file is named after nothing in particular" name_breaches
breach "a bag of functions" user/base/common.c <<<''

licence_breaches() {
	local file
	for file in $(files | grep -vE '^LICENSE$|\.(json|csv|md)$'); do
		head -n 2 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-only' || echo "$file: no SPDX line"
	done
}
rule "every file states its licence" licence_breaches
breach "no licence" user/base/a.c <<<'int a;'

opening_breaches() {
	local file
	for file in $(files .c); do
		[[ $(sed -n 2p "$file") = '/*'* ]] || echo "$file:2: no comment that opens the file"
	done
}
rule "every source file opens with what it is about" opening_breaches
breach "code at once" user/base/a.c <<<$'// SPDX-License-Identifier: GPL-2.0-only\n#include "a.h"'

# shellcheck disable=SC2046
mark_breaches() {
	search '\b(TOD[O]|FIXM[E]|XX[X]|HAC[K])\b' $(files)
	search '\b([Ss]tu[b]|[Nn]ot (yet )?implemente[d]|[Ff]or no[w])\b' $(files .c .h) | grep -v resolve
}
rule "nothing is left for later" mark_breaches
breach "a mark" user/base/a.c <<<'/* TOD''O: free it */'
breach "a function that does nothing" user/base/a.c <<<'/* a stu''b */'

# shellcheck disable=SC2046
place_breaches() {
	search '/wor[k]/|/far[m]\b|/tmp/brie[f]' $(files | grep -v '^LICENSE$')
	search '\b([Ii]ssu[e] #?[0-9]+|[Cc]laud[e]|[Aa]nthropi[c]|[Cc]hatgp[t]|A[I])\b' $(files | grep -v '^LICENSE$')
}
rule "the project speaks only of itself" place_breaches
breach "a path of one machine" README.md <<<'See /wor''k/main.'
breach "a tracker" README.md <<<'Closes issu''e 12.'

# Hosts that a document or a test may name: standards, the kernel, and names and numbers that lead nowhere. The
# registries that package-managers offers are named in one place.
host_breaches() {
	# shellcheck disable=SC2046
	search 'https?://' $(files | grep -v '^LICENSE$') | sed -E \
		's#https?://(([a-z0-9-]+\.)*(kernel\.org|json-schema\.org|rfc-editor\.org|iana\.org|gnu\.org|spdx\.org|example|test|invalid|example\.(com|net|org))|localhost|[0-9.]+|\[[0-9a-f:.%$]*\]?|unix|%s)([/:?" )`]|\\|$)#<\1>\5#g' |
		grep -E 'https?://'
	# shellcheck disable=SC2046
	search '\b(deb\.debian\.or[g]|registry\.npmj[s]|pypi\.or[g]|proxy\.golan[g]|crates\.i[o]|docker\.i[o])\b' $(files | grep -vE '^LICENSE$|names_default\.h$')
}
rule "no host of someone's is named" host_breaches
breach "a link to somewhere" README.md <<<'Get it at http''s://downloads.elsewhere.io/x'
breach "a package mirror" .ci/run <<<'curl deb.debian.or''g'

shell_breaches() {
	local file
	for file in $(files | grep -v '^LICENSE$'); do
		[[ $(head -n 1 "$file") = '#!'*sh ]] || continue
		bash -n "$file" 2>&1
		[ -x "$file" ] || [ ! -e .ci/run ] || echo "$file: not executable"
	done
}
rule "scripts parse and can be run" shell_breaches
breach "a script that does not parse" selftests/a.sh <<<$'#!/bin/bash\nif'

run_tests "$@"
