# SPDX-License-Identifier: Apache-2.0
"""Interfaces and what they carry; the rules of the firewall-router."""
import threading
import time

import pytest

from conftest import Node, spec

REASONS = ["rule", "spoofed", "malformed", "no-buffer", "no-route", "uplink",
           "too-long"]


def start(node, name, client=None, **more):
    client = client or node.local
    client.succeed(client("POST", "/v1/domains", spec(name, **more)))
    return client("GET", "/v1/domains/" + name).json["id"]


def vifs(node, name="web1", client=None):
    answer = (client or node.local)("GET", f"/v1/domains/{name}/vifs")
    return answer.json["items"] if answer.status == 200 else answer.status


def test_interfaces(node):
    nics = [{"addresses": ["10.0.2.101", "fd00::1"]},
            {"mac": "02:00:00:00:00:07"}]
    domain = start(node, "web1", nics=nics)
    numbers = list(range(1, 21)) + list(range(101, 121))
    (node.world / f"{domain}.vifs").write_text(" ".join(map(str, numbers)))
    first, second = vifs(node)
    assert (first["vif"], second["vif"]) == (0, 1)
    assert first["addresses"] == ["10.0.2.101", "fd00::1"]
    assert second["mac"] == "02:00:00:00:00:07"
    assert first["mac"].startswith("02:") and first["mac"] != second["mac"]
    assert first["counters"] == {
        "tx_packets": 1, "tx_bytes": 2, "rx_packets": 3, "rx_bytes": 4,
        "tx_drops": dict(zip(REASONS, range(5, 12))),
        "rx_drops": dict(zip(REASONS, range(13, 20)))}
    assert second["counters"]["rx_drops"]["too-long"] == 119
    node.local.succeed(node.local.act("web1", "destroy"))
    stopped = vifs(node)
    assert [v["counters"] for v in stopped] == [None, None]
    # A MAC that was made up is so again.
    assert stopped[0]["mac"] == first["mac"]


def test_no_interfaces(node):
    start(node, "web1")
    assert vifs(node) == []
    assert vifs(node, "web2") == 404


def test_interfaces_are_the_tenants(node):
    acme = node.tcp(node.token()["token"])
    start(node, "web1", acme, nics=[{}])
    assert len(vifs(node, client=acme)) == 1
    assert vifs(node, client=node.tcp(
        node.token(tenant="other")["token"])) == 404


# ---- rules ----

def put(node, *rules, match="*", client=None):
    headers = {"If-Match": match} if match else {}
    return (client or node.local)("PUT", "/v1/rules", {"rules": list(rules)},
                                  headers)


def rule(action="drop", direction="from", interface="any", **more):
    return {"action": action, "direction": direction, "interface": interface,
            **more}


def redirect(domain, **more):
    return {**rule("redirect", "from", "uplink", protocol="tcp",
                   target="10.0.2.15", target_ports="2201",
                   redirect={"domain": domain, "vif": 0,
                             "address": "10.0.2.101", "port": 22}), **more}


def machine_rules(node):
    return (node.world / "rules").read_text().splitlines()


def test_rules(node):
    first = node.local("GET", "/v1/rules")
    assert first.json == {"rules": []}
    web, db = start(node, "web1"), start(node, "db")
    given = [redirect("web1"),
             rule("drop", "from", "domain", domain=db, vif=1, protocol=6,
                  source="10.0.2.0/24", target="0.0.0.0/0",
                  source_ports="1-1024", target_ports="25", comment="no mail"),
             rule("count", "both", "uplink", protocol="icmp6",
                  source="fd00::/8"),
             rule("accept", "to", "any")]
    answer = put(node, *given, match=first.headers["ETag"])
    assert answer.status == 200
    given[0]["redirect"]["domain"] = web
    assert answer.json == {"rules": given}
    assert machine_rules(node) == [
        "redirect from uplink protocol 6 target 10.0.2.15 dport 2201-2201"
        f" to-vif {web}:0 to-address 10.0.2.101 to-port 22",
        f"drop from {db}:1 protocol 6 source 10.0.2.0/24 target 0.0.0.0/0"
        " sport 1-1024 dport 25-25",
        "count both uplink protocol 58 source fd00::/8",
        "accept to any"]
    got = node.local("GET", "/v1/rules")
    assert got.json == answer.json
    assert got.headers["ETag"] == answer.headers["ETag"] != \
        first.headers["ETag"]
    # What is got can be put.
    assert put(node, *got.json["rules"],
               match=got.headers["ETag"]).json == got.json
    assert put(node).status == 200
    assert machine_rules(node) == []
    assert node.local("GET", "/v1/rules").json == {"rules": []}


def test_rules_need_the_version(node):
    assert put(node, match=None).problem == "version-required"
    old = node.local("GET", "/v1/rules").headers["ETag"]
    assert put(node, rule(), match=old).status == 200
    answer = put(node, match=old)
    assert (answer.status, answer.problem) == (412, "version-mismatch")
    assert len(node.local("GET", "/v1/rules").json["rules"]) == 1
    assert len(machine_rules(node)) == 1


def test_one_of_many_wins(node):
    etag = node.local("GET", "/v1/rules").headers["ETag"]
    statuses = []

    def race(i):
        statuses.append((put(node, *[rule()] * i, match=etag).status, i))

    threads = [threading.Thread(target=race, args=(i,)) for i in range(1, 7)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    won = [i for status, i in statuses if status == 200]
    assert sorted(s for s, _ in statuses) == [200] + 5 * [412]
    assert len(machine_rules(node)) == won[0]
    assert len(node.local("GET", "/v1/rules").json["rules"]) == won[0]


def test_counters(node):
    counters = lambda: node.local("GET", "/v1/rules/counters").json
    assert counters() == {"version": 1, "counters": []}
    put(node, rule(), rule("count"))
    (node.world / "rules.counts").write_text("7 700\n8 800\n")
    assert counters() == {"version": 2, "counters": [
        {"packets": 7, "bytes": 700, "in_force": True},
        {"packets": 8, "bytes": 800, "in_force": True}]}
    put(node, rule())
    assert counters() == {"version": 3, "counters": [
        {"packets": 0, "bytes": 0, "in_force": True}]}


def test_rules_outlive_the_service_and_the_node(node):
    etag = put(node, rule(comment="mine")).headers["ETag"]
    before = machine_rules(node)
    node.kill()
    node.start()
    got = node.local("GET", "/v1/rules")
    assert got.headers["ETag"] == etag
    assert got.json["rules"][0]["comment"] == "mine"
    # A node that was started anew has forgotten them, or has others.
    node.kill()
    (node.world / "rules").unlink()
    node.start()
    assert machine_rules(node) == before
    node.stop()
    (node.world / "rules").write_text("drop from uplink\n")
    node.start()
    assert machine_rules(node) == before


def test_rules_of_others_stay_until_some_are_put(node):
    node.stop()
    (node.world / "rules").write_text("drop from uplink\n")
    node.start()
    assert machine_rules(node) == ["drop from uplink"]


def test_a_kill_while_they_are_put(node):
    put(node, rule())
    before, etag = machine_rules(node), \
        node.local("GET", "/v1/rules").headers["ETag"]
    (node.world / "stall-rules").touch()
    threading.Thread(target=try_put, args=(node,), daemon=True).start()
    time.sleep(0.3)
    # Others are served while the machine does not answer.
    assert node.local("GET", "/v1/rules").headers["ETag"] == etag
    node.kill()
    (node.world / "stall-rules").unlink()
    # As if it had been done just before.
    (node.world / "rules").write_text("accept to any\n")
    node.start()
    assert machine_rules(node) == before
    assert node.local("GET", "/v1/rules").headers["ETag"] == etag


def try_put(node):
    try:
        put(node, rule("accept", "to"))
    except OSError:
        pass
    except Exception as e:           # the connection ends without an answer
        assert "closed" in str(e) or "reset" in str(e), e


def test_rules_are_the_operators(node):
    acme = node.tcp(node.token()["token"])
    assert acme("GET", "/v1/rules").status == 403
    assert acme("GET", "/v1/rules/counters").status == 403
    assert put(node, client=acme).status == 403
    assert node.tcp()("GET", "/v1/rules").status == 401


def test_a_name_of_several_is_none(node):
    for tenant in ("acme", "other"):
        start(node, "web1", tenant=tenant)
    answer = put(node, rule(interface="domain", domain="web1"))
    assert (answer.status, answer.json["errors"][0]["field"]) == \
        (422, "/rules/0/domain")


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    """A node with a domain, and without rules."""
    n = Node(tmp_path_factory.mktemp("web"))
    n.start()
    start(n, "web1")
    yield n
    n.stop()


R = {"domain": "x", "vif": 0, "address": "10.0.2.1", "port": 1}


@pytest.mark.parametrize("bad, field", [
    ("x", ""),
    ({"action": "drop", "direction": "from"}, "/interface"),
    (rule("allow"), "/action"),
    (rule(direction="in"), "/direction"),
    (rule(interface="web1"), "/interface"),
    (rule(interface="domain"), "/domain"),
    (rule(interface="domain", domain="nobody"), "/domain"),
    (rule(interface="domain", domain=3), "/domain"),
    (rule(domain="web1"), "/domain"),
    (rule(interface="uplink", vif=0), "/vif"),
    (rule(interface="domain", domain="web1", vif=8), "/vif"),
    (rule(protocol="sctp"), "/protocol"),
    (rule(protocol=0), "/protocol"),
    (rule(protocol=256), "/protocol"),
    (rule(source="10.0.0.0/33"), "/source"),
    (rule(source="10.0.0"), "/source"),
    (rule(source="10.0.0.0/"), "/source"),
    (rule(source="10.0.0.1 dport 3"), "/source"),
    (rule(source="fd00::1", target="10.0.0.1"), "/target"),
    (rule(target_ports="80"), None),
    (rule(protocol="icmp", target_ports="80"), "/target_ports"),
    (rule(protocol="tcp", target_ports="80-79"), "/target_ports"),
    (rule(protocol="tcp", target_ports="65536"), "/target_ports"),
    (rule(protocol="tcp", source_ports="1-2-3"), "/source_ports"),
    (rule(protocol="tcp", source_ports=80), "/source_ports"),
    (rule(comment="x" * 128), "/comment"),
    (rule(redirect=R), "/redirect"),
    (rule(log=True), "/log"),
    (redirect("web1", redirect=None), "/redirect"),
    (redirect("nobody"), "/redirect/domain"),
    (redirect("web1", direction="to"), "/direction"),
    (redirect("web1", interface="any"), "/interface"),
    (redirect("web1", protocol="icmp"), "/protocol"),
    (redirect("web1", target="10.0.2.0/24"), "/target"),
    (redirect("web1", target_ports="1-2"), "/target_ports"),
    (redirect("web1", redirect={**R, "domain": "web1", "vif": 8}),
     "/redirect/vif"),
    (redirect("web1", redirect={**R, "domain": "web1", "port": 0}),
     "/redirect/port"),
    (redirect("web1", redirect={**R, "domain": "web1", "address": "fd00::1"}),
     "/redirect/address"),
    (redirect("web1", redirect={**R, "domain": "web1", "address": "0.0.0.0"}),
     "/redirect/address"),
    (redirect("web1", redirect={**R, "domain": "web1", "mac": "x"}),
     "/redirect/mac"),
])
def test_bad_rules(web, bad, field):
    node = web
    if field is None:
        # Without a protocol there are no ports.
        field = "/target_ports"
    answer = put(node, rule(), bad)
    assert (answer.status, answer.problem) == (422, "invalid")
    assert "/rules/1" + field in [e["field"] for e in answer.json["errors"]]
    assert node.local("GET", "/v1/rules").json == {"rules": []}
    assert not (node.world / "rules").exists()


def test_what_the_machine_refuses_is_named(node):
    ranges = [rule(protocol="tcp", target_ports=f"{i + 1}-{i + 2}")
              for i in range(70)]
    answer = put(node, *ranges)
    assert (answer.status, answer.problem) == (422, "invalid")
    assert answer.json["errors"][0]["field"] == "/rules/64"
    assert not (node.world / "rules").exists()


def test_many_rules(node):
    answer = put(node, *[rule(source=f"10.{i >> 8}.{i & 255}.0/24")
                         for i in range(4096)])
    assert answer.status == 200
    assert len(machine_rules(node)) == 4096
    answer = put(node, *[rule()] * 4097)
    assert answer.json["errors"][0]["field"] == "/rules"
    body = b'{"rules":[]}' + b" " * (1 << 20)
    answer = node.local("PUT", "/v1/rules", body, {
        "If-Match": "*", "Content-Type": "application/json"})
    assert (answer.status, answer.json["limit"]) == (413, 1 << 20)


@pytest.mark.parametrize("body, field", [({}, "/rules"), ({"rules": {}},
                                                          "/rules"),
                                         ({"rules": [], "x": 1}, "/x")])
def test_bad_documents(shared, body, field):
    answer = shared.local("PUT", "/v1/rules", body, {"If-Match": "*"})
    assert (answer.status, answer.json["errors"][0]["field"]) == (422, field)
