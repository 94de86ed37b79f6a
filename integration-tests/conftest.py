# SPDX-License-Identifier: Apache-2.0
"""What all integration tests share: the choice of hypervisor, the record of
what was measured, and consoles kept for those who look into a failure."""
import re

import pytest

from harness.machine import BUILD, Boot, Machine

LOGS = BUILD / "integration"
measurements = []


def pytest_terminal_summary(terminalreporter):
    if measurements:
        terminalreporter.section("measured")
        for line in measurements:
            terminalreporter.write_line(line)


@pytest.fixture
def measured(request):
    """measured(text): a line for the summary at the end."""
    def add(text):
        line = f"{request.node.name}: {text}"
        print(line)
        measurements.append(line)
    return add


@pytest.fixture
def machine(request):
    """machine(Boot): a machine that runs until the test is over. Its console
    is kept in a file named after the test."""
    running = []

    def start(boot):
        one = Machine(boot)
        running.append(one)
        return one.__enter__()

    yield start
    LOGS.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^\w.+-]+", "-", request.node.name).strip("-")
    with open(LOGS / f"{name}.log", "w", encoding="utf-8") as log:
        for one in running:
            one.stop()
            log.write(f"==== {one.boot}\n{one.console.text()}")


def pytest_runtest_setup(item):
    if item.get_closest_marker("xeno_only") and Boot().hypervisor != "xeno":
        pytest.skip("a promise of our hypervisor only")
