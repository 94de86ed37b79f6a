#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""check-layers.py [TOP]: checks every #include of hypervisor/ and of
accounting/ against docs/layers.txt, which also explains the rules. Prints one
line FILE:LINE for each violation; the exit status is 1 if there is one."""
import collections
import pathlib
import re
import sys

FREESTANDING = {"stdarg.h", "stdbool.h", "stddef.h", "stdint.h", "limits.h",
                "stdalign.h", "stdnoreturn.h", "iso646.h", "float.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')


class Rules:
    """docs/layers.txt, read."""

    def __init__(self, path):
        self.room_of_header = {}
        self.allowed = collections.defaultdict(set)
        self.system = collections.defaultdict(set)
        self.also = collections.defaultdict(set)
        self.abi = set()
        self.library = collections.defaultdict(set)
        for number, line in enumerate(path.read_text().splitlines(), 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            if ":" not in line:
                sys.exit(f"{path}:{number}: no colon")
            left, right = line.split(":", 1)
            *kind, room = left.split()
            names = right.split()
            if kind == ["headers"]:
                self.room_of_header.update(dict.fromkeys(names, room))
            elif kind == ["system"]:
                self.system[room].update(names)
            elif kind == ["library"]:
                self.library[room].update(names)
            elif kind == ["also"]:
                self.also[room].update(names)
            elif not kind and room == "abi":
                self.abi.update(names)
            elif not kind:
                self.allowed[room].update(names)
            else:
                sys.exit(f"{path}:{number}: unknown rule {kind[0]}")


def room_of_file(path, rules):
    """The room of a file of hypervisor/, given relative to it; None for one
    that belongs to no room."""
    parts = path.parts
    if parts[:2] == ("include", "arch"):
        return "machine"
    if parts[0] == "include":
        return rules.room_of_header.get(path.stem)
    if parts[0] == "arch":
        return "machine" if "include" in parts else "arch"
    return parts[0] if parts[0] in rules.allowed else None


def complaint(path, room, quote, name, rules):
    """What is wrong with this include, or None."""
    if quote == '"':
        if "/" in name and not name.startswith("generated/"):
            return f'"{name}" reaches into another folder'
        return None
    folder, _, rest = name.rpartition("/")
    if folder == "hv":
        target = rules.room_of_header.get(rest.removesuffix(".h"))
        if target is None:
            return f"<{name}> belongs to no room in docs/layers.txt"
    elif folder == "arch":
        target = "machine"
    elif folder.split("/")[0] in ("xen", "xeno"):
        if room in rules.abi:
            return None
        return f"room {room} may not see the guest ABI, <{name}>"
    elif name in FREESTANDING or name in rules.system[room]:
        return None
    else:
        return f"room {room} may not use <{name}>"
    if target == room or target in (rules.allowed[room]
                                    | rules.also[str(path)]):
        return None
    return f"room {room} may not include <{name}> of room {target}"


def library_complaint(path, library, quote, name, rules):
    """What is wrong with this include of a file of a library, given relative
    to the top, or None."""
    if quote == '"':
        return (f'"{name}" reaches into another folder' if "/" in name
                else None)
    if name in FREESTANDING | rules.library[library] | rules.also[str(path)]:
        return None
    return f"library {library} may not use <{name}>"


def includes(path):
    """Line, quote and name of each include of a file."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, *match.groups()


def main():
    top = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    rules = Rules(top / "docs" / "layers.txt")
    base = top / "hypervisor"
    checked = wrong = 0
    for path in sorted(base.rglob("*.[chS]")):
        inside = path.relative_to(base)
        if inside.parts[0] == "tests" or inside.match("arch/host/*.c"):
            continue
        room = room_of_file(inside, rules)
        if room is None:
            print(f"{path}: belongs to no room in docs/layers.txt")
            wrong += 1
            continue
        for number, *include in includes(path):
            checked += 1
            problem = complaint(inside, room, *include, rules)
            if problem:
                print(f"{path}:{number}: {problem}")
                wrong += 1
    for library in rules.library:
        for path in sorted((top / library).glob("*.[ch]")):
            inside = path.relative_to(top)
            for number, *include in includes(path):
                checked += 1
                problem = library_complaint(inside, library, *include, rules)
                if problem:
                    print(f"{path}:{number}: {problem}")
                    wrong += 1
    print(f"check-layers: {checked} includes, {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
