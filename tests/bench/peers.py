# SPDX-License-Identifier: GPL-3.0-or-later
"""Other programs on this machine that are compared with ours: started on free loopback ports, queried, and ended by
the process that started them."""
import contextlib
import csv
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
from typing import Iterator, Optional, Sequence

_PATIENCE_S = 20.0
VALUE_BYTES = 100


class NotMeasured(Exception):
    """Why there is no figure, as a sentence."""


def free_port() -> int:
    """A port of the loopback interface that is free at this moment."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def run(arguments: Sequence[str], timeout: float = 300) -> str:
    """The output of a program that ends by itself. NotMeasured: it is not installed, or it failed."""
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=timeout, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotMeasured(f"{arguments[0]} could not be run: {error}.") from None
    if done.returncode != 0:
        raise NotMeasured(f"{arguments[0]} ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-200:]}")
    return done.stdout


def end(process: "subprocess.Popen[bytes]") -> None:
    """Ends a process that was started here."""
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _await(condition, what: str) -> None:  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + _PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            raise NotMeasured(f"{what} is not ready after {_PATIENCE_S:g} s.")
        time.sleep(0.02)


# ---- Redis

class Redis:
    """One server, and its replicas."""

    def __init__(self, port: int, pids: list[int]) -> None:
        self.port = port
        self.pids = pids

    def ask(self, *words: str) -> str:
        """The raw answer to one command, as far as it arrives in one piece."""
        with socket.create_connection(("127.0.0.1", self.port), _PATIENCE_S) as one:
            one.sendall(f"*{len(words)}\r\n".encode() + b"".join(f"${len(w)}\r\n{w}\r\n".encode() for w in words))
            return one.recv(65_536).decode(errors="replace")

    def benchmark(self, test: str, count: int, clients: int = 1, pipeline: int = 1, keys: int = 25_000) -> float:
        """Operations per second as reported by redis-benchmark. (It also reports times, but in steps of 8
        microseconds, so these are not used.)"""
        out = run(["redis-benchmark", "-h", "127.0.0.1", "-p", str(self.port), "-t", test, "-n", str(count), "-c", str(clients),
                   "-P", str(pipeline), "-d", str(VALUE_BYTES), "-r", str(keys), "--csv"])
        for row in csv.DictReader(out.splitlines()):
            if row.get("test", "").lower() == test:
                return float(row["rps"])
        raise NotMeasured(f"redis-benchmark said nothing of {test}.")

    def fill(self, keys: int) -> None:
        """Stores this many keys (nearly all of them, because they are drawn)."""
        self.benchmark("set", 6 * keys, 1, 64, keys)


def _redis_program() -> tuple[str, str]:
    """(name to run it by, file). The server and the checker from redis-tools are the same file, whose name decides
    what it does. So the package redis-server, which would start a service at each boot, is not needed."""
    server, checker = shutil.which("redis-server"), shutil.which("redis-check-rdb")
    if not (server or checker) or not shutil.which("redis-benchmark"):
        raise NotMeasured("Redis is not installed; ./run bench installs redis-tools.")
    return "redis-server", server or checker or ""


@contextlib.contextmanager
def redis(copies: int = 0) -> Iterator[Redis]:
    """A server that keeps nothing on disk, and ``copies`` replicas that are in sync with it."""
    name, file = _redis_program()
    processes: list[subprocess.Popen[bytes]] = []
    with tempfile.TemporaryDirectory(prefix="lhrs-bench-") as directory:
        try:
            first: Optional[Redis] = None
            for number in range(1 + copies):
                port = free_port()
                home = pathlib.Path(directory) / str(number)
                home.mkdir()
                follows = ["--replicaof", "127.0.0.1", str(first.port)] if first else []
                processes.append(subprocess.Popen(
                    [name, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--daemonize", "no",
                     "--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0", "--dir", str(home), *follows],
                    executable=file, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
                one = Redis(port, [])
                _await(lambda server=one: _answers(server), "redis-server")
                first = first or one
            assert first is not None
            first.pids = [process.pid for process in processes]
            _await(lambda: first.ask("INFO", "replication").count("state=online") == copies, "a copy of redis-server")
            yield first
        finally:
            for process in processes:
                end(process)


def _answers(server: Redis) -> bool:
    try:
        return server.ask("PING").startswith("+PONG")
    except OSError:
        return False


def redis_p50_us(program: pathlib.Path, server: Redis, count: int, *what: str) -> float:
    """The median time of one client that awaits each answer: 'get', 'set', or 'wait', COPIES (set, and the replicas
    have it)."""
    return float(json.loads(run([str(program), str(server.port), str(count), *what]))["p50_us"])


# ---- a plain TCP stream

def tcp_bytes_per_second(duration_s: int = 1) -> float:
    """The rate of one stream on the loopback interface, as iperf3 measures it at its receiver."""
    if not shutil.which("iperf3"):
        raise NotMeasured("iperf3 is not installed; ./run bench installs it.")
    port = free_port()
    server = subprocess.Popen(["iperf3", "-s", "-1", "-B", "127.0.0.1", "-p", str(port)],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for attempt in range(50):  # a probing connection would be the only one it accepts, so retry instead
            time.sleep(0.05)
            try:
                out = run(["iperf3", "-c", "127.0.0.1", "-p", str(port), "-t", str(duration_s), "-J"], 30)
                return float(json.loads(out)["end"]["sum_received"]["bits_per_second"]) / 8
            except NotMeasured:
                if attempt == 49:
                    raise
    finally:
        end(server)
    raise NotMeasured("iperf3 did not answer.")


# ---- our simulator

@contextlib.contextmanager
def simulated(programs: pathlib.Path, arguments: Sequence[str]) -> Iterator[str]:
    """A simulated cluster, ten times as fast as real time; yields its control endpoint. (At full speed it would be
    busy with virtual time in which nothing happens, and answer late.)"""
    try:
        process = subprocess.Popen([str(programs / "lhrs-sim"), "--speed", "10", *arguments], stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
    except OSError as error:
        raise NotMeasured(f"lhrs-sim could not be run: {error}.") from None
    try:
        assert process.stdout is not None
        ready = process.stdout.readline().decode().split()
        control = next((word.removeprefix("control=") for word in ready if word.startswith("control=")), "")
        if not control:
            raise NotMeasured("lhrs-sim did not become ready.")
        yield control
    finally:
        end(process)
        process.stdout.close()  # type: ignore[union-attr]


# ---- placement and memory

@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Runs everything that is started here, the peer's programs and ours, on one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def resident_bytes_at_rest(pids: Sequence[int]) -> int:
    """The memory of these processes once it has not changed by more than a hundredth for five seconds: some programs
    release memory only when they are idle."""
    last, since = resident_bytes(pids), time.monotonic()
    end = since + 60
    while time.monotonic() < since + 5:
        if time.monotonic() > end:
            raise NotMeasured("The memory of the processes still changes after a minute.")
        time.sleep(0.5)
        now = resident_bytes(pids)
        if abs(now - last) > last / 100:
            last, since = now, time.monotonic()
    return last


def resident_bytes(pids: Sequence[int]) -> int:
    """The resident private memory of these processes."""
    total = 0
    for pid in pids:
        try:
            text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
        except OSError as error:
            raise NotMeasured(f"The memory of process {pid} cannot be read: {error.strerror}.") from None
        total += 1024 * sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Private_"))
    return total
