# SPDX-License-Identifier: Apache-2.0
"""Domains in and out as libvirt's XML."""
import pathlib
import xml.etree.ElementTree as ElementTree

from conftest import spec

XML = {"Content-Type": "application/xml"}
FILES = pathlib.Path(__file__).parent.parent / "libvirt"
LEAST = """<domain type='xen'><name>%s</name><memory unit='MiB'>16</memory>
<os><type>linux</type><kernel>/boot/vmlinuz</kernel></os>%s</domain>"""


def test_a_domain_comes_back_as_it_was(node):
    ask = node.local
    ask.succeed(ask("POST", "/v1/domains", spec(
        "web1", tenant="acme", labels={"env": "prod"}, vcpus=2,
        command="root=/dev/xvda a='b' <&>", cpu_cap_permille=77,
        on_crash="restart",
        disks=[{"device": "xvda", "size_bytes": 1 << 20, "image": "debian"},
               {"device": "xvdb", "size_bytes": 2 << 20, "writable": False}],
        nics=[{"addresses": ["10.0.2.101", "fd00::1"]}, {}])))
    before = ask("GET", "/v1/domains/web1").json
    got = ask("GET", "/v1/domains/web1", headers={"Accept": "application/xml"})
    assert got.status == 200 and got.type == "application/xml"
    assert got.headers["ETag"] == f'"{before["version"]}"'
    root = ElementTree.fromstring(got.text)
    assert root.get("id") == str(before["number"])
    ask.succeed(ask.act("web1", "destroy"))
    ask.succeed(ask("DELETE", "/v1/domains/web1", headers={"If-Match": "*"}))
    answer = ask("POST", "/v1/domains", got.text, XML)
    assert sorted(answer.json["ignored"]) == [
        "/domain/@id", "/domain/devices/disk[1]/source/@pool",
        "/domain/devices/disk[1]/source/@volume",
        "/domain/devices/disk[2]/source/@pool",
        "/domain/devices/disk[2]/source/@volume", "/domain/uuid"]
    ask.succeed(answer)
    after = ask("GET", "/v1/domains/web1").json
    own = ("id", "version", "number", "created_at", "updated_at", "started_at",
           "admission")
    assert {k: v for k, v in before.items() if k not in own} == \
        {k: v for k, v in after.items() if k not in own}


def test_files_of_others(node):
    ask = node.local
    answer = ask("POST", "/v1/domains?dry_run=true",
                 (FILES / "virt-manager.xml").read_text(), XML)
    assert answer.status == 409 and answer.problem == "insufficient-capacity"
    answer = ask("POST", "/v1/domains?dry_run=true",
                 (FILES / "xl-style.xml").read_text(),
                 {"Content-Type": "application/xml; charset=utf-8"})
    assert answer.status == 200
    assert "/domain/clock/@offset" in answer.json["ignored"]
    for name in ("hvm", "pygrub", "kvm"):
        answer = ask("POST", "/v1/domains",
                     (FILES / f"{name}.xml").read_text(), XML)
        assert answer.status == 422 and answer.problem == "invalid"
        assert all(e["field"].startswith("/domain/")
                   for e in answer.json["errors"])
    assert ask("GET", "/v1/domains").json["items"] == []
    assert ask("GET", "/v1/operations").json["items"] == []


def test_what_is_no_xml_of_a_domain(shared):
    ask = shared.local
    for body, status, detail in [
            ("", 400, "no XML"), ("<domain", 400, "no XML"), ("{}", 400, "no XML"),
            ("<!DOCTYPE d [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>"
             "<domain type='xen'><name>&e;</name></domain>", 400,
             "document type"),
            ("<network/>", 400, "<domain>"),
            (LEAST % ("a" * 70000, ""), 413, "65536"),
            (LEAST % ("x", "<devices><hostdev/></devices>"), 422, "hostdev")]:
        answer = ask("POST", "/v1/domains", body, XML)
        assert answer.status == status, answer.text
        assert detail in answer.json["detail"]
    assert ask("GET", "/v1/domains").json["items"] == []


def test_whose_it_is(node):
    tenant = node.tcp(node.token(tenant="acme")["token"])
    metadata = ("<metadata><x:xenoserver xmlns:x='urn:xenoserver:domain:1.0' "
                "tenant='%s'/></metadata>")
    answer = tenant("POST", "/v1/domains", LEAST % ("a", metadata % "other"), XML)
    assert answer.status == 403
    answer = tenant("POST", "/v1/domains", LEAST % ("a", metadata % "acme"), XML)
    assert answer.status == 202 and answer.json["domain"]["tenant"] == "acme"
    answer = node.local("POST", "/v1/domains", LEAST % ("b", ""), XML)
    assert answer.json["domain"]["tenant"] == "node"
    # Of another's domain nothing is shown in any form.
    answer = tenant("GET", "/v1/domains/b", headers={"Accept": "application/xml"})
    assert answer.status == 404


def test_repeated(node):
    headers = {**XML, "Idempotency-Key": "k"}
    first = node.local("POST", "/v1/domains", LEAST % ("a", ""), headers)
    again = node.local("POST", "/v1/domains", LEAST % ("a", ""), headers)
    assert first.json == again.json and first.json["ignored"] == []
    assert again.headers["Idempotent-Replayed"] == "true"


def test_a_volume_stays_what_it_is(node):
    ask = node.local
    answer = ask("POST", "/v1/volumes", {"name": "data", "size_bytes": 1 << 20})
    ask.succeed(answer)
    volume = answer.json["volume"]["id"]
    ask.succeed(ask("POST", "/v1/domains", spec(
        "web1", disks=[{"device": "xvda", "size_bytes": 1 << 20},
                       {"device": "xvdb", "volume": "data"}])))
    text = ask("GET", "/v1/domains/web1",
               headers={"Accept": "application/xml"}).text
    assert f"<source pool='xenoserver' volume='{volume}'/>" in text
    ask.succeed(ask.act("web1", "destroy"))
    ask.succeed(ask("DELETE", "/v1/domains/web1", headers={"If-Match": "*"}))
    answer = ask("POST", "/v1/domains", text, XML)
    ask.succeed(answer)
    assert answer.json["domain"]["disks"][1]["volume"] == volume
    assert not [i for i in answer.json["ignored"] if "disk[2]" in i]
