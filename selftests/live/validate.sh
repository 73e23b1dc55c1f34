#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# reeve validate: the reference validator's verdicts on every vector, word for word, as documents and as lines,
# and exit codes that tell a document that is wrong from one that could not be judged.

. "${0%/*}/../test.sh"

# Runs the command over every vector of a file and compares what it prints with what is expected there.
vectors() {
	command -v python3 >/dev/null || skip "python3 is not installed"
	python3 - "$REEVE" "$@" <<'END'
import json, subprocess, sys
reeve, contract, path, document, least = sys.argv[1:6]
vectors = json.load(open(path))
wrong = 0
for vector in vectors:
    want = vector.get("expect") or {"valid": vector["schema_valid"], "errors": vector["errors"]}
    text = json.dumps(vector[document], ensure_ascii=False).encode()
    def run(*options):
        done = subprocess.run([reeve, "validate", *options, contract, "-"], input=text, capture_output=True)
        return done.returncode, done.stdout.decode(), done.stderr.decode()
    code, out, err = run("--json")
    if json.loads(out) != want or err or code != (0 if want["valid"] else 1):
        wrong += 1
        print(f'{vector["name"]}: exit {code}: {out}wanted {json.dumps(want)} {err}')
    code, out, err = run()
    lines = [line.split(": ", 1)[0] for line in out.splitlines()]
    if lines != ([error["path"] for error in want["errors"]] or ["valid"]) or code != (0 if want["valid"] else 1):
        wrong += 1
        print(f'{vector["name"]}: exit {code}: {out}')
print(len(vectors), "vectors,", wrong, "wrong")
sys.exit(wrong or len(vectors) < int(least))
END
}

sessions() {
	expect_ok vectors codes.sandbox-session@1 selftests/vectors/sandbox-session.vectors.json doc 140
}
t "every vector of the session contract has the reference's verdict, paths, words and order" sessions 60

scripts() {
	expect_ok vectors sandbox_script selftests/vectors/sandbox_script.vectors.json args 18
}
t "every vector of scripts has the reference's verdict, and names the key that is too many" scripts 30

fixtures() {
	local file
	for file in selftests/vectors/sandbox-session.fixtures/valid/*.json; do
		expect_eq "$("$REEVE" validate codes.sandbox-session@1 "$file")" valid "$file"
		expect_eq "$("$REEVE" validate --json codes.sandbox-session "$file")" '{"valid":true,"errors":[]}' "$file"
	done
	for file in selftests/vectors/sandbox-session.fixtures/invalid/*.json; do
		expect_exit 1 "$REEVE" validate codes.sandbox-session@1 "$file"
	done
}
t "the contract's own examples are valid, and its counter-examples are not" fixtures

examples() {
	local file schema
	for file in schemas/examples/*/*.json; do
		schema=$(basename "${file%/*}")
		expect_eq "$("$REEVE" validate "${schema/.v/@}" "$file")" valid "$file"
	done
}
t "every example is valid under the name of its contract" examples 60

lines() {
	local said
	said=$("$REEVE" validate codes.sandbox-session@1 selftests/vectors/sandbox-session.fixtures/invalid/no-cap.json)
	expect_eq "$said" "/: must have required property 'cap'"
	said=$("$REEVE" validate sandbox_script - <<<'{"command": "true", "\u001b[2Jtimeout": 1}')
	expect_eq "$said" "/: must NOT have additional properties: '\\x1b[2Jtimeout'"
	said=$("$REEVE" validate desk@1 - <<<'{' || :)
	expect_has "$said" "/: the document is not JSON"
}
t "complaints are lines, and no document writes control characters to a terminal" lines

unjudged() {
	local said code=0
	said=$("$REEVE" validate --json codes.sandbox-session@2 - 2>"$TEST_TMP/err" <<<'{}') || code=$?
	expect_eq "$code" 125
	expect_has "$said" '"code":"usage","pointer":"CONTRACT"'
	expect_has "$(cat "$TEST_TMP/err")" "there are authorize@1, charge@1, codes.sandbox-session@1"
	expect_exit 125 "$REEVE" validate codes.sandbox-session@1 "$TEST_TMP/none.json"
	expect_exit 125 "$REEVE" validate codes.sandbox-session@1
	expect_exit 125 "$REEVE" validate
	expect_exit 125 "$REEVE" validate codes.sandbox-session@1 - - <<<'{}'
	head -c $((16 * 1024 * 1024 + 1)) /dev/zero >"$TEST_TMP/large"
	expect_exit 125 "$REEVE" validate codes.sandbox-session@1 "$TEST_TMP/large"
	expect_has "$("$REEVE" validate --help)" "reeve validate [OPTION...] CONTRACT[@VERSION] FILE"
}
t "an unknown contract, a missing file and one that is too large are faults, not verdicts" unjudged 30

run_tests "$@"
