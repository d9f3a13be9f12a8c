# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes Python modules from proto/*.proto with protoc. Used by setup.py, and on first import from a plain checkout.

It imports nothing from the package, because it runs before the package can be imported.
"""
import hashlib
import pathlib
import re
import shutil
import subprocess
from typing import Optional

#: The files that a client needs, in no order; only the window needs recording.proto.
NAMES = ("config", "control", "event", "fault", "group", "lhrs_control", "lhrs_event", "lhrs_message", "message", "options", "process",
         "transfer", "walk")


def sources(proto: pathlib.Path) -> list[pathlib.Path]:
    """The .proto files in the directory ``proto`` of the tree."""
    return [proto / f"{name}.proto" for name in NAMES]


def digest(proto: pathlib.Path) -> str:
    """A word that changes when any of the files changes, so that modules made from older files are never used."""
    sum_ = hashlib.sha256()
    for path in sources(proto):
        sum_.update(path.read_bytes())
    return sum_.hexdigest()[:16]


def _protoc() -> str:
    """The path of protoc. RuntimeError: there is none."""
    found = shutil.which("protoc")
    if found is None:
        raise RuntimeError("protoc is not installed; it makes the message classes (Debian: protobuf-compiler)")
    return found


def requirement(version: Optional[str] = None) -> str:
    """The versions of Python's protobuf that read what this protoc writes (None: the installed protoc), in the form
    of pip: protobuf>=4.21. RuntimeError: there is no protoc, or its version is not valid.

    A protoc M.P belongs to Python's protobuf N.M.P, where N is 4 for M = 21 to 25, 5 up to 29, 6 up to 33, then 7;
    until 3.20 both had the same numbers. Modules from protoc 26 and later name their version. They are refused by an
    older protobuf, and by one of the next major version but one."""
    text = version or subprocess.run([_protoc(), "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", text)
    if found is None:
        raise RuntimeError(f"the version of protoc is not known: {text.strip()!r}")
    numbers = [int(part) for part in found.groups() if part is not None]
    if numbers[0] == 3:   # 3.21.12 is 21.12
        numbers = numbers[1:]
    minor = numbers[0]
    if minor <= 20:
        return f"protobuf>=3.{minor}"
    major = next((number for number, last in ((4, 25), (5, 29), (6, 33)) if minor <= last), 7)
    return f"protobuf>={major}.{minor}" + (f",<{major + 2}" if major > 4 else "")


def generate(proto: pathlib.Path, into: pathlib.Path) -> None:
    """Writes NAME_pb2.py (and NAME_pb2.pyi, for type checkers) for each file into the existing directory ``into``.

    protoc makes them import each other from a package ``proto``. Another package of that name is common, so the
    imports are changed to relative ones. RuntimeError: protoc is missing or failed.
    """
    made = into / "made"
    made.mkdir()
    done = subprocess.run(
        [_protoc(), f"-I{proto.parent}", f"--python_out={made}", f"--pyi_out={made}", *map(str, sources(proto))],
        capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"protoc did not make the message classes: {done.stderr.strip()}")
    for path in (made / "proto").iterdir():
        text = re.sub(r"^from proto import ", "from . import ", path.read_text(), flags=re.MULTILINE)
        text = re.sub(r"^from proto\.(\w+) import ", r"from .\1 import ", text, flags=re.MULTILINE)
        (into / path.name).write_text(text)
    shutil.rmtree(made)
    (into / "__init__.py").write_text("")
