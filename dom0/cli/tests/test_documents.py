# SPDX-License-Identifier: Apache-2.0
"""Help, completion, manual page and contract tell of the same commands."""
import os
import re
import subprocess

import pytest
import yaml

from conftest import Cli, rest

BUILD = os.environ["BUILD"]
CONTRACT = yaml.safe_load(open(os.environ["OPENAPI"]))


@pytest.fixture(scope="module")
def alone():
    return Cli("/nonexistent")


_help = {}


def help_on(alone, command):
    words = " ".join(w for w in command if w)
    if words not in _help:
        _help[words] = alone(f"help {words}")
    return _help[words]


def commands(alone):
    """Noun and verb of each line of the help."""
    found = re.findall(r"^  ([a-z]+)(?: ([a-z-]+))?(?= |$).* {2}",
                       help_on(alone, ()), re.M)
    assert len(found) > 20
    return found


def options(alone, command):
    text = help_on(alone, command)
    return set(re.findall(r"^  (?:-., |    )(--[a-z-]+)", text, re.M))


def pattern_of(path):
    for pattern in CONTRACT["paths"]:
        if re.fullmatch(re.sub(r"\{\w+\}", r"[^/]+", pattern), path):
            return pattern
    raise AssertionError(path)


def test_commands_are_the_contract(alone):
    """Each command is an operation of it, and each operation has one, but for
    those that are for programs only."""
    asked = set()
    for command in commands(alone):
        request = re.search(r"^It is ([A-Z]+) (\S+)\.$",
                            help_on(alone, command), re.M)
        if command[0] in ("help", "completion", "manual"):
            assert not request
            continue
        method, path = request.groups()
        pattern = pattern_of(path)
        assert method.lower() in CONTRACT["paths"][pattern], command
        asked.add((method.lower(), pattern))
    all_there_is = {(method, pattern)
                    for pattern, item in CONTRACT["paths"].items()
                    for method in item if method in rest.METHODS
                    and pattern.startswith("/v1/")}
    assert all_there_is - asked == set()


def test_options_are_fields_of_the_contract(alone):
    """Those of a creation are all that there is to say of a domain."""
    schemas = CONTRACT["components"]["schemas"]
    names = {"memory": "memory_bytes", "disk": "disks", "nic": "nics",
             "label": "labels", "cpu-reservation": "cpu_reservation_permille",
             "cpu-cap": "cpu_cap_permille", "no-start": "start"}
    given = {names.get(o[2:], o[2:].replace("-", "_"))
             for o in options(alone, ("domain", "create"))}
    fields = set(schemas["Changeable"]["properties"]) | \
        set(schemas["DomainCreate"]["properties"])
    # The name is an argument.
    assert fields - given == {"name"}


def test_the_manual_page(alone):
    page = f"{BUILD}/cli/xeno.1"
    assert open(page).read() == alone("manual")
    lint = subprocess.run(["mandoc", "-Tlint", "-Wwarning", page], text=True,
                          capture_output=True)
    assert lint.returncode == 0, lint.stdout + lint.stderr
    text = subprocess.run(["mandoc", "-Tutf8", "-Owidth=300", page], text=True,
                          capture_output=True, check=True).stdout
    text = re.sub(".\b", "", text)
    for command in commands(alone):
        # Its arguments, then what it does, in a line of its own.
        assert re.search(r"^ +" + " ".join(w for w in command if w) + r"\b",
                         text, re.M), command
        for option in options(alone, command):
            assert f"{option}" in text


def test_exit_statuses_are_told(alone):
    page = alone("manual")
    told = re.findall(r"^\.It (\d+)$", page, re.M)
    assert told == [str(i) for i in range(11)]


def complete(xeno, lines):
    """What bash offers for the last word of each line."""
    script = f"source {BUILD}/cli/xeno.bash; PATH={BUILD}/cli:$PATH\n"
    for line in lines:
        words = line.split(" ")
        script += (f"COMP_WORDS=({' '.join(w or repr('') for w in words)}); "
                   f"COMP_CWORD={len(words) - 1}; _xeno; "
                   "echo \"${COMPREPLY[*]}\"\n")
    return [set(answer.split())
            for answer in xeno.shell(script).split("\n")[:-1]]


def test_completion(xeno, alone):
    assert open(f"{BUILD}/cli/xeno.bash").read() == alone("completion")
    every = commands(alone)
    nouns = sorted({noun for noun, _ in every})
    assert complete(alone, ["xeno "]) == [set(nouns)]
    verbs = [{v for n, v in every if n == noun and v} for noun in nouns]
    offered = complete(alone, [f"xeno {noun} " for noun in nouns])
    assert [o for o, v in zip(offered, verbs) if v] == [v for v in verbs if v]
    offered = complete(alone, [f"xeno {noun} {verb} --".replace("  ", " ")
                               for noun, verb in every])
    for command, names in zip(every, offered):
        assert names >= options(alone, command), command
    for name in ("web1", "web2", "db"):
        xeno(f"domain create {name} -k vmlinuz -m 16M --no-start "
             "--cpu-reservation 1")
    assert complete(xeno, ["xeno domain list -o y", "xeno domain show web"]) \
        == [{"yaml"}, {"web1", "web2"}]
    assert complete(alone, ["xeno domain show web"]) == [set()]


def test_help_on_what_is_not_there(alone):
    assert "usage" in alone("--help")
    assert "usage" in alone("domain create --help")
    assert "domain create [NAME]" in alone("help domain")
    alone.fails(Cli.USAGE, "help bogus")
    alone.fails(Cli.USAGE, "help domain bogus")


def test_the_examples_of_the_page(xeno, tmp_path):
    """All lines of docs/cli.md that ask for domains, in their order."""
    page = os.path.join(os.path.dirname(os.environ["OPENAPI"]), "..", "docs",
                        "cli.md")
    lines = re.findall(r"^    (xeno domain .*)$",
                       open(page).read().replace("\\\n", ""), re.M)
    assert len(lines) >= 7
    for line in lines:
        if " create -f " in line:
            xeno("domain delete web1 --wait -q")
        if "web1.json" in line:
            (tmp_path / "web1.json").write_text(
                '{"name": "web1", "kernel": "vmlinuz", "start": false,'
                ' "memory_bytes": 16777216}')
        # The old one has to go before the new one can have its name.
        line = line.replace("web1.xml &&", "web1.xml && xeno domain delete web1"
                            " --wait &&")
        if "export" in line:
            create_again = "xeno domain create -f web1.json --wait && "
            line = create_again + line
        xeno.shell(f"cd {tmp_path}; PATH={BUILD}/cli:$PATH; {line}")
