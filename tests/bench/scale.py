# SPDX-License-Identifier: GPL-3.0-or-later
"""Cost against size: the same operations on files of 4 to 10,000 simulated buckets, and on real files as large as
this machine can run.

A row of a table is one repetition at one size. Times of a simulated file are virtual, and its messages are counted.
Its memory and the seconds that it took are those of the process lhrs-sim on this machine."""
import dataclasses
import platform
import time
from typing import Any, Iterator, Mapping, Union

import peers
from measures import M, MEASURES, RECORD_BYTES, SCHEDULER, SIMULATED, Measure, Seen, Settings, Target, Unseen
from peers import NotMeasured
from sim_file import SimFile, simulated_file

from lhrs_lab import Chart, Lab, LabError, messages as pb
from lhrs_lab.measure import Table, machine, started_now

_K = 1
_SEED = 1
_SIZES, _QUICK_SIZES = (4, 16, 64, 256, 1_024, 4_096, 10_000), (4, 16, 64, 256, 1_024)
_LIVE_SIZES, _QUICK_LIVE_SIZES = (4, 16, 64), (4, 16)
_RECORDS, _LIVE_RECORDS = 7, 500          # per bucket
_SPARES = {"data": 4, "parity": 2}        # spares that wait when a bucket splits or is lost
_OPERATIONS = 300                         # per client, one after the other
_NEW_CLIENT = 1_000                       # the first searches of a client with the oldest image
_IDLE_S = 1

_FORWARDS = Target("scale_forwards", "forwards per search of a warm client in the largest simulated file", 0.01, True)
_BUCKETS = Target("scale_buckets", "data buckets of the largest simulated file, in one process", 10_000, False, "buckets")

# The columns that are drawn, and whether both axes are logarithmic (a column that may be 0 cannot be).
_SIMULATED_CHARTS: tuple[tuple[str, str, bool], ...] = (
    ("messages_per_search", "Messages of a search, warm client", True),
    ("messages_per_insert", "Messages of an insert, k = 1, warm client", True),
    ("forwards_per_search", "Forwards of a search, warm client", False),
    ("new_client_forwards", f"Forwards of the first {_NEW_CLIENT:,} searches of a new client", True),
    ("split_messages", "Messages of a split", True),
    ("split_ms", "Virtual time of a split", True),
    ("recovery_messages", "Messages of the recovery of one bucket, but those that announce it", True),
    ("recovery_announcements", "Messages that announce the recovery of one bucket to all servers", True),
    ("recovery_ms", "Virtual time from the end of a process to its bucket on a spare", True),
    ("rebuild_ms", "Virtual time of the rebuilding alone", True),
    ("idle_messages_of_bucket", "Messages of an idle file in a virtual second, for each data bucket", True),
    ("bucket_memory_bytes", "Memory of the simulating process for each data bucket", True),
    ("idle_cpu_s", "Processor time of a virtual second of the idle file", True),
    ("grown_cpu_s", "Processor time of growing a file to this size", True))
_LIVE_CHARTS: tuple[tuple[str, str, bool], ...] = (
    ("searches_per_s", "Searches a second, one client, window 64", True),
    ("inserts_per_s", "Inserts a second, k = 1, one client, window 64", True),
    ("split_ms", "Time of a split", True),
    ("rebuild_ms", "Time of rebuilding one bucket", True),
    ("bucket_memory_bytes", "Memory of the servers for each data bucket", True))


@dataclasses.dataclass
class _Rows:
    """Collects observations by size and repetition until they become rows of a table."""

    table: Table
    constants: Mapping[str, Any]

    def add(self, buckets: int, observed: Mapping[str, list[float]]) -> None:
        """Adds observations; each quantity has a value for some of the repetitions, the first ones."""
        for repetition in range(max(len(values) for values in observed.values())):
            metrics = {name: values[repetition] for name, values in observed.items() if repetition < len(values)}
            self.table.add("counts", repetition + 1, False, {"buckets": buckets, **self.constants}, metrics, 0)


def _rows(s: Settings, name: str, is_simulated: bool, **constants: Any) -> _Rows:
    identity = {"run": f"{started_now()} seed {_SEED}", "simulated": is_simulated, "machine": machine()}
    table = Table(name, identity)
    s.tables.append(table)
    return _Rows(table, {"m": M, "k": _K, "record_bytes": RECORD_BYTES, "data_spares": _SPARES["data"], "parity_spares": _SPARES["parity"],
                         **constants, "commit": s.commit, "system": platform.platform()})


def _draw(s: Settings, table: Table, charts: tuple[tuple[str, str, bool], ...]) -> None:
    """Adds the charts of what was measured; a quantity without a value has no column yet."""
    for column, title, is_log in charts:
        if column in table.metrics:
            s.charts.append(Chart(f"{table.name}_{column}", table, "buckets", column, title=title, log=is_log, bin_dir=str(s.programs)))


def _scale(s: Settings) -> Iterator[Union[Seen, Unseen]]:
    sizes, live = (_QUICK_SIZES, _QUICK_LIVE_SIZES) if s.quick else (_SIZES, _LIVE_SIZES)
    if s.quick:
        s.notes.append(f"--quick leaves out simulated files of {_named(_SIZES, sizes)} buckets, and real ones of {_named(_LIVE_SIZES, live)}.")
    yield from _simulated(s, sizes)
    try:
        _live(s, live)
    except (NotMeasured, LabError, OSError) as error:  # the simulated results remain valid
        s.notes.append(f"Not all real files were measured: {error}")


def _named(all_: tuple[int, ...], some: tuple[int, ...]) -> str:
    return " and ".join(f"{size:,}" for size in all_ if size not in some)


# ---- simulated

def _simulated(s: Settings, sizes: tuple[int, ...]) -> Iterator[Union[Seen, Unseen]]:
    rows = _rows(s, "scale_simulated", True, records_of_bucket=_RECORDS)
    grown_s = grown_cpu_s = 0.0
    try:
        with simulated_file(s.programs, _K, RECORD_BYTES, _SEED) as file:
            writer = file.client("writer")
            empty = file.resident_bytes()
            for size in sizes:
                began, cpu_before_s = time.monotonic(), file.cpu_s()
                file.grow(size)
                file.insert(writer, _RECORDS * size - len(file.keys), 64)
                grown_s += time.monotonic() - began
                grown_cpu_s += file.cpu_s() - cpu_before_s
                observed = _observe(file, writer, s.repetitions)
                memory = observed.pop("memory_bytes")[0]
                rows.add(size, {**observed, "memory_bytes": [memory], "bucket_memory_bytes": [(memory - empty) / size],
                                "grown_cpu_s": [grown_cpu_s], "grown_wall_s": [grown_s]})
    finally:
        _draw(s, rows.table, _SIMULATED_CHARTS)  # draws the available results, even if a larger file failed
    for row in rows.table.rows:
        if row["buckets"] == sizes[-1]:
            forwards = row["forwards_per_search"]
            yield Seen(_FORWARDS.row, forwards, forwards * _OPERATIONS, _OPERATIONS, "operations", f"{SIMULATED}, {sizes[-1]:,} buckets")
    if sizes[-1] < _BUCKETS.bound:
        yield Unseen(_BUCKETS.row, f"--quick leaves out the file of {_SIZES[-1]:,} buckets.")
    else:
        yield Seen(_BUCKETS.row, sizes[-1], memory / 1e9, None, "GB of memory", f"{SIMULATED}, grown in {grown_s:.0f} s, {grown_cpu_s:.0f} s of a processor")


def _observe(file: SimFile, writer: int, repetitions: int) -> dict[str, list[float]]:
    """Measures all quantities of the file at its present size."""
    size = file.buckets
    out: dict[str, list[float]] = {name: [] for name in (
        "messages_per_search", "messages_per_insert", "search_ms", "insert_ms", "forwards_per_search", "new_client_forwards",
        "new_client_adjustments", "split_messages", "split_ms", "recovery_messages", "recovery_announcements", "recovery_ms", "rebuild_ms")}
    out["memory_bytes"] = [file.resident_bytes()]
    file.visit(writer)
    cpu_before_s = file.cpu_s()
    file.step(_IDLE_S * 10**9)
    out["idle_cpu_s"] = [(file.cpu_s() - cpu_before_s) / _IDLE_S]
    file.tell(pb.FULL)
    idle = file.counted(lambda: file.step(_IDLE_S * 10**9))[1].kinds
    out["idle_messages_of_bucket"] = [sum(idle.values()) / _IDLE_S / size]
    for repetition in range(repetitions):
        for word, work in (("search", lambda: file.search(writer, _OPERATIONS)), ("insert", lambda: file.insert(writer, _OPERATIONS, 1))):
            done, traffic = file.counted(work)
            out[f"messages_per_{word}"].append(traffic.of_operations / _OPERATIONS)
            out[f"{word}_ms"].append(done.total_ns / 1e6 / _OPERATIONS)
            if word == "search":
                out["forwards_per_search"].append(done.forwards / _OPERATIONS)
        file.take_back(writer, _OPERATIONS)  # so that all sizes have equally many records per bucket
        new = file.search(file.client(f"new-{size}-{repetition}"), _NEW_CLIENT)
        out["new_client_forwards"].append(new.forwards)
        out["new_client_adjustments"].append(new.image_adjustments)
    for repetition in range(repetitions):
        file.spares(**_SPARES)
        bucket = (size * repetition // repetitions // M * M + repetition) % size
        (took_s, recovery), traffic = file.counted(lambda number=bucket: file.lose(number))  # type: ignore[misc]
        if list(recovery.buckets) != [bucket]:
            raise NotMeasured(f"Bucket {bucket} was lost, and {list(recovery.buckets)} recovered.")
        announcements = traffic.kinds["registered"]  # they carry the list of members that were replaced
        out["recovery_messages"].append(traffic.without(idle) - announcements)
        out["recovery_announcements"].append(announcements)
        out["recovery_ms"].append(1000 * took_s)
        out["rebuild_ms"].append(recovery.rebuild_ns / 1e6)
    for _ in range(repetitions):
        file.spares(**_SPARES)
        split, traffic = file.counted(file.split)
        out["split_messages"].append(traffic.without(idle))
        out["split_ms"].append(split.total_ns / 1e6)
    file.tell(pb.COUNTS)
    return out


# ---- processes of this machine

def _live(s: Settings, sizes: tuple[int, ...]) -> None:
    rows = _rows(s, "scale_live", False, records_of_bucket=_LIVE_RECORDS, placement=SCHEDULER)
    count = s.count(50_000, 10_000)
    try:
        for size in sizes:
            rows.add(size, _observe_live(s, size, count))
    finally:
        _draw(s, rows.table, _LIVE_CHARTS)


def _observe_live(s: Settings, size: int, count: int) -> dict[str, list[float]]:
    out: dict[str, list[float]] = {name: [] for name in ("searches_per_s", "inserts_per_s", "split_ms", "rebuild_ms")}
    records = _LIVE_RECORDS * size
    room = records + (s.repetitions + 1) * count
    spares = {"data": size + s.repetitions + _SPARES["data"], "parity": (size + s.repetitions) // M + 1 + _SPARES["parity"]}
    with Lab.start(m=M, k=_K, b=room + 100, record_bytes=RECORD_BYTES, recovery="manual", keys=False, spares=spares, timeout=120, bin_dir=str(s.programs)) as lab:
        lab.detail("counts")
        servers = [process for process in lab.processes() if process.kind == "node"]
        client = lab.client("writer")
        while lab.file().M < size:
            lab.split()
        empty = peers.resident_bytes([process.pid for process in servers])
        _done(client.run("insert", records, window=64), records)
        lab.settle(timeout=120)
        out["memory_bytes"] = [peers.resident_bytes([process.pid for process in servers])]
        out["bucket_memory_bytes"] = [out["memory_bytes"][0] / size]
        out["records_memory_bytes"] = [out["memory_bytes"][0] - empty]
        out["servers"] = [len(servers)]

        def rate(do: str) -> float:
            done = _done(client.run(do, count, window=64), count)
            return float(done.operations / done.total_s)

        for repetition in range(s.repetitions + 1):  # the first one warms up
            seen = {do: rate(do) for do in ("search", "insert")}
            if repetition:
                out["searches_per_s"].append(seen["search"])
                out["inserts_per_s"].append(seen["insert"])
        for repetition in range(s.repetitions):
            bucket = (size * repetition // s.repetitions // M * M + repetition) % size
            fault = lab.kill(lab.data(bucket))
            done = lab.recover(bucket // M)
            if done.failed_buckets != 1 or not done.total_s:
                raise NotMeasured(f"Bucket {bucket} was not recovered.")
            out["rebuild_ms"].append(1000 * done.total_s)
            lab.restart(fault)
            lab.settle(timeout=120)
        for _ in range(s.repetitions):
            out["split_ms"].append(1000 * lab.split(timeout=60).total_s)
        lab.settle(timeout=120)
    return out


def _done(done: Any, count: int) -> Any:
    if done.results.get("ok", 0) != count or done.unanswered or done.wrong or done.missing:
        raise NotMeasured(f"A workload of {count} operations had {done.results}, {done.unanswered} unanswered, {done.wrong} wrong.")
    return done


MEASURES.append(Measure("scale", (_FORWARDS, _BUCKETS), _scale))
