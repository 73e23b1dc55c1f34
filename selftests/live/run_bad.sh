#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Bad input and unfit hosts: one line that names the field, the value, what is allowed and the next step;
# exit code 125; and nothing was made, neither of the run nor of the host.

. "${0%/*}/run_place.sh"

# Whatever is at the place; every test here starts with nothing.
made() { find "$cgroups/$parent" "$pins" "$TEST_TMP/run" "$TEST_TMP/out" 2>/dev/null; }

# refused FIELD PART... , ARGUMENT...: the one line is of that field and has every part.
refused() {
	local field=$1 parts=() said code=0
	shift
	while [ "$1" != , ]; do parts+=("$1") && shift; done
	shift
	said=$(reeve run "$@" 2>&1 >"$TEST_TMP/stdout" </dev/null) || code=$?
	expect_eq "$code" 125 "$*"
	expect_eq "$(wc -l <<<"$said")" 1 "lines for $*: $said"
	expect_has "$said" "reeve: $field: "
	expect_has "$said" "; next: "
	for field in "${parts[@]}"; do expect_has "$said" "$field"; done
	expect_eq "$(cat "$TEST_TMP/stdout")" ""
	expect_eq "$(made)" "" "made by $*"
}

options() {
	refused --nonsense "no such option" , --nonsense -- /bin/true
	refused -x "no such option" , -x -- /bin/true
	refused --json=yes "no such option" , --json=yes -- /bin/true
	refused --cpu-seconds "needs a value" , --cpu-seconds
	refused COMMAND "no command" "give the command" ,
	refused COMMAND "no command" , --
	refused COMMAND "no command" , -- ''
	refused --egress '"open"' "none, package-managers or public" , --egress open -- /bin/true
	refused --image "'alpine'" "node, python" , --image alpine -- /bin/true
	refused /bin/true "exclude each other" , --request - -- /bin/true
	refused --egress "never given together" , --egress public --file /etc/hostname -- /bin/true
}
t "unknown options, missing values, no command, what does not go together" options

numbers() {
	local value
	for value in 0 -1 1e3 '' ' 1' 1s 1000000001 0x10 nan; do
		refused --cpu-seconds "\"$value\" is not" "above 0 and up to 1000000000" \
			, --cpu-seconds "$value" -- /bin/true
	done
	for value in -1 1.5 '' 1000000001 99999999999999999999; do
		refused --money-cents "\"$value\" is not" "from 0 to 1000000000" \
			, --money-cents "$value" -- /bin/true
	done
	for value in 0 0s -5 169h 8d '' m 604801 1.2.3; do
		refused --time-box "\"$value\" is not" "up to 168h" , --time-box "$value" -- /bin/true
	done
	for value in 0 0G 1T 1k 1.5G G '' 1048577G; do
		refused --memory-bytes "\"$value\" is not" "from 1 to 2^50" , --memory-bytes "$value" -- /bin/true
	done
	refused --pids '"many" is not' "from 1 to 4194304" , --pids many -- /bin/true
	refused --cpu-millis '"9" is not' "from 10 to 1000000" , --cpu-millis 9 -- /bin/true
	refused --money-cents "without a rate" "--rate cpu_second=1000" , --money-cents 5 -- /bin/true
}
t "numbers out of range" numbers

rates() {
	refused --rate "'hour=1'" "cpu_second, wall_minute, step, request, egress_gib" \
		, --rate hour=1 -- /bin/true
	refused --rate "'step' is not UNIT=N" , --rate step -- /bin/true
	refused --rate "'step=-1'" "from 0 to 4294967295" , --rate step=-1 -- /bin/true
	refused --rate "'step=4294967296'" "from 0 to 4294967295" , --rate step=4294967296 -- /bin/true
	refused --rate "step is given twice" , --rate step=1,step=2 -- /bin/true
	refused --rate "''" , --rate '' -- /bin/true
}
t "rates" rates

paths() {
	refused --file /nowhere "No such file" , --file /nowhere -- /bin/true
	refused --file '"/etc" is not a regular file' "give a directory as a directory" \
		, --file /etc -- /bin/true
	refused --file '"/dev/null" is not a regular file' , --file /dev/null -- /bin/true
	refused --directory '"/etc/passwd" is not a directory' , --directory /etc/passwd -- /bin/true
	refused --directory /nowhere "No such file" , --directory /nowhere -- /bin/true
	refused --file "'' is not an absolute path" , --file '' -- /bin/true
	refused --file "$PWD/nowhere" "No such file" , --file nowhere -- /bin/true
	refused --directory "'/' is the whole file system" , --directory / -- /bin/true
	refused --seccomp /nowhere "No such file" , --seccomp /nowhere -- /bin/true
	refused --seccomp /etc , --seccomp /etc -- /bin/true
}
t "paths that are not there, or are something else" paths

# document TEXT FIELD PART...
document() {
	printf '%s' "$1" >"$TEST_TMP/request"
	shift
	refused "$@" , --image host --egress none --request "$TEST_TMP/request"
}
documents() {
	refused --request /nowhere "No such file" , --request /nowhere
	refused --request /etc "directory" , --request /etc
	head -c 1048577 /dev/zero >"$TEST_TMP/request"
	refused --request "larger than 1048576 bytes" , --request "$TEST_TMP/request"
	document '' / "is not JSON"
	document 'make test' / "is not JSON" "line 1"
	document '{"command": "true"' / "is not JSON"
	document '["true"]' / object
	document '{}' /command missing
	document '{"command": ""}' /command "not empty"
	document '{"command": 5}' /command "value is 5"
	document '{"command": "true", "egress": "open"}' /egress '"open"' "package-managers, none"
	document '{"command": "true", "egress": "public"}' /egress '"public"'
	document '{"command": "true", "image": "alpine"}' /image '"alpine"' "node, python"
	document '{"command": "true", "files": "x"}' /files '"x"'
	document '{"command": "true", "files": [7]}' /files/0 "value is 7"
	document '{"command": "true", "background": 1}' /background "true or false"
	document '{"command": "true", "timeout": 5}' / timeout
}
t "documents: unreadable, too large, not JSON, of wrong types" documents

places() {
	refused --parent '"/"' "one to eight names" , --parent / -- /bin/true
	refused --parent '""' , --parent '' -- /bin/true
	refused --parent '"a/../b"' , --parent a/../b -- /bin/true
	refused --parent "one to eight names" , --parent a/b/c/d/e/f/g/h/i -- /bin/true
	refused --pin-dir '"here"' "absolute path" , --pin-dir here -- /bin/true
	refused --pin-dir "$TEST_TMP is not on a bpffs" "mount -t bpf" \
		, --pin-dir "$TEST_TMP/pins" -- /bin/true
	refused --pin-dir /nowhere , --pin-dir /nowhere/pins -- /bin/true
	refused --run-dir /nowhere/run "No such file" , --run-dir /nowhere/run -- /bin/true
	refused --run-dir /dev/null "Not a directory" , --run-dir /dev/null -- /bin/true
}
t "places" places

# What belongs to the host is made by then, and stays; of the run there is nothing.
output_root() {
	local said code=0
	said=$(reeve run --output-root /nowhere/out -- /bin/true 2>&1) || code=$?
	expect_eq "$code $(wc -l <<<"$said")" "125 1"
	expect_has "$said" "reeve: --output-root: /nowhere/out: No such file"
	expect_eq "$(sessions)" ""
	expect_eq "$(find "$TEST_TMP/run/slots" -size +0 -type f)" ""
	code=0
	said=$(reeve run --memory-bytes 1000000 -- /bin/true 2>&1) || code=$?
	[ $code != 0 ] || return 0
	expect_eq "$code $(wc -l <<<"$said")" "125 1"
	expect_has "$said" "cgroup2 controller \"memory\""
	expect_eq "$(sessions)" ""
	[ ! -e "$TEST_TMP/out" ] || fail "an output directory is left"
}
t "an output root that cannot be made, a limit that the host cannot keep" output_root

nobody() {
	chmod 711 "${TEST_TMP%/*}" "$TEST_TMP"
	cp "$REEVE" "$TEST_TMP/reeve" && chmod 755 "$TEST_TMP/reeve"
	REEVE=(setpriv --reuid 65534 --regid 65534 --clear-groups "$TEST_TMP/reeve")
	reeve() {
		"${REEVE[@]}" "$1" --parent "$parent" --pin-dir "$pins" --run-dir "$TEST_TMP/run" \
			--output-root "$TEST_TMP/out" "${@:2}"
	}
	setpriv --reuid 65534 --regid 65534 --clear-groups "$TEST_TMP/reeve" --help >/dev/null 2>&1 ||
		skip "nobody cannot reach the program"
	refused user "needs root" "uid 65534" "run it as root" , -- /bin/true
}
t "somebody who is not root" nobody

# Each of these hosts is this one without a part, in the test's own mount namespace.
unfit() {
	[ "$(readlink /proc/self/ns/mnt)" != "$(readlink /proc/1/ns/mnt)" ] || skip "the host's own mounts"
}
no_cgroup2() {
	unfit
	umount "$cgroups" || skip "cgroup2 cannot be unmounted here"
	refused cgroup2 "no cgroup2 file system is mounted" "mount -t cgroup2" , -- /bin/true
	mount -t cgroup2 none "$cgroups"
}
t "a host without cgroup2" no_cgroup2

no_btf() {
	unfit
	mkdir "$TEST_TMP/empty"
	mount --bind "$TEST_TMP/empty" /sys/kernel/btf
	refused btf /sys/kernel/btf/vmlinux CONFIG_DEBUG_INFO_BTF , -- /bin/true
	umount /sys/kernel/btf
}
t "a host without BTF" no_btf

no_bpffs() {
	unfit
	mkdir "$TEST_TMP/empty"
	mount --bind "$TEST_TMP/empty" /sys/fs/bpf
	refused --pin-dir "/sys/fs/bpf is not on a bpffs" "mount -t bpf" , -- /bin/true
	umount /sys/fs/bpf
}
t "a host without a bpffs" no_bpffs

run_tests "$@"
