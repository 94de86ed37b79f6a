# SPDX-License-Identifier: Apache-2.0
"""Volumes, images, interfaces, rules, consoles; usage, bills and the ledger."""
import csv
import hashlib
import io
import json
import os
import pty
import subprocess
import threading
import time

import pytest

from conftest import XENO, Cli
from test_xeno import SMALL, create


@pytest.fixture
def web1(node, xeno):
    """The id of a domain that runs."""
    return create(xeno, "web1", "-n ip=10.0.2.101")["domain"]["id"]


def test_volumes(xeno):
    got = xeno.json("volume create data -s 4M --wait -q")
    assert got["volume"]["state"] == "available"
    got = xeno.json("volume set data -s 8M --wait -q")
    assert got["volume"]["size_bytes"] == 8 << 20
    domain = create(xeno, "web1", "-d xvda,size=1M -d xvdb,volume=data")
    assert domain["domain"]["disks"][1]["volume"] == got["volume"]["id"]
    rows = list(csv.DictReader(io.StringIO(xeno("volume list -o csv"))))
    assert {r["name"]: r["device"] for r in rows} == \
        {"data": "xvdb", "web1/xvda": "xvda"}
    assert "in-use" in xeno.fails(Cli.CONFLICT, "volume delete data")
    xeno("domain destroy web1 --wait -q")
    xeno("domain delete web1 --wait -q")
    assert xeno.json("volume show data")["domain"] is None
    got = xeno.json("volume delete data --wait -q")
    assert got["operation"]["state"] == "succeeded"
    assert xeno.json("volume list")["items"] == []
    xeno.fails(Cli.NO_ROOM, "volume create big -s 20T")
    xeno.fails(Cli.FAILED, "volume create odd -s 4M --image ../etc")


def test_images(xeno, tmp_path):
    file = tmp_path / "file"
    file.write_bytes(os.urandom(3 << 20))
    got = xeno.json(f"image upload debian {file}")
    assert got["size_bytes"] == 3 << 20
    assert got["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert "version-mismatch" in xeno.fails(
        Cli.CONFLICT, f"image upload debian {file} --new")
    xeno(f"image upload vmlinuz {file} --kind boot")
    assert [i["name"] for i in xeno.json("image list --kind boot")["items"]] \
        == ["vmlinuz"]
    line = xeno(f"image upload other {file} --show-request")
    assert json.loads(xeno.shell(line))["sha256"] == got["sha256"]
    xeno("image delete debian")
    xeno.fails(Cli.NOT_FOUND, "image show debian")
    xeno.fails(Cli.USAGE, "image upload none /nowhere")
    empty = tmp_path / "empty"
    empty.touch()
    assert "no file of some length" in xeno.fails(
        Cli.UNREACHABLE, f"image upload empty {empty}")


def test_rules(xeno, web1, tmp_path):
    xeno("rule add --action count --direction to --interface any")
    xeno("rule add --at 1 --action drop --direction from --interface domain "
         "--domain web1 --protocol tcp --target-ports 25 --comment 'no mail'")
    rules = xeno.json("rule list")["rules"]
    assert [r["action"] for r in rules] == ["drop", "count"]
    assert (rules[0]["domain"], rules[0]["comment"]) == (web1, "no mail")
    rows = list(csv.DictReader(io.StringIO(xeno(
        "rule list -o csv --columns number,action,target_ports"))))
    assert rows == [{"number": "1", "action": "drop", "target_ports": "25"},
                    {"number": "2", "action": "count", "target_ports": ""}]
    assert len(xeno.json("rule counters")["counters"]) == 2
    (tmp_path / "rules").write_text(xeno("rule list -o json"))
    xeno("rule delete 2")
    assert [r["action"] for r in xeno.json("rule list")["rules"]] == ["drop"]
    xeno(f"rule set -f {tmp_path}/rules")
    assert xeno.json("rule list")["rules"] == rules
    assert "there are 2" in xeno.fails(Cli.USAGE, "rule delete 3")
    assert "there are 2" in xeno.fails(Cli.USAGE, "rule delete x")
    assert "/rules/2" in xeno.fails(
        Cli.FAILED, "rule add --action drop --direction odd --interface any")
    xeno("rule add --action redirect --direction from --interface uplink "
         "--protocol tcp --target 10.0.2.15 --target-ports 2201 --redirect "
         "domain=web1,vif=0,address=10.0.2.101,port=22")
    assert xeno.json("rule list")["rules"][2]["redirect"]["port"] == 22


def test_rules_of_many_at_once(xeno):
    """Each adds to what the others have added meanwhile."""
    adding = [subprocess.Popen(
        [XENO, "rule", "add", "--action", "count", "--direction", "to",
         "--interface", "any", "--comment", str(i), "-q"],
        env=xeno.environment, stdout=subprocess.DEVNULL) for i in range(3)]
    assert [p.wait(timeout=30) for p in adding] == [0, 0, 0]
    assert sorted(r["comment"] for r in xeno.json("rule list")["rules"]) == \
        ["0", "1", "2"]


def test_interfaces(xeno, web1):
    got = xeno.json("vif list web1")["items"]
    assert [v["addresses"] for v in got] == [["10.0.2.101"]]
    assert "10.0.2.101" in xeno("vif list web1")


def test_console(node, xeno, web1):
    with open(node.world / f"{web1}.log", "ab") as log:
        log.write(b"login: \xff\0")
    watching = subprocess.Popen(
        [XENO, "console", "attach", "web1", "--read-only"],
        env=xeno.environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE)
    typing = subprocess.Popen([XENO, "console", "attach", "web1"],
                              env=xeno.environment, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE)
    long = b"x" * 3000 + b"\n"
    typing.stdin.write(b"root\n" + long)
    typing.stdin.close()
    whole = b"login: \xff\0root\n" + long
    got = b""
    while len(got) < len(whole):
        got += typing.stdout.read1(4096)
    assert got == whole
    # It ends with the domain.
    xeno("domain destroy web1 --wait -q")
    assert typing.wait(timeout=20) == watching.wait(timeout=20) == Cli.OK
    assert watching.stdout.read() == whole
    log = subprocess.run([XENO, "console", "log", "web1"], timeout=20,
                         env=xeno.environment, capture_output=True)
    assert log.stdout == whole
    assert xeno("console log web1 --tail 2") == "x\n"
    assert "no console" in xeno.fails(Cli.CONFLICT, "console attach web1")
    xeno.fails(Cli.NOT_FOUND, "console attach nobody")


def test_a_console_on_a_terminal(xeno, web1):
    """Keys go through as they are; one leaves, and the terminal is as before."""
    master, slave = pty.openpty()
    before = subprocess.check_output(["stty", "-g"], stdin=slave)
    console = subprocess.Popen([XENO, "console", "attach", "web1"],
                               env=xeno.environment, stdin=slave,
                               stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    assert b"Ctrl-]" in console.stderr.readline()
    os.write(master, b"a\x03\x04b")
    got = b""
    while len(got) < 4:
        got += console.stdout.read1(10)
    assert got == b"a\x03\x04b"
    os.write(master, b"\x1d")
    assert console.wait(timeout=20) == Cli.OK
    assert subprocess.check_output(["stty", "-g"], stdin=slave) == before
    os.close(master)
    os.close(slave)


def test_a_console_over_tls(node, xeno, tmp_path, web1):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=IP:127.0.0.1", "-keyout",
                    tmp_path / "key.pem", "-out", tmp_path / "cert.pem"],
                   check=True, capture_output=True)
    token = xeno.json("token create --role operator")["token"]
    node.stop()
    node.start(str(tmp_path / "cert.pem"), str(tmp_path / "key.pem"))
    words = (f"--url https://127.0.0.1:{node.port} --cacert "
             f"{tmp_path}/cert.pem console attach web1")
    secure = Cli(None, XENO_TOKEN=token)
    threading.Timer(2, lambda: xeno("domain destroy web1")).start()
    assert secure(words, stdin="over tls\n") == "over tls\n"
    secure.environment["XENO_TOKEN"] = token[:-1] + "x"
    secure.fails(Cli.DENIED, words)


def test_bills(xeno):
    xeno("tariff create standard --price memory=7000000/1000000 "
         "--price vcpu=36000/3600000000000")
    assert xeno.json("tariff show 1")["prices"]["memory"]["micro"] == 7000000
    create(xeno, "web1", "--tenant acme")
    time.sleep(1)
    usage = xeno.json("usage show web1")
    assert usage["account"] == "acme"
    memory = [m for m in usage["meters"] if m["meter"] == "memory"][0]
    assert int(memory["used"]) > 0 and memory["amount"]["micro"] > 0
    xeno("domain destroy web1 --wait -q")
    bill = xeno.json("bill show acme")
    table = xeno("bill show acme").splitlines()
    micro = bill["total"]["micro"]
    assert micro > 0 and table[0].startswith("DOMAIN")
    assert table[-1] == f"total  {micro // 10**6}.{micro % 10**6:06} EUR"
    rows = list(csv.DictReader(io.StringIO(xeno("bill domain web1 -o csv"))))
    assert sum(int(r["amount.micro"]) for r in rows) == micro
    words = xeno("bill explain acme")
    assert words == "\n".join(line["text"] for line in bill["lines"])
    head = bill["ledger"]
    good = xeno.json(f"bill verify --row {head['rows']} --hash {head['hash']}")
    assert good["good"] is True
    xeno(f"bill verify --row {head['rows']} --hash {'0' * 64}",
         expect=Cli.NOT_VERIFIED)
    adjusted = xeno.json("account adjust acme --amount-micro -2500 --note "
                         f"'for the failure' --refers-to {head['rows']}")
    assert adjusted["amount"]["micro"] == -2500
    assert xeno.json("bill head")["rows"] >= adjusted["row"]
    assert xeno.json("account show acme")["total"]["micro"] == micro - 2500
    assert "acme" in [a["id"] for a in xeno.json("account list")["items"]]
    for odd in ("vcpu", "vcpu=1", "vcpu=x/1", "vcpu=1/", "=1/2/3"):
        xeno.fails(Cli.USAGE, f"tariff create x --price {odd}")
