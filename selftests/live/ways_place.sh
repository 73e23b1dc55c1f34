# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# A place for the ways out: a reeve of the test's own in which layers can be left out (ways/left_out.c), the
# program that tries all ways (prog/ways.c) behind the image, and an outside with something to take.

. "${0%/*}/egress_place.sh"

build=${REEVE%/*}
# short enough for the name of a process, and known for one of ours where it is left
ways_name=reeve-w-$$
outside=/mnt

# For all tests of the program; the last line of the program removes it.
left_out_dir=${TMPDIR:-/tmp}/$ways_name

# changed SOURCE SED: that file of the kernel layer, changed.
changed() {
	sed -E "$2" "user/kernel/$1.c" >"$left_out_dir/$1.c"
	! cmp -s "user/kernel/$1.c" "$left_out_dir/$1.c" || fail "nothing to change in $1.c by $2"
}

# Makes the reeve that leaves out what the variable LEFT_OUT names.
link_reeve() {
	local name wraps
	changed guard 's/^(const struct guard_hook) guard_hooks\[\]/\1 hooks_whole[]/'
	changed child 's/^(static int step_perform\()/bool step_left_out(const char *step);\n\1/
		s/^\treturn (step->run\(c\);)/\treturn step_left_out(step->name) ? 0 : \1/'
	changed mount_rows 's/^(static int )row_input_directory\(/bool input_left_out(int tree, const char *target, int *r);\n&/
		s/^\tempty = open\("sys"/\tif (input_left_out(c->input_trees[m->input], target, \&r))\n\t\treturn r;\n&/'
	cp selftests/live/ways/left_out.c "$left_out_dir"
	for name in guard child mount_rows left_out; do
		cc -std=gnu11 -D_GNU_SOURCE= -O1 -w -iquote user/kernel -iquote selftests/live/ways \
			-c -o "$left_out_dir/$name.o" "$left_out_dir/$name.c" &
	done
	wait
	wraps=$(sed -n 's/.*__wrap_\([a-z0-9_]*\)(.*/-Wl,--wrap=\1/p' selftests/live/ways/left_out.c)
	# shellcheck disable=SC2046,SC2086
	cc -o "$left_out_dir/reeve" "$build/user/cli/main.o" "$left_out_dir"/{guard,child,mount_rows,left_out}.o $wraps \
		-Wl,--start-group "$build"/lib*.a -Wl,--end-group -Wl,--as-needed \
		$(pkg-config --libs libbpf libelf zlib libcjson libpcre2-8 libevent_core libseccomp \
			libnl-route-3.0 libnftables sqlite3 libmd) -lresolv || fail "cannot be linked"
}

serving() { grep -qsx serving "$TEST_TMP/served"; }

# The outside: what there is to take, and what lets a packet through that nothing stops.
ways_up() {
	local address
	[ -x "$left_out_dir/reeve" ] || { mkdir -p "$left_out_dir" && link_reeve; }
	REEVE=$left_out_dir/reeve
	egress_up
	cp "$PROG/ways" "$inside"
	mount -t tmpfs outside "$outside"
	mknod -m 0666 "$outside/tun" c 10 200
	sysctl -qw net.ipv4.ping_group_range='0 2147483647' net.ipv4.conf.all.accept_source_route=1 \
		net.ipv4.conf.lan0.accept_source_route=1 net.ipv6.conf.all.seg6_enabled=1
	mkdir "$cgroups/$ways_name"
	play in internet ip route add 10.213.0.0/16 via 93.184.215.2
	play in internet ip route add fd72:6565:7665::/64 via 2606:2800:21f::2
	# neighbours by link-local addresses, for the attempts that name a scope
	for address in fe80::7 fe80::11; do play in private ip address add $address/64 dev net0 nodad; done
	"$PROG/ways" serve "$outside" "$ways_name" "$cgroups/cgroup.procs" >"$TEST_TMP/served" 2>&1 &
	server=$!
	wait_for 5 serving || fail "nobody serves: $(cat "$TEST_TMP/served")"
	# all hooks are pinned before one is taken off
	reeve run -- /bin/true 2>"$TEST_TMP/said" || fail "no sandbox: $(cat "$TEST_TMP/said")"
}

eval "egress_$(declare -f teardown)"
teardown() {
	# it alone opens a guard that lacks hooks
	REEVE=$left_out_dir/reeve
	egress_teardown
	[ ! -d "$cgroups/$ways_name" ] || rmdir "$cgroups/$ways_name"
	! mountpoint -q "$outside" || umount "$outside"
}

trier() { grep -lx "$ways_name" /proc/[0-9]*/comm 2>/dev/null | head -n 1 | tr -dc 0-9; }
tried() { grep -qsx waiting "$1"; }
ask() { "$PROG/playserver" ask "$TEST_TMP/../play/$1.sock" "$2"; }
# in_party PARTY COMMAND...
in_party() { nsenter -t "$(cat "$TEST_TMP/../play/$1.pid")" -n "${@:2}"; }

egress=public

# attempts DIR LAYERS [NAME...]: all ways, or these, with those layers left out, in the mode $egress; DIR/said
# is what the program said, and DIR/seen the addresses that packets came for.
attempts() {
	local dir=$1 layers=$2 run pid party
	shift 2
	rm -rf "$dir"
	mkdir "$dir"
	case " $layers " in *' nft '*) nft delete table inet reeve 2>/dev/null ;; esac
	for party in host private internet; do ask $party reset; done
	LEFT_OUT=" $layers " "$PROG/ways" inherit "$REEVE" run --parent "$parent" --pin-dir "$pins" \
		--run-dir "$TEST_TMP/run" --output-root "$TEST_TMP/out" --egress $egress -- \
		"$inside/ways" inside "$outside" "$ways_name" "$cgroups/cgroup.procs" "$server" "$@" \
		>"$dir/said" 2>"$dir/account" &
	run=$!
	wait_for 10 tried "$dir/said" || fail "without '$layers': $(cat "$dir/said" "$dir/account")"
	pid=$(trier)
	in_party internet "$PROG/ways" knock <"$dir/said"
	! grep -q ^before-cgroup "$dir/said" ||
		nsenter -t "$pid" --net "$PROG/ways" before "$cgroups/$parent"/sbs_*/req_*/cgroup.procs ||
		fail "without '$layers': nothing moves into the session"
	kill -USR1 "$pid"
	wait $run || fail "without '$layers': exit code $?: $(cat "$dir/account")"
	seen_by private internet >"$dir/seen"
}

# seen_by PARTY...: the addresses that packets came for.
seen_by() {
	local party
	for party in "$@"; do ask "$party" json; done |
		tr '{' '\n' | sed -n 's/^"to": "\([^"]*\)".*/\1/p' | sort -u
}

# escaped DIR: the names of what came out.
escaped() { named_as_seen "$1/said" "$(paste -s -d ' ' "$1/seen")"; }

# named_as_seen SAID ADDRESSES: the names of what came for one of these addresses, or needed none.
named_as_seen() {
	awk -v seen="$2" '
		BEGIN { n = split(seen, list, " "); for (i = 1; i <= n; i++) came[list[i]] = 1 }
		NF == 3 && ($2 == "-" ? $3 == "ok" : $2 in came) { print $1 }' "$1" | sort
}
