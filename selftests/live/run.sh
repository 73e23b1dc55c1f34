#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# "reeve run" as its caller sees it: exit codes, what the command finds, documents, the plan, cancelling.
# What becomes of its output is in run_output.sh, what of bad input in run_bad.sh.

. "${0%/*}/run_place.sh"

quiet() { reeve run "$@" >"$TEST_TMP/stdout" 2>"$TEST_TMP/stderr"; }
shell() { reeve run -- /bin/sh -c "$@" 2>"$TEST_TMP/stderr"; }

own_codes() {
	local code
	for code in 0 1 2 42 121 255; do expect_exit $code quiet -- /bin/sh -c "exit $code"; done
	expect_has "$(cat "$TEST_TMP/stderr")" "reeve: exit 255"
}
t "the exit code is the command's own" own_codes

shell_codes() {
	local signal
	for signal in 1 2 6 9 11 13 15; do
		expect_exit $((128 + signal)) quiet -- /bin/sh -c "kill -$signal \$\$"
	done
	expect_has "$(cat "$TEST_TMP/stderr")" "reeve: killed by signal 15 (Terminated)"
	expect_exit 126 quiet -- /usr
	expect_exit 126 quiet -- /usr/share
	expect_has "$(cat "$TEST_TMP/stderr")" "/usr/share: Permission denied"
	expect_exit 127 quiet -- /nowhere/to/be/found
	expect_exit 127 quiet -- not-a-command
	expect_has "$(cat "$TEST_TMP/stderr")" "not-a-command: No such file or directory"
}
t "signals and commands that cannot be run have the codes of a shell" shell_codes

own_meanings() {
	expect_exit 122 quiet --image python -- /bin/true
	expect_exit 123 quiet --cpu-seconds 0.05 --file "$PROG/burn" -- /in/burn spin 0
	expect_exit 124 quiet --time-box 0.2 -- /bin/sleep 15
	expect_exit 125 quiet --cpu-seconds none -- /bin/true
	expect_exit 125 quiet --memory-bytes 1 --pids 1 --cpu-millis 10 --no-such-option -- /bin/true
}
t "policy, cap, time box and reeve's own faults have codes of their own" own_meanings

# In front of the first argument that is no option these are reeve's; behind it they are the command's.
asked() {
	local command
	expect_eq "$("$REEVE" --version)" "reeve $(sed -n 's/^VERSION := //p' Makefile)"
	for command in run doctor policy check gc help; do
		expect_has "$("$REEVE" $command --help)" "reeve $command [OPTION...]"
		expect_eq "$("$REEVE" $command --version)" "$("$REEVE" --version)"
	done
	expect_has "$("$REEVE" run --json --cpu-seconds 1 --help -- /bin/false)" "Exit codes"
	expect_eq "$("$REEVE" gc --all --version)" "$("$REEVE" --version)"
	expect_has "$(reeve run -- /bin/ls --help 2>/dev/null)" "Usage: /bin/ls"
	expect_has "$(reeve run /bin/ls --version 2>/dev/null)" coreutils
	expect_exit 125 quiet --request --help
	expect_has "$(cat "$TEST_TMP/stderr")" "--request: --help: No such file"
	expect_exit 125 quiet --no-such-option --help
	expect_has "$(cat "$TEST_TMP/stderr")" "--no-such-option: reeve run has no such option"
}
t "--help and --version are answered wherever reeve's own options stand" asked

# A link is shown by the name of what it leads to, as with an absolute path.
from_here() {
	mkdir -p "$TEST_TMP/a/src" "$TEST_TMP/b"
	echo text >"$TEST_TMP/a/src/file"
	expect_eq "$(cd "$TEST_TMP/a" && reeve run --directory src -- /bin/cat /in/src/file 2>/dev/null)" text
	expect_eq "$(cd "$TEST_TMP/a/src" && reeve run --directory . -- /bin/cat /in/src/file 2>/dev/null)" text
	expect_eq "$(cd "$TEST_TMP/b" && reeve run --file ../a/src/file -- /bin/cat /in/file 2>/dev/null)" text
}
t "relative paths of files and directories are seen from the working directory" from_here

documented() {
	local code
	for code in 122 123 124 125 126 127 128; do
		expect_has "$("$REEVE" run --help)" "  $code   "
	done
	expect_exit 0 "$REEVE" --help
	expect_exit 125 "$REEVE" no-such-command
	expect_exit 125 "$REEVE"
}
t "the help tells every code" documented

environment() {
	local said
	said=$(SECRET=told LD_PRELOAD=x reeve run -- /usr/bin/env 2>/dev/null)
	expect_lacks "$said" SECRET
	expect_lacks "$said" LD_PRELOAD
	expect_has "$said" PATH=
	expect_eq "$(cut -d= -f1 <<<"$said" | sort | uniq -d)" "" "no variable twice"
}
t "the environment is made from nothing" environment

standard_input() {
	expect_eq "$(echo secret | reeve run -- /bin/cat 2>/dev/null)" ""
	expect_eq "$(echo secret | reeve run -- /bin/sh -c 'read x; echo $?' 2>/dev/null)" 1
	expect_eq "$(echo secret | (reeve run -- /bin/true 2>/dev/null; cat))" secret "left to its owner"
}
t "standard input is at end of file, and the caller's is left alone" standard_input

arguments() {
	local many long code
	mapfile -t many < <(seq 1000)
	expect_eq "$(shell 'echo $#' sh "${many[@]}")" 1000
	long=$(head -c 131000 /dev/zero | tr '\0' x)
	expect_eq "$(shell 'echo ${#1}' sh "$long")" 131000
	expect_eq "$(shell 'printf "%s|" "$@"' sh '' 'a b' '*' $'\n' '"')" "|a b|*|"$'\n'"|\"|"
	expect_eq "$(shell 'echo $*' sh --json -- --help)" "--json -- --help"
	mapfile -t many < <(seq 1025)
	expect_exit 125 quiet -- /bin/true "${many[@]}"
	expect_has "$(cat "$TEST_TMP/stderr")" "most is 1024"
	code=0
	quiet -- /bin/true "$long" "$long" "$long" "$long" "$long" "$long" "$long" "$long" "$long" || code=$?
	expect_eq $code 125
	expect_has "$(cat "$TEST_TMP/stderr")" "1179019 bytes; the most is 1048576"
}
t "arguments come whole, many and long ones too, and too many are refused" arguments

document() {
	local request=$TEST_TMP/request.json
	cat >"$request" <<<'{"command": "echo \"$0 said $((1 + 1))\"; exit 7", "egress": "none"}'
	expect_eq "$(reeve run --image host --request "$request" 2>/dev/null)" "/bin/sh said 2"
	expect_exit 7 quiet --image host --request "$request"
	expect_eq "$(reeve run --image host --request - 2>/dev/null <"$request")" "/bin/sh said 2"
	expect_exit 123 quiet --image host --money-cents 0 --rate request=1 --request "$request"
	echo '{"command": "true", "egress": "none"}' >"$request"
	expect_exit 122 quiet --request "$request"
	expect_has "$(cat "$TEST_TMP/stderr")" "anaconda"
	echo '{"command": "true"}' >"$request"
	expect_exit 125 quiet --image host --request "$request"
	expect_has "$(cat "$TEST_TMP/stderr")" "net.ipv4.ip_forward"
	expect_exit 0 quiet --image host --egress none --request "$request"
	echo '{"command": "true", "egress": "none"}' >"$request"
	expect_exit 125 quiet --image host --egress public --request "$request"
}
t "a document is run from a file and from standard input, and only narrowed" document

document_inputs() {
	local request=$TEST_TMP/request.json dir=$TEST_TMP/allowed
	mkdir "$dir" && echo content >"$dir/file"
	cat >"$request" <<-END
		{"command": "cat /in/file", "egress": "none", "files": ["$dir/file"]}
	END
	expect_exit 125 quiet --image host --request "$request"
	expect_has "$(cat "$TEST_TMP/stderr")" "/files/0: \"$dir/file\" does not lie in the allowed"
	for variable in REEVE_ALLOWED_PATHS DEMESNE_ALLOWED_PATHS; do
		export $variable="/nowhere:$dir"
		expect_eq "$(reeve run --image host --request "$request" 2>/dev/null)" content
		unset $variable
	done
}
t "a document's files must lie where the operator allows" document_inputs

# What one request left may be given to the next by who knows its directory; nobody may ask for all.
outputs_of_others() {
	local request=$TEST_TMP/request.json
	reeve run -- /bin/sh -c 'echo secret >word' 2>/dev/null
	echo '{"command": "cat /in/*/word /in/word", "egress": "none", "directories": ["'"$TEST_TMP/out"'"]}' >"$request"
	expect_exit 125 quiet --image host --request "$request"
	expect_has "$(cat "$TEST_TMP/stderr")" "/directories/0"
	echo '{"command": "cat /in/word", "egress": "none", "files": ["'"$(echo "$TEST_TMP"/out/*/word)"'"]}' >"$request"
	expect_eq "$(reeve run --image host --request "$request" 2>/dev/null)" secret
}
t "a document cannot ask for everybody's output" outputs_of_others

# A profile that keeps init from starting the command.
not_started() {
	echo '{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": ["vfork"], "action": "SCMP_ACT_ERRNO"}]}' \
		>"$TEST_TMP/profile.json"
	expect_exit 125 quiet --seccomp "$TEST_TMP/profile.json" -- /bin/true
	expect_has "$(cat "$TEST_TMP/stderr")" "could not start the command"
	expect_eq "$(json outcome "$(reeve run --json --seccomp "$TEST_TMP/profile.json" -- /bin/true 2>/dev/null | head -n 1)")" failed
}
t "a command that init cannot start is a failure, not a success" not_started

# Whose profile permits more answers for it.
own_profile() {
	echo '{"defaultAction": "SCMP_ACT_ALLOW"}' >"$TEST_TMP/profile.json"
	expect_has "$(reeve run --json --seccomp "$TEST_TMP/profile.json" -- /bin/true)" '"sockets":false'
	expect_has "$(reeve run --json -- /bin/true)" '"sockets":true'
}
t "a result does not claim what a given profile may have permitted" own_profile

plan() {
	local said before after
	before=$(find "$cgroups" /sys/fs/bpf "$TEST_TMP" | sort)
	said=$(reeve run --dry-run --cpu-seconds 2 --file "$PROG/burn" -- /bin/sh -c 'echo x')
	after=$(find "$cgroups" /sys/fs/bpf "$TEST_TMP" | sort)
	expect_eq "$(comm -13 <(echo "$before") <(echo "$after") | grep -F -e "$parent" -e place -e "$TEST_TMP")" ""
	expect_has "$said" '"cpu_cap_ns":	2000000000'
	expect_has "$said" "$PROG/burn"
	expect_has "$said" '"command":	["/bin/sh", "-c", "echo x"]'
	expect_has "$said" '"egress":	"none"'
	expect_exit 125 quiet --dry-run --file /nowhere -- /bin/true
	expect_exit 125 quiet --dry-run --cpu-seconds 0 -- /bin/true
}
t "a dry run prints the plan, refuses what a run refuses, and makes nothing" plan

begin() {
	rm -rf "$TEST_TMP/out"
	reeve_exec run --json "$@" >"$TEST_TMP/json" 2>"$TEST_TMP/stderr" &
	reeve_pid=$!
	wait_for 5 has_begun || fail "the command did not begin: $(cat "$TEST_TMP/stderr")"
}

# A signal asks gently first: a command that listens ends by itself, and its last words are kept.
cancel() {
	local signal code
	for signal in INT TERM HUP; do
		begin -- /bin/sh -c 'trap "echo told; exit 5" TERM; echo begun; while :; do sleep 0.05; done'
		kill -$signal $reeve_pid
		code=0
		wait $reeve_pid || code=$?
		expect_eq "$code $(json outcome "$(cat "$TEST_TMP/json")")" "130 cancelled" $signal
		expect_has "$(cat "$TEST_TMP"/out/*/stdout.log)" told
		expect_eq "$(sessions)" ""
	done
	reeve_exec run -- /bin/sh -c 'echo begun; exec sleep 15' >/dev/null 2>"$TEST_TMP/stderr" &
	reeve_pid=$!
	wait_for 5 eval 'reeve policy show 2>/dev/null | grep -q "  open  "'
	kill -TERM $reeve_pid
	wait $reeve_pid || :
	expect_has "$(cat "$TEST_TMP/stderr")" "reeve: cancelled by signal 15 (Terminated)"
	expect_has "$(cat "$TEST_TMP/stderr")" "reeve:   session sbs_"
}
t "Ctrl-C, TERM and HUP cancel, gently" cancel 60

# What is counted for a session is counted for the host's root as well, and so is bounded.
quotas() {
	expect_eq "$(reeve run -- /bin/cat /proc/sys/user/max_inotify_instances 2>/dev/null)" 32
	expect_eq "$(reeve run -- /bin/cat /proc/sys/user/max_user_namespaces 2>/dev/null)" 0
}
t "a session cannot use up the quotas that it shares with the host" quotas

hup_ignored() {
	local code=0
	trap '' HUP
	begin -- /bin/sh -c 'echo begun; sleep 1; exit 7'
	trap - HUP
	kill -HUP $reeve_pid
	wait $reeve_pid || code=$?
	expect_eq $code 7
}
t "a signal that the caller ignores does not" hup_ignored

# A second one does not wait for who does not listen.
cancel_twice() {
	local code=0 began
	begin --file "$PROG/burn" -- /bin/sh -c 'echo begun; exec /in/burn deaf 0'
	kill -INT $reeve_pid
	sleep 0.3
	kill -0 $reeve_pid || fail "the first signal did not leave the command its time"
	began=$(date +%s%N)
	kill -INT $reeve_pid
	wait $reeve_pid || code=$?
	expect_eq "$code" 130
	expect_le $((($(date +%s%N) - began) / 1000000)) 1500 "ms"
	begin --file "$PROG/burn" -- /bin/sh -c 'echo begun; exec /in/burn deaf 0'
	began=$(date +%s%N)
	kill -INT $reeve_pid
	code=0
	wait $reeve_pid || code=$?
	expect_eq "$code" 130
	expect_le 1900 $((($(date +%s%N) - began) / 1000000))
}
t "a second Ctrl-C kills at once, one alone after two seconds" cancel_twice 40

# Each denies itself all along while others begin and end: five in full of each, and none of a stranger's.
own_events() {
	local i
	for i in 1 2 3; do
		reeve run --json -- bash -c 'for _ in {1..60}; do
			exec 3<>/dev/tcp/10.0.0.'$i'/80; sleep 0.005; done 2>/dev/null; :' \
			>"$TEST_TMP/events.$i" 2>/dev/null &
	done
	wait
	for i in 1 2 3; do
		expect_eq "5 $(printf '"address":"10.0.0.%d"' $i)" \
			"$(grep -o '"address":"[^"]*"' "$TEST_TMP/events.$i" | sort | uniq -c | sed 's/^ *//')"
	done
}
t "runs at the same time tell their own denials, whoever of them ends first" own_events 60

run_tests "$@"
