# SPDX-License-Identifier: GPL-3.0-or-later
"""The sockets. One thread owns all of them. It sends commands and hands each reply to its caller, reads events into
the log, asks the coordinator periodically for the list of processes, and notices the end of processes that were
started here."""
import collections
import concurrent.futures
import dataclasses
import itertools
import os
import re
import threading
import time
from typing import Any, Callable, Optional

import zmq
from google.protobuf.message import DecodeError

from . import messages as pb, run_clock
from .errors import LabError
from .keys import PeerKeys
from .events import EventLog

_ASK_AGAIN_S = 0.25
_BATCHES_WAITING = 100_000
_ENDPOINT = re.compile(r"tcp://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})")
_KINDS = {pb.NODE: "node", pb.COORDINATOR: "coordinator", pb.CLIENT: "client"}

_REFUSALS = {pb.BAD_ARGUMENT: "BadArgument", pb.TIMED_OUT: "Timeout", pb.NO_SPARES: "NoSpares", pb.NOT_ALLOWED: "NotAllowed"}


@dataclasses.dataclass
class Process:
    """A process of the cluster, as it introduced itself."""

    number: int
    name: str
    kind: str                    # 'node', 'coordinator', 'client'
    pid: int                     # of the operating system
    control: str
    events: str
    pool: int                    # Role of a server: the pool it waits in
    address: Any                 # pb.Address
    version: str
    is_simulated: bool
    seed: int
    place: Any = None            # pb.Place, as the coordinator knows it
    is_ours: bool = False        # started here, so its end is observed
    is_listed: bool = False      # its coordinator has named it
    has_ended: bool = False
    how_it_ended: str = ""
    ended_wall_ns: int = 0       # when its end was observed; 0: it was not, or the process is not ours

    @classmethod
    def of(cls, info: Any) -> "Process":
        """From a ProcessInfo."""
        return cls(info.node, info.name, _KINDS.get(info.kind, ""), info.pid, info.control_endpoint,
                   info.events_endpoint, info.pool, info.address, info.version, info.is_simulated, info.seed)


def is_sound(info: Any) -> bool:
    """Whether a process's introduction can be used: a coordinator passes on whatever registers with it."""
    endpoints = [_ENDPOINT.fullmatch(endpoint) for endpoint in (info.control_endpoint, info.events_endpoint) if endpoint]
    return info.pid < 2**31 and all(named is not None and 1 <= int(named[1]) <= 65_535 for named in endpoints)


def is_running_here(process: Process) -> bool:
    """Whether a process with that pid runs on this machine. It may only have been paused and may answer later, so
    callers that wait for it continue to wait."""
    if process.pid == 0:
        return False
    try:
        os.kill(process.pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it exists, but belongs to another user
        return True
    return True


class Wire:
    """The sockets and their thread. All methods may be called from any thread; ``close`` once."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._context = zmq.Context()
        self._events = self._context.socket(zmq.SUB)
        self._events.rcvhwm = _BATCHES_WAITING
        self._events.linger = 0
        self._events.subscribe(b"")
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        os.set_blocking(self._write, False)
        self._lock = threading.Lock()
        self._jobs: collections.deque[Callable[[], Any]] = collections.deque()
        self._tickets = itertools.count(1)
        self._waiting: dict[int, tuple[str, int, concurrent.futures.Future[Any]]] = {}
        self._processes: dict[int, Process] = {}
        self._watched: set[str] = set()
        self._keys: Optional[PeerKeys] = None        # of the cluster; set before anything is connected
        self._clients: set[str] = set()              # endpoints of client processes, whose sockets have another key
        self._lost: dict[str, str] = {}              # endpoints at which no process is left, and why
        self._dealers: dict[str, zmq.Socket] = {}    # used by the thread only, like the next four
        self._children: dict[int, tuple[int, Callable[[], None]]] = {}
        self._coordinator = ""
        self._asked = 0.0
        self._chores: dict[str, list[Any]] = {}      # by name: period, next time, function
        self._is_closing = False
        self.unreadable = 0                          # messages that are not of this protocol
        self.unsound = 0                             # entries of the coordinator's list that cannot be used
        self._poller = zmq.Poller()
        self._poller.register(self._read, zmq.POLLIN)
        self._poller.register(self._events, zmq.POLLIN)
        self._thread = threading.Thread(target=self._run, name="lhrs-lab", daemon=True)
        self._thread.start()

    # ---- for everybody

    def close(self) -> None:
        """Ends the thread and closes the sockets; outstanding calls end with NoCluster."""
        self._do(self._stop)
        self._thread.join()

    def use_keys(self, keys: Optional[PeerKeys]) -> None:
        """From now on connects with these keys; call it before anything is connected."""
        self._keys = keys

    def note_client(self, *endpoints: str) -> None:
        """These endpoints are those of client processes."""
        with self._lock:
            self._clients.update(endpoints)

    def _prepare(self, socket: zmq.Socket, endpoint: str) -> None:
        if self._keys is not None:
            with self._lock:
                is_client = endpoint in self._clients
            self._keys.prepare(socket, is_client)

    def call(self, endpoint: str, command: Any, process: int = 0) -> "concurrent.futures.Future[Any]":
        """Sends a command; the future receives the CommandReply, or a LabError. It has no timeout of its own: see
        ``forget``."""
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        command.ticket = next(self._tickets)
        future.ticket = command.ticket  # type: ignore[attr-defined]
        known = self.find(process)
        if known is not None and known.is_simulated:
            command.process = process
        with self._lock:
            lost = self._lost.get(endpoint)
            if lost is None:
                self._waiting[command.ticket] = (endpoint, process, future)
        if lost is not None:
            future.set_exception(LabError("Unreachable", lost))
            return future
        data = command.SerializeToString()
        self._do(lambda: self._dealer(endpoint).send(data))
        return future

    def forget(self, future: "concurrent.futures.Future[Any]") -> None:
        """The reply is no longer awaited."""
        with self._lock:
            self._waiting.pop(future.ticket, None)  # type: ignore[attr-defined]

    def follow(self, coordinator: str) -> None:
        """From now on the list of processes comes from this coordinator; empty: from none."""
        def do() -> None:
            self._coordinator = coordinator
            self._asked = 0.0
        self._do(do)

    def repeat(self, name: str, period_s: float, chore: Optional[Callable[[], None]]) -> None:
        """From now on the thread calls the function periodically (leases end unless they are renewed); None: it
        stops. When this returns, the function that had this name before is not running any more."""
        done = threading.Event()

        def do() -> None:
            self._chores.pop(name, None)
            if chore is not None:
                self._chores[name] = [period_s, time.monotonic() + period_s, chore]
            done.set()
        self._do(do)
        if threading.current_thread() is not self._thread:
            done.wait(_ASK_AGAIN_S * 8)  # the thread may be closing

    def watch_events(self, endpoint: str) -> None:
        """Subscribes to the events of that endpoint."""
        with self._lock:
            if endpoint in self._watched:
                return
            self._watched.add(endpoint)

        def do() -> None:
            self._prepare(self._events, endpoint)
            self._events.ipv6 = "[" in endpoint
            self._events.connect(endpoint)
        self._do(do)

    def watch_end(self, descriptor: int, ended: Callable[[], None]) -> None:
        """Calls ``ended`` (in the thread) when the pidfd reports that its process has ended, and closes the pidfd."""
        def do() -> None:
            self._children[descriptor] = (descriptor, ended)
            self._poller.register(descriptor, zmq.POLLIN)
        self._do(do)

    def add(self, process: Process) -> None:
        """Adds a process that the coordinator does not list yet."""
        with self._lock:
            known = self._processes.setdefault(process.number, process)
        self._log.name(known.number, known.name)
        if process.kind == "client":
            self.note_client(process.events, process.control)
        self.watch_events(process.events)

    def end(self, number: int, how: str) -> None:
        """Records that the process has ended; its replies are no longer awaited."""
        with self._lock:
            known = self._processes.get(number)
            if known is None or known.has_ended:
                return
            known.has_ended, known.how_it_ended = True, how
            known.ended_wall_ns = run_clock.now_ns() if known.is_ours and not known.is_simulated else 0
            waiting = [(ticket, entry[2]) for ticket, entry in self._waiting.items() if entry[1] == number]
            for ticket, _ in waiting:
                del self._waiting[ticket]
        for _, future in waiting:
            future.set_exception(LabError("Unreachable", f"The process {known.name} has ended ({how})."))
        self._log.wake()

    def lose(self, endpoint: str, why: str) -> None:
        """Records that the process at that endpoint has ended, with all processes that it simulates."""
        for process in self.processes():
            if process.control == endpoint:
                self.end(process.number, why)
        with self._lock:
            self._lost[endpoint] = why
            waiting = [(ticket, entry[2]) for ticket, entry in self._waiting.items() if entry[0] == endpoint]
            for ticket, _ in waiting:
                del self._waiting[ticket]
        for _, future in waiting:
            future.set_exception(LabError("Unreachable", why))

    def find(self, number: int) -> Optional[Process]:
        """The process with that number, even if it has ended."""
        with self._lock:
            return self._processes.get(number)

    def processes(self, living: bool = True) -> list[Process]:
        """All known processes, in the order in which they became known."""
        with self._lock:
            return [process for process in self._processes.values() if not (living and process.has_ended)]

    # ---- the thread

    def _do(self, job: Callable[[], Any]) -> None:
        with self._lock:
            if self._is_closing:
                raise LabError("NoCluster", "This Lab has been closed.", "Make another one.")
            self._jobs.append(job)
            # Inside the lock: the thread may take the job at once, and closes the pipe when it is told to stop.
            try:
                os.write(self._write, b"x")
            except BlockingIOError:
                pass  # full: the thread is awake

    def _stop(self) -> None:
        with self._lock:
            self._is_closing = True

    def _dealer(self, endpoint: str) -> zmq.Socket:
        if endpoint not in self._dealers:
            dealer = self._context.socket(zmq.DEALER)
            dealer.linger = 0
            dealer.ipv6 = "[" in endpoint  # otherwise a name with an address of IPv6, too, would be looked for there only
            self._prepare(dealer, endpoint)
            dealer.connect(endpoint)
            self._dealers[endpoint] = dealer
            self._poller.register(dealer, zmq.POLLIN)
        return self._dealers[endpoint]

    def _run(self) -> None:
        try:
            while not self._is_closing:
                self._turn()
        finally:  # whatever failed in a turn: no caller may wait for this thread for ever
            self._end()

    def _turn(self) -> None:
        ready = dict(self._poller.poll(int(_ASK_AGAIN_S * 1000)))
        if self._read in ready:
            os.read(self._read, 4096)
        while self._jobs:
            self._jobs.popleft()()
        if self._is_closing:
            return  # the periodic functions could not send anything any more
        for descriptor in [one for one in ready if one in self._children]:
            self._poller.unregister(descriptor)
            self._children.pop(descriptor)[1]()
            os.close(descriptor)
        self._read_events()
        for dealer in self._dealers.values():
            self._read_replies(dealer)
        for entry in list(self._chores.values()):
            if time.monotonic() >= entry[1]:
                entry[1] = time.monotonic() + entry[0]
                entry[2]()
        if self._coordinator and time.monotonic() - self._asked > _ASK_AGAIN_S:
            self._asked = time.monotonic()
            command = pb.Command(ticket=0, list_processes=pb.ListProcesses())
            self._dealer(self._coordinator).send(command.SerializeToString())

    def _end(self) -> None:
        self._stop()
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        for _, _, future in waiting.values():
            future.set_exception(LabError("NoCluster", "This Lab was closed meanwhile."))
        for socket in (self._events, *self._dealers.values()):
            socket.close(0)
        for descriptor in (self._read, self._write, *self._children):
            os.close(descriptor)
        self._context.term()
        self._log.wake()

    def _read_events(self) -> None:
        for _ in range(1000):  # a limit, so that commands have their turn
            try:
                head, body = self._events.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            except ValueError:  # not two frames
                self.unreadable += 1
                continue
            try:
                self._log.take(pb.EventHeader.FromString(head), pb.EventBatch.FromString(body))
            except DecodeError:  # the sequence numbers reveal the gap
                self.unreadable += 1

    def _read_replies(self, dealer: zmq.Socket) -> None:
        while True:
            try:
                reply = pb.CommandReply.FromString(dealer.recv(zmq.NOBLOCK))
            except zmq.Again:
                return
            except DecodeError:  # the caller's timeout ends the wait
                self.unreadable += 1
                continue
            if reply.ticket == 0:
                self._learn(reply)
                continue
            with self._lock:
                _, _, future = self._waiting.pop(reply.ticket, ("", 0, None))
            if future is None:
                continue
            if reply.refusal == pb.NOT_REFUSED:
                future.set_result(reply)
                continue
            code = _REFUSALS.get(reply.refusal, "Refused")
            future.set_exception(LabError(code, reply.text or pb.Refusal.Name(reply.refusal),
                                          "lab.add_spares(data=1, parity=1) starts further servers." if code == "NoSpares" else ""))

    def _is_false_coordinator(self, info: Any) -> bool:
        """Whether the process only claims to be the coordinator. There is one, from which the list comes; others
        have registered by mistake."""
        port = self._coordinator.rsplit(":", 1)[-1]
        return bool(info.kind == pb.COORDINATOR and port and info.control_endpoint and info.control_endpoint.rsplit(":", 1)[-1] != port)

    def _learn(self, reply: Any) -> None:
        if reply.WhichOneof("body") != "processes":
            return
        sound = [entry for entry in reply.processes.processes if is_sound(entry.process) and not self._is_false_coordinator(entry.process)]
        self.unsound += len(reply.processes.processes) - len(sound)
        listed = {entry.process.node for entry in sound}
        for process in self.processes(living=False):
            if process.is_ours:
                continue
            if process.number in listed:
                process.has_ended = False  # a restarted coordinator must first hear of the processes
            elif process.is_listed and not is_running_here(process):  # and it lists itself only after it has listened
                self.end(process.number, "the coordinator does not list it any more")
        for entry in sound:
            self.add(Process.of(entry.process))
            known = self.find(entry.process.node)
            if known is not None:
                known.place, known.is_listed = entry.place, True
