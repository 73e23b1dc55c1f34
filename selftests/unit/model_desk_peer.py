#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The life and the account of a session once more, in another language and another form: a function for
each event instead of a table. Reads what model_desk_random.c did, one record a step, does the same, and
compares; and checks after each step what must hold of every session. Exits with 1 at the first difference.
"""

import struct
import sys

EVENTS = ("submit go dispatch finish cap pause resume change_cap change_box wipe wipe_proved wipe_failed end"
          " end_proved enforcement_lost reboot meter charge reserve new").split()
(SUBMIT, GO, DISPATCH, FINISH, CAP, PAUSE, RESUME, CHANGE_CAP, CHANGE_BOX, WIPE, WIPE_PROVED, WIPE_FAILED, END,
 END_PROVED, ENFORCEMENT_LOST, REBOOT, METER, CHARGE, RESERVE, NEW) = range(len(EVENTS))
IDLE, ARMED, RUNNING, PAUSED, WIPED, ENDED = range(6)
OPEN, CAP_MONEY, CAP_MINUTES, LOST, OVER = range(5)
DO = {name: 1 << bit for bit, name in enumerate("queue start freeze thaw kill refuse budget wipe end dispatch".split())}
OWN = 2**64 - 1  # the facts are those that follow from the effects so far

RECORD = struct.Struct("<24Q")


class Refused(Exception):
    pass


class Session:
    def __init__(self, cents, minutes, wall, cpu_rate, step_rate):
        self.state, self.queue, self.armed, self.revision = IDLE, OPEN, False, 1
        self.armed_at = self.started_at = self.wiped_at = self.ended_at = 0
        self.cents, self.minutes, self.box, self.budget = cents, minutes, 10, 40
        self.wall, self.cpu_rate, self.step_rate = wall, cpu_rate, step_rate
        self.cpu_ns = self.wall_ns = self.flat = self.steps = self.reserved = 0
        self.waiting, self.active, self.enforced, self.now = 0, False, True, 0

    # the account

    def money(self):
        return self.flat + self.cpu_ns * self.cpu_rate // 10**9

    def reached(self):
        if self.money() >= self.cents * 10**6 and self.money() > 0:
            return CAP_MONEY
        spent = self.wall_ns if self.wall else self.cpu_ns
        return CAP_MINUTES if spent >= self.minutes * 60 * 10**9 else OPEN

    def meter(self, cpu_ns, wall_ns):
        self.cpu_ns, self.wall_ns = max(self.cpu_ns, cpu_ns), max(self.wall_ns, wall_ns)
        return 0

    def charge(self, ucents, steps):
        self.flat += ucents + steps * self.step_rate
        self.steps += steps
        return 0

    def reserve(self, ucents, _):
        if self.reached() != OPEN or self.money() + self.reserved + ucents > self.cents * 10**6:
            raise Refused("session.cap_spent")
        self.reserved += ucents
        return 0

    # the life

    def alive(self):
        if self.state == ENDED or self.queue == OVER:
            raise Refused("session.ended")

    def trip(self):
        """The cap is reached, and everything that it ends ends."""
        if self.queue in (OPEN, CAP_MONEY, CAP_MINUTES):
            self.queue = self.reached()
        freeze = 0
        if self.state in (ARMED, RUNNING):
            self.state = PAUSED
            freeze = DO["freeze"]
        return freeze | DO["kill"] | DO["refuse"] | DO["budget"]

    def submit(self, _a, _b):
        self.alive()
        if self.queue != OPEN or self.reached() != OPEN:
            raise Refused("queue.closed")
        if self.waiting >= 32:
            raise Refused("queue.full")
        self.revision += 1
        return DO["queue"] | (DO["dispatch"] if self.state == ARMED else 0)

    def may_run(self):
        if self.reached() != OPEN:
            raise Refused("session.cap_spent")
        if not self.enforced:
            raise Refused("enforcement.unavailable")
        if self.queue == LOST:
            self.queue = OPEN

    def go(self, _a, _b):
        self.alive()
        if self.state == PAUSED:
            raise Refused("session.paused")
        if self.state in (ARMED, RUNNING):
            return 0
        self.may_run()
        self.state, self.armed, self.armed_at = ARMED, True, self.now
        self.revision += 1
        return DO["budget"] | DO["dispatch"]

    def dispatch(self, _a, _b):
        if self.state != ARMED:
            return 0
        if self.active:
            raise Refused("internal")
        if self.reached() != OPEN:
            self.revision += 1
            return self.trip() & ~DO["freeze"]
        if not self.waiting:
            return 0
        if not self.enforced:
            raise Refused("enforcement.unavailable")
        self.state = RUNNING
        self.started_at = self.started_at or self.now
        self.revision += 1
        return DO["start"] | DO["budget"]

    def finish(self, _a, _b):
        if self.state not in (RUNNING, PAUSED):
            raise Refused("internal")
        self.revision += 1
        if self.queue == OVER:
            return 0
        if self.reached() != OPEN:
            return self.trip() & ~(DO["freeze"] | DO["kill"])
        if self.state == PAUSED:
            return DO["budget"]
        if self.waiting and self.enforced:
            return DO["start"] | DO["budget"]
        if self.waiting:
            self.queue, self.state = LOST, PAUSED
        else:
            self.state = ARMED
        return DO["budget"]

    def cap(self, _a, _b):
        if self.state == ENDED or self.queue == OVER or self.reached() == OPEN:
            return 0
        if self.state not in (ARMED, RUNNING) and not self.active and self.queue in (CAP_MONEY, CAP_MINUTES):
            return 0
        before = self.state, self.queue
        effects = self.trip()
        self.revision += (self.state, self.queue) != before
        return effects

    def pause(self, _a, _b):
        self.alive()
        if not self.armed:
            raise Refused("session.not_armed")
        if self.state == PAUSED:
            return 0
        self.state = PAUSED
        self.revision += 1
        return DO["freeze"] | DO["budget"]

    def resume(self, _a, _b):
        self.alive()
        if not self.armed:
            raise Refused("session.not_armed")
        if self.state != PAUSED:
            return 0
        self.may_run()
        self.revision += 1
        self.state = RUNNING if self.active else ARMED
        if self.active:
            self.started_at = self.started_at or self.now
        return DO["budget"] | (DO["thaw"] if self.active else DO["dispatch"])

    def change_cap(self, cents, minutes):
        self.alive()
        if cents > 2**53 or not 1 <= minutes <= 2**53:
            raise Refused("document.invalid")
        self.cents, self.minutes = cents, minutes
        self.revision += 1
        if self.reached() != OPEN:
            return self.trip()
        if self.queue in (CAP_MONEY, CAP_MINUTES):
            self.queue = OPEN
        return DO["budget"]

    def change_box(self, box, budget):
        self.alive()
        if not 5 <= box <= 30 or not 1 <= budget <= 2**53:
            raise Refused("document.invalid")
        self.box, self.budget = box, budget
        self.revision += 1
        return 0

    def wiping(self):
        return self.state == PAUSED and not self.armed

    def wipe(self, _a, _b):
        if self.state == ENDED:
            raise Refused("session.ended")
        if self.queue == OVER:
            return self.end(0, 0)
        self.revision += not self.wiping()
        self.state, self.armed, self.armed_at = PAUSED, False, 0
        return DO["kill"] | DO["budget"] | DO["wipe"]

    def wipe_proved(self, _a, _b):
        if not self.wiping() or self.active:
            raise Refused("internal")
        self.wiped_at = self.now
        self.revision += 1
        if self.queue == OVER:
            return 0
        self.state = WIPED
        return DO["budget"]

    def wipe_failed(self, _a, _b):
        if not self.wiping():
            raise Refused("internal")
        return 0

    def end(self, _a, _b):
        if self.state == ENDED:
            return 0
        if self.queue == OVER:
            return DO["kill"] | DO["wipe"] | DO["end"]
        self.revision += 1
        self.state, self.queue, self.armed, self.armed_at = PAUSED, OVER, False, 0
        return DO["kill"] | DO["refuse"] | DO["budget"] | DO["wipe"] | DO["end"]

    def end_proved(self, _a, _b):
        if self.queue != OVER or self.state == ENDED or self.active:
            raise Refused("internal")
        self.state, self.ended_at = ENDED, self.now
        self.revision += 1
        return 0

    def enforcement_lost(self, _a, _b):
        if not self.armed:
            return 0
        self.revision += self.state != PAUSED or self.queue == OPEN
        self.state = PAUSED
        if self.queue == OPEN:
            self.queue = LOST
        return DO["kill"] | DO["budget"]

    def reboot(self, _a, _b):
        if self.state == ENDED:
            return 0
        if self.queue == OVER:
            return self.end(0, 0)
        if self.wiping():
            return DO["kill"] | DO["budget"] | DO["wipe"]
        if not self.armed:
            return DO["budget"]
        self.revision += self.state != PAUSED
        self.state = PAUSED
        return DO["kill"] | DO["budget"]

    # what follows from a step, and what holds behind it

    def perform(self, event, effects):
        if event == FINISH:
            self.active = False
        if effects & DO["refuse"]:
            self.waiting = 0
        if effects & DO["queue"]:
            self.waiting += 1
        if effects & DO["start"]:
            assert not self.active and self.waiting, "a second running request"
            self.active, self.waiting = True, self.waiting - 1

    def hold(self, event, before):
        revision, money, cpu_ns, wall_ns, steps = before
        if self.state == IDLE:
            assert not (self.armed or self.armed_at or self.started_at or self.wiped_at or self.ended_at), "idle"
        elif self.state == RUNNING:
            assert self.armed and self.started_at and self.queue == OPEN, "running"
        elif self.state == WIPED:
            assert self.wiped_at and not self.armed, "wiped"
        assert (self.state == ENDED) == (self.ended_at != 0), "ended"
        assert self.armed == (self.armed_at != 0), "armed_at"
        assert self.revision >= revision and self.money() >= money, "what only rises fell"
        assert self.cpu_ns >= cpu_ns and self.wall_ns >= wall_ns and self.steps >= steps, "spend fell"
        if event == CAP and self.reached() != OPEN:
            assert self.queue != OPEN and self.state not in (ARMED, RUNNING), "the cap lets something run"

    def shown(self):
        return (self.state, self.queue, self.armed, self.armed_at, self.started_at, self.wiped_at, self.ended_at,
                self.revision, self.money(), self.reserved, self.steps, self.money() // 10**6,
                (self.wall_ns if self.wall else self.cpu_ns) // 10**9)


STEPS = [getattr(Session, name) for name in EVENTS[:-1]]
ON_ACTIVE = DO["freeze"] | DO["thaw"] | DO["kill"]


def follow(session, record, codes):
    event, a, b, now, enforced, waiting, active = record[:7]
    session.now, session.enforced = now, bool(enforced)
    own = waiting == OWN
    if not own:
        session.waiting, session.active = waiting, bool(active)
    before = session.revision, session.money(), session.cpu_ns, session.wall_ns, session.steps
    code = "none"
    effects = 0
    try:
        effects = STEPS[event](session, a, b)
        if not session.active:
            effects &= ~ON_ACTIVE
        if own:
            session.perform(event, effects)
    except Refused as refused:
        code = refused.args[0]
    session.hold(event, before)
    got = (codes[record[9]], record[10]) + record[11:24]
    want = (code, effects) + session.shown()
    assert got == want, f"it has {got}, here it is {want}"


def main():
    stream = sys.stdin.buffer
    codes = stream.readline().decode().split()
    session, sequences, steps, done = None, 0, 0, []
    while True:
        block = stream.read(RECORD.size * 2048)
        for record in RECORD.iter_unpack(block):
            if record[0] == NEW:
                session = Session(*record[1:6])
                sequences += 1
                done = []
                continue
            steps += 1
            done.append(record)
            try:
                follow(session, record, codes)
            except AssertionError as error:
                for earlier in done:
                    print(EVENTS[earlier[0]], *earlier[1:7])
                print(f"sequence {sequences}: {error}")
                return 1
        if not block:
            break
    print(f"{sequences} sequences, {steps} steps")
    return 0 if sequences >= int(sys.argv[1]) else 1


if __name__ == "__main__":
    sys.exit(main())
