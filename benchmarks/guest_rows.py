# SPDX-License-Identifier: Apache-2.0
"""Rows that are measured in guests, or by Domain 0 making guests: which job
gives them on which system, and how they are read from its console."""
import dataclasses

from harness.machine import Boot, IMAGES

# A disk that answers within the instruction that asks it: with sleep=off an
# idle machine jumps to its next timer, so nothing may wait for the host.
NULL_DISK = ("-drive", "if=none,id=d0,driver=null-co,size=1G,read-zeroes=on",
             "-device", "virtio-blk-pci,drive=d0,ioeventfd=off")
INITRD = {
    "native": (IMAGES / "bench-guest.cpio",),
    "xen": (IMAGES / "bench-xen.cpio",),
    "xeno": (IMAGES / "dom0.cpio", IMAGES / "bench-node.cpio"),
}
TINY_PAGES = 1024
PAGE_BYTES = 4096
# Domain 0's memory settles in the first domains.
SETTLED = 10


@dataclasses.dataclass
class Scenario:
    """job and native_job are files of benchmarks/guests/jobs; rows_of reads
    the rows from the console of either."""

    job: str
    rows_of: object
    native_job: str | None = None
    parameters: dict = dataclasses.field(default_factory=dict)
    native_parameters: dict = dataclasses.field(default_factory=dict)
    disk: bool = False

    def boot(self, system):
        """None: this system has no such rows."""
        native = system == "native"
        job = self.native_job if native else self.job
        if not job:
            return None
        return Boot(
            hypervisor=system, machine="q35", icount=0, initrd=INITRD[system],
            drivers=system == "xen", job=job, parameters=dict(
                self.native_parameters if native else self.parameters),
            kernel_args="quiet" + (
                " tsc=reliable clocksource=tsc" if native else ""),
            qemu_args=NULL_DISK if self.disk else ())


def printed_rows(console):
    """Lines of block and of net: "B NAME NS" and "N NAME NS"."""
    return {match[1]: float(match[2]) for match in
            console.find(r"^[BN] (\w+) ([\d.]+)$")}


def creation_rows(console, suffix=""):
    """Rows of job create; see there."""
    made = {int(m[1]): [int(word) for word in m[2].split()]
            for m in console.find(r"^C (\d+) ([\d ]+)$")}
    ended = {int(m[1]): int(m[2]) for m in console.find(r"^D (\d+) (\d+)")}
    last = max(made)
    pages = (made[SETTLED][1] - made[last][1]) / (last - SETTLED)
    dom0_kib = (made[SETTLED][2] - made[last][2]) / (last - SETTLED)
    rows = {"create_1st": made[1][0], "create_2nd": made[2][0],
            f"create_{last}th": made[last][0],
            "create_store": made[last][3],
            f"destroy_{last // 2}th": ended[last // 2],
            "hypervisor_bytes": (pages - TINY_PAGES) * PAGE_BYTES,
            "domain0_bytes": dom0_kib * 1024}
    return {name + suffix: float(value) for name, value in rows.items()}


def creation_rows_devices(console):
    return creation_rows(console, "_devices")


SCENARIOS = {
    "block": Scenario("block-guest", printed_rows, "block-rows",
                      native_parameters={"disk": "vda"}, disk=True),
    "net": Scenario("net-guests", printed_rows, "net-native"),
    "create": Scenario("create", creation_rows, parameters={"count": "50"}),
    "create-devices": Scenario(
        "create", creation_rows_devices, disk=True,
        parameters={"count": "50", "devices": "rodisk+vif"}),
}

# What Xen's other xenstore daemon costs; it is kept beside Xen's figures.
OTHER_STORE = Scenario("create", creation_rows, parameters={
    "count": "50", "store": "oxenstored"})


def unit_of(row):
    if row.startswith("tcp_"):
        return "per byte"
    if "_bytes" in row:
        return "bytes"
    return ""


def figure(row, value):
    if value is None:
        return "-"
    return f"{value:,.2f}" if row.startswith("tcp_") else f"{value:,.0f}"
