# SPDX-License-Identifier: Apache-2.0
"""Archives that a kernel unpacks after its initramfs (cpio, "newc")."""
import itertools
import pathlib


def _entry(inode, name, mode, data):
    header = "070701" + "".join(f"{field:08x}" for field in (
        inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0))
    entry = header.encode() + name.encode() + b"\0"
    entry += bytes(-len(entry) % 4)
    return entry + data + bytes(-len(data) % 4)


def write_archive(path, files):
    """Writes `files`, {name in the image: file here}, whose folders the image
    has; returns path."""
    numbers = itertools.count(1)
    with open(path, "wb") as out:
        for name, source in files.items():
            out.write(_entry(next(numbers), name, 0o100644,
                             pathlib.Path(source).read_bytes()))
        out.write(_entry(next(numbers), "TRAILER!!!", 0, b""))
    return path
