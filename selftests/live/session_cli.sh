#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The commands that talk to the daemon, as people and scripts use them, around a daemon with the acted hall: what a
# command of a request does stands at the top of selftests/fake/hall.c.

. "${0%/*}/../test.sh"

fake=${REEVE%/reeve}/selftests/fake/daemon
owner=usr_01JAB2C3D4E5F6G7H8J9K0MNPQ

# TMPDIR may be longer than a socket's path can be.
up() {
	[ -n "${place-}" ] || place=$(mktemp -d /tmp/reeve-cli-XXXXXX)
	echo "$place" >"$TEST_TMP/../place"
	"$fake" "$place" 2>"$TEST_TMP/log" &
	pid=$!
	for _ in $(seq 500); do
		! reeve session list >/dev/null 2>&1 || return 0
		sleep 0.02
	done
	fail "the daemon does not start: $(cat "$TEST_TMP/log")"
}

down() {
	kill "$pid"
	wait "$pid"
	expect_eq $? 0 "the daemon's end"
}

teardown() {
	[ ! -e "$TEST_TMP/../place" ] || rm -rf "$(cat "$TEST_TMP/../place")"
}

# The socket stands where options of the command go: behind its one or two words.
reeve() {
	local words=("$1")
	shift
	case ${words[0]} in session | request) words+=("$1") && shift ;; esac
	"$REEVE" "${words[@]}" --socket "$place/reeve.sock" "$@"
}
create() {
	reeve session create --owner $owner --task t1 --title 'Chat plays' --money-cents 500 --minutes 30 \
		--step-budget 40 "$@"
}
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

# Whether each line of stdin is a document of the contract $1.
expect_valid() {
	local line n=0
	while read -r line; do
		expect_eq "$(curl -sS --unix-socket "$place/reeve.sock" "http://localhost/v1/validate/$1" \
			-H 'Content-Type: application/json' -d "$line")" '{"valid":true,"errors":[]}' "$line"
		n=$((n + 1))
	done
	expect_lt 0 $n "documents of $1"
}

wait_for() {
	for _ in $(seq 500); do
		! "$@" || return 0
		sleep 0.02
	done
	return 1
}

whole_life() {
	local id request
	up
	id=$(create)
	request=$(reeve request submit "$id" -- say 'hello -- world')
	expect_has "$(reeve request list "$id")" "$request  queued"
	expect_eq "$(reeve session go "$id")" "$id armed"
	expect_eq "$(reeve request output "$request" --follow)" 'hello -- world'
	expect_has "$(reeve request show "$request")" "end        exited 0"
	expect_has "$(reeve session list)" "$id  armed            0/500         0.0/30      0  Chat plays"
	expect_has "$(reeve session desk "$id")" "money      0.000000 cents, 500.000000 left"
	expect_has "$(reeve session change "$id" --money-cents 600 --minutes 60)" "0 of 600 cents"
	reeve request submit "$id" -- hold >/dev/null
	expect_eq "$(reeve session pause "$id")" "$id paused"
	expect_eq "$(reeve session resume "$id")" "$id running"
	expect_eq "$(reeve session wipe "$id")" "$id wiped"
	expect_has "$(reeve session charge "$id" --id c1 --money-ucents 1500000 --note 'a model')" "charged 1.500000"
	expect_has "$(reeve session authorize "$id" --id c2 --money-ucents 2000000)" "reserved 2.000000"
	expect_eq "$(reeve session end "$id")" "$id ended"
	expect_has "$(reeve session show "$id")" "state      ended"
	down
}
t "a session's whole life goes through the commands" whole_life

documents() {
	local id open
	up
	id=$(create --json | tee >(expect_valid codes.sandbox-session@1) | field session_id)
	create --clock wall --egress none --time-box 5 --rate cpu_second=3,step=1 --json | expect_valid codes.sandbox-session@1
	reeve request submit "$(create)" --json -- say hello | expect_valid request@1
	reeve request submit "$(create)" --json --command 'echo hello' | expect_valid request@1
	open=$(reeve request submit "$id" --json --steps | tee "$TEST_TMP/open" | field request_id)
	expect_valid request@1 <"$TEST_TMP/open"
	reeve session go "$id" --json | expect_valid codes.sandbox-session@1
	wait_for open_runs || fail "the open request does not run"
	for command in list "show $id" "go $id" "pause $id" "resume $id" "keep $id" "change $id --step-budget 3"; do
		# shellcheck disable=SC2086
		reeve session $command --json | expect_valid codes.sandbox-session@1
	done
	reeve session desk "$id" --json | expect_valid desk@1
	reeve request step "$open" --json -- true | expect_valid request@1
	reeve request finish "$open" --json | expect_valid request@1
	reeve request list --json | expect_valid request@1
	reeve request show "$open" --json | expect_valid request@1
	open=$(reeve request submit "$id" --steps)
	reeve request cancel "$open" --json | expect_valid request@1
	reeve session charge "$id" --id c1 --money-ucents 1 --steps 2 --json | expect_valid desk@1
	reeve session authorize "$id" --id c2 --money-ucents 1 --json | expect_valid desk@1
	reeve top --json | expect_valid desk@1
	reeve session wipe "$id" --json | expect_valid codes.sandbox-session@1
	reeve session end "$id" --json | expect_valid codes.sandbox-session@1
	reeve events --json | expect_valid event@1
	down
}
open_runs() { [ "$(reeve request show "$open" --json | field state)" = running ]; }
t "with --json every command prints documents that keep to their schemas" documents 60

prefixes() {
	local one two request said
	up
	one=$(create) two=$(create)
	request=$(reeve request submit "$two" -- say hello)
	expect_has "$(reeve session show "${two:0:29}")" "session    $two"
	expect_has "$(reeve request show req_)" "request    $request"
	said=$(reeve session go sbs_ 2>&1)
	expect_eq $? 125
	expect_eq "$said" "reeve: sbs_: several ids begin so: $one, $two; next: give more of it"
	said=$(reeve session show sbs_7Z 2>&1)
	expect_eq $? 125
	expect_has "$said" 'no session has an id that begins so; next: see "reeve session list"'
	expect_has "$(reeve request show nothing 2>&1)" 'no request has an id that begins so'
	expect_has "$(reeve session show sbs_01JAB2C3D4E5F6G7H8J9K0MNPQ 2>&1)" "there is no session sbs_01JAB"
	expect_has "$(reeve session show '../../metrics?x=1234567890123456789' 2>&1)" "no session"
	down
}
t "the beginning of one id alone stands for it, and that of several names them" prefixes

complaints() {
	local said id
	up
	said=$(create --minutes 0 2>&1)
	expect_eq $? 125
	expect_eq "$said" 'reeve: --minutes: "0": must be >= 1; next: see "reeve session create --help"'
	expect_has "$(create --money-cents 5x 2>&1)" '--money-cents: "5x": must be integer'
	expect_has "$(create --owner me 2>&1)" '--owner: "me": must match pattern'
	expect_has "$(reeve session create --owner $owner 2>&1)" "--task: must have required property"
	expect_has "$(create --rate cpu=3 2>&1)" "cpu_ucents"
	expect_has "$(create --title $'\xff' 2>&1)" "--title is no UTF-8"
	expect_has "$(create more 2>&1)" "more: reeve session create takes no such argument"
	expect_has "$(create --nothing 2>&1)" "--nothing: reeve session create has no such option"
	expect_has "$(reeve session show 2>&1)" "an id is missing"
	expect_has "$(reeve session none 2>&1)" 'none: there is no such command; next: see "reeve session --help"'
	said=$(create --minutes 0 --json 2>/dev/null)
	expect_valid fault@1 <<<"$said"
	id=$(create)
	expect_has "$(reeve session pause "$id" 2>&1)" "the session is not armed"
	expect_has "$(reeve request submit "$id" --command a -- b 2>&1)" "'command' and 'argv'"
	reeve session end "$id" >/dev/null
	expect_has "$(reeve session go "$id" 2>&1)" "the session has ended"
	down
	said=$(reeve session list 2>&1)
	expect_eq $? 125
	expect_has "$said" "the daemon cannot be reached"
	expect_has "$said" "next: start it: reeve daemon"
}
t "what is wrong is one line, with the option, its value and the next step" complaints

caps() {
	local id said
	up
	id=$(create --money-cents 1)
	reeve session charge "$id" --id c1 --money-ucents 1000000 >/dev/null
	said=$(reeve request submit "$id" -- say hello 2>&1)
	expect_eq $? 123
	expect_has "$said" "next: raise the money cap"
	expect_exit 123 reeve session go "$id" 2>/dev/null
	reeve session change "$id" --money-cents 2 --minutes 30 >/dev/null
	expect_exit 0 reeve session go "$id"
	down
}
t "a refusal for a spent cap has the exit code of a cap" caps

keys() {
	local one two
	up
	one=$(create --key k1) two=$(create --key k1)
	expect_eq "$two" "$one"
	expect_eq "$(reeve session list --json | wc -l)" 1
	expect_has "$(create --key k1 --minutes 31 2>&1)" "the key was used for another request"
	expect_ne "$(reeve request submit "$one" -- say a)" "$(reeve request submit "$one" -- say a)"
	expect_eq "$(reeve request submit "$one" --key k2 -- say a)" "$(reeve request submit "$one" --key k2 -- say a)"
	expect_eq "$(reeve request list --json | wc -l)" 3
	down
}
t "what is sent again with its key is done once" keys

# A daemon that takes the request and is gone before its reply.
lost() {
	local said
	place=$(mktemp -d /tmp/reeve-cli-XXXXXX)
	echo "$place" >"$TEST_TMP/../place"
	python3 - "$place/reeve.sock" <<'END' >"$TEST_TMP/keys" &
import re, socket, sys
listening = socket.socket(socket.AF_UNIX); listening.bind(sys.argv[1]); listening.listen(8)
for _ in range(2):
    peer = listening.accept()[0]
    print(re.search(rb'Idempotency-Key: (\S+)', peer.recv(9999)).group(1).decode(), flush=True)
    peer.close()
END
	wait_for test -S "$place/reeve.sock" || fail "there is no socket"
	said=$(create 2>&1)
	expect_eq $? 125
	wait $!
	expect_eq "$(sort -u "$TEST_TMP/keys" | wc -l)" 1
	expect_has "$said" "(--key $(head -n 1 "$TEST_TMP/keys"))"
	expect_has "$said" "next: it may have been done or not; with the same arguments and --key it is done once"
}
t "a lost reply is asked for again with the same key, which is told" lost

outputs() {
	local id request
	up
	id=$(create)
	reeve session go "$id" >/dev/null
	request=$(reeve request submit "$id" -- drip 5 50)
	expect_eq "$(reeve request output -f "$request" | tr '\n' ' ')" "line 5 line 4 line 3 line 2 line 1 "
	expect_eq "$(reeve request output "$request" --stderr)" ""
	request=$(reeve request submit "$id" -- say $'\e[2Jgone\nnext')
	expect_eq "$(reeve request output -f "$request")" $'\e[2Jgone\nnext'
	request=$(reeve request submit "$id" -- drip 1000 100)
	expect_eq "$(reeve request output -f "$request" | head -n 1)" "line 1000"
	reeve request cancel "$request" >/dev/null
	down
}
t "output comes as it is, follows until the end, and ends with its reader" outputs

on_terminal() { TERM=dumb SHELL=/bin/bash timeout 10 script -qec "$1" /dev/null </dev/null | tr -d '\r'; }

terminals() {
	local id request
	command -v script >/dev/null || skip "script(1) is not installed"
	up
	id=$(create --title $'\e[31mred\nend')
	reeve session go "$id" >/dev/null
	request=$(reeve request submit "$id" -- say $'\e[2Jgone\nnext')
	reeve request output -f "$request" >/dev/null
	expect_eq "$(on_terminal "$REEVE request output --socket $place/reeve.sock $request")" '\x1b[2Jgone'$'\nnext'
	expect_has "$(reeve session list)" 'armed            0/500         0.0/30      0  \x1b[31mred\x0aend'
	expect_has "$(reeve session show "$id")" 'task       \x1b[31mred\x0aend (t1)'
	expect_lacks "$(reeve top)" $'\e'
	expect_has "$(on_terminal "timeout 0.5 $REEVE top --socket $place/reeve.sock")" $'\e[?7l\e[HSESSION'
	expect_lacks "$(on_terminal "$REEVE top --once --socket $place/reeve.sock")" $'\e'
	down
}
t "a terminal obeys nothing that a session or a request says" terminals

tops() {
	local id said
	up
	id=$(create --money-cents 10 --title busy)
	create --title quiet >/dev/null
	reeve session end "$(create --title over)" >/dev/null
	reeve session charge "$id" --id c1 --money-ucents 5000000 >/dev/null
	reeve session go "$id" >/dev/null
	reeve request submit "$id" -- hold >/dev/null
	reeve request submit "$id" -- hold >/dev/null
	said=$(reeve top)
	expect_eq "$(wc -l <<<"$said")" 3
	expect_has "$(sed -n 2p <<<"$said")" "$id running      1 open        [#####.....]      5.00/10"
	expect_has "$(sed -n 3p <<<"$said")" quiet
	down
}
t "top shows what is spent of each cap and what waits, the running ones first" tops

followers() {
	local id follower said
	up
	id=$(create)
	reeve events -f >"$TEST_TMP/all" 2>"$TEST_TMP/errors" &
	follower=$!
	wait_for follows || fail "nobody follows"
	create >/dev/null
	wait_for grep -q session.created "$TEST_TMP/all" || fail "no event came"
	down
	wait_for grep -q 'next: ' "$TEST_TMP/errors" || fail "nothing is said of the daemon's end"
	up
	create >/dev/null
	wait_for second_came || fail "the follower did not come back"
	create >/dev/null
	kill $follower
	said=$(reeve events "$id")
	expect_eq "$(wc -l <<<"$said")" 1 "$said"
	expect_has "$said" "$id session.created idle"
	expect_eq "$(reeve events | cut -d' ' -f1 | tr '\n' ' ')" "1 2 3 4 "
	expect_eq "$(reeve events --after 2 | cut -d' ' -f1 | tr '\n' ' ')" "3 4 "
	reeve events -f --after 1 >"$TEST_TMP/late" &
	follower=$!
	wait_for grep -q '^4 ' "$TEST_TMP/late" || fail "what is kept is not followed"
	kill $follower
	expect_eq "$(cut -d' ' -f1 "$TEST_TMP/late" | tr '\n' ' ')" "2 3 4 "
	down
}
follows() { curl -sS --unix-socket "$place/reeve.sock" http://localhost/metrics | grep -q '^reeve_event_subscribers 1'; }
second_came() { [ "$(grep -c session.created "$TEST_TMP/all")" = 2 ]; }
t "a follower loses no event over the daemon's restart; without --follow it shows what is kept and ends" followers 40

# The commands that README.md has for the second terminal.
readme() {
	local said
	up
	sed -n '/^## Sessions/,/^## What holds/p' "${BASH_SOURCE[0]%/*}/../../README.md" |
		sed -n '/^    id=/,/^$/s/^    //p' | sed 's|build/reeve|reeve|' >"$TEST_TMP/commands"
	expect_lt 9 "$(wc -l <"$TEST_TMP/commands")"
	# shellcheck disable=SC1091
	said=$(set -e; . "$TEST_TMP/commands")
	expect_eq $? 0
	expect_has "$said" "end        exited 0"
	expect_eq "$(tail -n 1 <<<"$said" | cut -d' ' -f2)" ended
	down
}
t "the commands of the README lead from nothing to a finished request and its account" readme

# Completes the words given, of which the last is at the cursor.
complete_words() {
	"$REEVE" help --completion bash >"$TEST_TMP/completion"
	PATH="${REEVE%/*}:$PATH" bash -c '. "$1"; shift
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _reeve; echo "${COMPREPLY[*]}"' - "$TEST_TMP/completion" "$@"
}

completions() {
	local id request
	up
	id=$(create) request=$(reeve request submit "$(create)" -- say hello)
	expect_eq "$(complete_words reeve sess)" session
	expect_eq "$(complete_words reeve session wi)" wipe
	expect_eq "$(complete_words reeve session create --mo)" --money-cents
	expect_eq "$(complete_words "$REEVE" session show --socket "$place/reeve.sock" "${id:0:29}")" "$id"
	expect_eq "$(complete_words "$REEVE" request output --socket "$place/reeve.sock" --follow req)" "$request"
	expect_eq "$(complete_words "$REEVE" events --socket "$place/reeve.sock" "${id:0:29}")" "$id"
	expect_eq "$(complete_words "$REEVE" session go --socket "$place/reeve.sock" "$id" s)" ""
	expect_eq "$(complete_words reeve session create --owner s)" ""
	expect_eq "$(complete_words reeve request submit "$id" -- s)" ""
	expect_eq "$(complete_words reeve help se)" session
	expect_eq "$("$REEVE" help --completion csh 2>&1)" 'reeve: --completion: "csh" is none of: bash; next: give one of these'
	if command -v shellcheck >/dev/null; then
		expect_ok shellcheck -s bash "$TEST_TMP/completion"
	fi
	down
}
t "bash completes commands, options and the ids that the daemon has" completions

manuals() {
	local command
	"$REEVE" help --man >"$TEST_TMP/reeve.8"
	for command in "session create" "session authorize" "request submit" events top; do
		expect_has "$(cat "$TEST_TMP/reeve.8")" ".SS \"reeve $command [OPTION...]"
		# shellcheck disable=SC2086
		expect_has "$("$REEVE" help $command)" "reeve $command [OPTION...]"
		# shellcheck disable=SC2086
		expect_eq "$("$REEVE" $command --help)" "$("$REEVE" help $command)"
	done
	expect_has "$("$REEVE" session --help)" "reeve session create "
	expect_exit 125 "$REEVE" session
	command -v man >/dev/null || skip "man is not installed"
	expect_eq "$(man -l --warnings "$TEST_TMP/reeve.8" 2>&1 >/dev/null)" ""
}
t "help and the manual page have the commands of sessions from the table" manuals

units() {
	"$REEVE" help --systemd reeve.service >"$TEST_TMP/reeve.service"
	"$REEVE" help --systemd reeve.socket >"$TEST_TMP/reeve.socket"
	expect_has "$(cat "$TEST_TMP/reeve.service")" "ExecStart=$(realpath "$REEVE") daemon"
	expect_has "$(cat "$TEST_TMP/reeve.socket")" "ListenStream=/run/reeve/reeve.sock"
	# each capability stands behind a line that says why
	expect_eq "$(grep -B1 '^CapabilityBoundingSet=' "$TEST_TMP/reeve.service" | grep -c '^# ')" \
		"$(grep -c '^CapabilityBoundingSet=CAP_[A-Z_]*$' "$TEST_TMP/reeve.service")"
	command -v systemd-analyze >/dev/null || skip "systemd is not installed"
	expect_eq "$(cd "$TEST_TMP" && systemd-analyze verify --man=no ./reeve.service ./reeve.socket 2>&1)" ""
}
t "the units for systemd are valid and name each capability with its use" units

# The server block in a server of its own, around a site with what a site must not get out by.
nginx_serves() {
	local site=$TEST_TMP/site server
	command -v nginx >/dev/null || skip "nginx is not installed"
	mkdir -p "$site/01kb/sub" "$site/empty" "$TEST_TMP/logs"
	chmod -R a+rX "$TEST_TMP/.." "$TEST_TMP"
	echo '<p>hello' >"$site/01kb/index.html"
	echo secret | tee "$site/01kb/.hidden" >"$TEST_TMP/outside"
	ln -s "$TEST_TMP/outside" "$site/01kb/link"
	{
		echo "daemon off; user root; pid $TEST_TMP/nginx.pid; error_log $TEST_TMP/logs/error;"
		echo "events {} http { access_log off; default_type application/octet-stream; types { text/html html; }"
		for name in client_body proxy fastcgi uwsgi scgi; do echo "${name}_temp_path $TEST_TMP/$name;"; done
		"$REEVE" help --nginx | sed "s|/srv/reeve-site;|$site;|"
		echo "}"
	} >"$TEST_TMP/nginx.conf"
	nginx -e "$TEST_TMP/logs/error" -c "$TEST_TMP/nginx.conf" 2>"$TEST_TMP/said" &
	server=$!
	wait_for web -o /dev/null / || fail "nginx does not start: $(cat "$TEST_TMP/said" "$TEST_TMP/logs/error")"
	expect_eq "$(web /01kb/)" '<p>hello'
	expect_has "$(web -I /01kb/)" "X-Content-Type-Options: nosniff"
	expect_has "$(web -I /01kb/)" "Content-Security-Policy: sandbox"
	expect_has "$(web -I /nothing)" "X-Content-Type-Options: nosniff"
	expect_eq "$(web_status /01kb/.hidden) $(web_status /.git/config)" "404 404"
	expect_eq "$(web_status /01kb/link)" 404
	expect_eq "$(web_status /empty/) $(web_status /01kb/sub/)" "403 403"
	expect_eq "$(web_status /01kb/../../outside) $(web_status /01kb/%2e%2e/%2e%2e/outside)" "400 400"
	expect_eq "$(web_status /01kb/ -d x)" 403
	kill $server
	wait $server
}
web() { curl -sS -m 5 --path-as-is "${@:1:$#-1}" "http://127.0.0.1:8081${!#}" 2>/dev/null; }
web_status() { web -o /dev/null -w '%{http_code}' "${@:2}" "$1"; }
t "nginx serves scratch sites with the server block, and nothing beside them" nginx_serves

run_tests "$@"
