# SPDX-License-Identifier: GPL-3.0-or-later
"""The processes of a cluster on this machine: started, ended, paused and restarted by their numbers.

They are children of one thread that lives as long as the cluster, because the kernel tells ``--die-with-parent`` of
the end of a *thread*. So they end with this Python, however it ends."""
import concurrent.futures
import dataclasses
import os
import pathlib
import resource
import select
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from typing import Any, Callable, Optional, Sequence

from . import messages as pb, run_clock
from .errors import LabError
from .keys import read_key
from .values import new_number
from .wire import Process, Wire

_GRACE_S = 2.0     # between SIGTERM and SIGKILL
_LINE_MAX = 4096
# How long wake-up delays are measured, once one of the processes was late.
_LATE_MS = 10.0
_LOOKS_LONGER_S, _LOOKS_AGAIN_S = 0.3, 0.03
_LOOK_S = 0.1      # only if the system does not report ends
FILES_OF_PROCESS = 5  # descriptors that each process takes here: output, end, commands, events, and one to spare

_PREFIXES = {pb.DATA: "data", pb.PARITY: "parity", pb.NO_ROLE: "node"}
_PROGRAMS = ("lhrs-coordinator", "lhrs-node", "lhrs-client")


def program_directory(wanted: Optional[str] = None, programs: Sequence[str] = _PROGRAMS) -> pathlib.Path:
    """The directory of these programs: ``wanted``, else the environment's LHRS_BIN_DIR, else build/release/bin or
    build/dev/bin of the tree that contains this package, else PATH. LabError NoCluster: they are not found."""
    tree = pathlib.Path(__file__).resolve().parents[3]
    named = wanted or os.environ.get("LHRS_BIN_DIR")
    found = shutil.which(programs[0])
    places = [pathlib.Path(named)] if named else \
        [tree / "build/release/bin", tree / "build/dev/bin"] if (tree / "run").is_file() else []
    if found and not named:
        places.append(pathlib.Path(found).parent)
    for place in places:
        if all(os.access(place / program, os.X_OK) for program in programs):
            return place
    subject, them, their = (f"programs {', '.join(programs)} are", "them", "their") if len(programs) > 1 else (f"program {programs[0]} is", "it", "its")
    raise LabError("NoCluster", f"The {subject} not in {' nor in '.join(map(str, places)) or 'PATH'}.",
                   f"Build {them} (./run builds all programs) and name {their} directory: bin_dir=..., or LHRS_BIN_DIR.")


def check_open_files(more: int, for_what: str) -> None:
    """Raises this Python's soft limit of open files to the hard limit. LabError Unsupported: this many more are not
    allowed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    now = len(os.listdir("/proc/self/fd"))
    if hard != resource.RLIM_INFINITY and now + more > hard:
        raise LabError("Unsupported", f"{for_what} need {more} open files besides the {now} of this program, and the system allows it {hard}.",
                       "Take fewer servers, simulate them (simulated=True), or raise the limit (ulimit -Hn).")


def time_scale_for(wake_late_ms: float) -> int:
    """The factor for all timeouts on a machine that wakes processes this late: 1, 2, 4 or 8, as in lhrs-play."""
    return next((scale for scale in (1, 2, 4) if wake_late_ms <= 22.5 * scale), 8)


def _scaled(arguments: Sequence[str], scale: int) -> list[str]:
    """The arguments of a coordinator whose timeouts are `scale` times as long."""
    scaled = list(arguments)
    if "--time-scale" not in scaled:
        return [*scaled, "--time-scale", str(scale)]
    at = scaled.index("--time-scale") + 1
    scaled[at] = f"{float(scaled[at]) * scale:g}"
    return scaled


@dataclasses.dataclass
class Child:
    """A program that was started."""

    name: str
    program: str
    arguments: list[str]
    popen: "subprocess.Popen[bytes]"
    ready: dict[str, str]
    paused_until: float = 0.0     # of time.monotonic; 0: it is not paused
    timer: Optional[threading.Timer] = None
    is_being_ended: bool = False


class LocalCluster:
    """Starts and ends processes, and reports them to the wire."""

    def __init__(self, wire: Wire, bin_dir: Optional[str], patience_s: float, has_gate: bool = False, system: str = "lhrs",
                 has_keys: bool = False) -> None:
        self._wire = wire
        self._is_ring = system != "lhrs"
        self._flags = ["--die-with-parent", *(["--gate"] if has_gate else []), *(["--system", system] if self._is_ring else [])]
        self._patience_s = patience_s              # until a process that starts is ready
        self._bin = program_directory(bin_dir)
        self._spawner = concurrent.futures.ThreadPoolExecutor(1, "lhrs-lab-children")
        self._children: dict[int, Child] = {}      # by process number
        self._servers = {pb.DATA: 0, pb.PARITY: 0, pb.NO_ROLE: 0}
        self._arguments: list[str] = []            # of the coordinator, without its addresses
        self.address = ""                          # of the coordinator, for the other processes
        self.logs = pathlib.Path(tempfile.mkdtemp(prefix="lhrs-"))
        self._keeps_logs = False
        self._has_keys = has_keys
        self._keys: Optional[pathlib.Path] = None  # folder; None: the processes have no keys

    def _make_keys(self) -> None:
        """Makes keys for this cluster, in its folder of logs. LabError NoCluster: it is not possible."""
        self._keys = self.logs / "keys"
        made = subprocess.run([str(self._bin / "lhrs-coordinator"), "--make-keys", str(self._keys)], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise LabError("NoCluster", f"The keys of the cluster cannot be made: {made.stderr.strip()}")
        self._wire.use_keys(read_key(self._keys / "operator.key"))

    @property
    def key_file(self) -> Optional[pathlib.Path]:
        """The key for programs that command this cluster; None: it has none."""
        return None if self._keys is None else self._keys / "operator.key"

    def _key_words(self, program: str) -> list[str]:
        if self._keys is None:
            return []
        return ["--key-file", str(self._keys / ("client.key" if program == "lhrs-client" else "cluster.key"))]

    def new_number(self) -> int:
        """A fault number that no other fault has."""
        return new_number()

    # ---- start

    def start_coordinator(self, arguments: Sequence[str]) -> Process:
        """The first process of a new file, or ring."""
        self._arguments = list(arguments)
        if self._has_keys:
            self._make_keys()
        first = self._start([("coordinator", "lhrs-coordinator", [*arguments, *([] if self._is_ring else ["--new"])])])[0]
        self.address = self._ready(first, "udp")
        return first

    def choose_patience(self) -> dict[str, Any]:
        """Measures how late the processes have been woken so far (wake_late_ms), and sets the factor of the
        coordinator's timeouts accordingly (time_scale). It is called while there is no data server yet, so that the
        whole file uses this factor. LabError NoCluster."""
        begun, late = time.monotonic(), 0.0
        try:
            while True:
                asked = [self._wire.call(child.ready["control"], pb.Command(statistics=pb.Statistics())) for child in self._children.values()]
                late = max([late, *(future.result(self._patience_s).gauges.wake_late_ns / 1e6 for future in asked)])
                if late < _LATE_MS or time.monotonic() - begun >= _LOOKS_LONGER_S:
                    break
                time.sleep(_LOOKS_AGAIN_S)
            scale = time_scale_for(late)
            if scale > 1:
                coordinator = next(child for child in self._children.values() if child.program == "lhrs-coordinator")
                self._wire.call(coordinator.ready["control"], pb.Command(set_time_scale=pb.SetTimeScale(factor=scale))).result(self._patience_s)
                self._arguments = _scaled(self._arguments, scale)
        except concurrent.futures.TimeoutError:
            raise LabError("NoCluster", f"A process runs but does not say how late it is woken; its log is in {self.logs}.") from None
        return {"wake_late_ms": late, "time_scale": scale}

    def begin(self) -> None:
        """All processes that are wanted at the start exist. Real time advances in any case."""

    def start_servers(self, pool: int, count: int) -> list[Process]:
        """Starts further servers that wait in a pool (messages.DATA, messages.PARITY, or for a ring
        messages.NO_ROLE), all at once."""
        role = [] if pool == pb.NO_ROLE else ["--role", _PREFIXES[pool]]
        return self._start([(name, "lhrs-node", [*role, "--coordinator", self.address]) for name in self._next_names(pool, count)])

    def _next_names(self, pool: int, count: int) -> list[str]:
        first = self._servers[pool] + 1
        self._servers[pool] += count
        return [f"{_PREFIXES[pool]}-{number}" for number in range(first, first + count)]

    def start_client(self, name: str) -> Process:
        """Starts a client process."""
        return self._start([(name, "lhrs-client", ["--coordinator", self.address])])[0]

    def _start(self, wanted: list[tuple[str, str, list[str]]]) -> list[Process]:
        check_open_files(FILES_OF_PROCESS * len(wanted), f"{len(wanted)} further processes")
        children = [self._spawner.submit(self._spawn, *one).result() for one in wanted]
        try:
            deadline = time.monotonic() + self._patience_s
            for child in children:
                self._await_ready(child, deadline)
                if child.program == "lhrs-client":
                    self._wire.note_client(child.ready["events"], child.ready["control"])
                self._wire.watch_events(child.ready["events"])  # its first events must not be missed
            asked = [(child, self._wire.call(child.ready["control"], pb.Command(who_are_you=pb.WhoAreYou())))
                     for child in children]
            started = []
            for child, future in asked:
                process = Process.of(future.result(max(0.1, deadline - time.monotonic())).process)
                process.is_ours = True
                started.append(process)
        except BaseException as error:
            self._keeps_logs = True
            for child in children:
                self._end_child(child)
            if isinstance(error, concurrent.futures.TimeoutError):
                raise LabError("NoCluster", f"A process runs but does not answer; its log is in {self.logs}.") from None
            raise
        for child, process in zip(children, started):
            self._children[process.number] = child
            self._wire.add(process)
            known = self._wire.find(process.number)
            if known is not None:
                known.is_ours = True
            self._watch_end(process.number, child)
        return started

    def _spawn(self, name: str, program: str, arguments: list[str]) -> Child:
        log = open(self.logs / f"{name}.log", "ab")  # pylint: disable=consider-using-with
        try:
            popen = subprocess.Popen(  # pylint: disable=consider-using-with
                [str(self._bin / program), *arguments, "--name", name, *self._flags, *self._key_words(program)],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, process_group=0,
                env=run_clock.environment())
        except OSError as error:
            raise LabError("NoCluster", f"{self._bin / program} cannot be started: {error.strerror}.") from None
        finally:
            log.close()
        return Child(name, program, arguments, popen, {})

    def _await_ready(self, child: Child, deadline: float) -> None:
        """Reads its ready line, which names its endpoints. It is the only output on standard output."""
        output, text = child.popen.stdout, b""
        assert output is not None
        while not child.ready:
            if not select.select([output], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise LabError("NoCluster", f"{child.name} did not start: no ready line within {self._patience_s:g} s"
                               f"{self._last_word(child)}.")
            part = os.read(output.fileno(), _LINE_MAX)
            if not part:
                raise LabError("NoCluster", f"{child.name} did not start: it ended with exit code {child.popen.wait()}"
                               f"{self._last_word(child)}.")
            text += part
            for line in text.split(b"\n")[:-1]:
                words = line.decode(errors="replace").split()
                if words[:1] == ["ready"]:
                    child.ready = dict(word.split("=", 1) for word in words[2:] if "=" in word)

    def _last_word(self, child: Child) -> str:
        lines = [line for line in (self.logs / f"{child.name}.log").read_text(errors="replace").splitlines() if line]
        return (f"; it says: {lines[-1]}" if lines else "") + f" (log: {self.logs / child.name}.log)"

    def _watch_end(self, number: int, child: Child) -> None:
        ended = self._ended(number, child)
        try:
            self._wire.watch_end(os.pidfd_open(child.popen.pid), ended)
        except OSError:  # an old kernel, or a container that denies it: the process is polled
            name = f"end of {number}"

            def look() -> None:
                if child.popen.poll() is not None:
                    self._wire.repeat(name, _LOOK_S, None)
                    ended()
            self._wire.repeat(name, _LOOK_S, look)

    def _ready(self, process: Process, word: str) -> str:
        return self._children[process.number].ready[word]

    def _ended(self, number: int, child: Child) -> Callable[[], None]:
        def ended() -> None:
            code = child.popen.poll()
            self._wire.end(number, "it was ended" if child.is_being_ended else
                           f"signal {-code}" if code is not None and code < 0 else f"exit code {code}")
        return ended

    # ---- faults of processes

    def _child(self, number: int) -> Child:
        known = self._wire.find(number)
        if number not in self._children:
            raise LabError("NotAllowed", f"The process {known.name if known else number} was not started here, "
                           "so it is not touched.")
        return self._children[number]

    def _living(self, numbers: Sequence[int]) -> list[Child]:
        children = [self._child(number) for number in numbers]
        for child in children:
            if child.popen.poll() is not None:
                raise LabError("Refused", f"The process {child.name} has ended already.")
        return children

    def kill(self, numbers: Sequence[int]) -> None:
        """Ends processes like a crash; returns when they are gone."""
        for child in self._living(numbers):
            child.popen.kill()
        for number in numbers:
            self._child(number).popen.wait()
            self._wire.end(number, "killed on request")

    def pause(self, numbers: Sequence[int], lease_s: float) -> None:
        """Pauses them until ``resume``, or until the lease ends."""
        for child in self._living(numbers):
            if child.timer is not None:
                child.timer.cancel()
            child.popen.send_signal(signal.SIGSTOP)
            child.paused_until = time.monotonic() + lease_s
            child.timer = threading.Timer(lease_s, self._go_on, [child])
            child.timer.daemon = True
            child.timer.start()

    @staticmethod
    def _go_on(child: Child) -> None:
        child.paused_until = 0.0
        child.popen.send_signal(signal.SIGCONT)

    def resume(self, numbers: Sequence[int]) -> None:
        """Resumes paused processes. LabError Refused: one is not paused."""
        children = self._living(numbers)
        for child in children:
            if child.paused_until == 0.0:
                raise LabError("Refused", f"The process {child.name} is not paused.")
        for child in children:
            if child.timer is not None:
                child.timer.cancel()
            self._go_on(child)

    def paused(self) -> dict[int, float]:
        """Seconds until each pause ends, by process number."""
        now = time.monotonic()
        return {number: max(0.0, child.paused_until - now) for number, child in self._children.items()
                if child.paused_until and child.popen.poll() is None}

    def ended(self) -> int:
        """How many of the processes started here have ended and were not restarted."""
        return sum(1 for child in self._children.values() if child.popen.poll() is not None)

    def restart(self, numbers: Sequence[int]) -> list[Process]:
        """Starts the same programs again: servers as empty spares, a coordinator at its old address, where it first
        listens for its file. Those that still run are killed before."""
        wanted = []
        for number in numbers:
            child = self._child(number)
            if child.program == "lhrs-client":
                raise LabError("Refused", f"Servers and the coordinator are started again, not {child.name}: what a client "
                               "knows ends with its process.", "lab.client(NAME) starts another one.")
            arguments = child.arguments
            if child.program == "lhrs-coordinator" and self._is_ring:
                raise LabError("Refused", "The master of a ring keeps its members in memory, which ended with it.", "Start a new ring.")
            if child.program == "lhrs-coordinator":
                # The file exists since the start: the coordinator must not create a second one, whatever it hears.
                arguments = [*self._arguments, "--replaces", "--listen", self.address,
                             "--control", child.ready["control"].rsplit(":", 1)[1]]
            wanted.append((child.name, child.program, arguments))
        self.kill([number for number in numbers if self._child(number).popen.poll() is None])
        started = self._start(wanted)
        for number in numbers:
            del self._children[number]
        return started

    # ---- end

    def _end_child(self, child: Child) -> None:
        child.is_being_ended = True
        if child.timer is not None:
            child.timer.cancel()
        if child.popen.poll() is None:
            child.popen.terminate()
            child.popen.send_signal(signal.SIGCONT)  # a paused process would never receive SIGTERM
            try:
                child.popen.wait(_GRACE_S)
            except subprocess.TimeoutExpired:
                child.popen.kill()
                child.popen.wait()
        if child.popen.stdout is not None:
            child.popen.stdout.close()

    def stop(self) -> None:
        """Ends all processes. Their logs are kept only if one of them did not start."""
        for child in self._children.values():
            child.is_being_ended = True
            if child.popen.poll() is None:
                child.popen.terminate()  # all at once, so that none waits for another
        for child in self._children.values():
            self._end_child(child)
        self._children.clear()
        self._spawner.shutdown()
        if self._keys is not None:
            shutil.rmtree(self._keys, ignore_errors=True)
        if not self._keeps_logs:
            shutil.rmtree(self.logs, ignore_errors=True)
