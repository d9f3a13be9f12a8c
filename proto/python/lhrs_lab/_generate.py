# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes Python modules of proto/*.proto with protoc. Used by setup.py, and on first import from a plain checkout.

It imports nothing of the package, because it runs before the package can be imported.
"""
import hashlib
import pathlib
import re
import shutil
import subprocess

#: The files that a client needs, in no order; recording.proto is of the window alone.
NAMES = ("config", "control", "event", "fault", "group", "message", "process", "transfer")


def sources(proto: pathlib.Path) -> list[pathlib.Path]:
    """The .proto files in the directory ``proto`` of the tree."""
    return [proto / f"{name}.proto" for name in NAMES]


def digest(proto: pathlib.Path) -> str:
    """A word that differs when any of the files does, so that modules of older files are never used."""
    sum_ = hashlib.sha256()
    for path in sources(proto):
        sum_.update(path.read_bytes())
    return sum_.hexdigest()[:16]


def generate(proto: pathlib.Path, into: pathlib.Path) -> None:
    """Writes NAME_pb2.py (and NAME_pb2.pyi, for type checkers) of each file into the existing directory ``into``.

    protoc makes them import each other from a package ``proto``; another package of that name is common, so they are
    made to import from beside themselves. RuntimeError: protoc is missing or did not succeed.
    """
    protoc = shutil.which("protoc")
    if protoc is None:
        raise RuntimeError("protoc is not installed; it makes the message classes (Debian: protobuf-compiler)")
    made = into / "made"
    made.mkdir()
    done = subprocess.run(
        [protoc, f"-I{proto.parent}", f"--python_out={made}", f"--pyi_out={made}", *map(str, sources(proto))],
        capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"protoc did not make the message classes: {done.stderr.strip()}")
    for path in (made / "proto").iterdir():
        text = re.sub(r"^from proto import ", "from . import ", path.read_text(), flags=re.MULTILINE)
        text = re.sub(r"^from proto\.(\w+) import ", r"from .\1 import ", text, flags=re.MULTILINE)
        (into / path.name).write_text(text)
    shutil.rmtree(made)
    (into / "__init__.py").write_text("")
