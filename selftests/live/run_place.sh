# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# A place of the test's own for the command "reeve": a parent cgroup, a pin directory, a run directory and
# an output root; and small questions about what is there. Behind every test all of it is removed with
# "reeve gc --all", and has to be gone.

. "${0%/*}/../test.sh"

cgroups=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)
parent=reeve-${0##*/}-$$
pins=/sys/fs/bpf/place

# reeve COMMAND ARGUMENT...; for a process whose pid is to be known: reeve_exec COMMAND ARGUMENT... &
reeve_exec() {
	local command=$1
	shift
	exec "$REEVE" "$command" --parent "$parent" --pin-dir "$pins" --run-dir "$TEST_TMP/run" \
		--output-root "$TEST_TMP/out" "$@"
}
reeve() { (reeve_exec "$@"); }

teardown() {
	expect_ok reeve gc --all
	[ ! -e "$pins" ] || fail "pins are left: $(find "$pins")"
	[ ! -e "$cgroups/$parent" ] || fail "cgroups are left: $(find "$cgroups/$parent" -type d)"
	[ ! -e "$TEST_TMP/run" ] || fail "the run directory is left: $(find "$TEST_TMP/run")"
}

# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for() {
	local until=$((SECONDS + $1))
	shift
	until "$@"; do
		[ $SECONDS -le $until ] || return 1
		sleep 0.01
	done
}

sessions() { find "$cgroups/$parent" -mindepth 1 -maxdepth 1 -name 'sbs_*' 2>/dev/null; }
session_empty() { grep -q '^populated 0' "$1/cgroup.events"; }
has_begun() { grep -qs begun "$TEST_TMP"/out/*/stdout.log; }

# For a command: waits until the test makes the file "go" in its output directory.
wait_go='until [ -e /out/go ]; do sleep 0.02; done'

# CPU time of a session in µs, by the kernel's own account.
stat_us() { sed -n 's/^usage_usec //p' "$1/cpu.stat"; }

# json KEY TEXT: the first value of that key that is a number, a word or a simple string.
json() {
	[[ $2 =~ \"$1\":\"?([^,\"\}]*) ]] && echo "${BASH_REMATCH[1]}"
}

# Everything that a run could make below the place, and its mounts and links.
traces() {
	find "$cgroups/$parent" -mindepth 1 -type d 2>/dev/null
	find "$TEST_TMP/run/slots" -type f -size +0 2>/dev/null
	awk '{ print "mount", $5 }' /proc/self/mountinfo
	ip -o link | awk -F'[:@]' '{ print "link" $2 }'
}
