# SPDX-License-Identifier: Apache-2.0
"""The books balance: on every CPU the sum over all accounts is the time that
elapsed, to the nanosecond, and no frame of memory is lost."""
import pytest

from harness.machine import Boot

METER = (r"meter cpu(?P<cpu>\d+) elapsed_ns=(?P<elapsed_ns>\d+) "
         r"sum_ns=(?P<sum_ns>\d+) diff_ns=(?P<diff_ns>-?\d+)")
FRAMES = (r"frames total=(?P<total>\d+) free=(?P<free>\d+)"
          r".* lost=(?P<lost>-?\d+)")


def values(match):
    return {name: int(text) for name, text in match.groupdict().items()}


@pytest.mark.xeno_only
@pytest.mark.parametrize("cpus", (1, 2))
def test_books_balance_at_shutdown(machine, measured, cpus):
    boot = Boot(cpus=cpus, machine="q35", job="facts",
                parameters={"seconds": 2})
    running = machine(boot)
    running.wait_init()
    assert running.wait_job(120) == 0
    age_s = running.age_s()
    last_message_s = float(running.console.find(r"^\[ *(\d+\.\d+)\]")[-1][1])

    meters = [values(m) for m in running.console.find(METER)]
    frames = [values(m) for m in running.console.find(FRAMES)]
    for meter in meters:
        measured(f"cpu{meter['cpu']}: {meter['elapsed_ns']} ns elapsed, "
                 f"{meter['sum_ns']} ns in the accounts")
    assert sorted({meter["cpu"] for meter in meters}) == list(range(cpus))
    for meter in meters:
        assert meter["sum_ns"] == meter["elapsed_ns"]
        assert meter["diff_ns"] == 0
        # The account covers all of Domain 0's life, and no more than ours.
        assert last_message_s < meter["elapsed_ns"] / 1e9 < age_s

    assert frames
    for frame in frames:
        measured(f"{frame['total']} frames, {frame['free']} free")
        assert frame["lost"] == 0
        assert frame["free"] <= frame["total"]
        assert frame["total"] * 4096 <= boot.mem_mib << 20
