# SPDX-License-Identifier: Apache-2.0
"""The operator's files: kernels, ramdisks, images of disks."""
import hashlib
import http.client
import socket
import threading
import time

import pytest

from conftest import spec

OCTETS = {"Content-Type": "application/octet-stream"}


def put(node, name, body, query="", client=None, **headers):
    headers = {k.replace("_", "-"): v for k, v in headers.items()}
    return (client or node.local)("PUT", f"/v1/images/{name}{query}", body,
                                  {**OCTETS, **headers})


def sha256(body):
    return hashlib.sha256(body).hexdigest()


def left_over(node):
    return [p.name for f in ("boot", "images")
            for p in (node.folder / f).iterdir() if p.name.startswith(".")]


def test_upload_and_remove(node):
    body = bytes(range(256)) * 20000
    answer = put(node, "debian", body)
    assert (answer.status, answer.headers["Location"]) == \
        (201, "/v1/images/debian")
    assert answer.json["sha256"] == sha256(body)
    assert answer.json["size_bytes"] == len(body)
    assert (node.folder / "images/debian").read_bytes() == body
    got = node.local("GET", "/v1/images/debian")
    assert got.json == answer.json
    assert got.headers["ETag"] == answer.headers["ETag"]
    again = put(node, "debian", b"shorter")
    assert (again.status, again.json["size_bytes"]) == (200, 7)
    assert again.headers["ETag"] != answer.headers["ETag"]
    assert node.local("DELETE", "/v1/images/debian").status == 204
    assert node.local("GET", "/v1/images/debian").status == 404
    assert node.local("DELETE", "/v1/images/debian").status == 404
    assert left_over(node) == []
    empty = put(node, "empty", b"", "?kind=boot")
    assert (empty.status, empty.json["sha256"]) == (201, sha256(b""))
    assert (node.folder / "boot/empty").read_bytes() == b""


def test_events_tell_of_them(node):
    put(node, "debian", b"x")
    node.local("DELETE", "/v1/images/debian")
    connection, response = node.local.open("GET", "/v1/events?after=0")
    text = b""
    while b"image.deleted" not in text:
        text += response.read1()
    assert b"event: image.put" in text
    connection.close()


def test_conditions(node):
    first = put(node, "a", b"1", If_None_Match="*")
    assert first.status == 201
    answer = put(node, "a", b"2", If_None_Match="*")
    assert (answer.status, answer.problem) == (412, "version-mismatch")
    assert put(node, "a", b"2", If_Match='"0"').status == 412
    assert put(node, "b", b"2", If_Match="*").status == 412
    assert put(node, "a", b"22", If_Match=first.headers["ETag"]).status == 200
    assert put(node, "a", b"3", If_Match=first.headers["ETag"]).status == 412
    assert (node.folder / "images/a").read_bytes() == b"22"
    old = {"If-Match": first.headers["ETag"]}
    assert node.local("DELETE", "/v1/images/a", headers=old).status == 412
    assert node.local("DELETE", "/v1/images/a",
                      headers={"If-Match": "*"}).status == 204
    assert left_over(node) == []


def test_one_of_many_uploads_gets_a_new_name(node):
    statuses = []

    def upload(i):
        statuses.append(put(node, "same", b"%d" % i * 100000,
                            If_None_Match="*").status)

    threads = [threading.Thread(target=upload, args=(i,)) for i in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(statuses) == [201] + 5 * [412]
    assert left_over(node) == []


def test_files_of_the_operators_are_listed(node):
    for name in ("vmlinuz", "initrd", ".hidden", "with space"):
        (node.folder / "boot" / name).write_bytes(name.encode())
    (node.folder / "boot/folder").mkdir()
    (node.folder / "images/debian").write_bytes(b"debian")
    items = node.local("GET", "/v1/images").json["items"]
    assert [(i["kind"], i["name"]) for i in items] == [
        ("boot", "initrd"), ("boot", "vmlinuz"), ("disk", "debian")]
    only = node.local("GET", "/v1/images?kind=disk").json["items"]
    assert [i["name"] for i in only] == ["debian"]
    seen, path = [], "/v1/images?limit=1"
    while True:
        page = node.local("GET", path).json
        seen += [i["name"] for i in page["items"]]
        if page["next"] is None:
            break
        path = "/v1/images?limit=1&cursor=" + page["next"]
    assert seen == ["initrd", "vmlinuz", "debian"]
    got = node.local("GET", "/v1/images/vmlinuz?kind=boot&wait=20")
    assert got.json["sha256"] == sha256(b"vmlinuz")
    assert node.local("GET", "/v1/images/vmlinuz").status == 404
    # Another file of the same name has another digest.
    (node.folder / "boot/vmlinuz").write_bytes(b"another")
    got = node.local("GET", "/v1/images/vmlinuz?kind=boot&wait=20")
    assert got.json["sha256"] == sha256(b"another")


def test_what_is_in_use_stays(node):
    for name, kind in (("vmlinuz", "boot"), ("initrd", "boot"),
                       ("debian", "disk")):
        put(node, name, b"x", f"?kind={kind}")
    (node.world / "stall-before").touch()
    disk = {"device": "xvda", "size_bytes": 1 << 20, "image": "debian"}
    answer = node.local("POST", "/v1/domains",
                        spec("web1", ramdisk="initrd", disks=[disk]))
    node.await_file("stalled")
    for name, kind in (("vmlinuz", "boot"), ("initrd", "boot"),
                       ("debian", "disk")):
        path = f"/v1/images/{name}?kind={kind}"
        assert node.local("GET", path).json["in_use"]
        got = node.local("DELETE", path)
        assert (got.status, got.problem) == (409, "in-use")
    (node.world / "stall-before").unlink()
    node.local.succeed(answer)
    # The disk is made; the kernel is needed for the next start.
    assert node.local("DELETE", "/v1/images/debian").status == 204
    assert node.local("DELETE", "/v1/images/vmlinuz?kind=boot").status == 409
    assert put(node, "vmlinuz", b"new", "?kind=boot").status == 200
    node.local.succeed(node.local.act("web1", "destroy"))
    node.local.succeed(node.local("DELETE", "/v1/domains/web1",
                                  headers={"If-Match": "*"}))
    assert node.local("DELETE", "/v1/images/vmlinuz?kind=boot").status == 204


def test_who_may(node):
    acme = node.tcp(node.token()["token"])
    put(node, "debian", b"x")
    assert acme("GET", "/v1/images/debian").status == 200
    assert len(acme("GET", "/v1/images").json["items"]) == 1
    assert put(node, "debian", b"y", client=acme).status == 403
    assert acme("DELETE", "/v1/images/debian").status == 403
    assert put(node, "debian", b"y", client=node.tcp()).status == 401
    assert (node.folder / "images/debian").read_bytes() == b"x"
    assert left_over(node) == []


@pytest.mark.parametrize("name, query, headers, status, problem", [
    (".hidden", "", {}, 400, "malformed"),
    ("a" * 63 + ".", "", {}, 404, "not-found"),    # no such path
    ("%2e%2e%2fetc", "", {}, 404, "not-found"),
    ("a b".replace(" ", "%20"), "", {}, 400, "malformed"),
    ("ok", "?kind=cd", {}, 400, "malformed"),
    ("ok", "?size=1", {}, 400, "malformed"),
    ("ok", "", {"Content-Type": "text/plain"}, 415, "unsupported-media-type"),
])
def test_bad_uploads(shared, name, query, headers, status, problem):
    answer = put(shared, name, b"x", query, **headers)
    assert (answer.status, answer.problem) == (status, problem)
    assert left_over(shared) == []
    assert list((shared.folder / "images").iterdir()) == []


def head_only(node, length, more=b""):
    """The answer to the head of an upload, before its body was sent."""
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(20)
    s.connect(node.socket)
    s.sendall(b"PUT /v1/images/big HTTP/1.1\r\nHost: node\r\n"
              b"Content-Type: application/octet-stream\r\n"
              b"Content-Length: %d\r\n%s\r\n" % (length, more))
    return s


def test_sizes_are_looked_at_first(node):
    for length, status in (((16 << 30) + 1, 413), (1 << 62, 413)):
        s = head_only(node, length)
        response = http.client.HTTPResponse(s)
        response.begin()
        assert response.status == status
        s.close()
    assert left_over(node) == []


def test_an_upload_that_is_cut_short_leaves_nothing(node):
    put(node, "big", b"old")
    s = head_only(node, 1 << 20)
    s.sendall(b"x" * 1000)
    end = time.monotonic() + 20
    while not left_over(node):
        assert time.monotonic() < end
        time.sleep(0.02)
    # The others are served meanwhile.
    assert node.local("GET", "/v1/images/big").json["size_bytes"] == 3
    s.close()
    while left_over(node):
        assert time.monotonic() < end
        time.sleep(0.02)
    assert (node.folder / "images/big").read_bytes() == b"old"


def test_a_killed_upload_leaves_nothing(node):
    s = head_only(node, 1 << 20)
    s.sendall(b"x" * 1000)
    end = time.monotonic() + 20
    while not left_over(node):
        assert time.monotonic() < end
        time.sleep(0.02)
    node.kill()
    s.close()
    assert left_over(node) != []
    node.start()
    assert left_over(node) == []
    assert node.local("GET", "/v1/images").json["items"] == []
