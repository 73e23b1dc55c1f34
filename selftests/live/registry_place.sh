# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The playground of dns_place.sh with package registries in its internet (registry/serve.py): on the address
# that the played name server gives for each name, under a certificate authority of the test's own.

. "${0%/*}/dns_place.sh"

here=$(cd "${0%/*}" && pwd)
domains=$(sed -n 's/^\tX("\([^"]*\)").*/\1/p' "$here/../../user/model/names_default.h")
npm=registry.$registry
pypi=$(grep -m 1 pypi <<<"$domains")
files=files.$(grep -m 1 pythonhosted <<<"$domains")
conda=conda.$(grep -m 1 anaconda <<<"$domains")
other=registry.elsewhere.test

# What a user's command does so that clients believe an authority of the user's own.
# npm reads another file than node where a host's npmrc names one.
trust="export NODE_EXTRA_CA_CERTS=/in/ca.pem npm_config_cafile=/in/ca.pem PIP_CERT=/in/ca.pem CURL_CA_BUNDLE=/in/ca.pem"

pip='/usr/bin/python3 -m pip'

# need PROGRAM...: where a sandbox sees it, too.
need() {
	local program
	for program in "$@"; do
		[ -x "/usr/bin/$program" ] || skip "/usr/bin/$program is not installed"
	done
}

need_pip() {
	need python3
	$pip --version >/dev/null 2>&1 || skip "pip is not installed"
}

certificates() {
	local name names=DNS:$other
	for name in $domains; do names+=",DNS:$name,DNS:*.$name"; done
	(cd "$TEST_TMP" && exec >certificates.log 2>&1 &&
		openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=ca -days 2 \
			-keyout ca.key -out ca.pem &&
		openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=any \
			-keyout key -out request &&
		openssl x509 -req -in request -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
			-extfile <(echo "subjectAltName=$names") -out cert) ||
		fail "no certificates: $(cat "$TEST_TMP/certificates.log")"
}

# The playground, the certificates and the server; npm's, pip's and curl's requests are in $TEST_TMP/requests.
registries_up() {
	up && certificates
	"$playnet" in "$net" internet nft 'add table inet t; add chain inet t p { type nat hook prerouting priority -100; };
		add rule inet t p tcp dport 443 redirect to :7443'
	"$playnet" in "$net" internet /usr/bin/python3 "$here/registry/serve.py" 7443 "$TEST_TMP/cert" "$TEST_TMP/key" \
		"$files" "$TEST_TMP/requests" </dev/null >"$TEST_TMP/server.log" 2>&1 &
	server=$!
	wait_for 5 server_listens || fail "the server does not start: $(cat "$TEST_TMP/server.log")"
}
server_listens() { "$playnet" in "$net" internet ss -Hltn sport = 7443 | grep -q .; }

# in_client COMMAND: in the test's only sandbox; sets $said and $result.
in_client() {
	local code=0
	result=$(reeve run --json --egress package-managers --file "$TEST_TMP/ca.pem" --file "$here/registry/burst.js" \
		-- /bin/bash -c "cd /tmp; $trust; $1" </dev/null) || code=$?
	said=$(cat "$TEST_TMP"/out/*/stdout.log)
	echo "exit code $code: $result"
}
