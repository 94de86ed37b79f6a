# SPDX-License-Identifier: Apache-2.0
"""What consoles say, as a log and as a WebSocket."""
import json
import time

import pytest

import websocket
from conftest import spec
from websocket import WebSocket

KEPT = 1 << 20


@pytest.fixture
def domain(node):
    answer = node.local("POST", "/v1/domains", spec("web1"))
    node.local.succeed(answer)
    return answer.json["domain"]["id"]


def say(node, domain, text):
    with open(node.world / f"{domain}.log", "ab") as f:
        f.write(text.encode() if isinstance(text, str) else text)


def log(node, query="", client=None):
    return (client or node.local)("GET", f"/v1/domains/web1/console/log{query}")


def numbers(answer):
    return [int(answer.headers[f"Console-{n}"])
            for n in ("Offset", "Next", "Size", "Dropped")]


def test_log(node, domain):
    assert (log(node).text, numbers(log(node))) == ("", [0, 0, 0, 0])
    say(node, domain, "one\r\ntwo\0\r\n")
    answer = log(node)
    assert answer.headers["Content-Type"] == "text/plain"
    assert answer.text == "one\r\ntwo\0\r\n"
    assert numbers(answer) == [0, 11, 11, 0]
    assert log(node, "?tail_bytes=6").text == "two\0\r\n"
    assert numbers(log(node, "?tail_bytes=6")) == [5, 11, 11, 0]
    assert log(node, "?tail_bytes=100").text == answer.text
    assert log(node, "?tail_bytes=0").text == ""
    assert log(node, "?tail_bytes=6&limit=3").text == "\0\r\n"
    assert log(node, "?offset=5&limit=3").text == "two"
    assert numbers(log(node, "?offset=5&limit=3")) == [5, 8, 11, 0]
    assert numbers(log(node, "?offset=90")) == [11, 11, 11, 0]


def test_log_is_bounded_and_says_what_is_dropped(node, domain):
    line = b"%07d\n"
    say(node, domain, b"".join(line % i for i in range(200000)))
    answer = log(node)
    offset, following, size, dropped = numbers(answer)
    assert (following, size) == (1600000, 1600000)
    assert offset == dropped and dropped % 65536 == 0
    assert KEPT <= size - dropped < KEPT + 65536
    assert answer.text.splitlines()[0] == "%07d" % (dropped // 8)
    assert len(answer.text) == size - dropped
    assert numbers(log(node, "?offset=0&limit=8"))[:2] == [offset, offset + 8]


def test_log_outlives_the_service_and_goes_with_its_domain(node, domain):
    say(node, domain, "before\n")
    node.kill()
    say(node, domain, "meanwhile\n")
    node.start()
    say(node, domain, "after\n")
    assert log(node).text == "before\nmeanwhile\nafter\n"
    node.local.succeed(node.local.act("web1", "destroy"))
    assert log(node).text == "before\nmeanwhile\nafter\n"
    node.local.succeed(node.local("DELETE", "/v1/domains/web1",
                                  headers={"If-Match": "*"}))
    assert log(node).problem == "not-found"
    assert not (node.world / f"{domain}.log").exists()


@pytest.mark.parametrize("query", ["?tail_bytes=-1", "?tail_bytes=x",
                                   "?offset=1&tail_bytes=1", "?limit=0",
                                   "?offset=", "?lines=3",
                                   "?offset=99999999999999999999"])
def test_bad_parts_of_a_log(node, domain, query):
    answer = log(node, query)
    assert (answer.status, answer.problem) == (400, "malformed")
    assert answer.json["parameter"] in query


def test_log_is_the_tenants(node):
    acme = node.tcp(node.token()["token"])
    other = node.tcp(node.token(tenant="other")["token"])
    acme.succeed(acme("POST", "/v1/domains", spec("web1")))
    assert log(node, client=acme).status == 200
    assert log(node, client=other).status == 404
    assert log(node, client=node.tcp()).status == 401


def open_console(node, domain="web1", query="", client=None):
    ws = WebSocket(client or node.local,
                   f"/v1/domains/{domain}/console{query}")
    assert ws.response.status == 101, ws.response.read()
    assert ws.response.headers["Request-Id"].startswith("req_")
    return ws


def test_both_ways(node, domain):
    say(node, domain, "login: ")
    ws = open_console(node)
    assert ws.read_until(b"login: ") == b"login: "
    ws.send("root\r")
    ws.send(b"\x03", websocket.BINARY)
    assert ws.read_until(b"\x03") == b"root\r\x03"
    # A message in pieces, with a ping in between.
    ws.send("pass", first=websocket.TEXT)
    ws.ping(b"hi")
    ws.send("word\r", first=0x80)
    ws.read_until(b"password\r")
    long = "x" * 4000
    ws.send(long)
    ws.read_until(long.encode())
    ws.send(b"\x03\xe8bye", websocket.CLOSE)
    assert ws.closed() == 1000
    assert log(node).text.startswith("login: root\r")
    ws.close()


def test_several_see_the_same_and_may_type(node, domain):
    a, b = open_console(node), open_console(node)
    watch = open_console(node, query="?write=false")
    a.send("from a\n")
    b.send("from b\n")
    for ws in (a, b, watch):
        got = b""
        while len(got) < 14:
            got += ws.read_until(b"\n")
        assert sorted(got.splitlines()) == [b"from a", b"from b"]
    watch.send("from watch\n")
    watch.ping(b"?")
    a.send("end\n")
    assert a.read_until(b"\n") == b"end\n"
    for ws in (a, b, watch):
        ws.close()


def test_it_ends_with_the_domain(node, domain):
    ws = open_console(node)
    node.local.succeed(node.local.act("web1", "destroy"))
    assert ws.closed() == 1001
    ws.close()
    for action in (None, "start"):
        ws = WebSocket(node.local, "/v1/domains/web1/console")
        if action is None:
            problem = json.loads(ws.response.read())
            assert (ws.response.status, problem["state"]) == (409, "stopped")
            assert "start" in problem["allowed_actions"]
            node.local.succeed(node.local.act("web1", "start"))
        else:
            assert ws.response.status == 101
        ws.close()


def test_it_ends_with_the_service(node, domain):
    ws = open_console(node)
    node.stop()
    assert ws.closed() == 1001
    ws.close()


def status_after(node, *frames, **more):
    ws = open_console(node)
    for payload, how in frames:
        ws.send(payload, **how)
    status = ws.closed()
    ws.close()
    return status


def test_bad_frames_end_it(node, domain):
    protocol = [
        [("x", {"mask": None})],
        [("x", {"first": 0xc2})],                   # a reserved bit
        [("x", {"opcode": 3})],
        [("x", {"first": 0x80})],                   # more of nothing
        [("x", {"first": 0x02}), ("y", {"first": 0x82})],
        [("x", {"first": websocket.PING})],         # a ping in pieces
        [("x" * 126, {"opcode": websocket.PING})],
    ]
    for frames in protocol:
        assert status_after(node, *frames) == 1002, frames
    assert status_after(node, ("x" * 4097, {})) == 1009
    ws = open_console(node)
    ws.send("still\n")
    ws.read_until(b"still\n")
    ws.close()


def test_who_does_not_read_is_dropped_and_holds_up_nobody(node, domain):
    slow, quick = open_console(node), open_console(node)
    slow.send("x\n")
    slow.read_until(b"x\n")
    quick.read_until(b"x\n")
    for i in range(64):
        say(node, domain, b"%063d\n" % i * 1024 + b"end %d\n" % i)
        assert len(quick.read_until(b"end %d\n" % i)) > 65536
    assert node.local("GET", "/v1/domains/web1").status == 200
    end = time.monotonic() + 20
    while "ended=1008" not in node.read_log():
        assert time.monotonic() < end
        time.sleep(0.05)
    slow.close()
    quick.close()


def test_what_is_no_websocket(node, domain):
    path = "/v1/domains/web1/console"
    key = "dGhlIHNhbXBsZSBub25jZQ=="
    answer = node.local("GET", path)
    assert (answer.status, answer.problem) == (426, "upgrade-required")
    assert answer.headers["Sec-WebSocket-Version"] == "13"
    bad = websocket.head(key)
    bad["Sec-WebSocket-Version"] = "8"
    assert node.local("GET", path, headers=bad).status == 426
    answer = node.local("GET", path, headers=websocket.head("c2hvcnQ="))
    assert (answer.status, answer.json["header"]) == (400, "Sec-WebSocket-Key")
    answer = node.local("GET", path + "?write=1", headers=websocket.head(key))
    assert (answer.status, answer.json["parameter"]) == (400, "write")
    assert node.tcp()("GET", path, headers=websocket.head(key)).status == 401
    answer = node.local("GET", "/v1/domains/web2/console",
                        headers=websocket.head(key))
    assert answer.problem == "not-found"
    other = node.tcp(node.token(tenant="other")["token"])
    assert other("GET", path, headers=websocket.head(key)).status == 404


def test_there_are_enough(node, domain):
    all = [open_console(node) for _ in range(8)]
    ws = WebSocket(node.local, "/v1/domains/web1/console")
    problem = json.loads(ws.response.read())
    assert (ws.response.status, problem["type"]) == \
        (503, "urn:xenoserver:problem:busy")
    ws.close()
    all.pop().close()
    end = time.monotonic() + 20
    while True:
        ws = WebSocket(node.local, "/v1/domains/web1/console")
        if ws.response.status == 101:
            break
        assert time.monotonic() < end
        ws.close()
        time.sleep(0.05)
    for one in all + [ws]:
        one.close()


def test_over_tcp_with_a_token(node):
    acme = node.tcp(node.token()["token"])
    acme.succeed(acme("POST", "/v1/domains", spec("web1")))
    ws = open_console(node, client=acme)
    ws.send("hello\n")
    ws.read_until(b"hello\n")
    ws.close()
