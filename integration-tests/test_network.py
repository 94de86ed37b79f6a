# SPDX-License-Identifier: Apache-2.0
"""Domain 0, guests and the machines beyond the card talk to each other through
the hypervisor's switch. Every transfer is a file of some MiB whose digest its
receiver reckons. Rules that name domains hold for them, whatever number they
have."""
import dataclasses
import hashlib
import re

import pytest

from harness.machine import Boot, IMAGES
from harness.remote import NODE, Shell, Wire, card, free_ports, get

pytestmark = [pytest.mark.xeno_only, pytest.mark.node]

GUESTS = {"one": "10.0.2.101", "two": "10.0.2.102"}
MIB = 1 << 20


def start_guest(dom0, name, address):
    dom0(f"""xeno-dom create - <<END
name = {name}
kernel = /boot/vmlinuz
ramdisk = /boot/guest.cpio
command = console=hvc0 quiet ip=dhcp
memory = 128M
vif = ip={address}
END""")


def wait_guest(dom0, name, boots=1):
    dom0(f"""up() {{
    [ "$(grep -c 'GUEST-NET-UP.* inet' /run/consoles/{name}.log)" -ge {boots} ]
}}
n=0
until up; do
    n=$((n + 1)); [ $n -lt 200 ] || {{ cat /run/consoles/{name}.log; exit 1; }}
    sleep 1
done""", 240)


def fetch(shell, url):
    """The digest of what the shell's machine gets from there."""
    return shell(f"wget -q -O - {url} | sha256sum", 120).split()[0]


def make_file(shell, path="/www/data", mib=4):
    """Makes the file that the shell's machine serves; its digest."""
    return shell(f"head -c {mib * MIB} /dev/urandom >{path}; "
                 f"sha256sum <{path}").split()[0]


def redirects(dom0, ports, to_port=80):
    """Gives ports of the node, {port: (domain, address)}, to guests'. A domain
    is named or numbered."""
    rules = "\n".join(
        f"redirect from uplink protocol tcp target 10.0.2.15 dport {port} "
        f"to-vif {domain}:0 to-address {address} to-port {to_port}"
        for port, (domain, address) in ports.items())
    dom0(f"xeno-dom rules - <<END\n{rules}\nEND")


def totals(dom0):
    """Packets of each rule, as (packets, in_force)."""
    return [(int(packets), in_force == "yes") for packets, in_force in
            re.findall(r"packets=(\d+) .* in_force=(\w+)",
                       dom0("xeno-dom rules"))]


def check_file(shell):
    """What the shell's machine serves arrives here whole, by its redirect."""
    digest = make_file(shell)
    assert hashlib.sha256(get(shell.port, "/data")).hexdigest() == digest


def check_rules_last(dom0, one):
    """The rules go on, with their totals, when domains get other numbers and
    when another process serves."""
    first = totals(dom0)
    assert len(first) == 2 and all(n > 0 and there for n, there in first)
    # Nobody is called three, and too many rules differ in ranges alone.
    status, output = dom0.run("""(echo redirect from uplink protocol tcp \
    target 10.0.2.15 dport 81 to-vif three:0 to-address 10.0.2.103 to-port 80
for n in $(seq 1 700); do
    echo "drop from three protocol tcp dport $n-$((n + 9))"
done) | xeno-dom rules -""")
    assert status == 1 and re.search(r"line \d+: from this rule to", output)
    dom0("xeno-dom reboot one")
    wait_guest(dom0, "one", boots=2)
    check_file(one)
    second = totals(dom0)
    assert second[0][0] > first[0][0] and second[1] == first[1]
    dom0(". /jobs/lib; serve_again >/dev/null </dev/null")
    assert totals(dom0)[0][0] >= second[0][0]
    check_file(one)
    third = totals(dom0)
    assert third[0][0] > second[0][0] and third[1] == first[1]
    dom0("xeno-dom destroy two")
    assert [there for _, there in totals(dom0)] == [True, False]
    check_file(one)
    # As many as there may be.
    assert dom0("""for n in $(seq 1 4096); do
    echo "drop from three protocol tcp dport $n"
done | xeno-dom rules - | grep -c 'packets=0 .* in_force=no'""") == "4096"


def test_everybody_talks_to_everybody(machine):
    to_dom0, to_one, to_two = free_ports(3)
    boot = dataclasses.replace(
        Boot(), initrd=(IMAGES / "dom0.cpio",), job="remote",
        kernel_args="quiet",
        qemu_args=card({to_dom0: 80, to_one: 8001, to_two: 8002}))
    running = machine(boot)
    running.console.expect("REMOTE-UP 10.0.2.15/24 10.0.2.2", 240)
    dom0, one, two = Shell(to_dom0), Shell(to_one), Shell(to_two)

    assert " 0% packet loss" in dom0("ping -c 3 10.0.2.2")
    for name, address in GUESTS.items():
        start_guest(dom0, name, address)
    for name in GUESTS:
        wait_guest(dom0, name)
    redirects(dom0, {8001: ("one", GUESTS["one"]),
                     8002: ("two", GUESTS["two"])})

    shells = {NODE: dom0, GUESTS["one"]: one, GUESTS["two"]: two}
    for address, shell in shells.items():
        assert f"inet {address}/" in shell("ip addr show dev eth0")
    with Wire() as wire:
        for shell in shells.values():
            assert fetch(shell, wire.url) == wire.digest
    for address, shell in shells.items():
        digest = make_file(shell)
        assert hashlib.sha256(get(shell.port, "/data")).hexdigest() == digest
        for other in shells.values():
            if other is not shell:
                assert fetch(other, f"http://{address}/data") == digest
    check_rules_last(dom0, one)
    dom0("echo 0 >/run/end")
    assert running.wait_job(60) == 0
