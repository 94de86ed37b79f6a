# SPDX-License-Identifier: Apache-2.0
"""What xeno does, asked as people and scripts ask."""
import csv
import io
import json
import os
import socket
import subprocess
import threading

import pytest
import yaml

from conftest import XENO, Cli

SMALL = "-k vmlinuz -m 16M --cpu-reservation 10"


def create(xeno, name, more="", **expect):
    return xeno.json(f"domain create {name} {SMALL} {more} --wait -q", **expect)


def test_a_domain_from_flags_to_its_end(xeno):
    got = create(xeno, "web1", "-d xvda,size=1M,image=debian -d xvdb,size=2M,ro "
                 "-n ip=10.0.2.101,mac=02:00:00:00:00:01 -n '' --vcpus 2 "
                 "--label env=prod --label team=shop --on-crash restart "
                 "--command 'root=/dev/xvda ro'")
    assert got["operation"]["state"] == "succeeded"
    domain = xeno.json("domain show web1")
    assert got["domain"] == domain
    assert domain["state"] == "running"
    assert domain["memory_bytes"] == 16 << 20
    assert domain["labels"] == {"env": "prod", "team": "shop"}
    assert domain["disks"] == [
        {"device": "xvda", "writable": True, "size_bytes": 1 << 20,
         "image": "debian"},
        {"device": "xvdb", "writable": False, "size_bytes": 2 << 20,
         "image": ""}]
    assert [n["addresses"] for n in domain["nics"]] == [["10.0.2.101"], []]
    assert (domain["vcpus"], domain["on_crash"]) == (2, "restart")
    assert domain["command"] == "root=/dev/xvda ro"
    for verb, state in [("pause", "paused"), ("resume", "running"),
                        ("reboot", "running"), ("shutdown", "stopped"),
                        ("start", "running"), ("destroy", "stopped")]:
        got = xeno.json(f"domain {verb} web1 --wait -q")
        assert got["domain"]["state"] == state, verb
    got = xeno.json("domain set web1 --name web2 --memory 32M --label env=test "
                    "--no-label team --wait -q")
    assert got["domain"]["labels"] == {"env": "test"}
    assert got["domain"]["memory_bytes"] == 32 << 20
    got = xeno.json("domain delete web2 --wait -q")
    assert got["operation"]["state"] == "succeeded"
    xeno.fails(Cli.NOT_FOUND, "domain show web2")


def test_a_domain_from_a_file(xeno, tmp_path):
    body = {"name": "web1", "kernel": "vmlinuz", "memory_bytes": 16 << 20,
            "labels": {"env": "prod"}}
    (tmp_path / "web.json").write_text(json.dumps(body))
    got = xeno.json(f"domain create -f {tmp_path}/web.json --no-start --wait -q")
    assert got["domain"]["state"] == "defined"
    # What is typed counts more than what is in the file.
    got = xeno.json("domain", "create", "web2", "-f", "-", "-m", "32M",
                    "--no-start", stdin=json.dumps(body))
    assert got["domain"]["name"] == "web2"
    assert got["domain"]["memory_bytes"] == 32 << 20
    for text, why in [("{", "line 1"), ("[]", "not a JSON object"),
                      ('{"a": 1, "a": 2}', "duplicate")]:
        said = xeno.fails(Cli.USAGE, "domain", "create", "-f", "-", stdin=text)
        assert why in said
    said = xeno.fails(Cli.USAGE, "domain create -f /nowhere")
    assert "/nowhere: No such file" in said


def test_a_domain_from_libvirt_and_back(xeno, tmp_path):
    create(xeno, "web1", "-d xvda,size=1M --label env=prod")
    text = xeno("domain export web1")
    assert text.startswith("<domain type='xen' id=")
    before = xeno.json("domain show web1")
    xeno("domain destroy web1 --wait -q")
    xeno("domain delete web1 --wait -q")
    (tmp_path / "web.xml").write_text(text)
    words = f"domain create -f {tmp_path}/web.xml"
    assert "there are no options" in xeno.fails(Cli.USAGE, words + " -m 1G")
    got = xeno.run(words + " --wait")
    assert "xeno: ignored: /domain/uuid\n" in got.stderr
    after = xeno.json("domain show web1")
    assert after["labels"] == {"env": "prod"}
    assert after["disks"] == before["disks"]
    said = xeno.fails(Cli.FAILED, "domain create -f -",
                      stdin="<domain type='kvm'/>")
    assert "  /domain/@type is kvm; it has to be xen\n" in said
    xeno.fails(Cli.NOT_FOUND, "domain export nobody")


def test_output_forms_say_the_same(xeno):
    for i, label in enumerate(["a", "b", "c"]):
        xeno(f"domain create web{i} {SMALL} --no-start --label l={label}")
    as_json = xeno.json("domain list")
    assert [d["name"] for d in as_json["items"]] == ["web0", "web1", "web2"]
    assert yaml.safe_load(xeno("domain list -o yaml")) == as_json
    rows = list(csv.DictReader(io.StringIO(xeno(
        "domain list -o csv --columns name,memory_bytes,labels.l,number"))))
    assert rows == [{"name": d["name"], "memory_bytes": str(16 << 20),
                     "labels.l": d["labels"]["l"], "number": ""}
                    for d in as_json["items"]]
    table = xeno("domain list").splitlines()
    assert table[0].split()[:4] == ["NAME", "STATE", "VCPUS", "MEMORY"]
    assert table[1].split()[:4] == ["web0", "defined", "1", "16M"]
    assert len({line.index(word) for line, word in
                zip(table, ["STATE", "defined", "defined", "defined"])}) == 1
    assert xeno("domain list --no-headers --columns name") == \
        "web0\nweb1\nweb2\n"
    assert "\x1b" not in xeno("domain list")
    one = xeno("domain show web1")
    assert "memory_bytes" in one and "labels.l" in one


def test_text_of_others_comes_back_as_it_was(xeno):
    """A description may have anything; tables do not let it act."""
    text = 'a "b", \\ : #x\n\u00e9 \U0001f600 \x1b[31m \u2028 - no'
    made = xeno.json("token", "create", "--role", "operator", "--description",
                     text)
    shown = ["token", "show", made["id"]]
    assert xeno.json(*shown)["description"] == text
    assert yaml.safe_load(xeno(*shown, "-o", "yaml"))["description"] == text
    got = list(csv.DictReader(io.StringIO(xeno(*shown, "-o", "csv"),
                                          newline="")))
    assert got[0]["description"] == text
    table = xeno(*shown)
    assert "\x1b" not in table and "\u00e9 \U0001f600 .[31m" in table


def test_lists_have_all_pages(node, xeno):
    for i in range(3):
        xeno(f"domain create web{i} {SMALL} --no-start --wait -q")
    # Pages of one: as if there were hundreds.
    with Relay(node, lambda head: head.replace(b"GET /v1/domains ",
                                               b"GET /v1/domains?limit=1 ")
               .replace(b"?cursor", b"?limit=1&cursor")) as relay:
        got = Cli(relay.path).json("domain list")
    assert relay.requests == 3
    assert [d["name"] for d in got["items"]] == ["web0", "web1", "web2"]
    assert got["next"] is None
    assert len(xeno.json("domain list --limit 2")["items"]) == 2
    assert len(xeno.json("operation list --limit 5")["items"]) == 3
    assert xeno.json("domain list --state running")["items"] == []
    assert len(xeno.json("domain list -l '!x'")["items"]) == 3


@pytest.mark.parametrize("words, status, said", [
    ("domain show nobody", Cli.NOT_FOUND, "no domain nobody"),
    ("domain start nobody", Cli.NOT_FOUND, "no domain nobody"),
    ("domain list --state odd", Cli.FAILED, "malformed"),
    ("domain create x -k v -m 4T", Cli.NO_ROOM, "insufficient-capacity"),
    ("domain create x -k v -m 4T", Cli.NO_ROOM, "memory_bytes: at most"),
    ("domain create x", Cli.FAILED, "/kernel is missing"),
    ("domain create x -k v -m 16M --vcpus 99 -d xvda,size=1", Cli.FAILED,
     "/disks/0/size_bytes is 1; it has to be"),
    ("token create --role tenant", Cli.FAILED, "/tenant"),
    ("event follow --after 999999", Cli.NOT_FOUND, "events-gone"),
    ("domain bogus", Cli.USAGE, "domain bogus"),
    ("bogus list", Cli.USAGE, "bogus list"),
    ("domain", Cli.USAGE, "domain needs a verb"),
    ("domain list --bogus", Cli.USAGE, "--bogus"),
    ("domain list --kernel x", Cli.USAGE, "--kernel"),
    ("domain list -Z", Cli.USAGE, "-Z"),
    ("domain list x", Cli.USAGE, "arguments"),
    ("domain show", Cli.USAGE, "arguments"),
    ("domain list -o xml", Cli.USAGE, "table, json, yaml or csv"),
    ("domain list --limit", Cli.USAGE, "--limit needs an argument"),
    ("domain list --limit 0", Cli.USAGE, "--limit 0"),
    ("domain create x -m 1.5G", Cli.USAGE, "a size is needed"),
    ("domain create x --vcpus two", Cli.USAGE, "a whole number is needed"),
    ("domain create x --label env", Cli.USAGE, "KEY=VALUE"),
    ("domain create x -d xvda,sise=1G", Cli.USAGE, '"sise=1G"'),
])
def test_errors(idle, words, status, said):
    got = idle.fails(status, words)
    assert got.startswith("xeno: ") and said in got


def test_errors_as_json(idle):
    got = json.loads(idle.fails(Cli.FAILED,
                                "domain create x -k v -m 1 --vcpus 99 -o json"))
    assert got["type"] == "urn:xenoserver:problem:invalid"
    assert {e["field"] for e in got["errors"]} == {"/memory_bytes", "/vcpus"}


def test_dry_run(idle):
    assert idle.json(f"domain create x {SMALL} --dry-run")["admitted"] is True
    assert "true" in idle(f"domain create x {SMALL} --dry-run")
    idle.fails(Cli.NO_ROOM, "domain create x -k v -m 4T --dry-run")
    assert idle.json("domain list")["items"] == []


def test_state_and_version_conflicts(xeno):
    domain = create(xeno, "web1")["domain"]
    said = xeno.fails(Cli.CONFLICT, "domain delete web1")
    assert "possible now: pause,shutdown,reboot,destroy,update" in said
    said = xeno.fails(Cli.CONFLICT, "domain set web1 --label a=b --if-version "
                      f"{domain['version'] + 7}")
    assert "version-mismatch" in said
    xeno("domain set web1 --label a=b --wait -q --if-version "
         f"{domain['version']}")


def test_waiting(node, xeno):
    got = xeno.run(f"domain create bad -k bad -m 16M --wait",
                   expect=Cli.FAILED)
    assert "domain.create op_" in got.stderr and "failed" in got.stderr
    assert "(not-a-kernel)" in got.stderr
    (node.world / "stall-before").touch()
    operation = xeno.json(f"domain create web1 {SMALL}")["operation"]["id"]
    got = xeno.run(f"operation wait {operation} --timeout 1",
                   expect=Cli.TIMEOUT)
    assert f"{operation} goes on" in got.stderr
    threading.Timer(1.2, (node.world / "stall-before").unlink).start()
    got = xeno.run(f"operation wait {operation}")
    assert "running, build" in got.stderr and "succeeded" in got.stderr
    assert "\r" not in got.stderr
    assert xeno.run(f"operation wait {operation} -q").stderr == ""
    assert xeno.json("operation list --state failed")["items"]


def test_who_may_ask(node, xeno, tmp_path):
    make = "token create --role tenant --tenant acme"
    secret = xeno.json(make)["token"]
    url = f"http://127.0.0.1:{node.port}"
    remote = Cli(None, XENO_URL=url)
    assert "unauthenticated" in remote.fails(Cli.DENIED, "domain list")
    tenant = Cli(None, XENO_URL=url, XENO_TOKEN=secret)
    assert tenant.json("domain list")["items"] == []
    assert "forbidden" in tenant.fails(Cli.DENIED, "host show")
    assert create(tenant, "mine")["domain"]["tenant"] == "acme"
    # The other ways to say the same.
    file = tmp_path / "token"
    file.write_text(secret + "\n")
    file.chmod(0o644)
    words = f"domain list --url {url}/ --token-file {file}"
    assert "others may read it" in xeno.fails(Cli.USAGE, words)
    file.chmod(0o600)
    assert len(xeno.json(words)["items"]) == 1
    assert len(remote.json(f"domain list --token {secret}")["items"]) == 1
    # The socket, although there is a URL in the environment.
    words = f"--socket {node.socket} host show"
    assert Cli(None, XENO_URL="http://127.0.0.1:1").json(words)["healthy"]
    revoked = secret.split("_")[2]
    xeno(f"token delete tok_{revoked}")
    tenant.fails(Cli.DENIED, "domain list")


def test_nobody_is_there(tmp_path):
    gone = Cli(str(tmp_path / "no.sock"))
    assert "no.sock" in gone.fails(Cli.UNREACHABLE, "domain list")
    assert "http://127.0.0.1:1" in gone.fails(
        Cli.UNREACHABLE, "domain list --url http://127.0.0.1:1")
    assert "file:///etc" in gone.fails(Cli.UNREACHABLE,
                                       "domain list --url file:///etc")


def test_certificates(node, xeno, tmp_path):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
                    tmp_path / "key.pem", "-out", tmp_path / "cert.pem"],
                   check=True, capture_output=True)
    token = xeno.json("token create --role operator")["token"]
    node.stop()
    node.start(str(tmp_path / "cert.pem"), str(tmp_path / "key.pem"))
    words = f"host show --url https://127.0.0.1:{node.port}"
    secure = Cli(None, XENO_TOKEN=token)
    assert "certificate" in secure.fails(Cli.UNREACHABLE, words)
    assert secure.json(f"{words} --cacert {tmp_path}/cert.pem")["healthy"]


def test_shown_requests_are_those_that_are_sent(node, xeno):
    create(xeno, "web1")
    for words in ["domain list --state running -l 'a!=b,c'", "domain show web1",
                  "host show", "domain set web1 --label a=b",
                  "domain pause web1", "domain create web2 -k v -m 16M "
                  "--label a=b --command \"it's $HOME\""]:
        line = xeno(f"{words} --show-request")
        assert line.startswith("curl ") and line.count("\n") == 1
        before = xeno.json("operation list")
        assert "problem" not in xeno.shell(line).replace('"problem":null', "")
        if "domain set" in words or "domain pause" in words:
            assert len(xeno.json("operation list")["items"]) == \
                len(before["items"]) + 1
        # One operation at a time.
        newest = xeno.json("operation list --limit 1")["items"][0]["id"]
        xeno(f"operation wait {newest} -q")
    assert xeno.json("domain show web2")["command"] == "it's $HOME"
    assert xeno.json("domain show web1")["labels"] == {"a": "b"}
    # Nothing is sent by itself, and no token is shown.
    assert "secret" not in Cli(node.socket, XENO_TOKEN="secret")(
        "domain destroy web1 --show-request")
    assert xeno.json("domain show web1")["state"] == "paused"


def test_events(node, xeno):
    create(xeno, "web1")
    lines = [json.loads(line) for line in xeno(
        "event follow --after 0 --count 4 -o json").splitlines()]
    assert [e["id"] for e in lines] == [1, 2, 3, 4]
    assert [e["type"] for e in lines if e["type"].startswith("domain.")][:2] \
        == ["domain.defined", "domain.building"]
    table = xeno("event follow --after 0 --count 2").splitlines()
    assert table[0].startswith("ID") and len(table) == 3
    rows = list(csv.DictReader(io.StringIO(
        xeno("event follow --after 0 --count 2 -o csv"))))
    assert [r["id"] for r in rows] == ["1", "2"]


def test_events_go_on_after_a_restart(node, xeno):
    create(xeno, "web1")
    follower = subprocess.Popen(
        [XENO, "event", "follow", "--after", "0", "-o", "json"],
        env=xeno.environment, stdout=subprocess.PIPE, text=True)
    try:
        first = [json.loads(follower.stdout.readline())["id"]
                 for _ in range(4)]
        node.kill()
        node.start()
        xeno("domain pause web1 --wait -q")
        more = [json.loads(follower.stdout.readline())["id"]
                for _ in range(2)]
    finally:
        follower.kill()
        follower.wait()
    assert first + more == [1, 2, 3, 4, 5, 6]


class Relay:
    """Between xeno and the node: changes requests, loses answers."""

    def __init__(self, node, change=lambda head: head, lose=0):
        self.node, self.change, self.lose = node, change, lose
        self.path = str(node.folder / "relay.sock")
        self.requests, self.keys = 0, []

    def __enter__(self):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        os.unlink(self.path)

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with client, socket.socket(socket.AF_UNIX) as to:
                self.pass_on(client, to)

    def pass_on(self, client, to):
        head = client.recv(65536)
        self.requests += 1
        self.keys += [line for line in head.split(b"\r\n")
                      if line.startswith(b"Idempotency-Key")]
        to.connect(self.node.socket)
        to.sendall(self.change(head).replace(b"\r\n", b"\r\nConnection: close"
                                             b"\r\n", 1))
        answer = b""
        while piece := to.recv(65536):
            answer += piece
        if self.requests > self.lose:
            client.sendall(answer)


def test_a_lost_answer_is_asked_for_again(node, xeno):
    """The first has been done; the second, with its key, says how."""
    with Relay(node, lose=1) as relay:
        got = Cli(relay.path).json(f"domain create web1 {SMALL}")
    assert relay.requests == 2
    assert len(relay.keys) == 2 and len(set(relay.keys)) == 1
    items = xeno.json("domain list")["items"]
    assert [d["id"] for d in items] == [got["domain"]["id"]]
    # A change has no key, and is not made twice.
    with Relay(node, lose=1) as relay:
        Cli(relay.path).fails(Cli.UNREACHABLE, "domain set web1 --label a=b")
    assert relay.requests == 1


def test_keys(xeno):
    words = f"domain create web1 {SMALL} --idempotency-key k1"
    assert xeno.json(words)["domain"] == xeno.json(words)["domain"]
    assert "idempotency-key-reused" in xeno.fails(
        Cli.FAILED, words + " --no-start")


def test_a_full_disk_is_no_success(idle):
    with open("/dev/full", "w") as full:
        got = subprocess.run([XENO, "host", "show"], stdout=full,
                             stderr=subprocess.PIPE, env=idle.environment,
                             timeout=60)
    assert got.returncode == Cli.FAILED and b"No space" in got.stderr
