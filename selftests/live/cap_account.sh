#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Caps and the time box as "reeve run" shows them: the outcome, the exit code, the account, and how gently
# the end comes.

. "${0%/*}/run_place.sh"

# ends CODE OUTCOME REACHED OPTION... -- COMMAND...: sets $result.
ends() {
	local want=$1 code=0
	result=$(reeve run --json "${@:4}") || code=$?
	echo "$result"
	expect_eq "$code $(json outcome "$result") $(json reached "$result")" "$want $2 $3"
}

between() { expect_le "$1" "$2" "$4"; expect_le "$2" "$3" "$4"; }
wall_ms() { echo $(($(json wall_ns "$result") / 1000000)); }
cpu_ms() { echo $(($(json cpu_ns "$result") / 1000000)); }
burn() { echo --file "$PROG/burn" -- /in/burn "$@"; }

cpu() {
	ends 123 capped cap_cpu --cpu-seconds 0.2 $(burn spin 0)
	between 200 "$(cpu_ms)" 350 "CPU ms"
	ends 123 capped cap_cpu --cpu-seconds 0.2 $(burn processes 8 0)
	between 200 "$(cpu_ms)" 400 "CPU ms"
	ends 123 capped cap_cpu --cpu-seconds 0.2 $(burn bomb 200 10000)
	between 200 "$(cpu_ms)" 500 "CPU ms"
	ends 0 exited null --cpu-seconds 0.2 $(burn spin 100000)
}
t "a CPU cap ends a spinner, processes and a bomb, and leaves alone who stays below" cpu 60

money_cpu() {
	ends 123 capped cap_money --money-cents 2 --rate cpu_second=10000000 $(burn spin 0)
	between 200 "$(cpu_ms)" 350 "CPU ms"
	between 2000000 "$(json money_ucents "$result")" 3000000 "micro-cents"
}
t "a money cap ends a spinner by the price of CPU seconds" money_cpu

sleeper() {
	ends 123 capped cap_money --money-cents 1 --rate wall_minute=120000000 -- /bin/sleep 15
	between 500 "$(wall_ms)" 5000 "wall ms"
	between 1000000 "$(json money_ucents "$result")" 10000000 "micro-cents"
}
t "a money cap ends a sleeper by the price of wall minutes" sleeper

beforehand() {
	local rate
	for rate in request=1000000 step=1000000 request=600000,step=400000; do
		ends 123 capped cap_money --money-cents 1 --rate $rate -- /bin/echo printed
		expect_lacks "$(json stdout "$result")" printed
		expect_eq "$(json money_ucents "$result")" 1000000
	done
	ends 0 exited null --money-cents 1 --rate request=999999 -- /bin/echo printed
	expect_has "$(json stdout "$result")" printed
	expect_eq "$(json money_ucents "$result")" 999999
}
t "prices of the request and its step that reach the cap let nothing run" beforehand

free_work() {
	ends 0 exited null --money-cents 0 -- /bin/echo printed
	expect_has "$(json stdout "$result")" printed
	ends 0 exited null --money-cents 0 --rate egress_gib=1000 -- /bin/echo printed
	ends 123 capped cap_money --money-cents 0 --rate cpu_second=1000000 -- /bin/echo printed
	ends 123 capped cap_money --money-cents 0 --rate step=1 -- /bin/echo printed
}
t "a money cap of 0 lets free work run, and the first paid unit reaches it" free_work

gently() {
	ends 124 timed_out deadline --time-box 0.5 -- /bin/sh -c \
		'trap "echo told; sleep 1; echo ready; exit 3" TERM; while :; do sleep 0.1; done'
	expect_has "$(json stdout "$result")" 'told\nready'
	between 1400 "$(wall_ms)" 2600 "wall ms"
}
t "at the end of its time box a request is told by TERM and may finish" gently

deaf() {
	ends 124 timed_out deadline --time-box 0.3 $(burn deaf 0)
	between 2300 "$(wall_ms)" 8000 "wall ms"
	ends 124 timed_out deadline --time-box 0.3 -- /bin/sleep 15
	between 300 "$(wall_ms)" 2000 "wall ms"
}
t "who does not listen to TERM is killed two seconds later, who does is gone at once" deaf 60

# Cap and box at once: one outcome, the cap's, which came first.
first_wins() {
	ends 123 capped cap_cpu --cpu-seconds 0.1 --time-box 3 $(burn spin 0)
	ends 124 timed_out deadline --cpu-seconds 10 --time-box 0.3 $(burn spin 0)
}
t "of a cap and a time box the first one is the outcome" first_wins

told() {
	local said code=0
	said=$(reeve run --cpu-seconds 0.1 $(burn spin 0) 2>&1) || code=$?
	expect_eq $code 123
	expect_has "$said" "reeve: capped (the CPU cap is used up)"
	expect_has "$said" " of 0.100 s"
	code=0
	said=$(reeve run --time-box 0.2 -- /bin/sleep 15 2>&1) || code=$?
	expect_eq $code 124
	expect_has "$said" "reeve: timed_out (the time box is over)"
}
t "the account in words says what was reached" told

chains() {
	ends 123 capped cap_cpu --cpu-seconds 0.1 $(burn chains 4 1000 0)
	expect_eq "$(json events_lost "$result")" 0
}
t "chains of short processes are capped, and no event is lost" chains

run_tests "$@"
