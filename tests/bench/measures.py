# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of the table. Each measure runs a peer (or a limit) and our store in turn, and yields one ``Seen`` per
repetition."""
import csv
import dataclasses
import json
import pathlib
import socket
import tempfile
import time
from typing import Any, Callable, Iterator, Optional, Union

import peers
from peers import NotMeasured, one_core, redis, simulated

from lhrs_lab import Chart, Client, Lab, messages as pb
from lhrs_lab.measure import Table

ONE_CORE = "all on one core"
SCHEDULER = "left to the scheduler"
SIMULATED = "simulated"
ONE_THREAD = "one thread, its processor time"
RECORD_BYTES = 100
M = 4


@dataclasses.dataclass(frozen=True)
class Target:
    """A row: the quotient that is measured, and its bound, which is an upper or a lower one."""

    row: str
    quantity: str
    bound: float
    is_upper: bool
    unit: str = ""

    def is_met(self, value: float) -> bool:
        """Whether this value meets the target."""
        return value <= self.bound if self.is_upper else value >= self.bound


@dataclasses.dataclass(frozen=True)
class Seen:
    """One repetition of one row: the value that the target bounds, and the two figures from which it is computed."""

    row: str
    value: float
    ours: float
    peer: Optional[float]
    unit: str          # of ours and peer
    placement: str


@dataclasses.dataclass(frozen=True)
class Unseen:
    """A row without a figure in this run, with the reason as a sentence."""

    row: str
    reason: str


@dataclasses.dataclass(frozen=True)
class Settings:
    """How much is measured, and where results besides the rows are collected."""

    quick: bool
    repetitions: int
    programs: pathlib.Path
    scenarios: pathlib.Path
    commit: str
    tables: list[Table] = dataclasses.field(default_factory=list)    # observations that have no target
    charts: list[Chart] = dataclasses.field(default_factory=list)    # of these tables
    notes: list[str] = dataclasses.field(default_factory=list)       # other remarks about this run, as sentences

    def count(self, full: int, quick: int) -> int:
        """The number of repetitions or operations of something that takes time."""
        return quick if self.quick else full


Run = Callable[[Settings], Iterator[Union[Seen, Unseen]]]


@dataclasses.dataclass(frozen=True)
class Measure:
    """Rows that are measured together."""

    name: str
    targets: tuple[Target, ...]
    run: Run


MEASURES: list[Measure] = []


def _measure(name: str, *targets: Target) -> Callable[[Run], Run]:
    def add(run: Run) -> Run:
        MEASURES.append(Measure(name, targets, run))
        return run
    return add


# ---- clusters

def _cluster(s: Settings, k: int, records: int, **options: Any) -> Lab:
    """A cluster whose buckets hold all inserted records, so that it splits only by command."""
    o: dict[str, Any] = {"m": M, "k": k, "b": 4 * records + 100, "record_bytes": RECORD_BYTES,
                         "recovery": "off" if k == 0 else "automatic", "spares": {"data": M, "parity": k},
                         "keys": False}  # nor have the peers any; keyed.py tells what keys cost
    lab = Lab.start(**{**o, **options}, bin_dir=str(s.programs))
    lab.detail("counts")
    return lab


def _fill(lab: Lab, records: int) -> Client:
    """Makes four data buckets with this many records in total."""
    writer = lab.client("writer")
    _check(writer.run("insert", records // M, window=64), records // M)
    lab.settle()
    while lab.file().M < M:
        lab.split()
    _check(writer.run("insert", records - records // M, window=64), records - records // M)
    lab.settle()
    return writer


def _check(done: Any, count: int) -> Any:
    """Checks that every operation of a workload was answered as expected; otherwise it does not count."""
    if done.results.get("ok", 0) != count or done.unanswered or done.wrong or done.missing:
        raise NotMeasured(f"A workload of {count} operations had {done.results}, {done.unanswered} unanswered, {done.wrong} wrong.")
    return done


def _us(done: Any) -> float:
    return float(1000 * done.p50_ms)


def _rate(done: Any) -> float:
    return float(done.operations / done.total_s)


# ---- single operations

# redis-benchmark counts in steps of 8 microseconds: its median is 7 or 15. So means are compared with means. The median
# is compared with that of a client which only sends and receives, while our client keeps a ledger and checks each
# answer.
@_measure("search",
          Target("search", "synchronised search / redis-benchmark GET, one client: mean times", 1.0, True),
          Target("search_lean", "the same / GET of a client that does nothing else: medians", 1.0, True))
def _search(s: Settings) -> Iterator[Seen]:
    count = s.count(50_000, 10_000)
    with one_core(), redis() as peer, _cluster(s, 0, 25_000) as lab:
        client = _fill(lab, 25_000)
        peers.redis_p50_us(s.programs / "bench_redis", peer, 25_000, "set")
        peer.fill(25_000)
        for repetition in range(s.repetitions + 1):  # the first one warms up
            seen = _beside_redis(s, peer, client, "search", "search", "get", count)
            if repetition:
                yield from seen


def _beside_redis(s: Settings, peer: peers.Redis, client: Client, row: str, do: str, test: str, count: int) -> list[Seen]:
    """One repetition: both clients of Redis (each with its own keys), then our client."""
    mean, lean = 1e6 / peer.benchmark(test, count), peers.redis_p50_us(s.programs / "bench_redis", peer, count, test)
    done = _check(client.run(do, count), count)
    ours_mean = 1e6 / _rate(done)
    return [Seen(row, ours_mean / mean, ours_mean, mean, "us", ONE_CORE),
            Seen(f"{row}_lean", _us(done) / lean, _us(done), lean, "us", ONE_CORE)]


def _note_sliding(s: Settings, what: str, client: Client, do: str, count: int) -> None:
    """Notes the rate of a sliding window. redis-benchmark -P 64, like the rows that are compared with it, sends 64
    requests and awaits all of them before the next 64. A sliding window begins a new operation as soon as another
    one ends."""
    rate = _rate(_check(client.run(do, count, window=64), count))
    s.notes.append(f"{what}: where a window of 64 slides, instead of 64 at once as the peer's, {rate:,.0f} 1/s.")


@_measure("parallel_search", Target("parallel_search", "searches, window 64, 4 data buckets / redis-benchmark GET -P 64", 1.5, False))
def _parallel_search(s: Settings) -> Iterator[Seen]:
    count = s.count(400_000, 100_000)
    with redis() as peer, _cluster(s, 0, 25_000) as lab:
        client = _fill(lab, 25_000)
        peer.fill(25_000)
        for repetition in range(s.repetitions + 1):
            theirs = peer.benchmark("get", 4 * count, 1, 64)
            ours = _rate(_check(client.run("search", count, window=64, batch=64), count))
            if repetition:
                yield Seen("parallel_search", ours / theirs, ours, theirs, "1/s", SCHEDULER)
        _note_sliding(s, "searches", client, "search", count)


@_measure("insert_k0",
          Target("insert_k0", "acknowledged insert k=0 / redis-benchmark SET, one client: mean times", 1.0, True),
          Target("insert_k0_lean", "the same / SET of a client that does nothing else: medians", 1.0, True))
def _insert_k0(s: Settings) -> Iterator[Seen]:
    count = s.count(50_000, 10_000)
    with one_core(), redis() as peer, _cluster(s, 0, count * (s.repetitions + 2)) as lab:
        client = _fill(lab, count)
        for repetition in range(s.repetitions + 1):
            seen = _beside_redis(s, peer, client, "insert_k0", "insert", "set", count)
            if repetition:
                yield from seen


@_measure("insert_k2", Target("insert_k2", "acknowledged insert k=2 p50 / Redis SET + WAIT 2 p50, one client", 1.0, True))
def _insert_k2(s: Settings) -> Iterator[Seen]:
    count = s.count(25_000, 5_000)
    with one_core(), redis(2) as peer, _cluster(s, 2, count * (s.repetitions + 2)) as lab:
        client = _fill(lab, count)
        for repetition in range(s.repetitions + 1):
            theirs = peers.redis_p50_us(s.programs / "bench_redis", peer, count, "wait", "2")
            ours = _us(_check(client.run("insert", count), count))
            if repetition:
                yield Seen("insert_k2", ours / theirs, ours, theirs, "us", ONE_CORE)


@_measure("windowed_insert_k2",
          Target("windowed_insert_k2", "inserts k=2, window 64, acknowledged by all parity / Redis SET -P 64 with two copies", 1.0, False))
def _windowed_insert_k2(s: Settings) -> Iterator[Seen]:
    count = s.count(200_000, 50_000)
    with redis(2) as peer, _cluster(s, 2, count * (s.repetitions + 3)) as lab:
        client = _fill(lab, 10_000)
        for repetition in range(s.repetitions + 1):
            theirs = peer.benchmark("set", 4 * count, 1, 64, 1_000_000)
            ours = _rate(_check(client.run("insert", count, window=64, batch=64), count))
            if repetition:
                yield Seen("windowed_insert_k2", ours / theirs, ours, theirs, "1/s", SCHEDULER)
        _note_sliding(s, "inserts with k=2", client, "insert", count)


@_measure("cost_of_k",
          Target("cost_of_k1", "time of windowed inserts: k=1 over k=0, added", 20.0, True, "%"),
          Target("cost_of_k2", "time of windowed inserts: k=2 over k=1, added", 10.0, True, "%"))
def _cost_of_k(s: Settings) -> Iterator[Seen]:
    count = s.count(200_000, 50_000)
    records = count * (s.repetitions + 2)
    with _cluster(s, 0, records) as lab0, _cluster(s, 1, records) as lab1, _cluster(s, 2, records) as lab2:
        clients = [_fill(lab, 10_000) for lab in (lab0, lab1, lab2)]
        for repetition in range(s.repetitions + 1):
            us = [1e6 / _rate(_check(client.run("insert", count, window=64), count)) for client in clients]
            if repetition:
                yield Seen("cost_of_k1", 100 * (us[1] / us[0] - 1), us[1], us[0], "us", SCHEDULER)
                yield Seen("cost_of_k2", 100 * (us[2] / us[1] - 1), us[2], us[1], "us", SCHEDULER)


@_measure("split_stall",
          Target("split_stall", "longest time of one insert while buckets of 10,000 split, k=0", 5.0, True, "ms"),
          Target("growth_tail", "p99.9 / p50 of inserts while the file grows", 20.0, True))
def _split_stall(s: Settings) -> Iterator[Seen]:
    count = 25_000
    for repetition in range(s.repetitions + 1):
        with _cluster(s, 0, count, b=10_000, spares={"data": 5, "parity": 0}) as lab:
            times = sorted(_check(lab.client("writer").run("insert", count, times_every=1), count).times_ms)
            lab.settle()
            if len(times) != count or lab.file().M < 3:
                raise NotMeasured(f"{len(times)} of {count} inserts were timed, and the file has {lab.file().M} buckets.")
        if repetition:
            p50, p999 = times[count // 2], times[count * 999 // 1000]
            yield Seen("split_stall", times[-1], times[-1], None, "ms", SCHEDULER)
            yield Seen("growth_tail", p999 / p50, p999, p50, "ms", SCHEDULER)


@_measure("degraded_search", Target("degraded_search", "search of a lost record p50 / normal search p50, k=1", 4.0, True))
def _degraded_search(s: Settings) -> Iterator[Seen]:
    count = s.count(5_000, 1_000)
    with one_core(), _cluster(s, 1, 25_000, recovery="on_alarm") as lab:
        client = _fill(lab, 25_000)
        keys = {number: lab.keys_for(lab.data(number), 1_000, existing=True) for number in (1, 2)}
        lab.kill(lab.data(2))
        client.search(keys[2][0])  # misses an answer and sends an alarm; there is no spare, so the bucket stays lost

        def p50(number: int) -> float:
            return _us(_check(client.run("search", count, keys=(keys[number] * count)[:count]), count))

        for repetition in range(s.repetitions + 1):
            normal, lost = p50(1), p50(2)
            if client.search(keys[2][repetition]).path != "record recovery":
                raise NotMeasured("The lost bucket is back; its records were not computed.")
            if repetition:
                yield Seen("degraded_search", lost / normal, lost, normal, "us", ONE_CORE)


# ---- kernels

@_measure("kernels",
          Target("delta_gfni", "100-byte delta in GF(2^16): gf-complete / ours with GFNI", 10.0, False),
          Target("delta_avx2", "100-byte delta in GF(2^16): gf-complete / ours with AVX2", 4.0, False),
          Target("encode", "encode m=4, k=3, 64 KiB: ours with GFNI in GF(2^16) / ISA-L (8 bits)", 2.0, False),
          Target("encode_gf8", "encode m=4, k=3, 64 KiB: ours with GFNI in GF(2^8) / ISA-L", 2.0, False))
def _kernels(s: Settings) -> Iterator[Seen]:
    gfni = next((name for name in ("simd:gfni-avx512", "simd:gfni-avx2") if name in _kernels_here(s)), None)
    avx2 = "simd:avx2" if "simd:avx2" in _kernels_here(s) else None
    wanted = "multiply_add/gf16/.*/100$|encode_k3/.*/65536$"
    out = peers.run([str(s.programs / "bench_kernels"), f"--benchmark_filter={wanted}", "--benchmark_format=json",
                     f"--benchmark_repetitions={s.repetitions}", "--benchmark_enable_random_interleaving=true",
                     f"--benchmark_min_time={0.05 if s.quick else 0.3}"])
    ns: dict[tuple[str, int], float] = {}
    for one in json.loads(out)["benchmarks"]:
        if one.get("run_type") == "iteration":
            ns[one["name"], one["repetition_index"]] = float(one["cpu_time"])
    for repetition in range(s.repetitions):
        reference = ns["multiply_add/gf16/gf-complete/100", repetition]
        for row, kernel in (("delta_gfni", gfni), ("delta_avx2", avx2)):
            if kernel:
                ours = ns[f"multiply_add/gf16/{kernel}/100", repetition]
                yield Seen(row, reference / ours, ours, reference, "ns", ONE_THREAD)
        theirs = 4 * 65_536 / ns["encode_k3/gf8/isa-l/65536", repetition]
        for row, field in (("encode", "gf16"), ("encode_gf8", "gf8")):
            if gfni:
                ours = 4 * 65_536 / ns[f"encode_k3/{field}/{gfni}/65536", repetition]
                yield Seen(row, ours / theirs, ours, theirs, "GB/s", ONE_THREAD)


def _kernels_here(s: Settings) -> list[str]:
    names = peers.run([str(s.programs / "bench_kernels"), "--benchmark_list_tests=true", "--benchmark_filter=multiply_add/gf16/.*/100$"])
    return [line.split("/")[2] for line in names.splitlines()]


# ---- bulk

def _recovery(s: Settings, row: str, records: int, record_bytes: int, seconds_of_paper: Optional[float]) -> Iterator[Seen]:
    with _cluster(s, 3, M * records, recovery="manual", record_bytes=record_bytes, spares={"data": 7, "parity": 3}) as lab:
        _fill(lab, M * records)
        for repetition in range(s.repetitions + 1):
            rate = peers.tcp_bytes_per_second()
            fault = lab.kill(lab.data([(repetition + i) % M for i in range(3)]))
            done = lab.recover(0)
            if done.failed_buckets != 3 or done.records != 3 * records or not done.bytes or not done.total_s:
                raise NotMeasured(f"The recovery brought {done.records} records of {3 * records}.")
            plain = done.bytes / rate
            if repetition:
                if row == "recovery_large":
                    yield Seen(row, plain / done.total_s, done.bytes / done.total_s / 1e9, rate / 1e9, "GB/s", SCHEDULER)
                else:
                    yield Seen(row, done.total_s / plain, 1000 * done.total_s, 1000 * plain, "ms", SCHEDULER)
                if seconds_of_paper:
                    yield Seen("recovery_then", seconds_of_paper / done.total_s, done.total_s, seconds_of_paper, "s", SCHEDULER)
            lab.restart(fault)
            lab.settle()


@_measure("recovery",
          Target("recovery", "3 buckets of 31,250 x 100 bytes: total / the same bytes by plain TCP", 3.0, True),
          Target("recovery_then", "3 buckets of 31,250 x 100 bytes: the paper's time / ours", 20.0, False))
def _recovery_small(s: Settings) -> Iterator[Seen]:
    yield from _recovery(s, "recovery", 31_250, 100, 1.555)


@_measure("recovery_large", Target("recovery_large", "3 buckets of 250,000 x 1,000 bytes: recovered bytes per second / plain TCP", 0.30, False))
def _recovery_large(s: Settings) -> Iterator[Seen]:
    if s.quick:
        raise NotMeasured("takes minutes and 3 GB; --quick leaves it out.")
    yield from _recovery(s, "recovery_large", 250_000, 1_000, None)


@_measure("parity_creation", Target("parity_creation", "parity bucket of 31,250 x 100 bytes x 4: total / the same bytes by plain TCP", 3.0, True))
def _parity_creation(s: Settings) -> Iterator[Seen]:
    records = 31_250
    for repetition in range(s.repetitions + 1):
        with _cluster(s, 1, M * records, recovery="manual", spares={"data": M, "parity": 2}) as lab:  # column 1 multiplies
            _fill(lab, M * records)
            rate = peers.tcp_bytes_per_second()
            lab.raise_availability(2)
            made = lab.add_parity(0)
            if made.records is None or made.records < records or not made.total_s:
                raise NotMeasured(f"The parity bucket has {made.records} records.")
            plain = M * records * RECORD_BYTES / rate
            if repetition:
                yield Seen("parity_creation", made.total_s / plain, 1000 * made.total_s, 1000 * plain, "ms", SCHEDULER)


# ---- what else it costs

@_measure("events",
          Target("events", "windowed inserts k=1: each change of a record told (records) / counts only", 0.95, False),
          Target("events_operations", "the same with each operation told, step by step / counts only", 0.95, False),
          Target("events_full", "the same with each message told / counts only", 0.95, False))
def _events(s: Settings) -> Iterator[Seen]:
    # lhrs-play watches, as the window does; a watcher in Python would take most of a core.
    options = {"repetitions": s.repetitions, "count": s.count(100_000, 20_000)}
    for row in _played(s, "events", [], options):
        counts = float(row["counts_per_s"])
        for name, column in (("events", "records_per_s"), ("events_operations", "operations_per_s"), ("events_full", "full_per_s")):
            yield Seen(name, float(row[column]) / counts, float(row[column]), counts, "1/s", SCHEDULER)


def _played(s: Settings, name: str, arguments: list[str], options: dict[str, int]) -> list[dict[str, str]]:
    """The rows of the table that a scenario of this folder writes; scenario and table have the same name."""
    with tempfile.TemporaryDirectory(prefix="lhrs-bench-") as out:
        sets = [word for option, value in options.items() for word in ("--set", f"{option}={value}")]
        peers.run([str(s.programs / "lhrs-play"), *arguments, "--csv", out, *sets, str(s.scenarios / f"{name}.js")], 1800)
        with open(pathlib.Path(out) / f"{name}.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


@_measure("memory", Target("memory", "memory of a 100-byte record, m=4, k=2, everything / Redis with two copies", 0.40, True))
def _memory(s: Settings) -> Iterator[Seen]:
    records = s.count(1_000_000, 100_000)
    for repetition in range(s.repetitions if not s.quick else min(2, s.repetitions)):
        with redis(2) as peer:
            empty = peers.resident_bytes_at_rest(peer.pids)
            for first in range(0, records, 500):  # each key once, which redis-benchmark cannot do
                words = "".join(f"*3\r\n$3\r\nSET\r\n$16\r\nkey:{key:012d}\r\n$100\r\n{'x' * 100}\r\n" for key in range(first, first + 500))
                _pipe(peer, words, 500)
            peer.ask("WAIT", "2", "20000")
            theirs = (peers.resident_bytes_at_rest(peer.pids) - empty) / records
        with _cluster(s, 2, records) as lab:
            pids = [process.pid for process in lab.processes() if process.kind == "node"]
            empty = peers.resident_bytes_at_rest(pids)
            _fill(lab, records)
            ours = (peers.resident_bytes_at_rest(pids) - empty) / records
        yield Seen("memory", ours / theirs, ours, theirs, "bytes", SCHEDULER)


def _pipe(server: peers.Redis, words: str, answers: int) -> None:
    with socket.create_connection(("127.0.0.1", server.port), 20) as one:
        one.sendall(words.encode())
        came = b""
        while came.count(b"\r\n") < answers:
            more = one.recv(65_536)
            if not more:
                raise NotMeasured("redis-server has closed the connection.")
            came += more
        if came.count(b"+OK") != answers:
            raise NotMeasured("redis-server refused a value.")


@_measure("many_clients", Target("many_clients", "searches, window 64 each: 100 clients, 64 buckets / 1 client, 4 buckets", 0.7, False))
def _many_clients(s: Settings) -> Iterator[Seen]:
    many, each, alone = 100, s.count(3_000, 500), s.count(300_000, 50_000)
    with _cluster(s, 0, 25_000) as few, _cluster(s, 0, 25_000, spares={"data": 64, "parity": 0}) as lab:
        one = _fill(few, 25_000)
        while lab.file().M < 64:
            lab.split()
        clients = [lab.client(f"client-{number}") for number in range(many)]
        for client in clients:
            _check(client.run("insert", 100, window=8), 100)
        lab.settle()
        for repetition in range(s.repetitions + 1):
            apart = _rate(_check(one.run("search", alone, window=64), alone))
            lab.hold_workload()  # otherwise the first have ended before the last is told to begin
            handles = [client.start("search", each, window=64) for client in clients]
            began = time.monotonic()
            lab.hold_workload(False)
            for handle in handles:
                _check(handle.wait(), each)
            together = many * each / (time.monotonic() - began)
            if repetition:
                yield Seen("many_clients", together / apart, together, apart, "1/s", SCHEDULER)


@_measure("forwards", Target("forwards", "forwards per operation at 1,000 buckets, simulated, warm client", 0.01, True))
def _forwards(s: Settings) -> Iterator[Seen]:
    if s.quick:
        raise NotMeasured("growing to 1,000 buckets takes minutes; --quick leaves it out.")
    for row in _played(s, "forwards", ["--sim", "--speed", "max"], {"repetitions": s.repetitions}):
        forwards, operations = float(row["forwards"]), float(row["operations"])
        yield Seen("forwards", forwards / operations, forwards, operations, "operations", SIMULATED)


@_measure("simulator", Target("simulator", "virtual seconds per second, 16 servers simulated", 1000, False))
def _simulator(s: Settings) -> Iterator[Seen]:
    virtual_s = s.count(5_000, 1_000)
    with simulated(s.programs, ["-b", "50", "-k", "2", "--data-spares", "10", "--parity-spares", "6"]) as control, Lab.connect(control) as lab:
        lab.detail("counts")
        _check(lab.client("writer").run("insert", 250, window=8), 250)
        lab.settle()
        while lab.file().M < 8:
            lab.split()
        lab.settle()

        def clock(timeout: float, **order: Any) -> None:  # no other Python code needs it, so lab has no call for it
            lab._ask(lab._coordinator(), timeout, **order)  # pylint: disable=protected-access

        clock(10, set_clock=pb.SetClock(is_paused=True))
        for repetition in range(s.repetitions + 1):
            began = time.monotonic()
            clock(600, step_clock=pb.StepClock(ns=virtual_s * 10**9))
            wall_s = time.monotonic() - began
            if repetition:
                yield Seen("simulator", virtual_s / wall_s, virtual_s, wall_s, "s", SIMULATED)
