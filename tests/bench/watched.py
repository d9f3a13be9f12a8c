# SPDX-License-Identifier: GPL-3.0-or-later
"""What it costs a live cluster to be watched by a window: the same work with and without the window.

The window shows the live cluster at level records, records the run, and is painted offscreen. It has processors of
its own, or it shares all processors of this machine with the cluster, which keeps them busy. What it then costs is compared
with the cost of a program that uses as much processor time and knows nothing of the cluster.

On processors of its own, the window costs the cluster only what its processes do for it. The rate of a cluster varies by
15 % within seconds on a virtual machine, which hides a cost of 3 %. Two clusters that do the same work at the same time on
the same processors see the same variation. One of them is watched, then the other, and the figure is the operations per
second of processor time of the watched one divided by those of the other. The processors have nothing else to do, so a
cluster that keeps them busy alone has this quotient as its quotient of rates."""
import concurrent.futures
import contextlib
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from typing import Iterator, NamedTuple

from measures import M, MEASURES, RECORD_BYTES, SCHEDULER, Measure, Seen, Settings, Target, _check, _rate
from peers import NotMeasured

from lhrs_lab import Client, Lab

_RECORDS = 1_500
_SEARCHES, _UPDATES = 40_000, 20_000 # per turn, which takes less than half a second
_SIDE = {"search": 12_000, "update": 6_000} # per turn, beside the other cluster
_BLOCK_S, _QUICK_BLOCK_S = 6.0, 2.0
_SETTLED_S = 4.0                     # until the window has its snapshots and is idle
_OWN = "two clusters on the same processors, the window on others"
_WITHIN = 0.97
_WINDOW = 8
_FRAME_S = 0.2                       # from frame to frame of a window on a machine without a free processor
_STAND_IN = """
import sys, time
share, period = float(sys.argv[1]), float(sys.argv[2])
while True:
    end = time.perf_counter() + share * period
    while time.perf_counter() < end:
        pass
    time.sleep((1 - share) * period)
"""


def _targets(row: str, place: str, peer: str = "not watched", figure: str = "{} per second") -> tuple[Target, ...]:
    return tuple(Target(f"{row}_{name}", f"{figure.format(words)}, {_WINDOW} at once, {place}: watched / {peer}",
                        _WITHIN, False)
                 for name, words in (("search", "searches"), ("update", "updates")))


@contextlib.contextmanager
def _cluster_on(processors: set[int], s: Settings) -> Iterator[tuple[Lab, Client]]:
    """A cluster whose processes all run on these processors."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, processors)
    try:
        with Lab.start(m=M, k=1, b=400, record_bytes=RECORD_BYTES, keys=False, spares={"data": 8, "parity": 3},
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


def _processor_s(pid: int) -> float:
    """The processor time that the threads of a process have used so far."""
    return sum(int((task / "schedstat").read_text(encoding="ascii").split()[0])
               for task in pathlib.Path(f"/proc/{pid}/task").iterdir()) / 1e9


class _Block(NamedTuple):
    """What a cluster did in a time: searches, then updates."""
    rates: tuple[float, float]      # per second
    processors: tuple[float, float] # processor seconds of its processes per second


def _block(lab: Lab, client: Client, seconds: float) -> _Block:
    """Searches and updates in turns for this many seconds."""
    turns: dict[str, int] = {"search": _SEARCHES, "update": _UPDATES}
    rates: dict[str, list[float]] = {kind: [] for kind in turns}
    used, passed = dict.fromkeys(turns, 0.0), dict.fromkeys(turns, 0.0)
    pids = [process.pid for process in lab.processes()]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for kind, count in turns.items():
            before, begin = sum(map(_processor_s, pids)), time.monotonic()
            rates[kind].append(_rate(_check(client.run(kind, count, window=_WINDOW), count)))
            passed[kind] += time.monotonic() - begin
            used[kind] += sum(map(_processor_s, pids)) - before
    return _Block((statistics.mean(rates["search"]), statistics.mean(rates["update"])),
                  (used["search"] / passed["search"], used["update"] / passed["update"]))


class _Side:
    """One of two clusters that work at the same time."""

    def __init__(self, lab: Lab, client: Client) -> None:
        self.lab = lab
        self._client = client
        self._pids = [process.pid for process in lab.processes()]

    def work(self, kind: str, seconds: float, begin: threading.Barrier) -> float:
        """Operations per second of processor time of all processes of this cluster."""
        begin.wait()
        used, end, done = self._processor_s(), time.monotonic() + seconds, 0
        while time.monotonic() < end:
            _check(self._client.run(kind, _SIDE[kind], window=_WINDOW), _SIDE[kind])
            done += _SIDE[kind]
        return done / (self._processor_s() - used)

    def _processor_s(self) -> float:
        return sum(map(_processor_s, self._pids))


def _together(sides: tuple[_Side, _Side], kind: str, seconds: float) -> tuple[float, float]:
    begin = threading.Barrier(2)
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        first, second = threads.map(lambda side: side.work(kind, seconds, begin), sides)
    return first, second


def _side_by_side(s: Settings, cluster: set[int], window: set[int]) -> Iterator[Seen]:
    """Watches one of two clusters, then the other. What differs between the clusters themselves cancels out."""
    seconds = (_QUICK_BLOCK_S if s.quick else _BLOCK_S) / 2
    with _cluster_on(cluster, s) as first, _cluster_on(cluster, s) as second:
        sides = (_Side(*first), _Side(*second))
        for _ in range(s.repetitions):
            seen: dict[str, list[tuple[float, float]]] = {kind: [] for kind in _SIDE}
            for i, side in enumerate(sides):
                with _window(s, side.lab, window):
                    for kind in _SIDE:
                        _together(sides, kind, _SETTLED_S / 2)
                    for kind in _SIDE:
                        rates = _together(sides, kind, seconds)
                        seen[kind].append((rates[i], rates[1 - i]))
            for kind, pairs in seen.items():
                watched, alone = (math.sqrt(a * b) for a, b in zip(*pairs))
                yield Seen(f"watched_{kind}", watched / alone, watched, alone, "1/s", _OWN)


@contextlib.contextmanager
def _stand_in(share: float) -> Iterator[None]:
    """A program that uses this share of a processor, in as many parts as a window that draws its frames."""
    program = subprocess.Popen([sys.executable, "-c", _STAND_IN, str(share), str(_FRAME_S)])
    try:
        yield
    finally:
        program.kill()
        program.wait()


def _in_turn(s: Settings, processors: set[int]) -> Iterator[Seen]:
    """Measures blocks with a window, and with another program in its place, between blocks with the cluster alone."""
    seconds, shares = (_QUICK_BLOCK_S if s.quick else _BLOCK_S), []
    with _cluster_on(processors, s) as (lab, client):
        _block(lab, client, _SETTLED_S)
        before = _block(lab, client, seconds)
        for _ in range(s.repetitions):
            with _window(s, lab, processors) as program:
                _block(lab, client, _SETTLED_S)
                used, begin = _processor_s(program.pid), time.monotonic()
                watched = _block(lab, client, seconds)
                shares.append((_processor_s(program.pid) - used) / (time.monotonic() - begin))
            after = _block(lab, client, seconds)
            with _stand_in(shares[-1]):
                beside = _block(lab, client, seconds)
            last = _block(lab, client, seconds)
            for i, name in enumerate(("search", "update")):
                left, had = watched.processors[i], (before.processors[i] + after.processors[i]) / 2
                yield Seen(f"share_{name}", left / had, left, had, "processors", SCHEDULER)
                rate, alone = watched.rates[i], (before.rates[i] + after.rates[i]) / 2
                yield Seen(f"crowded_{name}", rate / alone, rate, alone, "1/s", SCHEDULER)
                # Both figures are related to the cluster alone at that time, because the rate drifts.
                other = beside.rates[i] / ((after.rates[i] + last.rates[i]) / 2) * alone
                yield Seen(f"fair_{name}", rate / other, rate, other, "1/s", SCHEDULER)
            before = last
    s.notes.append(f"crowded, fair: the window took {100 * statistics.median(shares):.1f} % of a processor.")


def _watched(s: Settings) -> Iterator[Seen]:
    processors = sorted(os.sched_getaffinity(0))
    if len(processors) < 2:
        raise NotMeasured("it needs two processors.")
    half = (len(processors) + 1) // 2
    yield from _side_by_side(s, set(processors[:half]), set(processors[half:]))
    yield from _in_turn(s, set(processors))


MEASURES.append(Measure(
    "watched",
    _targets("watched", "a window on processors of its own", figure="{} per second of processor time")
    + _targets("share", "cluster and window on the same processors", figure="processors that the cluster gets for {}")
    + _targets("crowded", "cluster and window on the same processors")
    + _targets("fair", "cluster and window on the same processors", "beside a program that uses as much processor time"),
    _watched))
