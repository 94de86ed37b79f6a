# SPDX-License-Identifier: Apache-2.0
"""The service is killed at points around what is done to domains and around
their metering: afterwards each domain runs or is wholly gone, as its operation
says, the bill is to the micro-unit and to the nanosecond what the counters were
set to, and the ledger verifies.

KILL_POINTS of them. An act is killed at a switch of the fake machine, or after a
time that chance chooses (KILL_SEED chooses the same again), and asked for again
with the same key."""
import os
import random
import threading
import time
import http.client

import pytest

from billing import HOUR_NS, PRICES, XVDA, bill, check_arithmetic, lines_of
from billing import verify
from conftest import spec

POINTS = int(os.environ.get("KILL_POINTS", "24"))
MEMORY = 16 << 20
DISK = 1 << 20
# Where the fake machine can be made to wait, by act.
SWITCHES = {"create": ["stall-before", "stall-after"],
            "start": ["stall-before", "stall-after"],
            "destroy": ["stall-halt", "stall-halted", "stall-destroy",
                        "stall-destroyed"],
            "delete": ["stall-destroy", "stall-destroyed"],
            "meter": []}


class Story:
    """One domain, what is done to it, and what that has to cost."""

    def __init__(self, node, number, chance):
        self.node = node
        self.chance = chance
        self.name = f"d{number}"
        self.account = f"t{number}"
        self.id = None
        self.run = 0
        self.cpu = 0
        self.vif = (0, 0)
        self.expected = {}

    def add(self, key, value):
        self.expected[key] = self.expected.get(key, 0) + value

    def use(self):
        """Counters go on, then the clock."""
        ns = self.chance.randrange(1, HOUR_NS)
        self.cpu += self.chance.randrange(10**12)
        self.vif = tuple(v + self.chance.randrange(10**10) for v in self.vif)
        self.node.clock.set_meters(self.id, cpu=[self.cpu],
                                   vifs={0: self.vif})
        self.node.clock.advance(ns)
        self.expected[("vcpu", self.run, 0)] = self.cpu
        self.expected[("net-sent", self.run, 0)] = self.vif[0]
        self.expected[("net-received", self.run, 0)] = self.vif[1]
        self.add(("memory", self.run, 0), MEMORY * ns)
        self.add(("disk", 0, XVDA), DISK * ns)

    def rest(self):
        ns = self.chance.randrange(1, HOUR_NS)
        self.node.clock.advance(ns)
        self.add(("disk", 0, XVDA), DISK * ns)

    def begin_run(self):
        self.run += 1
        self.cpu, self.vif = 0, (0, 0)
        for meter in ("read-requests", "read-bytes", "write-requests",
                      "write-bytes"):
            self.expected[(meter, self.run, XVDA)] = 0

    def request(self, act):
        do = self.node.local
        key = {"Idempotency-Key": f"{self.name}-{act}-{self.run}"}
        if act == "create":
            return do("POST", "/v1/domains", spec(
                self.name, tenant=self.account,
                disks=[{"device": "xvda", "size_bytes": DISK}], nics=[{}]),
                key)
        if act == "delete":
            return do("DELETE", f"/v1/domains/{self.id}",
                      headers={"If-Match": "*"})
        if act == "meter":
            return do("GET", f"/v1/accounts/{self.account}/statement")
        return do.act(self.id, act, **key)

    def finish(self, act):
        """Again, as who has got no answer would; a removal has no key."""
        answer = self.request(act)
        if act == "delete" and answer.status != 202:
            found = self.node.local("GET",
                                    f"/v1/operations?domain={self.id}").json
            newest = found["items"][0]
            assert newest["kind"] == "domain.delete", found
            self.node.local("GET", f'/v1/operations/{newest["id"]}?wait=20')
        elif act != "meter":
            self.node.local.succeed(answer)
        return answer


def kill_at_switch(story, act, switch):
    node = story.node
    (node.world / "stalled").unlink(missing_ok=True)
    (node.world / switch).touch()
    assert story.request(act).status == 202
    node.await_file("stalled")
    node.kill()
    (node.world / switch).unlink()


def kill_in_time(story, act, delay_s):
    def ask():
        try:
            story.request(act)
        except (OSError, http.client.HTTPException):
            pass

    thread = threading.Thread(target=ask)
    thread.start()
    time.sleep(delay_s)
    story.node.kill()
    thread.join()


def perform(story, act, turns):
    """With a kill in the middle, at a switch and in time by turns: turns counts
    them, so that each switch has its turn."""
    switches = SWITCHES[act]
    turn = turns[act] = turns.get(act, -1) + 1
    if switches and turn % 2 == 0:
        kill_at_switch(story, act, switches[turn // 2 % len(switches)])
    else:
        kill_in_time(story, act, story.chance.uniform(0, 0.15))
    story.node.start()
    return story.finish(act)


def check(story):
    node = story.node
    got = node.local("GET", f"/v1/accounts/{story.account}/statement").json
    check_arithmetic(got)
    used = {k: v for k, v in lines_of(got).items() if v}
    assert used == {k: v for k, v in story.expected.items() if v}
    assert got["total"]["micro"] == bill(story.expected)
    here = list(node.world.glob(f"{story.id}.*"))
    answer = node.local("GET", f"/v1/domains/{story.id}")
    if answer.status == 404:
        assert here == []
        assert all(x["final"] for x in got["lines"])
    elif answer.json["state"] == "running":
        assert (node.world / f"{story.id}.domain").exists()
    else:
        assert answer.json["state"] == "stopped"
        assert not (node.world / f"{story.id}.domain").exists()


def tell(node, number, chance, points, turns):
    """Creation, a run that is read, an end, another run, a removal: a kill in
    each, until there were enough. Returns how many."""
    story = Story(node, number, chance)
    killed = 0

    def act(what):
        nonlocal killed
        if killed < points:
            killed += 1
            return perform(story, what, turns)
        return story.finish(what)

    story.id = act("create").json["domain"]["id"]
    story.begin_run()
    check(story)
    story.use()
    act("meter")
    check(story)
    story.use()
    act("destroy")
    check(story)
    story.rest()
    act("start")
    story.begin_run()
    story.use()
    check(story)
    act("destroy")
    story.rest()
    act("delete")
    check(story)
    node.clock.advance(HOUR_NS)
    check(story)
    verify(node)
    return killed


def test_killed_anywhere_the_bill_is_exact(timed):
    seed = int(os.environ.get("KILL_SEED", time.time_ns() % 10**6))
    print(f"KILL_SEED={seed}")
    chance = random.Random(seed)
    answer = timed.local("POST", "/v1/tariffs", {
        "name": "standard", "prices": PRICES,
        "effective_from": "2001-01-01T00:00:00Z"})
    assert answer.status == 201
    killed = number = 0
    turns = {}
    while killed < POINTS:
        killed += tell(timed, number, chance, POINTS - killed, turns)
        number += 1
    verify(timed)
    print(f"killed {killed} times, {number} domains")


@pytest.mark.parametrize("how", [2, 4], ids=["poweroff", "crash"])
def test_guest_that_ended_while_nobody_looked(timed, how):
    """It was started, the service was killed before it could say so, and the
    guest has ended since: what it used is on the bill all the same."""
    story = Story(timed, 0, random.Random(how))
    (timed.world / "stall-after").touch()
    answer = story.request("create")
    timed.await_file("stalled")
    timed.kill()
    (timed.world / "stall-after").unlink()
    story.id = answer.json["domain"]["id"]
    story.begin_run()
    story.use()
    file = timed.world / f"{story.id}.domain"
    words = file.read_text().split()
    words[1] = str(how)
    file.write_text(" ".join(words) + "\n")
    timed.start()
    timed.local.succeed(answer)
    got = timed.local("GET", f"/v1/accounts/{story.account}/statement").json
    used = lines_of(got)
    assert used[("vcpu", 1, 0)] == story.cpu
    assert used[("memory", 1, 0)] == story.expected[("memory", 1, 0)]
    # The creation was done again, and is another run.
    assert {x["incarnation"] for x in timed.local(
        "GET", f"/v1/domains/{story.id}/usage").json["readings"]} == {0, 1, 2}
    verify(timed)
