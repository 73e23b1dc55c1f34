#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# "reeve doctor" on this host, on hosts that lack something, and beside live sessions: what it says is what
# a run then does, in the same words, and nothing of it is left.

. "${0%/*}/run_place.sh"

# doctor ARGUMENT...: sets $code and $said; the host must be as it was.
doctor() { examine "" "$@"; }

# hurt SCRIPT COMMAND ARGUMENT...: reeve on a host to which SCRIPT was done, in a mount namespace that ends with it.
hurt() {
	local script=$1 command=$2
	shift 2
	unshare --mount --propagation private bash -c "$script"' exec "$0" "$@"' \
		"$REEVE" "$command" --parent "$parent" --pin-dir "$pins" --run-dir "$TEST_TMP/run" \
		--output-root "$TEST_TMP/out" "$@"
}

host() {
	traces
	find "$cgroups" -maxdepth 1 -name 'reeve-doctor-*'
	find /sys/fs/bpf "$TEST_TMP" -mindepth 1 -maxdepth 3
	nft list tables
}

examine() {
	local script=$1 before
	shift
	before=$(host)
	code=0
	said=$(hurt "$script" doctor "$@") || code=$?
	expect_eq "$(host)" "$before" "reeve doctor leaves nothing"
}

# status CHECK: what was found; line CHECK: all of it.
status() { sed -nE "s/^(ok|degraded|missing) +$1 .*/\1/p" <<<"$said"; }
line() { grep -E "^(ok|degraded|missing) +$1 " <<<"$said"; }

# refuses SCRIPT CHECK TEXT: doctor finds the check missing and names TEXT, and a run is refused with it.
refuses() {
	local code said told run=0
	examine "$1"
	expect_eq "$code $(status "$2")" "125 missing" "$2: $said"
	expect_has "$(line "$2")" "$3"
	told=$(hurt "$1" run -- /bin/true 2>&1) || run=$?
	expect_eq "$run" 125
	expect_has "$told" "$3"
	[ ! -e "$TEST_TMP/run" ] && [ ! -e "$TEST_TMP/out" ] && [ ! -e "$cgroups/$parent" ] ||
		fail "a refused run made something"
}

as_it_is() {
	local missing
	doctor
	missing=$(grep '^missing' <<<"$said")
	expect_eq "$missing" ""
	if grep -q '^degraded' <<<"$said"; then expect_eq "$code" 1; else expect_eq "$code" 0; fi
	expect_eq "$(grep -c '^degraded' <<<"$said")" "$(grep -c ' next: ' <<<"$said")" "one remedy each"
	[ -n "$SANITIZED" ] || expect_lt "$took_ms" 1500
}
timed() {
	local began=$(($(date +%s%N) / 1000000))
	(reeve_exec doctor) >/dev/null
	took_ms=$(($(date +%s%N) / 1000000 - began))
	as_it_is
}

sum() {
	local last ok degraded missing
	doctor
	last=$(tail -n 1 <<<"$said")
	ok=$(grep -c '^ok ' <<<"$said") degraded=$(grep -c '^degraded ' <<<"$said") missing=$(grep -c '^missing ' <<<"$said")
	expect_has "$last" "$ok ok, $degraded degraded, $missing missing: "
	if [ "$degraded" = 0 ]; then
		expect_has "$last" "every promise holds"
	else
		expect_has "$last" "reeve runs, and says in every result what does not hold; see "
		expect_eq "${last##* see }" "$(sed -n 's/^degraded *\([a-z0-9-]*\) .*/\1/p' <<<"$said" | paste -sd, | sed 's/,/, /g')"
	fi
	examine 'umount /sys/fs/bpf;'
	expect_has "$(tail -n 1 <<<"$said")" "missing: reeve refuses to run; see "
	expect_has "$(tail -n 1 <<<"$said")" bpffs
}

controllers() {
	local name
	doctor
	for name in memory pids cpu; do
		if grep -qw "$name" "$cgroups/cgroup.subtree_control"; then
			expect_eq "$(status "$name-controller")" ok
		else
			expect_eq "$(status "$name-controller")" degraded
			expect_has "$(reeve run -- /bin/true 2>&1)" "not enforced here"
		fi
	done
}

# A host with a way out and name servers, private ones too: of the network nothing is left to say.
connected() {
	local resolv_conf=$TEST_TMP/resolv.conf text
	text=$'nameserver 198.20.0.53\nnameserver 10.0.0.53'
	ip link add up0 type veth peer name up1
	ip addr add 192.0.2.2/24 dev up0
	ip link set up0 up
	ip link set up1 up
	ip route add default via 192.0.2.1
	sysctl -qw net.ipv4.ip_forward=1
	echo "$text" >"$resolv_conf"
	examine "mount --bind $resolv_conf /etc/resolv.conf;"
	ip link del up0
	sysctl -qw net.ipv4.ip_forward=0
	expect_eq "$(status forwarding) $(status name-servers)" "ok ok" "$said"
	expect_has "$(line name-servers)" "ask 2 of the host's name servers"
	expect_eq "$(cat "$resolv_conf")" "$text"
	# a node of no device can be opened by nobody
	mknod "$TEST_TMP/closed" c 0 0
	examine "mount --bind $TEST_TMP/closed /etc/resolv.conf;"
	expect_eq "$(status forwarding) $(status name-servers)" "degraded degraded" "$said"
	expect_has "$(line name-servers)" "cannot be read"
	expect_has "$said" "sysctl -w net.ipv4.ip_forward=1"
	expect_has "$said" "make /etc/resolv.conf readable"
}

t "this host is examined within 1.5 s, each lack has its remedy, and the exit code is the worst of all" timed 60
t "the last line counts what was found, says what it means, and names what is not ok" sum
t "a controller that cgroup2 does not give is degraded, and a run says so too" controllers
t "forwarding and name servers of the host are told as they are, and never changed" connected

no_bpffs() { refuses 'umount /sys/fs/bpf;' bpffs "is not on a bpffs"; }
no_cgroup2() { refuses "umount -l $cgroups;" cgroup2 "no cgroup2 file system is mounted"; }
no_btf() { refuses 'mount -t tmpfs none /sys/kernel/btf;' btf "/sys/kernel/btf/vmlinux"; }
no_proc() {
	[ -z "$SANITIZED" ] || skip "sanitizers need procfs themselves"
	refuses 'mount -t tmpfs none /proc;' capabilities "/proc"
}
no_sys_admin() { refuses "$(dropping sys_admin)" capabilities "reeve lacks CAP_SYS_ADMIN"; }
no_bpf() { refuses "$(dropping bpf,-perfmon,-sys_admin)" capabilities "reeve lacks CAP_SYS_ADMIN"; }
no_net_admin() { refuses "$(dropping net_admin)" capabilities "reeve lacks CAP_NET_ADMIN"; }
no_setuid() { refuses "$(dropping setuid)" capabilities "reeve lacks CAP_SETUID"; }
nobody() { refuses 'exec setpriv --reuid 65534 --clear-groups "$0" "$@";' capabilities "this is uid 65534"; }
own_root() { refuses 'exec unshare --user --map-root-user "$0" "$@";' capabilities "runs in a user namespace"; }
dropping() { echo "exec setpriv --bounding-set -$1 \"\$0\" \"\$@\";"; }

read_only_run() {
	refuses "mount -t tmpfs -o ro none $TEST_TMP;" run-directory "Read-only file system"
}

# CAP_SYS_ADMIN stands for those of BPF, and nobody needs the others.
needless() {
	local lesser
	lesser=$(dropping bpf,-perfmon,-net_raw,-sys_ptrace,-sys_chroot,-mknod,-setpcap,-setfcap,-dac_read_search,-fowner)
	examine "$lesser"
	expect_eq "$(grep '^missing' <<<"$said")" ""
	expect_ok hurt "$lesser" run -- /bin/true
}

t "no bpffs at the pin directory" no_bpffs
t "no cgroup2" no_cgroup2
t "no types of the kernel" no_btf
t "no procfs" no_proc
t "no CAP_SYS_ADMIN" no_sys_admin
t "no capability for BPF" no_bpf
t "no CAP_NET_ADMIN" no_net_admin
t "no CAP_SETUID" no_setuid
t "not root" nobody
t "root of a user namespace alone" own_root
t "a run directory that cannot be made" read_only_run
t "capabilities that a run does not use are not asked for" needless

unreasoned() {
	local name
	examine 'umount /sys/fs/bpf; mount -t tmpfs none /sys/kernel/btf;'
	expect_eq "$(line programs | grep -o 'not tried: it needs btf')" "not tried: it needs btf"
	for name in proof policy connect-ipv4 raw-socket meter cap time-box link-filter sandbox pins; do
		expect_eq "$(status "$name")" missing
		expect_has "$(line "$name")" "not tried: it needs"
	done
	expect_eq "$(status seccomp) $(status nftables) $(status cgroup-kill)" "ok ok ok"
}
t "what cannot be tried without something else is missing and says so, the rest is tried" unreasoned

# Only a device that exists can be refused when it is opened; without one, making it is.
no_device() {
	local script="mount -t tmpfs none $TEST_TMP/dev; for d in null zero full random urandom tty ptmx; do
		: >$TEST_TMP/dev/\$d; mount --bind /dev/\$d $TEST_TMP/dev/\$d; done; mount --rbind $TEST_TMP/dev /dev;"
	mkdir "$TEST_TMP/dev"
	examine "$script"
	expect_eq "$(status device)" ok "$said"
}
t "device nodes are proved also where /dev has no other" no_device

# A cgroup that was killed as a whole, where the kernel kills all that is cloned out of it from then on.
killed_cgroup() {
	local own="$cgroups/reeve-test-${0##*/}-$$" first second=0
	mkdir "$own"
	echo 1 >"$own/cgroup.kill"
	(echo $BASHPID >"$own/cgroup.procs" && reeve_exec doctor) >"$TEST_TMP/said"
	first=$?
	(echo $BASHPID >"$own/cgroup.procs" && reeve_exec run -- /bin/true) 2>/dev/null || second=$?
	rmdir "$own"
	said=$(cat "$TEST_TMP/said")
	if [ "$second" = 0 ]; then expect_lt "$first" 2; else expect_eq "$first $second" "125 125"; fi
	[ "$second" = 0 ] || expect_has "$(line birth-in-cgroup)" "cgroup.kill"
}
t "doctor and run agree in a cgroup that was killed once" killed_cgroup

pinned() {
	local at
	doctor
	expect_has "$(line pins)" "nothing at $pins"
	expect_has "$(line parent-cgroup)" "is not there"
	reeve run -- /bin/true 2>/dev/null || fail "no run"
	doctor
	for at in links progs maps; do
		expect_has "$(line pins)" "$(find "$pins/$at" -mindepth 1 | wc -l) ${at/progs/programs}"
	done
	expect_has "$(line pins)" "reeve gc --all"
	expect_has "$(line parent-cgroup)" "is there"
	expect_has "$(line sessions)" "0 of "
}
t "what is pinned is counted, and how it is removed is told" pinned

lives() {
	local pid code=0
	reeve_exec run -- /bin/sh -c 'echo begun; sleep 60 & wait' >/dev/null 2>"$TEST_TMP/stderr" &
	pid=$!
	wait_for 5 has_begun || fail "the command did not begin: $(cat "$TEST_TMP/stderr")"
	said=$(reeve doctor)
	expect_has "$(line sessions)" "1 of "
	expect_eq "$(grep '^missing' <<<"$said")" ""
	[ "$(sessions | wc -l)" = 1 ] || fail "the session is gone"
	kill -INT $pid
	wait $pid || code=$?
	expect_eq "$code" 130
}
t "a live session is counted and goes on" lives

# stranger CHECK TEXT OPTION...: with these places doctor and run refuse alike.
stranger() {
	local check=$1 text=$2 run=0 told
	shift 2
	code=0
	said=$(reeve doctor "$@") || code=$?
	told=$(reeve run "$@" -- /bin/true 2>&1) || run=$?
	expect_eq "$code $run $(status "$check")" "125 125 missing"
	expect_has "$(line "$check")" "$text"
	expect_has "$told" "$text"
}
places() {
	reeve run -- /bin/true 2>/dev/null || fail "no run"
	stranger run-directory "belongs to" --parent "$parent-b"
	stranger pins "another parent cgroup" --parent "$parent-b" --run-dir "$TEST_TMP/run-b"
	stranger parent-cgroup "not a path of one to eight names" --parent / --run-dir "$TEST_TMP/run-b" \
		--pin-dir /sys/fs/bpf/place-b
	rm -f "$pins/links/reeve_device"
	stranger pins "the link reeve_device is missing" --parent "$parent"
}
t "pins, cgroups and run directories that do not go together are refused alike" places

# begun SIGNAL: a doctor that got the signal while its cgroup was there; sets $code and $made.
interrupted() {
	local pid
	reeve_exec doctor >/dev/null &
	pid=$!
	made=$cgroups/reeve-doctor-$pid
	wait_for 5 [ -e "$made" ] || fail "no cgroup $made"
	kill "-$1" $pid
	code=0
	wait $pid || code=$?
}
stopped() {
	interrupted INT
	expect_eq "$code" 130
	[ ! -e "$made" ] || fail "$made is left"
}
killed() {
	interrupted KILL
	expect_eq "$code" 137
	mkdir -p "$TEST_TMP/out-${made##*/}/${made##*/}"
	touch "$TEST_TMP/out-${made##*/}/${made##*/}/stdout.log"
	reeve doctor >/dev/null
	[ -z "$(find "$TEST_TMP" -mindepth 1)" ] || fail "left: $(find "$TEST_TMP" -mindepth 1)"
	[ ! -e "$made" ] || fail "$made is left"
}
t "Ctrl-C ends it when all is removed" stopped
t "what a killed one left goes with the next" killed

run_tests "$@"
