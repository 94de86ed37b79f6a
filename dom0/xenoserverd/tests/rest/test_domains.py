# SPDX-License-Identifier: Apache-2.0
"""Domains over HTTP: their life, what is refused and how, concurrency."""
import concurrent.futures

import pytest

from conftest import spec


def test_one_call_creates_and_starts(node):
    answer = node.local("POST", "/v1/domains", spec("web1"))
    assert answer.status == 202
    node.local.succeed(answer)
    got = node.local("GET", "/v1/domains/web1")
    assert got.json["state"] == "running"
    assert got.json["id"] == answer.json["domain"]["id"]
    assert got.headers["ETag"] == f'"{got.json["version"]}"'


def test_whole_life(node):
    do = node.local
    do.succeed(do("POST", "/v1/domains", spec(
        "web1", start=False, labels={"env": "prod"},
        disks=[{"device": "xvda", "size_bytes": 1 << 20, "image": "debian"}],
        nics=[{"addresses": ["10.0.0.1", "2001:DB8::1"]}])))
    got = do("GET", "/v1/domains/web1").json
    assert got["state"] == "defined"
    assert got["nics"] == [{"mac": "", "addresses": ["10.0.0.1",
                                                     "2001:db8::1"]}]
    for action, state in (("start", "running"), ("pause", "paused"),
                          ("resume", "running"), ("reboot", "running"),
                          ("shutdown", "stopped"), ("start", "running"),
                          ("destroy", "stopped")):
        assert action in do("GET", "/v1/domains/web1").json["allowed_actions"]
        do.succeed(do.act("web1", action))
        assert do("GET", "/v1/domains/web1").json["state"] == state
    done = do.succeed(do("DELETE", "/v1/domains/web1",
                         headers={"If-Match": "*"}))
    assert [a["outcome"] for a in done["acts"]] == ["succeeded"]
    assert do("GET", "/v1/domains/web1").problem == "not-found"
    assert list(node.world.glob("*.volume")) == []


def test_failed_creation_says_why_and_leaves_nothing(node):
    do = node.local
    answer = do("POST", "/v1/domains", spec("web1", kernel="bad"))
    got = do.finish(answer)
    assert got["state"] == "failed"
    assert got["problem"]["code"] == "not-a-kernel"
    assert do("GET", "/v1/host").json["domains"] == 0


def test_guest_that_does_not_react(node):
    do = node.local
    do.succeed(do("POST", "/v1/domains", spec("web1", kernel="deaf")))
    got = do.finish(do.act("web1", "shutdown"))
    assert got["problem"]["code"] == "guest-did-not-react"
    assert do("GET", "/v1/domains/web1").json["state"] == "running"


def test_crash_is_told_with_its_reason(node):
    do = node.local
    do.succeed(do("POST", "/v1/domains", spec("web1", kernel="crasher")))
    for _ in range(100):
        got = do("GET", "/v1/domains/web1").json
        if got["state"] == "crashed":
            break
    assert got["state"] == "crashed"
    assert got["reason"] == "a fault of the guest's kernel"


@pytest.mark.parametrize("change, field, value", [
    ({"name": "a/b"}, "/name", "a/b"),
    ({"name": 7}, "/name", "7"),
    ({"kernel": "../../etc/shadow"}, "/kernel", "../../etc/shadow"),
    ({"memory_bytes": 1}, "/memory_bytes", "1"),
    ({"memory_bytes": -4096}, "/memory_bytes", "-4096"),
    ({"memory_bytes": "16M"}, "/memory_bytes", '"16M"'),
    ({"memory_bytes": (16 << 20) + 1}, "/memory_bytes", str((16 << 20) + 1)),
    ({"vcpus": 99}, "/vcpus", "99"),
    ({"vcpus": 1.5}, "/vcpus", "1.5"),
    ({"cpu_reservation_permille": 1001}, "/cpu_reservation_permille", "1001"),
    ({"cpu_cap_permille": 5}, "/cpu_cap_permille", "5"),
    ({"on_crash": "explode"}, "/on_crash", '"explode"'),
    ({"command": "a\nb"}, "/command", "a\nb"),
    ({"command": "x" * 1024}, "/command", None),
    ({"command": "\u00e9" * 200}, "/command", None),
    ({"start": "yes"}, "/start", '"yes"'),
    ({"memory_mb": 16}, "/memory_mb", "16"),
    ({"disks": [{"device": "sda", "size_bytes": 1 << 20}]},
     "/disks/0/device", "sda"),
    ({"disks": [{"device": "xvda"}]}, "/disks/0/size_bytes", "missing"),
    ({"disks": [{"device": "xvda", "size_bytes": 1 << 20}] * 2},
     "/disks/1/device", "xvda"),
    ({"disks": {}}, "/disks", "{}"),
    ({"disks": [3]}, "/disks/0", "3"),
    ({"nics": [{"mac": "01:00:00:00:00:00"}]}, "/nics/0/mac",
     "01:00:00:00:00:00"),
    ({"nics": [{"addresses": ["10.0.0"]}]}, "/nics/0/addresses/0", "10.0.0"),
    ({"labels": {"env": "a b"}}, "/labels/env", "a b"),
    ({"labels": {"env": 1}}, "/labels/env", "1"),
    ({"tenant": "a b"}, "/tenant", "a b"),
])
def test_bad_field_is_named_with_value_and_limit(shared, change, field, value):
    answer = shared.local("POST", "/v1/domains", {**spec("web1"), **change})
    assert answer.status == 422
    assert answer.problem == "invalid"
    errors = {e["field"]: e for e in answer.json["errors"]}
    assert list(errors) == [field]
    assert value is None or errors[field]["value"] == value
    assert errors[field]["limit"]


def test_all_bad_fields_are_named_at_once(shared):
    answer = shared.local("POST", "/v1/domains", {"vcpus": 0, "x": None})
    assert {e["field"] for e in answer.json["errors"]} == {
        "/name", "/kernel", "/memory_bytes", "/vcpus", "/x"}


@pytest.mark.parametrize("body, problem", [
    ("{", "malformed"),
    ("", "malformed"),
    ("[]", "malformed"),
    ('{"name": "a", "name": "b"}', "malformed"),
    (b"\xff\xfe{}", "malformed"),
    ('{"memory_bytes": 99999999999999999999999}', "malformed"),
    ("[" * 60000, "malformed"),
    ('{"name": "' + "x" * 70000 + '"}', "too-large"),
])
def test_what_is_no_request_is_refused(shared, body, problem):
    assert shared.local("POST", "/v1/domains", body).problem == problem


def test_content_type_has_to_be_right(shared):
    answer = shared.local("POST", "/v1/domains", "{}",
                        {"Content-Type": "text/plain"})
    assert answer.problem == "unsupported-media-type"
    assert answer.json["accepted"] == "application/json"


def test_name_and_address_are_unique(node):
    do = node.local
    do.succeed(do("POST", "/v1/domains", spec(
        "web1", start=False, nics=[{"addresses": ["10.0.0.1"]}])))
    answer = do("POST", "/v1/domains", spec("web1"))
    assert (answer.status, answer.problem) == (409, "name-taken")
    answer = do("POST", "/v1/domains", spec(
        "web2", nics=[{}, {"addresses": ["10.0.0.1"]}]))
    assert (answer.status, answer.problem) == (409, "address-in-use")
    assert answer.json["field"] == "/nics/1"
    # Another tenant's names are its own.
    do.succeed(do("POST", "/v1/domains", spec("web1", tenant="other")))


def test_refusal_names_what_is_short_and_what_fits(node):
    do = node.local
    host = do("GET", "/v1/host").json["capacity"]
    all_memory = host["memory_bytes"]["limit"]
    asked = spec("big", memory_bytes=all_memory, vcpus=4,
                 cpu_reservation_permille=4000)
    for query in ("?dry_run=true", ""):
        answer = do("POST", "/v1/domains" + query, asked)
        assert answer.problem == "insufficient-capacity"
        short = {r["resource"]: r for r in answer.json["resources"]}
        assert set(short) == {"memory", "cpu"}
        assert short["cpu"]["shortfall"] == 4000 - host["cpu_permille"]["limit"]
        for r in short.values():
            assert str(r["shortfall"]) in answer.json["detail"]
    for r in short.values():
        asked[r["field"]] = r["nearest_feasible"]
    answer = do("POST", "/v1/domains?dry_run=true", asked)
    assert answer.json["admitted"] is True
    assert do("GET", "/v1/host").json["domains"] == 0
    do.succeed(do("POST", "/v1/domains", asked))
    for q in do("GET", "/v1/domains/big").json["admission"]:
        assert q["claimed"] + q["requested"] <= q["limit"]
        assert q["test"] == (f'{q["resource"]}: {q["claimed"]} + '
                             f'{q["requested"]} <= {q["limit"]}')
    # Nothing is left, not even for the smallest.
    answer = do("POST", "/v1/domains", spec("small"))
    assert {r["nearest_feasible"] for r in answer.json["resources"]} == {0}


def test_twenty_at_once(node):
    def create(i):
        answer = node.local("POST", "/v1/domains", spec(f"web{i}"))
        return node.local.finish(answer)

    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        done = list(pool.map(create, range(20)))
    assert [d["state"] for d in done] == ["succeeded"] * 20
    listed = node.local("GET", "/v1/domains").json["items"]
    assert {d["name"] for d in listed} == {f"web{i}" for i in range(20)}
    assert len({d["number"] for d in listed}) == 20
    claimed = node.local("GET", "/v1/host").json["capacity"]["memory_bytes"]
    assert claimed["claimed"] == 20 * (17 << 20)


def test_admission_does_not_oversell_to_many_at_once(node):
    """20 ask for a quarter of the CPUs each: 3 fit, whoever is first."""
    def create(i):
        return node.local("POST", "/v1/domains", spec(
            f"web{i}", cpu_reservation_permille=1000, start=False)).status

    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        statuses = sorted(pool.map(create, range(20)))
    assert statuses == [202] * 3 + [409] * 17


def test_same_name_at_once_is_made_once(node):
    def create(_):
        return node.local("POST", "/v1/domains", spec("web1")).status

    with concurrent.futures.ThreadPoolExecutor(10) as pool:
        statuses = sorted(pool.map(create, range(10)))
    assert statuses == [202] + [409] * 9


def test_illegal_action_names_the_legal_ones(node):
    do = node.local
    do.succeed(do("POST", "/v1/domains", spec("web1", start=False)))
    answer = do.act("web1", "pause")
    assert (answer.status, answer.problem) == (409, "state-conflict")
    assert answer.json["state"] == "defined"
    assert answer.json["allowed_actions"] == ["start", "update", "delete"]
    assert do.act("web1", "explode").problem == "not-found"
    assert do.act("web1", "delete").problem == "not-found"
    assert do.act("nobody", "start").problem == "not-found"


def test_second_operation_names_the_first(node):
    do = node.local
    (node.world / "stall-before").touch()
    first = do("POST", "/v1/domains", spec("web1"))
    answer = do.act("web1", "destroy")
    assert answer.problem == "operation-in-progress"
    assert answer.json["conflicting_operation"] == first.json["operation"]["id"]
    assert answer.headers["Retry-After"] == "1"
    (node.world / "stall-before").unlink()
    do.succeed(first)


def test_if_match(node):
    do = node.local
    do.succeed(do("POST", "/v1/domains", spec("web1", start=False)))
    old = do("GET", "/v1/domains/web1").headers["ETag"]
    patch = {"labels": {"a": "1"}}
    assert do("PATCH", "/v1/domains/web1", patch).problem == "version-required"
    assert do("DELETE", "/v1/domains/web1").problem == "version-required"
    do.succeed(do("PATCH", "/v1/domains/web1", patch, {"If-Match": old}))
    answer = do("PATCH", "/v1/domains/web1", patch, {"If-Match": old})
    assert answer.problem == "version-mismatch"
    assert answer.json["version"] > int(old.strip('"'))
    for wrong in (old, "1", '"x"', '"'):
        answer = do("DELETE", "/v1/domains/web1", headers={"If-Match": wrong})
        assert answer.status == 412
    assert do.act("web1", "start", **{"If-Match": old}).status == 412
    new = do("GET", "/v1/domains/web1").headers["ETag"]
    again = do("GET", "/v1/domains/web1", headers={"If-None-Match": new})
    assert (again.status, again.text) == (304, "")
    do.succeed(do("DELETE", "/v1/domains/web1", headers={"If-Match": new}))


def test_patch(node):
    do = node.local
    do.succeed(do("POST", "/v1/domains", spec(
        "web1", labels={"env": "prod", "team": "shop"})))
    any_version = {"If-Match": "*"}

    def patch(change):
        return do("PATCH", "/v1/domains/web1", change, any_version)

    do.succeed(patch({"cpu_reservation_permille": 500, "on_crash": "restart",
                      "labels": {"env": None, "tier": "db"}}))
    got = do("GET", "/v1/domains/web1").json
    assert got["labels"] == {"team": "shop", "tier": "db"}
    assert got["on_crash"] == "restart"
    # It has reached the machine.
    assert " 500 " in (node.world / f'{got["id"]}.domain').read_text()
    answer = patch({"memory_bytes": 32 << 20})
    assert answer.problem == "field-fixed"
    assert answer.json["field"] == "/memory_bytes"
    answer = patch({"disks": []})
    assert answer.json["errors"][0]["field"] == "/disks"
    answer = patch({"vcpus": 4, "cpu_reservation_permille": 4000})
    assert answer.problem == "field-fixed"
    do.succeed(do.act("web1", "destroy"))
    answer = patch({"vcpus": 4, "cpu_reservation_permille": 4000})
    assert answer.problem == "insufficient-capacity"
    do.succeed(patch({"memory_bytes": 32 << 20, "name": "web2"}))
    assert do("GET", "/v1/domains/web2").json["memory_bytes"] == 32 << 20
    do.succeed(do("POST", "/v1/domains", spec("web1", start=False)))
    assert patch({"name": "web2"}).problem == "name-taken"


def test_pages_and_filters(node):
    do = node.local
    for i in range(5):
        do.succeed(do("POST", "/v1/domains", spec(
            f"web{i}", start=i % 2 == 0, labels={"n": str(i), "odd": "x"}
            if i % 2 else {"n": str(i)})))
    names, path = [], "/v1/domains?limit=2"
    while path:
        page = do("GET", path)
        names += [d["name"] for d in page.json["items"]]
        cursor = page.json["next"]
        assert (cursor is None) == ("Link" not in page.headers)
        path = cursor and f"/v1/domains?limit=2&cursor={cursor}"
    assert names == [f"web{i}" for i in range(5)]

    def listed(query):
        items = do("GET", "/v1/domains?" + query).json["items"]
        return [d["name"] for d in items]

    assert listed("state=running") == ["web0", "web2", "web4"]
    assert listed("label_selector=odd") == ["web1", "web3"]
    assert listed("label_selector=!odd,n!=0") == ["web2", "web4"]
    assert listed("label_selector=n%3D3,odd%3Dx") == ["web3"]
    assert listed("tenant=nobody") == []
    page = do("GET", "/v1/operations?limit=3")
    assert len(page.json["items"]) == 3
    rest = do("GET", f'/v1/operations?cursor={page.json["next"]}').json
    assert len(rest["items"]) == 2 and rest["next"] is None


@pytest.mark.parametrize("path, parameter", [
    ("/v1/domains?limit=0", "limit"),
    ("/v1/domains?limit=1001", "limit"),
    ("/v1/domains?limit=", "limit"),
    ("/v1/domains?cursor=x", "cursor"),
    ("/v1/domains?state=asleep", "state"),
    ("/v1/domains?state=destroyed", "state"),
    ("/v1/domains?label_selector=a%20b", "label_selector"),
    ("/v1/domains?colour=red", "colour"),
    ("/v1/operations?state=done", "state"),
    ("/healthz?x=1", "x"),
])
def test_bad_parameter_is_named(shared, path, parameter):
    answer = shared.local("GET", path)
    assert answer.problem == "malformed"
    assert answer.json["parameter"] == parameter


def test_idempotency_key(node):
    do = node.local
    key = {"Idempotency-Key": "k1"}
    first = do("POST", "/v1/domains", spec("web1"), key)
    again = do("POST", "/v1/domains", spec("web1"), key)
    assert again.status == 202 and again.text == first.text
    assert again.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Location"] == first.headers["Location"]
    assert again.headers["ETag"] == first.headers["ETag"]
    other = do("POST", "/v1/domains", spec("web2"), key)
    assert (other.status, other.problem) == (422, "idempotency-key-reused")
    do.succeed(first)
    # An action is another request, also with the same key.
    do.succeed(do.act("web1", "pause", **key))
    assert do.act("web1", "pause", **key).headers["Idempotent-Replayed"]
    # What was refused is decided anew.
    key = {"Idempotency-Key": "k2"}
    assert do("POST", "/v1/domains", spec("web1"), key).status == 409
    assert do("POST", "/v1/domains", spec("web1"), key).status == 409
    bad = {"Idempotency-Key": "k" * 256}
    assert do("POST", "/v1/domains", spec("web3"), bad).problem == "malformed"


def test_same_key_at_once_makes_one(node):
    def create(_):
        return node.local("POST", "/v1/domains", spec("web1"),
                          {"Idempotency-Key": "k"})

    with concurrent.futures.ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(create, range(10)))
    assert {a.status for a in answers} == {202}
    assert len({a.text for a in answers}) == 1
    assert node.local("GET", "/v1/host").json["domains"] == 1
