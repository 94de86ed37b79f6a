# SPDX-License-Identifier: Apache-2.0
"""Usage, statements, tariffs, accounts and the ledger over HTTP."""
import datetime
import re

import pytest

from billing import (HOUR_NS, PRICES, XVDA, bill, check_arithmetic,
                     lines_of, verify)
from conftest import spec

MEMORY = 16 << 20
DISK = 1 << 20


def publish(node, **more):
    """In force from before anything is metered, if nothing else is said."""
    answer = node.local("POST", "/v1/tariffs", {
        "name": "standard", "prices": PRICES,
        "effective_from": "2001-01-01T00:00:00Z", **more})
    assert answer.status == 201, answer.text
    return answer.json


def create(node, name="web1", **more):
    answer = node.local("POST", "/v1/domains", spec(
        name, tenant="acme", vcpus=2, cpu_reservation_permille=20,
        disks=[{"device": "xvda", "size_bytes": DISK}], nics=[{}], **more))
    node.local.succeed(answer)
    return answer.json["domain"]["id"]


def used_of(cpu, ns_running, ns_volume, vbd=(0, 0, 0, 0), vif=(0, 0), run=1):
    used = {("vcpu", run, i): ns for i, ns in enumerate(cpu)}
    used[("memory", run, 0)] = MEMORY * ns_running
    used[("disk", 0, XVDA)] = DISK * ns_volume
    for meter, value in zip(("read-requests", "read-bytes", "write-requests",
                             "write-bytes"), vbd):
        used[(meter, run, XVDA)] = value
    used[("net-sent", run, 0)] = vif[0]
    used[("net-received", run, 0)] = vif[1]
    return used


def statement(node, account="acme", query=""):
    answer = node.local("GET", f"/v1/accounts/{account}/statement{query}")
    assert answer.status == 200, answer.text
    check_arithmetic(answer.json)
    return answer.json


def test_statement_is_what_the_counters_say(timed):
    node = timed
    world = node.clock
    publish(node)
    domain = create(node)
    world.set_meters(domain, cpu=[123456789012, 987654321],
                     vbds={XVDA: (1000, 123456789, 77, 7654321)},
                     vifs={0: (3 << 30, 12345)})
    world.advance(2 * HOUR_NS + 12345)
    expected = used_of([123456789012, 987654321], 2 * HOUR_NS + 12345,
                       2 * HOUR_NS + 12345, (1000, 123456789, 77, 7654321),
                       (3 << 30, 12345))
    got = statement(node)
    assert lines_of(got) == expected
    assert got["total"] == {"micro": bill(expected), "currency": "EUR"}
    assert got["total"]["micro"] > 30000
    # It does not become more by being asked for.
    assert statement(node)["lines"] == got["lines"]
    usage = node.local("GET", "/v1/domains/web1/usage").json
    assert usage["total"] == got["total"]
    assert usage["domain"] == domain and usage["account"] == "acme"
    shown = {(x["meter"], x["incarnation"], x["device"]): int(x["value"])
             for x in usage["readings"]}
    assert shown[("vcpu", 1, 0)] == 123456789012
    assert shown[("memory", 1, 0)] == MEMORY
    one = node.local("GET", f"/v1/domains/{domain}/statement").json
    assert one["lines"] == got["lines"] and one["domain"] == domain
    account = node.local("GET", "/v1/accounts/acme").json
    assert account["total"] == got["total"]
    assert account["meters"] == got["meters"]
    verify(node)


def test_each_line_explains_itself(timed):
    node = timed
    world = node.clock
    publish(node)
    domain = create(node)
    world.set_meters(domain, cpu=[5 * 10**9])
    world.advance(HOUR_NS)
    line = next(x for x in statement(node)["lines"]
                if x["meter"] == "vcpu" and x["device"] == 0)
    assert line["start"]["value"] == "0" and line["end"]["value"] == "5000000000"
    for part in ("used: 5000000000 - 0 = 5000000000 ns", "tariff 1",
                 f'(5000000000 x 36000 + {line["carry_in"]} carried) / '
                 f'{HOUR_NS} = 50', "ledger rows"):
        assert part in line["text"]
    assert line["amount"]["micro"] == 50


def test_bill_goes_on_through_a_whole_life(timed):
    """Two runs, with a pause between and after, and a removal: the volume is
    charged throughout, memory while the domain runs."""
    node = timed
    world = node.clock
    do = node.local
    publish(node)
    domain = create(node)
    world.set_meters(domain, cpu=[10**9, 1], vifs={0: (5, 6)})
    world.advance(HOUR_NS)
    do.succeed(do.act("web1", "shutdown"))
    world.advance(HOUR_NS)
    do.succeed(do.act("web1", "start"))
    world.set_meters(domain, cpu=[2 * 10**9, 2], vifs={0: (7, 8)})
    world.advance(HOUR_NS // 2)
    do.succeed(do.act("web1", "destroy"))
    world.advance(HOUR_NS // 2)
    do.succeed(do("DELETE", "/v1/domains/web1", headers={"If-Match": "*"}))
    world.advance(HOUR_NS)
    expected = used_of([10**9, 1], HOUR_NS, 0, vif=(5, 6))
    expected |= used_of([2 * 10**9, 2], HOUR_NS // 2, 3 * HOUR_NS, vif=(7, 8),
                        run=2)
    got = statement(node)
    assert lines_of(got) == expected
    assert got["total"]["micro"] == bill(expected)
    assert all(x["final"] for x in got["lines"])
    # Who is gone is still known by its id.
    assert do("GET", f"/v1/domains/{domain}/usage").json["total"] == got["total"]
    assert do("GET", "/v1/domains/web1/usage").problem == "not-found"
    verify(node)


def test_reboot_and_crash_end_a_run(timed):
    node = timed
    world = node.clock
    do = node.local
    domain = create(node)
    world.set_meters(domain, cpu=[100, 200])
    world.advance(5 * 10**9)
    do.succeed(do.act("web1", "reboot"))
    world.advance(10**9)
    assert {k: v for k, v in lines_of(statement(node)).items()
            if k[0] == "vcpu"} == {("vcpu", 1, 0): 100, ("vcpu", 1, 1): 200,
                                   }
    answer = do("POST", "/v1/domains", spec("crash1", kernel="crasher",
                                            tenant="other"))
    crashed = answer.json["domain"]["id"]
    do.finish(answer)
    for _ in range(100):
        if do("GET", f"/v1/domains/{crashed}").json["state"] == "crashed":
            break
    usage = do("GET", f"/v1/domains/{crashed}/usage").json
    assert all(x["final"] for x in usage["readings"])
    verify(node)


def test_pausing_is_charged_by_memory_only(timed):
    node = timed
    world = node.clock
    domain = create(node)
    world.set_meters(domain, cpu=[7, 0])
    node.local.succeed(node.local.act("web1", "pause"))
    world.advance(HOUR_NS)
    got = lines_of(statement(node))
    assert got[("memory", 1, 0)] == MEMORY * HOUR_NS
    assert got[("vcpu", 1, 0)] == 7


def test_windows_sum_to_the_whole(timed):
    node = timed
    world = node.clock
    publish(node)
    domain = create(node)
    for hour in range(1, 4):
        world.set_meters(domain, cpu=[hour * 10**12 + 7, hour],
                         vifs={0: (hour * 10**9, hour * 3)})
        world.advance(HOUR_NS)
        statement(node)
    whole = statement(node)
    start = min(x["start"]["at"] for x in whole["lines"])
    begun = datetime.datetime.fromisoformat(start[:19])
    cuts = [(begun + datetime.timedelta(minutes=m)).isoformat() + ".5Z"
            for m in (13, 77, 178)]
    parts = [statement(node, query=f"?to={cuts[0]}"),
             statement(node, query=f"?from={cuts[0]}&to={cuts[1]}"),
             statement(node, query=f"?from={cuts[1]}&to={cuts[2]}"),
             statement(node, query=f"?from={cuts[2]}")]
    assert sum(p["total"]["micro"] for p in parts) == whole["total"]["micro"]
    assert all(p["total"]["micro"] for p in parts)
    assert any(x["end"]["how"] == "computed" for x in parts[0]["lines"])
    # A month, and what was then, made again.
    month = statement(node, query=f"?month={start[:7]}")
    assert month["from"].endswith("-01T00:00:00.000000000Z")
    rows = whole["ledger"]["rows"]
    world.set_meters(domain, cpu=[10**13, 9])
    world.advance(HOUR_NS)
    assert statement(node)["total"]["micro"] > whole["total"]["micro"]
    again = statement(node, query=f"?last_row={rows}")
    assert again["total"] == whole["total"]
    assert again["lines"] == whole["lines"]


def test_no_tariff_no_price(timed):
    node = timed
    world = node.clock
    domain = create(node)
    world.set_meters(domain, cpu=[10**12, 1])
    world.advance(HOUR_NS)
    got = statement(node)
    assert got["total"]["micro"] == 0
    assert lines_of(got)[("vcpu", 1, 0)] == 10**12
    assert {x["tariff"] for x in got["lines"]} == {None}
    assert node.local("GET", "/v1/tariffs").json["items"] == []


def test_a_new_price_never_reaches_back(timed):
    node = timed
    world = node.clock
    do = node.local
    first = publish(node)
    assert first["version"] == 1 and first["currency"] == "EUR"
    domain = create(node)
    world.set_meters(domain, cpu=[HOUR_NS, 0])
    world.advance(HOUR_NS)
    before = statement(node)
    late = do("POST", "/v1/tariffs", {
        "name": "late", "prices": {},
        "effective_from": before["as_of"]})
    assert late.problem == "invalid"
    assert late.json["errors"][0]["field"] == "/effective_from"
    at = before["as_of"]
    second = publish(node, name="dearer", prices={
        "vcpu": {"micro": 72000, "per": HOUR_NS}},
        effective_from=f"{at[:20]}{int(at[20:29]) + 1:09}Z")
    assert second["version"] == 2
    world.set_meters(domain, cpu=[3 * HOUR_NS, 0])
    world.advance(HOUR_NS)
    got = statement(node)
    cpu = [x for x in got["lines"] if x["meter"] == "vcpu" and not x["device"]]
    assert [x["tariff"] for x in cpu] == [1, 2]
    assert sum(int(x["used"]) for x in cpu) == 3 * HOUR_NS
    assert cpu[0]["end"]["how"] == "computed"
    assert [x["amount"]["micro"] for x in cpu] == [36000, 2 * 72000]
    assert do("GET", "/v1/tariffs/1").json == first
    listed = do("GET", "/v1/tariffs").json
    assert listed == {"items": [first, second], "next": None}
    for version in ("0", "3", "x", "01", "99999999999"):
        assert do("GET", f"/v1/tariffs/{version}").problem == "not-found"
    verify(node)


def test_adjustments_count_once(timed):
    node = timed
    do = node.local
    create(node)
    path = "/v1/accounts/acme/adjustments"
    body = {"amount_micro": -2500, "note": "credit for the failure",
            "refers_to": 1}
    assert do("POST", path, body).problem == "malformed"
    key = {"Idempotency-Key": "credit-1"}
    first = do("POST", path, body, key)
    assert first.status == 201
    assert first.json["amount"] == {"micro": -2500, "currency": "EUR"}
    again = do("POST", path, body, key)
    assert again.text == first.text
    assert again.headers["Idempotent-Replayed"] == "true"
    got = statement(node)
    assert got["adjustments"]["micro"] == -2500
    line = got["lines"][-1]
    assert line["kind"] == "adjustment" and line["note"] == body["note"]
    assert line["first_row"] == first.json["row"] and line["refers_to"] == 1
    assert do("POST", path, {**body, "amount_micro": 1}, key).problem == (
        "idempotency-key-reused")
    assert do("POST", "/v1/accounts/nobody/adjustments", body,
              {"Idempotency-Key": "x"}).problem == "not-found"
    # It outlives the process, with its row.
    node.kill()
    node.start()
    assert do("POST", path, body, key).text == first.text
    assert statement(node)["adjustments"]["micro"] == -2500
    verify(node)


@pytest.mark.parametrize("change, field", [
    ({"amount_micro": 0}, "/amount_micro"),
    ({"amount_micro": 1.5}, "/amount_micro"),
    ({"amount_micro": "5"}, "/amount_micro"),
    ({"amount_micro": 10**15 + 1}, "/amount_micro"),
    ({"amount_micro": None}, "/amount_micro"),
    ({"note": ""}, "/note"),
    ({"note": "a\nb"}, "/note"),
    ({"note": "x" * 161}, "/note"),
    ({"note": 7}, "/note"),
    ({"refers_to": 0}, "/refers_to"),
    ({"refers_to": 10**9}, "/refers_to"),
    ({"domain": "dom_01M8Q5397R0YR6H0V41WPSB7N3"}, "/domain"),
    ({"domain": 3}, "/domain"),
    ({"currency": "EUR"}, "/currency"),
])
def test_bad_adjustment_changes_nothing(shared, change, field):
    do = shared.local
    do("POST", "/v1/tokens", {"role": "tenant", "tenant": "billed"})
    before = do("GET", "/v1/ledger").json
    answer = do("POST", "/v1/accounts/billed/adjustments",
                {"amount_micro": 5, "note": "why", **change},
                {"Idempotency-Key": "k"})
    assert (answer.status, answer.problem) == (422, "invalid")
    assert [e["field"] for e in answer.json["errors"]] == [field]
    assert answer.json["errors"][0]["limit"]
    assert do("GET", "/v1/ledger").json == before


@pytest.mark.parametrize("change, field", [
    ({"name": "a b"}, "/name"),
    ({"name": None}, "/name"),
    ({"prices": []}, "/prices"),
    ({"prices": {"cpu": {"micro": 1, "per": 1}}}, "/prices/cpu"),
    ({"prices": {"vcpu": 5}}, "/prices/vcpu"),
    ({"prices": {"vcpu": {"micro": -1, "per": 1}}}, "/prices/vcpu/micro"),
    ({"prices": {"vcpu": {"micro": 1.5, "per": 1}}}, "/prices/vcpu/micro"),
    ({"prices": {"vcpu": {"micro": 10**10 + 1, "per": 1}}},
     "/prices/vcpu/micro"),
    ({"prices": {"vcpu": {"micro": 1, "per": 0}}}, "/prices/vcpu/per"),
    ({"prices": {"vcpu": {"micro": 1}}}, "/prices/vcpu/per"),
    ({"prices": {"vcpu": {"micro": 1, "per": 2**53}}}, "/prices/vcpu/per"),
    ({"prices": {"vcpu": {"micro": 1, "per": 1, "unit": "ns"}}},
     "/prices/vcpu/unit"),
    ({"effective_from": "tomorrow"}, "/effective_from"),
    ({"effective_from": "2026-02-30T00:00:00Z"}, "/effective_from"),
    ({"effective_from": 5}, "/effective_from"),
    ({"currency": "USD"}, "/currency"),
])
def test_bad_tariff_changes_nothing(shared, change, field):
    do = shared.local
    before = do("GET", "/v1/ledger").json
    answer = do("POST", "/v1/tariffs",
                {"name": "standard", "prices": {}, **change})
    assert (answer.status, answer.problem) == (422, "invalid")
    assert [e["field"] for e in answer.json["errors"]] == [field]
    assert do("GET", "/v1/ledger").json == before
    assert do("GET", "/v1/tariffs").json["items"] == []


@pytest.mark.parametrize("query, parameter", [
    ("from=yesterday", "from"),
    ("from=2026-13-01T00:00:00Z", "from"),
    ("from=2026-01-01", "from"),
    ("from=1969-12-31T23:59:59Z", "from"),
    ("from=9999-01-01T00:00:00Z", "from"),
    ("to=2026-01-01T00:00:00%2B25:00", "to"),
    ("from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "from"),
    ("from=2260-01-02T00:00:00Z", "from"),
    ("month=2026-13", "month"),
    ("month=2026-1", "month"),
    ("month=2026-1x", "month"),
    ("month=2026-11&from=2026-01-01T00:00:00Z", "month"),
    ("last_row=0", "last_row"),
    ("last_row=-1", "last_row"),
    ("last_row=999999", "last_row"),
    ("last_row=1e3", "last_row"),
    ("colour=red", "colour"),
])
def test_bad_window_is_named(shared, query, parameter):
    shared.local("POST", "/v1/tokens", {"role": "tenant", "tenant": "billed"})
    answer = shared.local("GET", f"/v1/accounts/billed/statement?{query}")
    assert answer.problem == "malformed"
    assert answer.json["parameter"] == parameter


def test_zones_of_time_are_understood(shared):
    shared.local("POST", "/v1/tokens", {"role": "tenant", "tenant": "billed"})
    got = shared.local(
        "GET", "/v1/accounts/billed/statement?"
        "from=2026-01-01T01:30:00.25%2B01:30&to=2026-01-01T00:00:00-02:00").json
    assert got["from"] == "2026-01-01T00:00:00.250000000Z"
    assert got["to"] == "2026-01-01T02:00:00.000000000Z"


def test_tenants_see_their_own_account(timed):
    node = timed
    domain = create(node)
    acme = node.tcp(node.token()["token"])
    other = node.tcp(node.token(tenant="other")["token"])
    for path in ("/v1/accounts/acme", "/v1/accounts/acme/statement",
                 f"/v1/domains/{domain}/usage",
                 f"/v1/domains/{domain}/statement",
                 "/v1/domains/web1/usage"):
        assert acme("GET", path).status == 200
        assert other("GET", path).problem == "not-found"
        assert node.tcp()("GET", path).status == 401
    assert acme("GET", "/v1/accounts").json["items"] == [
        {"id": "acme", "currency": "EUR"}]
    mine = other("GET", "/v1/accounts/other/statement").json
    assert mine["lines"] == [] and mine["total"]["micro"] == 0
    names = [x["id"] for x in
             node.local("GET", "/v1/accounts").json["items"]]
    assert names == ["acme", "other"]
    assert acme("POST", "/v1/accounts/acme/adjustments",
                {"amount_micro": -1, "note": "x"},
                {"Idempotency-Key": "k"}).problem == "forbidden"
    assert acme("POST", "/v1/tariffs",
                {"name": "free", "prices": {}}).problem == "forbidden"
    assert acme("GET", "/v1/ledger/verify").problem == "forbidden"
    assert acme("GET", "/v1/tariffs").status == 200
    assert node.local("GET", "/v1/accounts/nobody").problem == "not-found"


def test_accounts_come_in_pages(timed):
    node = timed
    for name in ("a", "b", "c"):
        node.token(tenant=name)
    names, path = [], "/v1/accounts?limit=2"
    while path:
        page = node.local("GET", path).json
        names += [x["id"] for x in page["items"]]
        path = page["next"] and f'/v1/accounts?limit=2&cursor={page["next"]}'
    assert names == ["a", "b", "c"]


def test_ledger_is_verified_from_an_anchor(timed):
    node = timed
    create(node)
    head = node.local("GET", "/v1/ledger").json
    assert head["rows"] > 0
    assert re.fullmatch("led_[0-9A-Z]{26}", head["id"])
    path = f'/v1/ledger/verify?row={head["rows"]}&hash='
    assert node.local("GET", path + head["hash"]).json["good"] is True
    wrong = node.local("GET", path + "0" * 64).json
    assert (wrong["good"], wrong["bad_row"]) == (False, head["rows"])
    assert wrong["what"]
    for query in ("row=1", "hash=" + "0" * 64, "row=0&hash=" + "0" * 64,
                  "row=1&hash=xyz", "row=1&hash=" + "A" * 64):
        assert node.local("GET", "/v1/ledger/verify?" + query).problem == (
            "malformed")


def test_wall_clock_does_not_matter_for_what_was_used(timed):
    """Only the machine's clock went on."""
    node = timed
    world = node.clock
    domain = create(node)
    world.set_meters(domain, cpu=[1, 1])
    world.advance(1000 * HOUR_NS)
    assert lines_of(statement(node))[("memory", 1, 0)] == (
        MEMORY * 1000 * HOUR_NS)


def test_machine_that_was_started_anew(timed):
    """A power cut: nobody pays for what nobody has read, nor twice."""
    node = timed
    world = node.clock
    do = node.local
    publish(node)
    domain = create(node)
    world.set_meters(domain, cpu=[10**9, 5])
    world.advance(HOUR_NS)
    before = statement(node)
    world.set_meters(domain, cpu=[5 * 10**9, 5])
    world.advance(HOUR_NS)
    node.kill()
    # The domain is gone, the clock begins again.
    (node.world / f"{domain}.domain").unlink()
    (node.world / f"{domain}.meters").unlink()
    world.replace("boot", "second\n")
    world.set_clock(10**9)
    node.start()
    # What ran runs again, by an operation of the node's own.
    newest = do("GET", "/v1/operations?limit=1").json["items"][0]
    assert newest["kind"] == "domain.start"
    done = do("GET", f"/v1/operations/{newest['id']}?wait=20").json
    assert done["state"] == "succeeded"
    assert do("GET", "/v1/domains/web1").json["state"] == "running"
    after = statement(node)
    assert after["total"] == before["total"]
    ended = [x for x in after["lines"] if x["incarnation"] == 1]
    assert ended and {x["end"]["how"] for x in ended} == {"unread"}
    # Its volume goes on, and a new run began at 0.
    world.set_meters(domain, cpu=[3, 4])
    world.advance(10**9)
    got = lines_of(statement(node))
    assert got[("vcpu", 1, 0)] == 10**9
    assert got[("vcpu", 2, 0)] == 3
    assert got[("memory", 2, 0)] == MEMORY * 10**9
    disks = [int(x["used"]) for x in statement(node)["lines"]
             if x["meter"] == "disk"]
    assert sum(disks) == DISK * (HOUR_NS + 10**9)
    verify(node)


def test_domain_that_vanished_is_charged_until_it_was_seen(timed):
    node = timed
    world = node.clock
    domain = create(node)
    world.set_meters(domain, cpu=[10, 0])
    world.advance(10**9)
    statement(node)
    node.stop()
    world.advance(10**12)
    (node.world / f"{domain}.domain").unlink()
    node.start()
    assert node.local("GET", "/v1/domains/web1").json["state"] == "stopped"
    got = lines_of(statement(node))
    assert got[("memory", 1, 0)] == MEMORY * 10**9
    assert got[("vcpu", 1, 0)] == 10
    verify(node)
