# SPDX-License-Identifier: GPL-3.0-or-later
"""Short runs of lhrs-play for what the C++ side already implements: the charts in the product's own look, the parity
check, and the build information of the programs. The lhrs-play that watches permanently is in watcher.py."""
import csv
import json
import pathlib
import subprocess
import tempfile
from typing import Any, Mapping, Optional, Sequence

from . import paper as papers
from .errors import LabError
from .local import program_directory
from .values import cell

_CHART_S, _AUDIT_S, _BUILD_S = 60.0, 120.0, 10.0
_NOT_EQUAL, _NOT_NOW = 1, 4                     # exit codes of --audit
_ERRORS = {2: "BadArgument", 3: "NoCluster", _NOT_NOW: "Refused"}


def program(bin_dir: Optional[str], does: str) -> pathlib.Path:
    """The path of lhrs-play, which is searched where all programs are. ``does``: its purpose, for the error, such as
    'which draws charts'. LabError Unsupported: there is none."""
    try:
        return program_directory(bin_dir, ("lhrs-play",)) / "lhrs-play"
    except LabError as error:
        raise LabError("Unsupported", f"There is no lhrs-play, {does}: {error.message[0].lower()}{error.message[1:]}", error.hint) from None


def _said(path: pathlib.Path, arguments: Sequence[str], timeout: float, good: Sequence[int] = (0,)) -> str:
    """What it prints. LabError as its exit code says; Unsupported: it cannot be started; Timeout (seconds)."""
    try:
        done = subprocess.run([str(path), *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, check=False)
    except OSError as error:
        raise LabError("Unsupported", f"{path} cannot be started: {error.strerror}.") from None
    except subprocess.TimeoutExpired:
        raise LabError("Timeout", f"{path} {arguments[0]} is not done after {timeout:g} s.") from None
    if done.returncode not in good:
        words = done.stderr.decode(errors="replace").strip().removeprefix("lhrs-play: ").removeprefix(f"{arguments[0]}: ")
        raise LabError(_ERRORS.get(done.returncode, "Unsupported"), words or f"{path} {arguments[0]} ended with exit code {done.returncode}.")
    return done.stdout.decode("utf-8")


def chart(bin_dir: Optional[str], columns: Sequence[str], rows: Sequence[Mapping[str, Any]], order: Mapping[str, Any], points: bool = False) -> str:
    """The chart of these rows as SVG, or its points as CSV. ``order``: the options of lab.chart in scenarios. LabError BadArgument: there
    is no such column, Unsupported."""
    path = program(bin_dir, "which draws charts")
    with tempfile.TemporaryDirectory(prefix="lhrs-chart-") as name:
        directory = pathlib.Path(name)
        with (directory / "table.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows([cell(row.get(column)) for column in columns] for row in rows)
        (directory / "paper").symlink_to(papers.directory())
        more = ["--chart-points"] if points else []
        return _said(path, ["--chart", json.dumps(order), *more, str(directory / "table.csv")], _CHART_S)


def audit(bin_dir: Optional[str], endpoint: str, group: Optional[int], key_file: Optional[pathlib.Path] = None) -> dict[str, Any]:
    """{'ranks', 'unequal', 'first'} of a group of the cluster with this coordinator (None: of all groups). It only
    sends queries, so virtual time stands still. LabError Refused: the group is not at rest; BadArgument, NoCluster,
    Unsupported."""
    words = ["--audit", "all" if group is None else str(group), "--connect", endpoint.split("://")[-1]]
    words += [] if key_file is None else ["--key-file", str(key_file)]
    return dict(json.loads(_said(program(bin_dir, "which checks the parity"), words, _AUDIT_S, (0, _NOT_EQUAL))))


def program_facts(bin_dir: Optional[str]) -> dict[str, str]:
    """How the programs were built, and from which sources; empty if there is no lhrs-play, because they run on
    another machine."""
    try:
        told = json.loads(_said(program(bin_dir, "which knows how it was built"), ["--build-info"], _BUILD_S))
    except (LabError, ValueError):
        return {}
    return {key: str(value) for key, value in told.items()}


__all__ = ["audit", "chart", "program", "program_facts"]
