# SPDX-License-Identifier: Apache-2.0
"""The real service with the fake machine, and a client that holds every answer
against api/openapi.yaml."""
import contextlib
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import time
import urllib.parse

import jsonschema
import pytest
import yaml

from billing import World

SERVER = os.environ["REST_SERVER"]
CONTRACT = yaml.safe_load(open(os.environ["OPENAPI"]))
METHODS = ("get", "post", "patch", "delete", "put")
PATIENCE_S = 20


def look_up(ref):
    at = CONTRACT
    for word in ref.removeprefix("#/").split("/"):
        at = at[word]
    return at


def follow(item):
    return look_up(item["$ref"]) if "$ref" in item else item


def find_path(path):
    """The contract's path that a real one is."""
    words = path.split("/")
    for pattern in CONTRACT["paths"]:
        parts = pattern.split("/")
        if len(parts) == len(words) and all(
                p.startswith("{") or p == w for p, w in zip(parts, words)):
            return pattern
    return None


def check_schema(value, schema):
    resolver = jsonschema.RefResolver("", CONTRACT)
    jsonschema.Draft202012Validator(schema, resolver=resolver).validate(value)


class Answer:
    def __init__(self, response, body):
        self.status = response.status
        self.headers = response.headers
        self.text = body.decode()
        self.type = (response.headers.get("Content-Type") or "").split(";")[0]
        self.json = json.loads(self.text) if "json" in self.type else None

    @property
    def problem(self):
        """The last word of the type of a problem document."""
        assert self.type == "application/problem+json", self.text
        assert self.json["status"] == self.status
        assert self.json["instance"].endswith(self.headers["Request-Id"])
        return self.json["type"].removeprefix("urn:xenoserver:problem:")


def check_contract(method, path, answer):
    pattern = find_path(urllib.parse.urlparse(path).path)
    if pattern is None or method.lower() not in CONTRACT["paths"][pattern]:
        assert answer.status in (404, 405)
        return
    responses = CONTRACT["paths"][pattern][method.lower()]["responses"]
    assert str(answer.status) in responses, (method, path, answer.status,
                                             answer.text)
    content = follow(responses[str(answer.status)]).get("content", {})
    if not content:
        assert answer.text == ""
        return
    assert answer.type in content, (answer.type, answer.text)
    schema = content[answer.type]["schema"]
    check_schema(answer.text if answer.json is None else answer.json, schema)


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("node", timeout=PATIENCE_S)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE_S)
        self.sock.connect(self.path)


class Client:
    def __init__(self, connect, token=None):
        self.connect = connect
        self.token = token

    def open(self, method, path, body=None, headers=None):
        headers = dict(headers or {})
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
        if body is not None and "Content-Type" not in headers:
            headers["Content-Type"] = ("application/merge-patch+json"
                                       if method == "PATCH"
                                       else "application/json")
        connection = self.connect()
        # What is refused by its headers alone is answered before its body.
        with contextlib.suppress(BrokenPipeError):
            connection.request(method, path, body, headers)
        return connection, connection.getresponse()

    def __call__(self, method, path, body=None, headers=None):
        connection, response = self.open(method, path, body, headers)
        answer = Answer(response, response.read())
        connection.close()
        assert answer.headers["Request-Id"].startswith("req_")
        check_contract(method, path, answer)
        return answer

    def finish(self, answer):
        """Waits for the operation of an answer, and returns it."""
        assert answer.status == 202, answer.text
        got = self("GET", answer.headers["Location"] + "?wait=20").json
        assert got["state"] in ("succeeded", "failed"), got
        return got

    def succeed(self, answer):
        got = self.finish(answer)
        assert got["state"] == "succeeded", got
        return got

    def act(self, domain, action, **headers):
        return self("POST", f"/v1/domains/{domain}/actions/{action}",
                    headers=headers)


def spec(name, **more):
    return {"name": name, "kernel": "vmlinuz", "memory_bytes": 16 << 20,
            "cpu_reservation_permille": 10, **more}


class Node:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.world = self.folder / "world"
        self.world.mkdir(exist_ok=True)
        self.socket = str(self.folder / "api.sock")
        self.process = None
        self.port = None
        self.local = Client(lambda: UnixConnection(self.socket))

    def launch(self, *more):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen(
            [SERVER, str(self.folder), f"127.0.0.1:{self.port}", *more],
            stderr=self.log)

    def start(self, *more, ready=200):
        self.launch(*more)
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            try:
                if self.local("GET", "/readyz").status == ready:
                    return
            except OSError:
                assert self.process.poll() is None, self.read_log()
                time.sleep(0.05)
        raise AssertionError(self.read_log())

    def tcp(self, token=None):
        return Client(lambda: http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=PATIENCE_S), token)

    def token(self, role="tenant", tenant="acme", **more):
        body = {"role": role, **more}
        if role == "tenant":
            body["tenant"] = tenant
        return self.local("POST", "/v1/tokens", body).json

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        """As it should end: sanitizers complain by the exit status."""
        self.process.terminate()
        assert self.process.wait(timeout=PATIENCE_S) == 0, self.read_log()

    def settle(self, domain):
        """Until no operation on it is open."""
        end = time.monotonic() + PATIENCE_S
        number = self.local("GET", f"/v1/domains/{domain}").json["id"]
        while any(o["state"] in ("queued", "running") for o in self.local(
                "GET", f"/v1/operations?domain={number}").json["items"]):
            assert time.monotonic() < end, domain
            time.sleep(0.05)

    def read_log(self):
        return (self.folder / "log").read_text()

    def await_file(self, name):
        end = time.monotonic() + PATIENCE_S
        while not (self.world / name).exists():
            assert time.monotonic() < end
            time.sleep(0.02)


@pytest.fixture
def timed(tmp_path):
    """A node whose machine's clock stands until it is set."""
    n = Node(tmp_path)
    n.clock = World(n)
    n.start()
    yield n
    if n.process.poll() is None:
        n.stop()


@pytest.fixture
def node(tmp_path):
    n = Node(tmp_path)
    n.start()
    yield n
    if n.process.poll() is None:
        n.stop()


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """For tests that leave nothing behind."""
    n = Node(tmp_path_factory.mktemp("shared"))
    n.start()
    yield n
    n.stop()
