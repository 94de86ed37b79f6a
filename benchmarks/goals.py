# SPDX-License-Identifier: Apache-2.0
"""What the figures have to reach. Each goal says so in one line and knows
whether a set of rows reaches it."""
import dataclasses
import math
import re

# Ratios to the bare machine. The first is our own aim; the others are what
# the original paravirtualizing hypervisor of 2003 measured on its hardware.
NATIVE_LIMITS = {
    "null_call": 1.6,
    "fork_proc": 1.8,
    "exec_proc": 1.45,
    "mmap_lat": 2.0,
    "page_fault": 1.9,
}
MEAN_LIMIT = 0.65

# Rows in and about guests, by the first pattern that matches: a ratio to Xen, or
# a number of bytes.
GUEST_LIMITS = (
    (r"(rand|seq)(read|write)_", 0.5),
    (r"(tcp|rtt)_", 0.4),
    (r"(create|destroy)_", 0.3),
    (r"hypervisor_bytes", 20 * 1024),
    (r"domain0_bytes", 64 * 1024),
)
# The last domain may cost that much of what the second costs.
FLAT_LIMIT = 1.1

# The control row runs no kernel code: it belongs to no mean.
CONTROL = "user_loop"


@dataclasses.dataclass
class Verdict:
    text: str
    value: float
    limit: float

    @property
    def reached(self):
        return self.value <= self.limit

    def word(self):
        return "PASS" if self.reached else "miss"

    def goal(self):
        return f"{self.limit:,}"

    def __str__(self):
        return (f"{self.word()}: {self.text}: "
                f"{self.value:.2f} (limit {self.limit:.2f})")


def ratio_mean(ours, theirs):
    """The geometric mean of the rows' ratios, the control left out."""
    logs = [math.log(ours[row] / theirs[row]) for row in ours
            if row != CONTROL and theirs.get(row)]
    return math.exp(sum(logs) / len(logs))


def judge(native, xen, ours):
    """All verdicts on our rows; each argument maps rows to instructions."""
    shared = [row for row in ours if row in xen and row != CONTROL]
    slowest = max(shared, key=lambda row: ours[row] / xen[row])
    verdicts = [
        Verdict(f"no row slower than on Xen (worst: {slowest})",
                ours[slowest] / xen[slowest], 1.0),
        Verdict("geometric mean of the ratios to Xen",
                ratio_mean(ours, xen), MEAN_LIMIT)]
    for row, limit in NATIVE_LIMITS.items():
        verdicts.append(Verdict(f"{row}, ratio to native",
                                ours[row] / native[row], limit))
    return verdicts


def judge_guest_row(row, xen, ours):
    """The verdict on one row, or None if it has no goal or no figure."""
    for pattern, limit in GUEST_LIMITS:
        if not re.match(pattern, row) or ours is None:
            continue
        if limit > 1:
            return Verdict(row, ours, limit)
        return Verdict(row, ours / xen, limit) if xen else None
    return None


def flatness(ours):
    """Lines that say whether creation costs the same among many domains."""
    lines = [""]
    for suffix in ("", "_devices"):
        second, last = (ours.get(f"create_{n}{suffix}")
                        for n in ("2nd", "50th"))
        if second and last:
            lines.append("- " + str(Verdict(
                f"the 50th domain to the 2nd{suffix.replace('_', ', with ')}",
                last / second, FLAT_LIMIT)))
    return lines
