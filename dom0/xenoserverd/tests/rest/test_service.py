# SPDX-License-Identifier: Apache-2.0
"""The service around the domains: tokens, events, kills, the contract."""
import contextlib
import http.client
import json
import pathlib
import re
import secrets
import sqlite3
import ssl
import subprocess
import threading
import time

import pytest

from conftest import (CONTRACT, METHODS, SERVER, Client, check_schema, follow,
                      look_up, spec)


def test_contract_and_server_have_the_same_routes(shared):
    for pattern, item in CONTRACT["paths"].items():
        path = pattern.format(domain="x", action="start", operation="x",
                              token="x", image="x", volume="x", account="x",
                              version="1")
        methods = {m.upper() for m in METHODS if m in item}
        answer = shared.local("OPTIONS", path)
        assert answer.problem == "method-not-allowed"
        assert set(answer.headers["Allow"].split(", ")) == methods, path
    for path in ("/", "/v1", "/v1/domains/", "/v1/domains/a/b", "/v2/domains",
                 "/v1/domains/a/actions", "/v1/operations/a/cancel"):
        assert shared.local("GET", path).problem == "not-found"


def test_contract_is_served_as_it_is(shared):
    import yaml
    answer = shared.local("GET", "/openapi.yaml")
    assert yaml.safe_load(answer.text) == CONTRACT


def examples(media):
    if "example" in media:
        yield media["example"]
    for example in media.get("examples", {}).values():
        yield example["value"]


def test_examples_fit_their_schemas():
    checked = 0
    contents = [r["content"] for r in look_up("#/components/responses").values()]
    for item in CONTRACT["paths"].values():
        for method in METHODS:
            if method not in item:
                continue
            responses = item[method]["responses"].values()
            contents += [follow(r).get("content", {}) for r in responses]
            if "requestBody" in item[method]:
                contents.append(item[method]["requestBody"]["content"])
    for content in contents:
        for media in content.values():
            for example in examples(media):
                check_schema(example, media["schema"])
                checked += 1
    assert checked > 40


def test_bodies_of_the_documentation_are_accepted(shared):
    text = (pathlib.Path(__file__).parents[4] / "docs/rest.md").read_text()
    bodies = [json.loads(b) for b in
              re.findall(r"-d '(\{.*?\})'", text, re.DOTALL)]
    created = [b for b in bodies if "memory_bytes" in b]
    statuses = [shared.local("POST", "/v1/domains?dry_run=true", b).status
                for b in created]
    assert statuses == [200, 409]
    assert len(bodies) > len(created)


def test_head_is_get_without_a_body(shared):
    connection, response = shared.local.open("HEAD", "/v1/host")
    assert (response.status, response.read()) == (200, b"")
    connection.close()


def test_tokens(node):
    made = node.token(description="CI", expires_in_s=60)
    assert made["token"] not in json.dumps(
        node.local("GET", "/v1/tokens").json)
    secret = made["token"].rsplit("_", 1)[1]
    for name in ("state.db", "state.db-wal", "log"):
        assert secret.encode() not in (node.folder / name).read_bytes()
    do = node.tcp(made["token"])
    assert do("GET", "/v1/domains").json == {"items": [], "next": None}
    assert do("GET", "/v1/host").problem == "forbidden"
    assert do("GET", "/metrics").problem == "forbidden"
    assert do("POST", "/v1/tokens", {"role": "operator"}).problem == "forbidden"
    listed = node.local("GET", "/v1/tokens").json["items"]
    assert [t["id"] for t in listed] == [made["id"]]
    path = f'/v1/tokens/{made["id"]}'
    assert node.local("GET", path).json["description"] == "CI"
    assert node.local("DELETE", path).status == 204
    assert node.local("DELETE", path).problem == "not-found"
    assert node.local("GET", path).problem == "not-found"
    assert do("GET", "/v1/domains").problem == "unauthenticated"


def test_bad_tokens_are_all_refused_alike(node):
    good = node.token()["token"]
    details = set()
    for token in (None, "x", "xs_", "xs_tok_1_2", good[:-1], good + "0",
                  good.replace("tok", "dom"), good.upper(), "xs_" + "a" * 5000):
        answer = node.tcp(token)("GET", "/v1/domains")
        assert answer.status == 401
        assert answer.headers["WWW-Authenticate"] == "Bearer"
        details.add(answer.json["detail"])
    assert len(details) == 1
    # A bad token is not made up for by who the peer is.
    answer = node.local("GET", "/v1/host", headers={"Authorization": "Basic x"})
    assert answer.status == 401


@pytest.mark.parametrize("body, field", [
    ({"role": "king"}, "/role"),
    ({}, "/role"),
    ({"role": "tenant"}, "/tenant"),
    ({"role": "operator", "tenant": "a"}, "/tenant"),
    ({"role": "operator", "expires_in_s": 1}, "/expires_in_s"),
    ({"role": "operator", "colour": 1}, "/colour"),
])
def test_bad_token_request_names_the_field(shared, body, field):
    answer = shared.local("POST", "/v1/tokens", body)
    assert [e["field"] for e in answer.json["errors"]] == [field]


def test_no_key_for_a_secret(shared):
    answer = shared.local("POST", "/v1/tokens", {"role": "operator"},
                        {"Idempotency-Key": "k"})
    assert answer.problem == "malformed"
    assert answer.json["header"] == "Idempotency-Key"


def test_tenants_do_not_see_each_other(node):
    acme = node.tcp(node.token(tenant="acme")["token"])
    other = node.tcp(node.token(tenant="other")["token"])
    made = acme("POST", "/v1/domains", spec("web1"))
    acme.succeed(made)
    domain = made.json["domain"]
    assert domain["tenant"] == "acme"
    for path in (f'/v1/domains/{domain["id"]}', "/v1/domains/web1",
                 made.headers["Location"]):
        assert acme("GET", path).status == 200
        assert other("GET", path).problem == "not-found"
    assert other.act(domain["id"], "destroy").problem == "not-found"
    assert other("DELETE", f'/v1/domains/{domain["id"]}',
                 headers={"If-Match": "*"}).problem == "not-found"
    assert other("GET", "/v1/domains").json["items"] == []
    assert other("GET", "/v1/operations").json["items"] == []
    assert other("GET", "/v1/domains?tenant=acme").problem == "forbidden"
    answer = other("POST", "/v1/domains", spec("web1", tenant="acme"))
    assert answer.problem == "forbidden"
    # The same name is free for another one.
    other.succeed(other("POST", "/v1/domains", spec("web1")))
    assert len(node.local("GET", "/v1/domains").json["items"]) == 2


class Stream:
    """Reads events as they come."""

    def __init__(self, client, headers=None, path="/v1/events"):
        self.connection, self.response = client.open("GET", path,
                                                     headers=headers)
        assert self.response.status == 200
        self.read_block()

    def read_block(self):
        lines = []
        while True:
            line = self.response.readline().decode().rstrip("\n")
            if not line:
                return lines
            lines.append(line)

    def next(self):
        fields = dict(line.split(": ", 1) for line in self.read_block())
        event = json.loads(fields["data"])
        assert fields["id"] == str(event["id"])
        assert fields["event"] == event["type"]
        check_schema(event, look_up("#/components/schemas/Event"))
        return event

    def close(self):
        self.connection.close()


def test_events_come_as_they_happen_and_go_on(node):
    do = node.local
    stream = Stream(do)
    answer = do("POST", "/v1/domains", spec("web1"))
    got = [stream.next() for _ in range(4)]
    assert [e["type"] for e in got] == ["domain.defined", "domain.building",
                                        "domain.running",
                                        "operation.succeeded"]
    assert {e["request_id"] for e in got} == {answer.headers["Request-Id"]}
    assert {e["subject"] for e in got} == {answer.json["domain"]["id"]}
    stream.close()
    again = Stream(do, {"Last-Event-ID": str(got[1]["id"])})
    assert [again.next()["id"] for _ in range(2)] == [e["id"]
                                                      for e in got[2:]]
    again.close()
    answer = do("GET", "/v1/events", headers={"Last-Event-ID": "999"})
    assert answer.problem == "events-gone"
    assert answer.json["newest"] == got[3]["id"]
    assert do("GET", "/v1/events?after=x").problem == "malformed"


def test_tenants_get_their_own_events(node):
    acme = node.tcp(node.token(tenant="acme")["token"])
    stream = Stream(acme, path="/v1/events?after=0")
    node.local.succeed(node.local("POST", "/v1/domains", spec("web1")))
    acme.succeed(acme("POST", "/v1/domains", spec("web1")))
    assert {stream.next()["tenant"] for _ in range(4)} == {"acme"}
    stream.close()


def test_many_streams_hold_up_nobody(node):
    streams = [Stream(node.local) for _ in range(50)]
    node.local.succeed(node.local("POST", "/v1/domains", spec("web1")))
    for stream in streams:
        assert stream.next()["type"] == "domain.defined"
    node.stop()
    for stream in streams:
        stream.close()


def test_wait_ends_with_the_operation_or_in_time(node):
    do = node.local
    (node.world / "stall-before").touch()
    answer = do("POST", "/v1/domains", spec("web1"))
    location = answer.headers["Location"]
    begun = time.monotonic()
    got = do("GET", location + "?wait=1").json
    assert got["state"] in ("queued", "running")
    assert 0.9 < time.monotonic() - begun < 5
    threading.Timer(0.3, (node.world / "stall-before").unlink).start()
    begun = time.monotonic()
    assert do("GET", location + "?wait=15").json["state"] == "succeeded"
    assert time.monotonic() - begun < 10
    assert do("GET", location + "?wait=61").json["parameter"] == "wait"


@pytest.mark.parametrize("where", ["stall-before", "stall-after"])
def test_kill_between_journal_and_commit(node, where):
    """Killed in the middle of the first of three creations: whatever was
    acknowledged is there after a restart, made once."""
    (node.world / where).touch()
    answers = [node.local("POST", "/v1/domains", spec(f"web{i}"),
                          {"Idempotency-Key": f"k{i}"}) for i in range(3)]
    assert {a.status for a in answers} == {202}
    node.await_file("stalled")
    node.kill()
    (node.world / where).unlink()
    node.start()
    for i, answer in enumerate(answers):
        done = node.local.succeed(answer)
        domain = node.local("GET", f"/v1/domains/web{i}").json
        assert domain["id"] == answer.json["domain"]["id"]
        assert domain["state"] == "running"
        # The answer to a repeated request outlives the process too.
        again = node.local("POST", "/v1/domains", spec(f"web{i}"),
                           {"Idempotency-Key": f"k{i}"})
        assert again.text == answer.text
        if i == 0:
            outcomes = [a["outcome"] for a in done["acts"]]
            assert "interrupted" in outcomes
    assert len(list(node.world.glob("*.domain"))) == 3
    assert node.local("GET", "/v1/host").json["domains"] == 3


def test_kill_at_any_time_loses_nothing_acknowledged(node):
    """A client creates and destroys while the service is killed again and
    again; in the end store and machine agree on what was acknowledged."""
    acknowledged = {}
    for turn in range(4):
        stop = threading.Event()

        def ask(turn=turn, stop=stop):
            i = 0
            while not stop.is_set():
                name = f"d{turn}x{i}"
                try:
                    answer = node.local("POST", "/v1/domains", spec(name))
                except (OSError, http.client.HTTPException):
                    return
                if answer.status == 202:
                    acknowledged[name] = answer
                i += 1

        thread = threading.Thread(target=ask)
        thread.start()
        time.sleep(0.2 + 0.13 * turn)
        node.kill()
        stop.set()
        thread.join()
        node.start()
    assert len(acknowledged) > 4
    for answer in acknowledged.values():
        done = node.local.finish(answer)
        assert done["state"] == "succeeded", done
    # Those that were written down, but whose answer got lost, are finished too.
    for state in ("queued", "running"):
        for operation in node.local(
                "GET", f"/v1/operations?limit=1000&state={state}"
        ).json["items"]:
            node.local("GET", f"/v1/operations/{operation['id']}?wait=20")
    running = {d["name"]: d for d in
               node.local("GET", "/v1/domains?limit=1000").json["items"]}
    for name, answer in acknowledged.items():
        assert running[name]["id"] == answer.json["domain"]["id"]
    handles = {p.stem for p in node.world.glob("*.domain")}
    assert handles == {d["id"] for d in running.values()
                       if d["state"] == "running"}


def test_domains_go_on_without_the_service(node):
    node.local.succeed(node.local("POST", "/v1/domains", spec("web1")))
    node.local.succeed(node.local("POST", "/v1/domains", spec("web2")))
    node.stop()
    before = {p.name: p.read_text() for p in node.world.glob("*.domain")}
    assert len(before) == 2
    # One ends meanwhile.
    gone = node.world / sorted(before)[1]
    gone.unlink()
    node.start()
    got = {d["id"]: d for d in node.local("GET", "/v1/domains").json["items"]}
    assert got[gone.stem]["state"] == "stopped"
    assert got[gone.stem]["reason"]
    other = sorted(before)[0]
    assert got[other.removesuffix(".domain")]["state"] == "running"
    assert (node.world / other).read_text() == before[other]


def test_metrics_count(node):
    node.local.succeed(node.local("POST", "/v1/domains", spec("web1")))
    lines = node.local("GET", "/metrics").text.splitlines()
    values = dict(line.rsplit(" ", 1) for line in lines
                  if not line.startswith("#"))
    assert values['xenoserver_domains{state="running"}'] == "1"
    assert values['xenoserver_operations{state="succeeded"}'] == "1"
    assert values['xenoserver_capacity_claimed{resource="memory_bytes"}'] \
        == str(17 << 20)
    assert int(values['xenoserver_http_requests_total{status="2xx"}']) >= 2


def test_request_id_leads_to_the_log(node):
    answer = node.local("POST", "/v1/domains", spec("web1"))
    node.local.succeed(answer)
    lines = [line for line in node.read_log().splitlines()
             if f'request={answer.headers["Request-Id"]}' in line]
    assert any("op=http" in line and "status=202" in line for line in lines)
    assert any("op=domain.create" in line for line in lines)


def test_unix_socket_is_the_operators(shared):
    assert (shared.folder / "api.sock").stat().st_mode & 0o777 == 0o660


def make_certificate(folder):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
         "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
         "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
         "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
        check=True, capture_output=True)
    return str(folder / "cert.pem"), str(folder / "key.pem")


def test_tls(node, tmp_path):
    node.stop()
    certificate, key = make_certificate(tmp_path)
    node.start(certificate, key)
    context = ssl.create_default_context(cafile=certificate)
    do = Client(lambda: http.client.HTTPSConnection(
        "127.0.0.1", node.port, timeout=10, context=context),
        node.token()["token"])
    assert do("GET", "/v1/domains").status == 200
    do.succeed(do("POST", "/v1/domains", spec("web1")))


def test_without_tls_only_the_loopback_is_served(tmp_path):
    got = subprocess.run([SERVER, tmp_path, "0.0.0.0:0"], timeout=20,
                         capture_output=True, text=True)
    assert got.returncode == 1
    assert "without TLS only the loopback is served" in got.stderr


def make_token():
    """As whoever starts a node makes the first one."""
    digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    tail = "".join(secrets.choice(digits) for _ in range(26))
    return f"xs_tok_{tail}_{secrets.token_hex(32)}"


def restarted_with(node, text):
    node.stop()
    (node.folder / "operator.token").write_text(text)
    node.start()


def test_first_token_comes_in_a_file_once(node):
    token = make_token()
    restarted_with(node, token + "\n")
    assert not (node.folder / "operator.token").exists()
    assert node.tcp(token)("GET", "/v1/host").status == 200
    name = token.split("_", 1)[1].rsplit("_", 1)[0]
    assert node.local("DELETE", f"/v1/tokens/{name}").status == 204
    restarted_with(node, token)
    assert not (node.folder / "operator.token").exists()
    assert node.tcp(token)("GET", "/v1/host").status == 401


@pytest.mark.parametrize("text", [
    "", "xs_tok_", make_token()[:-1], make_token() + "0",
    make_token().replace("xs_tok", "xs_dom"), "x" * 200,
    make_token()[:-1] + "g"])
def test_file_that_is_no_token_is_left_and_complained_of(node, text):
    restarted_with(node, text)
    assert (node.folder / "operator.token").read_text() == text
    assert "op=token.take" in node.read_log()
    assert node.tcp(text or "x")("GET", "/v1/host").status == 401


def ask_offline(node, sql):
    with contextlib.closing(sqlite3.connect(node.folder / "state.db")) as db:
        return db.execute(sql).fetchall()


def test_node_stops_and_starts_what_ran(node):
    ask = node.local
    for name, kernel in (("runs", "vmlinuz"), ("paused", "vmlinuz"),
                         ("deaf", "deaf")):
        ask.succeed(ask("POST", "/v1/domains", spec(name, kernel=kernel)))
    ask.succeed(ask("POST", "/v1/domains", spec("rests", start=False)))
    ask.succeed(ask.act("paused", "pause"))
    assert ask("GET", "/v1/host").json["stopping"] is False
    assert ask("POST", "/v1/host/actions/reboot").problem == "not-found"
    tenant = node.tcp(node.token()["token"])
    assert tenant("POST", "/v1/host/actions/shutdown").problem == "forbidden"
    for _ in range(2):
        answer = ask("POST", "/v1/host/actions/shutdown")
        assert (answer.status, answer.json) == (202, {"status": "stopping"})
    # Nothing new is let in, whoever goes on with it.
    node.kill()
    node.start(ready=503)
    assert ask("GET", "/readyz").status == 503
    assert ask("GET", "/v1/host").json["stopping"] is True
    refused = ask("POST", "/v1/domains", spec("late"))
    assert (refused.status, refused.problem) == (503, "node-stopping")
    assert node.process.wait(timeout=90) == 3
    assert not list(node.world.glob("*.domain"))
    # As if the machine had not gone off: it does not begin again.
    node.launch()
    assert node.process.wait(timeout=90) == 3
    assert not list(node.world.glob("*.domain"))
    built = ask_offline(node, "SELECT count(*) FROM operations WHERE actor = "
                        "'node' AND action = 'start'")
    assert built == [(0,)]
    (node.world / "boot").write_text("second")
    node.start()
    states = {}
    for name in ("runs", "paused", "deaf", "rests"):
        node.settle(name)
        states[name] = ask("GET", f"/v1/domains/{name}").json["state"]
    assert states == {"runs": "running", "paused": "stopped",
                      "deaf": "running", "rests": "defined"}
    assert ask("GET", "/v1/host").json["stopping"] is False
    # The same start of the node: nothing is started a second time.
    ask.succeed(ask.act("runs", "shutdown"))
    node.kill()
    node.start()
    node.settle("runs")
    assert ask("GET", "/v1/domains/runs").json["state"] == "stopped"
