# SPDX-License-Identifier: Apache-2.0
"""The real command against the real service, whose machine is of files."""
import importlib.util
import json
import os
import pathlib
import shlex
import subprocess
import sys

import pytest

XENO = os.environ["XENO"]
REST = pathlib.Path(__file__).parents[2] / "xenoserverd" / "tests" / "rest"

sys.path.insert(0, str(REST))
_spec = importlib.util.spec_from_file_location("rest_conftest",
                                               REST / "conftest.py")
rest = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(rest)


class Cli:
    """Runs xeno, and says by name what it answers with."""
    OK, FAILED, USAGE, NOT_FOUND, CONFLICT, DENIED, NO_ROOM, TIMEOUT, \
        UNREACHABLE, NODE_FAILED, NOT_VERIFIED = range(11)

    def __init__(self, socket, **environment):
        self.environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8",
                            **environment}
        if socket:
            self.environment["XENO_SOCKET"] = socket

    def run(self, *words, stdin=None, expect=OK):
        if len(words) == 1:
            words = shlex.split(words[0])
        got = subprocess.run([XENO, *words], input=stdin, text=True,
                             capture_output=True, env=self.environment,
                             timeout=60)
        assert "Sanitizer" not in got.stderr, got.stderr
        assert got.returncode == expect, (words, got)
        return got

    def __call__(self, *words, **more):
        return self.run(*words, **more).stdout

    def json(self, *words, **more):
        if len(words) == 1:
            words = shlex.split(words[0])
        return json.loads(self.run(*words, "-o", "json", **more).stdout)

    def fails(self, status, *words, **more):
        """What it says on standard error."""
        got = self.run(*words, expect=status, **more)
        assert got.stdout == ""
        return got.stderr

    def shell(self, line):
        got = subprocess.run(["bash", "-c", line], text=True,
                             capture_output=True, env=self.environment,
                             timeout=60)
        assert got.returncode == 0, got
        return got.stdout


@pytest.fixture
def node(tmp_path):
    n = rest.Node(tmp_path)
    n.start()
    yield n
    if n.process.poll() is None:
        n.stop()


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """For tests that leave nothing behind."""
    n = rest.Node(tmp_path_factory.mktemp("shared"))
    n.start()
    yield n
    n.stop()


@pytest.fixture
def xeno(node):
    return Cli(node.socket)


@pytest.fixture
def idle(shared):
    """A command for tests that leave nothing behind."""
    return Cli(shared.socket)
