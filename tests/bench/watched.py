# SPDX-License-Identifier: GPL-3.0-or-later
"""What it costs a live cluster to be watched by a window: the same work with and without the window, in turn.

The window shows the live cluster at level records, records the run, and is painted offscreen. It has processors of
its own, or it shares all processors of this machine with the cluster; in the second case the window yields."""
import contextlib
import os
import pathlib
import statistics
import subprocess
import tempfile
import time
from typing import Iterator

from measures import M, MEASURES, RECORD_BYTES, SCHEDULER, Measure, Seen, Settings, Target, _check, _rate
from peers import NotMeasured

from lhrs_lab import Client, Lab

_RECORDS = 1_500
_SEARCHES, _UPDATES = 40_000, 20_000 # per turn, which takes less than half a second
_BLOCK_S, _QUICK_BLOCK_S = 6.0, 2.0
_SETTLED_S = 4.0                     # until the window has its snapshots and is idle
_OWN = "the window on other processors than the cluster"
_WITHIN = 0.97
_WINDOW = 8


def _targets(row: str, place: str) -> tuple[Target, ...]:
    return tuple(Target(f"{row}_{name}", f"{words} a second, {_WINDOW} at once, {place}: watched / not watched",
                        _WITHIN, False)
                 for name, words in (("search", "searches"), ("update", "updates")))


@contextlib.contextmanager
def _cluster_on(processors: set[int], s: Settings) -> Iterator[tuple[Lab, Client]]:
    """A cluster whose processes all run on these processors."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, processors)
    try:
        with Lab.start(m=M, k=1, b=400, record_bytes=RECORD_BYTES, spares={"data": 8, "parity": 3},
                       bin_dir=str(s.programs)) as lab:
            client = lab.client("alice")
            _check(client.run("insert", _RECORDS, window=16), _RECORDS)
            lab.settle()
            lab.detail("records")
            yield lab, client
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def _window(s: Settings, lab: Lab, processors: set[int]) -> Iterator[subprocess.Popen[bytes]]:
    """A window that watches this cluster, with its own settings and recordings."""
    control = next(process.control for process in lab.processes() if process.kind == "coordinator")
    with tempfile.TemporaryDirectory(prefix="lhrs-bench-") as home:
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "HOME": home, "XDG_RUNTIME_DIR": home}
        for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
            environment.pop(name, None)
        with open(pathlib.Path(home) / "said", "wb") as said:
            window = subprocess.Popen(["taskset", hex(sum(1 << one for one in processors)), str(s.programs / "lhrs-gui"),
                                       "--connect", control.rsplit("/", 1)[-1], "--size", "1280x720"],
                                      stdout=said, stderr=said, env=environment)
            try:
                yield window
                if window.poll() is not None:
                    said.flush()
                    raise NotMeasured("The window ended: " + (pathlib.Path(home) / "said").read_text(errors="replace").strip()[-300:])
            finally:
                window.kill()
                window.wait()


def _rates(client: Client, seconds: float) -> tuple[float, float]:
    """Searches and updates per second, in turns for this many seconds."""
    searches, updates = [], []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        searches.append(_rate(_check(client.run("search", _SEARCHES, window=_WINDOW), _SEARCHES)))
        updates.append(_rate(_check(client.run("update", _UPDATES, window=_WINDOW), _UPDATES)))
    return statistics.mean(searches), statistics.mean(updates)


def _processor_s(pid: int) -> float:
    """The processor time that a process has used so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _pairs(s: Settings, row: str, cluster: set[int], window: set[int], placement: str) -> Iterator[Seen]:
    """Measures each watched block between two blocks that are not watched."""
    seconds, shares = (_QUICK_BLOCK_S if s.quick else _BLOCK_S), []
    with _cluster_on(cluster, s) as (lab, client):
        _rates(client, _SETTLED_S)
        before = _rates(client, seconds)
        for _ in range(s.repetitions):
            with _window(s, lab, window) as program:
                _rates(client, _SETTLED_S)
                used, begin = _processor_s(program.pid), time.monotonic()
                watched = _rates(client, seconds)
                shares.append((_processor_s(program.pid) - used) / (time.monotonic() - begin))
            after = _rates(client, seconds)
            for name, with_it, first, second in zip(("search", "update"), watched, before, after):
                alone = (first + second) / 2
                yield Seen(f"{row}_{name}", with_it / alone, with_it, alone, "1/s", placement)
            before = after
    s.notes.append(f"{row}, {placement}: the window took {100 * statistics.median(shares):.1f} % of a processor.")


def _watched(s: Settings) -> Iterator[Seen]:
    processors = sorted(os.sched_getaffinity(0))
    if len(processors) < 2:
        raise NotMeasured("it needs two processors.")
    half = (len(processors) + 1) // 2
    yield from _pairs(s, "watched", set(processors[:half]), set(processors[half:]), _OWN)
    yield from _pairs(s, "crowded", set(processors), set(processors), SCHEDULER)


MEASURES.append(Measure("watched", _targets("watched", "a window on processors of its own")
                        + _targets("crowded", "cluster and window on the same processors"), _watched))
