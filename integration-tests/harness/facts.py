# SPDX-License-Identifier: Apache-2.0
"""What a run of the `facts` job says, as values with units."""
import dataclasses
import re

# Kernel messages of level warning and worse that stand in the log of a healthy
# Domain 0 as well on real Xen: no hardware, or a CPU model without a
# mitigation. A message that matches none of these fails a test.
EXPECTED_MESSAGES = [re.compile(pattern) for pattern in (
    r"\] Grant table initialized$",
    r"PCI: Fatal: No config space access function found",
    r"software IO TLB: No low mem",
    r"i8042: probe of i8042 failed",
    r"genirq: Flags mismatch irq \d+\. \S+ \(i8042\)",
    r"\[Firmware Bug\]: CPU\d+: APIC id mismatch",
    r"cpu \d+ spinlock event irq \d+",
    # Our hypervisor refuses platform calls about hardware that no domain has.
    r"xen_cpu: Failed to sync pcpu info",
    r"xen_mcelog: Failed to get CPU numbers",
    r"mce: Unable to init MCE device",
    # The host gave QEMU's thread no time in the middle of an interrupt, or
    # between two readings of a clock.
    r"hrtimer: interrupt took \d+ ns",
    r"clocksource: Long readout interval, skipping watchdog check",
    r"(RETBleed|Speculative Return Stack Overflow|MDS|TAA|MMIO Stale Data|"
    r"Spectre V2|L1TF|ITS|Transient Scheduler Attacks)\b.*:",
)]


@dataclasses.dataclass
class Facts:
    """`values` has the FACT lines; the rates compare Domain 0's clocks with
    the host's between the two CLOCKS lines (1.0: equally fast)."""

    values: dict
    compat_fast_path: str
    realtime_ns: int
    monotonic_rate: float
    realtime_rate: float
    backwards: int
    messages: list

    def unexpected_messages(self):
        return [message for message in self.messages if not any(
            expected.search(message) for expected in EXPECTED_MESSAGES)]


def parse(console):
    """The Facts in a console's lines; ConsoleError if some are missing."""
    first, second = (
        {name: int(match[name]) for name in ("monotonic_ns", "realtime_ns")}
        for match in console.find(
            r"CLOCKS monotonic_ns=(?P<monotonic_ns>\d+) "
            r"realtime_ns=(?P<realtime_ns>\d+)")[:2])
    stamps_s = console.times_of(r"CLOCKS monotonic_ns=")
    host_ns = (stamps_s[1] - stamps_s[0]) * 1e9
    return Facts(
        values={m[1]: m[2] for m in console.find(r"^FACT (\w+)=(.*)")},
        compat_fast_path=console.find(r"COMPAT fast=(\w+)")[0][1],
        realtime_ns=second["realtime_ns"],
        monotonic_rate=(second["monotonic_ns"] - first["monotonic_ns"])
        / host_ns,
        realtime_rate=(second["realtime_ns"] - first["realtime_ns"]) / host_ns,
        backwards=int(console.find(r"CLOCKS hops=\d+ backwards=(\d+)")[0][1]),
        messages=[m[1] for m in console.find(r"^KERNEL-MESSAGE (.*)")])
