#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Who may use whom. The table is the Makefile's uses_LAYER, by which the unit tests are linked as well.

. "${0%/*}/rule.sh"

# Every #include "..." as "file:line:layer:target", the target as a path from the top, or in build/gen.
quoted_includes() {
	# shellcheck disable=SC2046
	search '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' $(files .c .h | grep -E '^(user|include|bpf)/') |
		awk -F: '{
			layer = $1; sub(/^user\//, "", layer); sub(/\/.*/, "", layer)
			target = $0; sub(/^[^"]*"/, "", target); sub(/".*/, "", target)
			dir = $1; sub(/[^\/]*$/, "", dir)
			path = dir target
			while (sub(/[^\/.]+\/\.\.\//, "", path));
			print $1 ":" $2 ":" layer ":" path ":" target
		}'
}

layer_breaches() {
	quoted_includes | awk -F: -v table="$root/Makefile" '
	BEGIN {
		while ((getline line <table) > 0) {
			n = split(line, word, /[ \t]+/)
			if (line ~ /^uses_[a-z]+ *:=/)
				for (i = 3; i <= n; i++) may[substr(word[1], 6), word[i]] = 1
		}
		maker["schemas.h"] = "wire"
		maker["reeve.skel.h"] = maker["seccomp_default.h"] = "kernel"
	}
	{
		to = $4; sub(/^user\//, "", to); sub(/\/.*/, "", to)
		if ($5 in maker) ok = maker[$5] == $3
		else if ($3 == "bpf") ok = to == "bpf" || $5 !~ /\// && $5 !~ /^\./
		else if (to == "include") ok = 1
		else if ($4 ~ /^user\//) ok = may[$3, to]
		else ok = 0
		if (!ok) print $1 ":" $2 ": " $3 " may not include " $5
	}'
}
rule "each layer includes only what its row of the table allows" layer_breaches
breach "base uses the model" user/base/a.c <<<'#include "../model/spec.h"'
breach "the model uses the ledger" user/model/a.h <<<'#include "../record/ledger.h"'
breach "the wire uses the kernel" user/wire/a.c <<<'#include "../kernel/guard.h"'
breach "the kernel layer uses the wire" user/kernel/a.c <<<'# include "../wire/json.h"'
breach "a user of schemas that is not the wire" user/engine/a.c <<<'#include "schemas.h"'
breach "the contract uses user space" include/a.h <<<'#include "../user/base/macro.h"'
breach "BPF uses user space" bpf/a.bpf.c <<<'#include "../user/base/macro.h"'

contract_breaches() {
	# shellcheck disable=SC2046
	search '^[[:space:]]*#[[:space:]]*include[[:space:]]*<' $(files .h | grep '^include/') |
		grep -v '<linux/types.h>'
}
rule "the contract between kernel and user space needs only <linux/types.h>" contract_breaches
breach "a libc header in the contract" include/a.h <<<'#include <stdint.h>'

json_breaches() {
	# shellcheck disable=SC2046
	code $(files .c .h | grep '^user/' | grep -v '^user/wire/') | grep -E 'cJSON|cjson'
}
rule "only the wire knows JSON" json_breaches
breach "a use of cJSON in the engine" user/engine/a.c <<<'void f(struct cJSON *json);'
breach "its header in the model" user/model/a.c <<<'#include <cjson/cJSON.h>'

exit_breaches() {
	# shellcheck disable=SC2046
	code $(files .c .h | grep '^user/' | grep -v '/main\.c$') | grep -E '[^_[:alnum:]](exit|abort) *\('
}
rule "only main.c ends the process" exit_breaches
breach "exit() in the engine" user/engine/a.c <<<'	exit(1);'

print_breaches() {
	# shellcheck disable=SC2046
	code $(files .c .h | grep -E '^user/(base|model|record|wire|kernel)/' | grep -v '_gen\.c$') |
		grep -E '[^_[:alnum:]](printf|vprintf|puts|putchar|perror|syslog) *\(|[^_[:alnum:]]v?fprintf *\( *std(err|out)'
}
rule "nothing below the engine prints" print_breaches
breach "a message in the kernel layer" user/kernel/a.c <<<'	fprintf(stderr, "no\n");'
breach "a printf in the model" user/model/a.c <<<'	printf("yes\n");'

goto_breaches() {
	# shellcheck disable=SC2046
	code $(files .c .h | grep '^user/') | grep -E '[^_[:alnum:]](goto|typedef (struct|union|enum))[[:space:]]'
}
rule "user space has no goto, and no typedef of a struct" goto_breaches
breach "a goto" user/base/a.c <<<'	goto out;'
breach "a typedef" user/base/a.h <<<'typedef struct a a_t;'

run_tests "$@"
