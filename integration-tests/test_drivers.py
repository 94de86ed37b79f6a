# SPDX-License-Identifier: Apache-2.0
"""The hypervisor's drivers find QEMU's virtio devices, read a disk's serial
number from it by a request, and say in one line each what they found; what
they cannot use they name, and without devices they say nothing."""
import re

import pytest

from harness.machine import Boot

pytestmark = pytest.mark.xeno_only

DISK_MIB = 5


@pytest.fixture
def disk(tmp_path):
    """device(options): QEMU's arguments for one more disk."""
    count = 0

    def device(*options, drive=""):
        nonlocal count
        path = tmp_path / f"disk{count}.raw"
        with open(path, "wb") as image:
            image.truncate((DISK_MIB + count) << 20)
        name = f"t{count}"
        count += 1
        return ("-drive", f"if=none,id={name},format=raw,file={path}{drive}",
                "-device", ",".join(("virtio-blk-pci", f"drive={name}",
                                     *options)))
    return device


def lines_of_drivers(machine, boot):
    """What was logged from the count of CPUs until Domain 0 was built."""
    running = machine(boot)
    running.console.expect(r"domain 0: \d+ MiB", 120)
    text = running.console.text()
    running.stop()
    return re.findall(r"\] (?:warning: )?((?:disk \d|uplink \d|virtio|pci).*)", text)


@pytest.mark.parametrize("modern", [(), ("disable-legacy=on",)],
                         ids=["transitional", "modern"])
@pytest.mark.parametrize("kind, cpu", [("pc", "qemu64,+rdrand"),
                                       ("q35", "max")])
def test_devices_are_found(machine, disk, kind, cpu, modern):
    lines = lines_of_drivers(machine, Boot(
        machine=kind, cpu=cpu, cpus=2, qemu_args=(
            *disk("serial=ONE", *modern),
            *disk("serial=TWO", "write-cache=off", *modern,
                  drive=",readonly=on"),
            "-netdev", "user,id=n0", "-device",
            ",".join(("virtio-net-pci", "netdev=n0", "mac=52:54:00:aa:bb:cc",
                      "host_mtu=1400", *modern)))))
    assert len(lines) == 3
    assert re.match(r"disk 0: virtio-blk-00:0\w\.0 serial=ONE 5 MiB flush",
                    lines[0])
    assert re.match(r"disk 1: virtio-blk-00:0\w\.0 serial=TWO 6 MiB read-only",
                    lines[1])
    assert "mac=52:54:00:aa:bb:cc mtu=1400 link=up" in lines[2]


@pytest.mark.parametrize("kind, bridge, bus", [
    ("pc", "pci-bridge,id=b1,chassis_nr=1", "bus=b1,addr=3"),
    ("q35", "pcie-root-port,id=b1,chassis=1", "bus=b1"),
])
def test_devices_behind_bridges_are_found(machine, disk, kind, bridge, bus):
    lines = lines_of_drivers(machine, Boot(machine=kind, qemu_args=(
        "-device", bridge, *disk("serial=FAR", bus))))
    assert len(lines) == 1
    assert re.match(r"disk 0: virtio-blk-01:0\d\.0 serial=FAR 5 MiB", lines[0])


def test_legacy_devices_are_named_and_left_alone(machine, disk):
    lines = lines_of_drivers(machine, Boot(qemu_args=(
        *disk("disable-modern=on"), *disk("serial=GOOD"))))
    assert len(lines) == 2
    assert re.match(r"virtio 00:0\d\.0: not used: .*legacy", lines[0])
    assert re.match(r"disk 0: .* serial=GOOD 6 MiB", lines[1])


def test_small_queues_serve(machine, disk):
    lines = lines_of_drivers(machine, Boot(qemu_args=disk(
        "serial=SMALL", "queue-size=32", "seg-max-adjust=off",
        "indirect_desc=off", "event_idx=off")))
    assert len(lines) == 1
    assert re.match(r"disk 0: .* serial=SMALL .* queue=32 segments=30 ",
                    lines[0])


@pytest.mark.parametrize("kind", ["pc", "q35"])
def test_no_devices_no_words(machine, kind):
    assert lines_of_drivers(machine, Boot(machine=kind)) == []
