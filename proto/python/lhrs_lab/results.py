# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders of results as lhrs-play --csv writes them: rows of one or more runs, and runs.csv, which describes each
run."""
import csv
import datetime
import fcntl
import hashlib
import json
import os
import pathlib
import platform
import re
import sys
import threading
from typing import Any, Iterable, Mapping, Optional, Sequence

from . import messages as pb
from .errors import LabError
from .play import program_facts
from .values import cell

Rows = Sequence[Mapping[str, Any]]

#: Tables of the run itself: a measurement with one of these names is written with the prefix measured_.
_OF_THE_RUN = {"runs", "clusters", "operations", "messages", "splits", "merges", "parity_creations", "recoveries", "slices", "faults", "gaps", "captions",
               "markers", "commands", "expectations", "invariants"}
_DIGITS = 16          # of an inputs' digest, as in gui/lab/tables/run_facts.cpp
_last_ms = 0
_begun: dict[str, int] = {}                       # by inputs: how many runs of this program had these inputs
_written: set[tuple[str, pathlib.Path]] = set()   # runs of this program, and the files that contain their rows
_lock = threading.Lock()


def new_run_id(seed: int) -> str:
    """20261122T102908.123Z-host-4711-1: UTC start, host, process, seed. Unique for each run."""
    global _last_ms  # pylint: disable=global-statement
    with _lock:
        now = datetime.datetime.now(datetime.timezone.utc)
        _last_ms = max(_last_ms + 1, int(now.timestamp() * 1000))
        started = datetime.datetime.fromtimestamp(_last_ms // 1000, datetime.timezone.utc)
        stamp = started.strftime("%Y%m%dT%H%M%S") + f".{_last_ms % 1000:03}Z"
    host = re.sub(r"[^A-Za-z0-9._]", "_", platform.node())[:64]
    return f"{stamp}-{host}-{os.getpid()}-{seed}"


def inputs_digest(seed: int, options: Sequence[str], parameters: Mapping[str, Any],
                  facts: Mapping[str, str]) -> Optional[str]:
    """A digest of everything that determines the result of a simulated run, as 16 hexadecimal digits: the script's
    text, the parameters, the options of ``Lab.start``, seed, version and commit. The speed of virtual time, the date
    and the machine are not part of it. A program may begin several runs with the same inputs, so the number of the
    run among them is part of it. None: there is no script (a notebook, a prompt)."""
    try:
        text = pathlib.Path(getattr(sys.modules.get("__main__"), "__file__", "") or "").read_bytes()
    except OSError:
        return None
    parts = [text, str(seed).encode(), str(len(options)).encode(), *(option.encode() for option in options),
             json.dumps(_plain(parameters)).encode(), *(facts.get(name, "").encode() for name in ("version", "commit"))]
    # Each part is preceded by its length, so that different lists of parts never give the same bytes.
    inputs = hashlib.sha256(b"".join(b"%d:%b" % (len(part), part) for part in parts)).hexdigest()
    with _lock:
        number = _begun[inputs] = _begun.get(inputs, 0) + 1
    return hashlib.sha256(f"{inputs} {number}".encode()).hexdigest()[:_DIGITS]


def cluster_row(run: Mapping[str, Any], config: Any, more: Mapping[str, Any]) -> dict[str, Any]:
    """The row of clusters.csv: the parameters of the Lab's file, in the words of lab.cluster. ``config``: None for a
    ring, whose parameters are in ``more``."""
    if config is None:
        return {"run": run["run"], "simulated": run["simulated"], "cluster": 1, **dict(sorted(more.items()))}

    def word(enum: Any, value: int, prefix: str) -> str:
        return str(enum.Name(value)).removeprefix(prefix).lower()
    galois = config.galois or "simd"
    parameters = {
        "m": config.m, "k": config.availability, "b": config.b, "field": 8 if config.field == pb.GF_8 else 16, "slice": config.slice or None,
        "thresholds": " ".join(f"{one.buckets}:{one.availability}" for one in config.thresholds), "rerank": "keep" if config.rerank == pb.KEEP else "fill",
        "recovery_way": word(pb.RecoveryWay, config.recovery, "RECOVERY_"), "decode": word(pb.DecodeWay, config.decode, "DECODE_"),
        "recovery_transport": word(pb.RecoveryTransport, config.recovery_transport, "RECOVERY_"), "tcp": word(pb.TcpMode, config.tcp_mode, "TCP_"),
        "galois": run["instructions"] or galois if galois == "simd" else galois, "log_precalculus": not config.no_log_precalculus, "pure_rs": config.pure_rs,
        "mix_keys": config.mix_keys, "parallel_splits": config.parallel_splits, "merges": config.merges,
        "load_control": config.load_control / 1000 if config.load_control else None, **more}
    return {"run": run["run"], "simulated": run["simulated"], "cluster": 1, **dict(sorted(parameters.items()))}


def _plain(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value if isinstance(value, (bool, int, float, str)) or value is None else str(value)
            for name, value in sorted(parameters.items())}


def run_row(run: str, inputs: Optional[str], simulated: bool, started: str, machine: str, seed: int,
            facts: Mapping[str, str], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The row of runs.csv; the columns are those of lhrs-play. ``inputs``: see inputs_digest; if the inputs
    determine all tables, the row does not say when and where the run took place. ``facts``: see program_facts."""
    plain = _plain(parameters)
    when_and_where = {"started_utc": None if inputs else started, "host": None if inputs else platform.node()}
    return {"run": run, "simulated": simulated, "outcome": None, **when_and_where, "machine": machine,
            "program": f"Python {platform.python_version()}, lhrs {facts.get('version', '')}", "commit": facts.get("commit"), "compiler": facts.get("compiler"),
            "instructions": facts.get("instructions"), "libraries": facts.get("libraries"), "scenario": scenario_name(),
            "inputs": inputs, "seed": seed, "sweep": None, "sweep_run": None,
            "parameters": json.dumps(plain, separators=(",", ":")),
            **{f"param_{name}": value for name, value in plain.items()}}


def scenario_name() -> str:
    """The name of the running script; empty in a notebook or at the prompt."""
    return os.path.basename(getattr(sys.modules.get("__main__"), "__file__", "") or "")


def file_name(table: str) -> str:
    """The name of a measurement's file, without .csv."""
    return f"measured_{table}" if table in _OF_THE_RUN else table


def united(columns: Sequence[str], more: Iterable[str]) -> list[str]:
    """The columns of both. A new column follows the one that precedes it in ``more``."""
    out, place = list(columns), 0
    for column in more:
        if column in out:
            place = out.index(column) + 1
        else:
            out.insert(place, column)
            place += 1
    return out


class Folder:
    """A folder into which one run writes its tables; rows of other runs stay. Use it in ``with``. LabError
    BadArgument: the folder has results of other runs and neither ``append`` nor ``overwrite`` was given, another
    program is writing there, or it cannot be written."""

    def __init__(self, directory: "str | os.PathLike[str]", run: str, append: bool = False, overwrite: bool = False) -> None:
        self.path = pathlib.Path(directory)
        self._run = run
        self._descriptor = -1
        if append and overwrite:
            raise LabError("BadArgument", "append and overwrite exclude each other.")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise self._wrong(self.path, error) from None
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise LabError("BadArgument", f"Another run writes its results into {self.path}.", "Choose another directory; lhrs-play --merge puts them together.") from None
        except OSError:
            pass  # a file system without locks is accepted
        try:
            others = [path for path in self._tables() if any(row.get("run") != run for row in self._read(path)[1])]
            if others and not append and not overwrite:
                raise LabError("BadArgument", f"{self.path} has results of other runs already ({', '.join(path.name for path in others[:3])}).",
                               "append=True adds this run to them, overwrite=True removes them.")
            for path in self._tables() if overwrite else ():
                path.unlink()
        except OSError as error:
            self.close()
            raise self._wrong(self.path, error) from None
        except LabError:
            self.close()
            raise

    def __enter__(self) -> "Folder":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Another run may write into the folder from now on."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1

    def put(self, name: str, columns: Sequence[str], rows: Rows) -> pathlib.Path:
        """Writes the rows of this run into the table NAME.csv and replaces those that it already has there. LabError
        BadArgument: those are from another run with the same inputs, and differ."""
        path = self.path / f"{name}.csv"
        try:
            former, kept = self._read(path) if path.exists() else ([], [])
            wide = united(former, columns)
            ours = [{column: cell(row.get(column)) for column in columns} for row in rows]
            at = next((i for i, row in enumerate(kept) if row.get("run") == self._run), len(kept))
            others = [row for row in kept if row.get("run") != self._run]
            self._check_rows(path, [row for row in kept if row.get("run") == self._run], ours)
            before = sum(row.get("run") != self._run for row in kept[:at])
            part = path.with_name(f".{path.name}.{os.getpid()}")
            with part.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(wide)
                writer.writerows([row.get(column) or "" for column in wide] for row in [*others[:before], *ours, *others[before:]])
            os.replace(part, path)
            _written.add((self._run, path.resolve()))
        except OSError as error:
            raise self._wrong(path, error) from None
        return path

    def _check_rows(self, path: pathlib.Path, theirs: Sequence[Mapping[str, str]], ours: Rows) -> None:
        """A run that is repeated must have the same rows as before. If it has not, its inputs alone do not determine
        it."""
        if not theirs or path.stem in _OF_THE_RUN or (self._run, path.resolve()) in _written:
            return
        columns = sorted({column for row in (*theirs, *ours) for column in row} - {"machine"})
        before, now = ([[row.get(column) or "" for column in columns] for row in rows] for rows in (theirs, ours))
        if before != now:
            raise LabError("BadArgument", f"{path} has other rows of the run {self._run}, which had the same script, options, "
                           "parameters and seed.",
                           "Put what differs into lab.parameters, or write into another directory.")

    def _tables(self) -> list[pathlib.Path]:
        found = []
        for path in sorted(self.path.glob("*.csv")):
            with path.open("rb") as file:
                if file.readline().startswith(b"run,simulated,"):
                    found.append(path)
        return found

    @staticmethod
    def _read(path: pathlib.Path) -> tuple[list[str], list[dict[str, str]]]:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            return list(reader.fieldnames or []), list(reader)

    @staticmethod
    def _wrong(path: pathlib.Path, error: OSError) -> LabError:
        return LabError("BadArgument", f"{path} cannot be written: {error.strerror}.", "Name another directory.")
