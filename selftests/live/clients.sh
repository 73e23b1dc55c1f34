#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The registries' clients, as the host has them, in "reeve run --egress package-managers": they install, over
# many connections too, and whatever else they try fails at once and is told. A conda channel is asked with
# curl: no distribution has a client of conda.

. "${0%/*}/registry_place.sh"

with_npm() {
	need node npm python3
	registries_up
	in_client "npm install parcel && node -p 'require(\"parcel\").join()'; echo code \$?"
	expect_has "$said" $'added 2 packages'
	expect_has "$said" $'parcel,twine\ncode 0'
	expect_has "$result" '"denials":[],'
	expect_eq "$(grep -c "^$npm GET /.*tgz" "$TEST_TMP/requests")" 2
}
t "npm installs a package and what it needs" with_npm 60

with_pip() {
	need_pip
	registries_up
	in_client "$pip install --target site parcel
		PYTHONPATH=site /usr/bin/python3 -c 'import parcel, twine; print(parcel.SAYS, twine.SAYS)'; echo code \$?"
	expect_has "$said" "Successfully installed parcel-1.0 twine-1.0"
	expect_has "$said" $'pip parcel pip twine\ncode 0'
	expect_has "$result" '"denials":[],'
	expect_eq "$(grep -c "^$files GET /packages/" "$TEST_TMP/requests")" 2
	expect_eq "$(grep -c "^$pypi GET /simple/" "$TEST_TMP/requests")" 2
}
t "pip installs a package and what it needs, from the two hosts of its registry" with_pip 60

with_conda() {
	need python3
	registries_up
	in_client "get() { curl -sSfO $tls/$conda/played/\$1; }; get linux-64/repodata.json && get noarch/repodata.json &&
		get noarch/parcel-1.0-0.tar.bz2 && grep -q \$(sha256sum <parcel-1.0-0.tar.bz2 | cut -d ' ' -f 1) repodata.json &&
		tar xjf parcel-1.0-0.tar.bz2 && cat share/parcel; echo code \$?"
	expect_has "$said" $'conda parcel\ncode 0'
	expect_has "$result" '"denials":[],'
}
t "a conda channel's index and package come whole" with_conda 60

# What is tried in the sandbox: the exit code that it has to have, what it has to say, and the milliseconds
# that it may take, which is less than any client's first pause before it tries again.
tries=(
	"0 parcel-1.0.0.tgz 2000 curl -sS $tls/$npm/parcel"
	"35 reset_by_peer 2000 curl -sS --resolve $other:443:93.184.215.1 $tls/$other/"
	"6 resolve_host 2000 curl -sS $tls/$other/"
	"7 connect_to 2000 curl -sS $tls/1.1.1.1/"
	"7 connect_to 2000 curl -sS $tls/93.184.215.1:8443/"
	"1 ENOTFOUND 9000 npm install --fetch-retries 0 --registry $tls/$other/ parcel"
	"1 EPERM 9000 npm install --fetch-retries 0 --registry $tls/1.1.1.1/ parcel"
	"1 EPERM 9000 npm install --fetch-retries 0 --registry $tls/10.0.0.1/ parcel"
	"1 ENOTFOUND 4000 node -e fetch('$tls/$other/')"
	"1 EPERM 4000 node -e fetch('$tls/[2606:4700:4700::1111]/')"
	"1 No_matching 7000 pip install -vvv --retries 0 --target site --index-url $tls/$other/simple parcel"
	"1 not_permitted 7000 pip install -vvv --retries 0 --target site --index-url $tls/1.1.1.1/simple parcel"
)

fast() {
	local try code says ms command row=0 script
	need node npm
	need_pip
	registries_up
	for try in "${tries[@]}"; do
		read -r code says ms command <<<"$try"
		# shellcheck disable=SC2086
		script+="try $((row++)) $(set -f; printf '%q ' $command)"$'\n'
	done
	in_client "pip() { $pip \"\$@\"; }; ms() { date +%s%3N; }
		try() { local code=0 began=\$(ms); \"\${@:2}\" >log 2>&1 || code=\$?
			echo \"row \$1 code \$code \$((\$(ms) - began)) ms\"; tr '\n' ' ' <log; echo; }
		$script"
	row=0
	for try in "${tries[@]}"; do
		read -r code says ms command <<<"$try"
		expect_lt "$(sed -n "s/^row $row code $code \([0-9]*\) ms/\1/p" <<<"$said")" "$ms" "$command"
		grep -A 1 "^row $row code" <<<"$said" | grep -q "${says//_/ }" || test_failed "does not say $says: $command"
		row=$((row + 1))
	done
	for reason in name address_unknown private port; do
		expect_has "$result" "\"reason\":\"$reason\""
	done
	for first in '"address":"1.1.1.1"' '"address":"10.0.0.1"' '"address":"2606:4700:4700::1111"' "\"name\":\"$other\""; do
		expect_has "$result" "$first"
	done
	expect_eq "$("$playnet" ask "$net" internet packets 1.1.1.1)" 0
	expect_eq "$(grep -c GET "$TEST_TMP/requests")" 1
}
t "another registry, another name on the same address and any address by number fail at once and are told" fast 120

bursts() {
	need node npm python3
	registries_up
	in_client "npm install crate && node -p 'require(\"crate\").length'
		node /in/burst.js $tls/$npm/parcel 200"
	expect_has "$said" $'added 61 packages'
	expect_has "$said" $'\n61\n'
	expect_has "$said" "good 600 new 200 reused 400"
	expect_has "$result" '"denials":[],'
}
t "npm's bursts and 200 connections at once, which stay, are all served" bursts 60

run_tests "$@"
