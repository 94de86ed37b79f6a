# SPDX-License-Identifier: Apache-2.0
"""Domain 0, guests and the machines beyond the card talk to each other through
the hypervisor's switch. Every transfer is a file of some MiB whose digest its
receiver reckons."""
import dataclasses
import hashlib

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


def wait_guest(dom0, name):
    dom0(f"""n=0
until grep -q 'GUEST-NET-UP.* inet' /run/consoles/{name}.log; do
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
    """Gives ports of the node, {port: (domain, address)}, to guests'."""
    rules = "\n".join(
        f"redirect from uplink protocol tcp target 10.0.2.15 dport {port} "
        f"to-vif {domain}:0 to-address {address} to-port {to_port}"
        for port, (domain, address) in ports.items())
    dom0(f"xeno-dom rules - <<END\n{rules}\nEND")


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
    redirects(dom0, {8001: (1, GUESTS["one"]), 8002: (2, GUESTS["two"])})

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
    dom0("echo 0 >/run/end")
    assert running.wait_job(60) == 0
