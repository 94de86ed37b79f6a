# SPDX-License-Identifier: Apache-2.0
"""What a domain's meter page says it has read, written, sent and received is
what QEMU's disk and card have seen, to the byte and the request."""
import json
import socket
import struct

import pytest

from harness.machine import Boot, IMAGES

pytestmark = [pytest.mark.xeno_only, pytest.mark.node]

MAC = bytes.fromhex("02000000004d")
FIELDS = ("rd_operations", "rd_bytes", "wr_operations", "wr_bytes",
          "flush_operations")


class Monitor:
    """QEMU's machine protocol."""

    def __init__(self, path):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(30)
        self._socket.connect(str(path))
        self._lines = self._socket.makefile("r", encoding="utf-8")
        self._lines.readline()
        self.ask("qmp_capabilities")

    def ask(self, command):
        self._socket.sendall(json.dumps({"execute": command}).encode())
        while True:
            answer = json.loads(self._lines.readline())
            if "return" in answer:
                return answer["return"]

    def disk(self):
        stats = self.ask("query-blockstats")[0]["stats"]
        return {name: stats[name] for name in FIELDS}


def packets(path):
    """(frames, bytes) that the guest has sent to the wire, and got."""
    data = path.read_bytes()
    sent, got = [0, 0], [0, 0]
    at = 24
    while at + 16 <= len(data):
        _, _, kept, length = struct.unpack_from("<IIII", data, at)
        target, source = data[at + 16:at + 22], data[at + 22:at + 28]
        for counts, mac in ((sent, source), (got, target)):
            if mac == MAC:
                counts[0] += 1
                counts[1] += length
        at += 16 + kept
    return sent, got


def test_meters_are_what_the_devices_saw(machine, measured, tmp_path):
    disk, wire = tmp_path / "disk.raw", tmp_path / "wire.pcap"
    with open(disk, "wb") as image:
        image.truncate(64 << 20)
    running = machine(Boot(
        initrd=(IMAGES / "dom0.cpio",), job="meters", kernel_args="quiet",
        disk=(disk,), qemu_args=(
            "-netdev", "user,id=n0,ipv6=off",
            "-device", "virtio-net-pci,netdev=n0",
            "-object", f"filter-dump,id=f0,netdev=n0,file={wire}",
            "-qmp", f"unix:{tmp_path}/qmp,server=on,wait=off")))
    running.wait_init()
    monitor = Monitor(tmp_path / "qmp")
    running.console.expect("^SNAP before", 120)
    before = monitor.disk()
    running.console.expect("^SNAP after", 400)
    after = monitor.disk()
    assert running.wait_job(60) == 0

    meters = {}
    for match in running.console.find(r"^METER (vbd|vif) \d+ (.*)"):
        meters[match[1]] = {
            name: int(value) for name, value in
            (word.split("=") for word in match[2].split())}
    seen = {name: after[name] - before[name] for name in FIELDS}
    vbd, vif = meters["vbd"], meters["vif"]
    measured(f"disk {seen}; meter {vbd}")
    assert vbd["read_requests"] == seen["rd_operations"] > 20
    assert vbd["read_bytes"] == seen["rd_bytes"] > 20 << 20
    assert vbd["write_requests"] == (seen["wr_operations"]
                                     + seen["flush_operations"])
    assert seen["flush_operations"] > 0
    assert vbd["write_bytes"] == seen["wr_bytes"] > 3 << 20
    assert vbd["errors"] == 0

    sent, got = packets(wire)
    measured(f"wire sent {sent} got {got}; meter {vif}")
    assert [vif["tx_packets"], vif["tx_bytes"]] == sent
    assert [vif["rx_packets"], vif["rx_bytes"]] == got
    assert sent[0] >= 20 and got[0] >= 20
    balances = running.console.find(r"meter \w+ .*diff_ns=(-?\d+)")
    assert balances and {m[1] for m in balances} == {"0"}
