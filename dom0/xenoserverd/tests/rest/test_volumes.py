# SPDX-License-Identifier: Apache-2.0
"""Volumes: made, grown, removed; as disks of domains."""
import time

import pytest

from conftest import spec

MIB = 1 << 20
POOL = 10 << 30


def create(node, name, client=None, **more):
    return (client or node.local)("POST", "/v1/volumes",
                                  {"name": name, "size_bytes": MIB, **more})


def made(node, name, client=None, **more):
    client = client or node.local
    answer = create(node, name, client, **more)
    client.succeed(answer)
    return client("GET", "/v1/volumes/" + name).json


def change(node, name, body, etag="*"):
    return node.local("PATCH", "/v1/volumes/" + name, body,
                      {"If-Match": etag})


def remove(node, name, etag="*"):
    return node.local("DELETE", "/v1/volumes/" + name,
                      headers={"If-Match": etag})


def remove_domain(node, name):
    node.local.succeed(node.local("DELETE", "/v1/domains/" + name,
                                  headers={"If-Match": "*"}))


def with_disks(name, *disks, **more):
    return spec(name, disks=[{"device": f"xvd{chr(97 + i)}", **d}
                             for i, d in enumerate(disks)], **more)


def claimed(node):
    return node.local("GET", "/v1/host").json["capacity"]["pool_bytes"][
        "claimed"]


def file_of(node, volume):
    return node.world / (volume["id"] + ".disk.volume")


def test_life_of_a_volume(node):
    answer = create(node, "data", image="debian")
    assert answer.json["operation"]["kind"] == "volume.create"
    volume = answer.json["volume"]
    assert volume["state"] == "creating"
    assert answer.json["operation"]["target"] == "/v1/volumes/" + volume["id"]
    got = node.local.succeed(answer)
    assert [a["act"] for a in got["acts"]] == ["volume"]
    answer = node.local("GET", "/v1/volumes/data")
    assert answer.json["state"] == "available"
    assert answer.json["image"] == "debian"
    assert answer.json["tenant"] == "node"
    assert answer.json["domain"] is None and not answer.json["owned"]
    assert file_of(node, volume).exists()
    assert claimed(node) == MIB
    old = answer.headers["ETag"]
    answer = change(node, "data", {"size_bytes": 3 * MIB}, old)
    assert answer.json["volume"]["state"] == "growing"
    assert answer.json["volume"]["size_bytes"] == MIB
    assert claimed(node) == 3 * MIB
    assert node.local.succeed(answer)["kind"] == "volume.update"
    assert file_of(node, volume).stat().st_size == 3 * MIB
    answer = node.local("GET", "/v1/volumes/" + volume["id"])
    assert answer.json["size_bytes"] == 3 * MIB
    assert remove(node, "data", old).problem == "version-mismatch"
    node.local.succeed(remove(node, "data", answer.headers["ETag"]))
    assert node.local("GET", "/v1/volumes/data").problem == "not-found"
    assert remove(node, "data").problem == "not-found"
    assert not file_of(node, volume).exists()
    assert claimed(node) == 0
    # Its name is free again.
    made(node, "data")


def test_as_a_disk(node):
    volume = made(node, "data", size_bytes=2 * MIB)
    answer = node.local("POST", "/v1/domains",
                        with_disks("web1", {"size_bytes": MIB},
                                   {"volume": "data", "writable": False}))
    disks = answer.json["domain"]["disks"]
    assert disks[1] == {"device": "xvdb", "writable": False, "image": "",
                        "size_bytes": 2 * MIB, "volume": volume["id"]}
    assert "volume" not in disks[0]
    node.local.succeed(answer)
    domain = node.local("GET", "/v1/domains/web1").json
    assert domain["disks"] == disks
    # Only its own disk is the domain's to claim.
    pool = [a for a in domain["admission"] if a["resource"] == "pool"][0]
    assert (pool["claimed"], pool["requested"]) == (2 * MIB, MIB)
    assert claimed(node) == 3 * MIB
    got = node.local("GET", "/v1/volumes/data").json
    assert (got["domain"], got["device"], got["owned"]) == \
        (domain["id"], "xvdb", False)
    answer = remove(node, "data")
    assert (answer.status, answer.problem) == (409, "in-use")
    for disk in ({"volume": "data"}, {"volume": volume["id"]}):
        answer = node.local("POST", "/v1/domains", with_disks("web2", disk))
        assert (answer.status, answer.problem) == (409, "in-use")
        assert answer.json["field"] == "/disks/0/volume"
    node.local.succeed(node.local.act("web1", "destroy"))
    assert remove(node, "data").problem == "in-use"
    remove_domain(node, "web1")
    assert file_of(node, volume).exists()
    node.local.succeed(node.local("POST", "/v1/domains",
                                  with_disks("web2", {"volume": "data"})))
    node.local.succeed(node.local.act("web2", "destroy"))
    remove_domain(node, "web2")
    node.local.succeed(remove(node, "data"))


def test_twice_in_one_domain(node):
    made(node, "data")
    answer = node.local("POST", "/v1/domains", with_disks(
        "web1", {"volume": "data"}, {"volume": "data"}))
    assert (answer.problem, answer.json["field"]) == \
        ("in-use", "/disks/1/volume")


def test_own_disks_are_volumes_too(node):
    node.local.succeed(node.local("POST", "/v1/domains", with_disks(
        "web1", {"size_bytes": MIB}, {"size_bytes": 2 * MIB})))
    domain = node.local("GET", "/v1/domains/web1").json["id"]
    other = made(node, "data")
    items = node.local("GET", f"/v1/volumes?domain={domain}").json["items"]
    assert [(i["name"], i["device"], i["size_bytes"], i["owned"])
            for i in items] == [("web1/xvda", "xvda", MIB, True),
                                ("web1/xvdb", "xvdb", 2 * MIB, True)]
    assert all(i["domain"] == domain for i in items)
    all_items = node.local("GET", "/v1/volumes").json["items"]
    ids = [i["id"] for i in all_items]
    assert len(set(ids)) == 3 and ids == sorted(ids)
    assert other["id"] in ids
    seen, path = [], "/v1/volumes?limit=1"
    while path:
        page = node.local("GET", path).json
        seen += [i["id"] for i in page["items"]]
        path = page["next"] and "/v1/volumes?limit=1&cursor=" + page["next"]
    assert seen == ids
    own = items[0]["id"]
    assert node.local("GET", "/v1/volumes/" + own).json == items[0]
    assert remove(node, own).problem == "in-use"
    assert change(node, own, {"size_bytes": 4 * MIB}).problem == "in-use"
    answer = node.local("POST", "/v1/domains",
                        with_disks("web2", {"volume": own}))
    assert answer.problem == "in-use"
    node.local.succeed(node.local.act("web1", "destroy"))
    remove_domain(node, "web1")
    assert [i["id"] for i in node.local("GET", "/v1/volumes").json["items"]] \
        == [other["id"]]


def test_growing_waits_for_rest(node):
    volume = made(node, "data")
    node.local.succeed(node.local("POST", "/v1/domains",
                                  with_disks("web1", {"volume": "data"})))
    answer = change(node, "data", {"size_bytes": 2 * MIB})
    assert (answer.status, answer.problem) == (409, "in-use")
    node.local.succeed(node.local.act("web1", "destroy"))
    (node.world / "stall-grow").touch()
    growing = change(node, "data", {"size_bytes": 2 * MIB})
    assert growing.status == 202
    # Nobody starts it meanwhile, or asks for something else.
    answer = node.local.act("web1", "start")
    assert answer.problem == "operation-in-progress"
    assert answer.json["conflicting_operation"] == \
        growing.json["operation"]["id"]
    assert remove(node, "data").problem == "operation-in-progress"
    (node.world / "stall-grow").unlink()
    node.local.succeed(growing)
    assert node.local("GET", "/v1/domains/web1").json["disks"][0][
        "size_bytes"] == 2 * MIB
    node.local.succeed(node.local.act("web1", "start"))
    # The same size again is done at once.
    node.local.succeed(node.local.act("web1", "destroy"))
    node.local.succeed(change(node, "data", {"size_bytes": 2 * MIB}))
    assert file_of(node, volume).stat().st_size == 2 * MIB


def test_slow_volumes_hold_up_no_domain(node):
    (node.world / "stall-volume").touch()
    slow = create(node, "data")
    node.local.succeed(node.local("POST", "/v1/domains", spec("web1")))
    assert node.local("GET", "/v1/volumes/data").json["state"] == "creating"
    answer = node.local("POST", "/v1/domains",
                        with_disks("web2", {"volume": "data"}))
    assert (answer.problem, answer.json["field"]) == \
        ("in-use", "/disks/0/volume")
    (node.world / "stall-volume").unlink()
    node.local.succeed(slow)


@pytest.mark.parametrize("stall", ["stall-volume", "stall-grow"])
def test_a_kill_leaves_nothing_half_done(node, stall):
    if stall == "stall-grow":
        made(node, "data")
    (node.world / stall).touch()
    answer = (create(node, "data") if stall == "stall-volume"
              else change(node, "data", {"size_bytes": 2 * MIB}))
    node.await_file("stalled")
    node.kill()
    (node.world / stall).unlink()
    node.start()
    got = node.local.succeed(answer)
    assert [a["outcome"] for a in got["acts"]] == ["interrupted", "succeeded"]
    volume = node.local("GET", "/v1/volumes/data").json
    assert volume["state"] == "available"
    assert volume["size_bytes"] == (2 * MIB if stall == "stall-grow" else MIB)
    assert claimed(node) == volume["size_bytes"]


def test_what_fails_leaves_nothing(node):
    answer = create(node, "data", image="missing")
    got = node.local.finish(answer)
    assert (got["state"], got["problem"]["code"]) == ("failed", "not-found")
    assert node.local("GET", "/v1/volumes/data").status == 404
    assert claimed(node) == 0
    made(node, "data")


def test_room(node):
    answer = create(node, "big", size_bytes=POOL + 512)
    assert (answer.status, answer.problem) == (409, "insufficient-capacity")
    short = answer.json["resources"][0]
    assert (short["resource"], short["shortfall"]) == ("pool", 512)
    assert short["nearest_feasible"] == POOL
    made(node, "big", size_bytes=POOL - 2 * MIB)
    answer = change(node, "big", {"size_bytes": POOL + MIB})
    assert answer.problem == "insufficient-capacity"
    assert answer.json["resources"][0]["claimed"] == 0
    answer = node.local("POST", "/v1/domains",
                        with_disks("web1", {"size_bytes": 3 * MIB}))
    assert answer.problem == "insufficient-capacity"
    node.local.succeed(change(node, "big", {"size_bytes": POOL}))
    assert create(node, "more").problem == "insufficient-capacity"


def test_tenants(node):
    acme = node.tcp(node.token()["token"])
    other = node.tcp(node.token(tenant="other")["token"])
    mine = made(node, "data", acme)
    assert mine["tenant"] == "acme"
    made(node, "data", other)
    assert len(acme("GET", "/v1/volumes").json["items"]) == 1
    assert other("GET", "/v1/volumes/" + mine["id"]).status == 404
    assert acme("GET", "/v1/volumes?tenant=other").status == 403
    assert len(node.local("GET", "/v1/volumes?tenant=acme").json["items"]) == 1
    assert create(node, "x", acme, tenant="other").problem == "forbidden"
    answer = other("POST", "/v1/domains",
                   with_disks("web1", {"volume": mine["id"]}))
    assert (answer.status, answer.problem) == (422, "invalid")
    assert answer.json["errors"][0]["field"] == "/disks/0/volume"
    # An operator's domain is of one tenant, too.
    answer = node.local("POST", "/v1/domains",
                        with_disks("web1", {"volume": mine["id"]},
                                   tenant="other"))
    assert answer.status == 422
    assert node.tcp()("GET", "/v1/volumes").status == 401


def test_asking_again(node):
    key = {"Idempotency-Key": "k"}
    body = {"name": "data", "size_bytes": MIB}
    first = node.local("POST", "/v1/volumes", body, key)
    again = node.local("POST", "/v1/volumes", body, key)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.json == first.json
    assert create(node, "data").problem == "name-taken"
    node.local.succeed(first)


@pytest.mark.parametrize("body, field", [
    ({"size_bytes": MIB}, "/name"),
    ({"name": "a b", "size_bytes": MIB}, "/name"),
    ({"name": "a"}, "/size_bytes"),
    ({"name": "a", "size_bytes": MIB + 1}, "/size_bytes"),
    ({"name": "a", "size_bytes": 512}, "/size_bytes"),
    ({"name": "a", "size_bytes": "1G"}, "/size_bytes"),
    ({"name": "a", "size_bytes": -512}, "/size_bytes"),
    ({"name": "a", "size_bytes": MIB, "image": "../x"}, "/image"),
    ({"name": "a", "size_bytes": MIB, "tenant": "-"}, "/tenant"),
    ({"name": "a", "size_bytes": MIB, "state": "available"}, "/state"),
])
def test_bad_volumes(shared, body, field):
    answer = shared.local("POST", "/v1/volumes", body)
    assert (answer.status, answer.problem) == (422, "invalid")
    assert field in [e["field"] for e in answer.json["errors"]]
    assert shared.local("GET", "/v1/volumes").json["items"] == []


@pytest.mark.parametrize("disk, field", [
    ({}, "size_bytes"),
    ({"volume": "none"}, "volume"),
    ({"volume": ""}, "volume"),
    ({"volume": "../x"}, "volume"),
    ({"volume": 3}, "volume"),
    ({"volume": "none", "size_bytes": MIB}, "size_bytes"),
    ({"volume": "none", "image": "debian"}, "image"),
])
def test_bad_disks(shared, disk, field):
    answer = shared.local("POST", "/v1/domains", with_disks("web1", disk))
    assert (answer.status, answer.problem) == (422, "invalid")
    assert f"/disks/0/{field}" in [e["field"] for e in answer.json["errors"]]


@pytest.mark.parametrize("body, field", [
    ({"size_bytes": 512}, "/size_bytes"),
    ({"size_bytes": MIB + 1}, "/size_bytes"),
    ({"size_bytes": None}, "/size_bytes"),
    ({"name": "b"}, "/name"),
    ({"image": "b"}, "/image"),
])
def test_bad_growth(node, body, field):
    made(node, "data", size_bytes=2 * MIB)
    answer = change(node, "data", body)
    assert (answer.status, answer.problem) == (422, "invalid")
    assert answer.json["errors"][0]["field"] == field
    answer = change(node, "data", {"size_bytes": MIB})
    assert answer.json["errors"][0]["limit"] == f"at least {2 * MIB}"
    assert node.local("PATCH", "/v1/volumes/data",
                      {"size_bytes": 4 * MIB}).status == 428
    assert node.local("DELETE", "/v1/volumes/data").status == 428
    assert node.local("GET", "/v1/volumes/data").json["version"] == 2
