# SPDX-License-Identifier: Apache-2.0
"""What tests of bills share: a world whose clock and counters are set, and what
follows from the readings, computed by other means than the service's: fractions
and decimals, from what was set here and nothing that was answered."""
import fractions
import subprocess
import os

HOUR_NS = 3600 * 10**9
GIB_HOURS = 3600 << 30
PRICES = {"vcpu": {"micro": 36000, "per": HOUR_NS},
          "memory": {"micro": 4999, "per": GIB_HOURS},
          "disk": {"micro": 137, "per": GIB_HOURS},
          "read-requests": {"micro": 7, "per": 1000},
          "read-bytes": {"micro": 11, "per": 1 << 20},
          "write-requests": {"micro": 9, "per": 1000},
          "write-bytes": {"micro": 13, "per": 1 << 20},
          "net-sent": {"micro": 10007, "per": 1 << 30},
          "net-received": {"micro": 503, "per": 1 << 30}}
LEVELS = ("memory", "disk")
LEDGER_TOOL = os.environ["XENO_LEDGER"]
XVDA = 51712


class World:
    """The fake machine's: set counters before the clock goes on. It has to be
    there before the node is started, or clocks jump."""

    def __init__(self, node, now_ns=10**12):
        self.node = node
        self.set_clock(now_ns)

    def replace(self, name, text):
        new = self.node.world / f"{name}.written"
        new.write_text(text)
        new.rename(self.node.world / name)

    def set_clock(self, now_ns):
        self.now_ns = now_ns
        self.replace("clock", f"{now_ns}\n")

    def advance(self, ns):
        self.set_clock(self.now_ns + ns)

    def set_meters(self, domain, cpu=(), vbds=None, vifs=None):
        lines = [f"cpu {i} {ns}" for i, ns in enumerate(cpu)]
        lines += [f"vbd {n} " + " ".join(map(str, v))
                  for n, v in (vbds or {}).items()]
        lines += [f"vif {n} " + " ".join(map(str, v))
                  for n, v in (vifs or {}).items()]
        self.replace(f"{domain}.meters", "\n".join(lines) + "\n")


def amount(meter, used):
    """In micro-units, rounded half up, of one series."""
    price = PRICES[meter]
    per = price["per"] * (10**9 if meter in LEVELS else 1)
    exact = fractions.Fraction(used * price["micro"], per)
    return (exact + fractions.Fraction(1, 2)).__floor__()


def bill(sources):
    """From {(meter, device...): used} to the total."""
    return sum(amount(key[0], used) for key, used in sources.items())


def lines_of(statement):
    """{(meter, incarnation, device): used}, of lines under one tariff."""
    return {(x["meter"], x["incarnation"], x["device"]): int(x["used"])
            for x in statement["lines"] if x["kind"] == "usage"}


def check_arithmetic(statement):
    """That each line is what it says, and the sums those of the lines."""
    used, amounts = {}, {}
    adjustments = 0
    for x in statement["lines"]:
        micro = x["amount"]["micro"]
        if x["kind"] == "adjustment":
            adjustments += micro
            continue
        start, end = int(x["start"]["value"]), int(x["end"]["value"])
        if x["meter"] not in LEVELS:
            assert int(x["used"]) == end - start
        if x["price"]:
            divisor = x["price"]["per"] * (
                10**9 if x["meter"] in LEVELS else 1)
            assert int(x["divisor"]) == divisor
            assert divmod(int(x["used"]) * x["price"]["micro"] +
                          int(x["carry_in"]), divisor) == (
                              micro, int(x["carry_out"]))
        else:
            assert micro == 0
        used[x["meter"]] = used.get(x["meter"], 0) + int(x["used"])
        amounts[x["meter"]] = amounts.get(x["meter"], 0) + micro
    for m in statement["meters"]:
        assert int(m["used"]) == used.get(m["meter"], 0)
        assert m["amount"]["micro"] == amounts.get(m["meter"], 0)
    assert statement["adjustments"]["micro"] == adjustments
    assert statement["total"]["micro"] == sum(amounts.values()) + adjustments


def verify(node):
    """By the service, and by the tool, which reads the file itself while the
    service has it open."""
    verdict = node.local("GET", "/v1/ledger/verify").json
    assert verdict["good"], verdict
    told = subprocess.run(
        [LEDGER_TOOL, "verify", str(node.folder / "state.db"),
         str(verdict["ledger"]["rows"]), verdict["ledger"]["hash"]],
        capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    assert "all rows are right" in told.stdout
    return verdict
