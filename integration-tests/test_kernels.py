# SPDX-License-Identifier: Apache-2.0
"""Other stock kernels as guests: Debian's for clouds, and its installer's."""
import dataclasses
import time

import pytest

from harness.archive import write_archive
from harness.machine import Boot, IMAGES
from harness.remote import Shell, Wire, card, free_ports
from test_network import redirects, wait_guest

pytestmark = [pytest.mark.xeno_only, pytest.mark.node]

INSTALLER_COMMAND = (
    "console=hvc0 TERM=linux priority=high locale=en_US.UTF-8 "
    "keyboard-configuration/xkb-keymap=us")


@pytest.fixture
def node(machine, tmp_path):
    """node({folder of IMAGES: its name in /boot}): Domain 0's shell, the one of
    a guest behind port 8001, and the running machine."""
    def start(folders):
        to_dom0, to_guest = free_ports(2)
        files = {f"boot/{name}-{part}": IMAGES / folder / part
                 for folder, name in folders.items()
                 for part in ("vmlinuz", "initrd")}
        running = machine(dataclasses.replace(
            Boot(), job="remote", kernel_args="quiet", cpus=2,
            initrd=(IMAGES / "dom0.cpio",
                    write_archive(tmp_path / "boot.cpio", files)),
            qemu_args=card({to_dom0: 80, to_guest: 8001})))
        running.console.expect("REMOTE-UP", 240)
        return Shell(to_dom0), Shell(to_guest), running
    return start


def create(dom0, name, kernel, command, memory, vcpus=1):
    dom0(f"""xeno-dom create - <<END
name = {name}
kernel = /boot/{kernel}-vmlinuz
ramdisk = /boot/{kernel}-initrd
command = {command}
memory = {memory}
vcpus = {vcpus}
vif = ip=10.0.2.101
END""")


def test_cloud_kernel(node):
    dom0, guest, running = node({"cloud-guest": "cloud"})
    for domain, vcpus in enumerate((1, 4), start=1):
        name = f"cloud{vcpus}"
        create(dom0, name, "cloud", "console=hvc0 quiet ip=dhcp", "160M", vcpus)
        wait_guest(dom0, name)
        redirects(dom0, {8001: (domain, "10.0.2.101")})
        assert guest("uname -r").endswith("-cloud-amd64")
        assert guest("nproc") == str(vcpus)
        with Wire() as wire:
            fetches = f"wget -q -O - {wire.url} | sha256sum"
            # One on each vCPU.
            sums = guest("".join(f"taskset {1 << cpu:x} sh -c '{fetches}' &\n"
                                 for cpu in range(vcpus)) + "wait")
            assert sums.count(wire.digest) == vcpus
        dom0(f"xeno-dom shutdown {name}; "
             f"while xeno-dom info {name} >/dev/null 2>&1; do sleep 1; done")
    dom0("echo 0 >/run/end")
    assert running.wait_job(60) == 0


def test_installer_reaches_its_first_screen_with_network(node):
    dom0, _, running = node({"installer": "installer"})
    create(dom0, "installer", "installer", INSTALLER_COMMAND, "1024M")
    deadline_s = time.monotonic() + 400
    # It asks for the host's name once DHCP has given it an address.
    while "enter the hostname" not in (
            text := dom0("cat /run/consoles/installer.log")):
        assert time.monotonic() < deadline_s, text[-3000:]
        time.sleep(3)
    assert " 0% packet loss" in dom0("ping -c 3 10.0.2.101")
    dom0("xeno-dom destroy installer; echo 0 >/run/end")
    assert running.wait_job(60) == 0
