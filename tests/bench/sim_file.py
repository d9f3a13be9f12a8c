# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulated file of any size, driven by plain commands to lhrs-sim. (A Lab would request the list of all processes
four times a second.)

Virtual time stands still except for the steps that are taken here. So a seed gives the same figures in each run,
whatever the load of the machine."""
import collections
import contextlib
import dataclasses
import pathlib
import random
import subprocess
import time
from typing import Any, Callable, Iterator, Sequence

import zmq

import peers
from peers import NotMeasured

from lhrs_lab import messages as pb
from lhrs_lab.context import holder_of
from lhrs_lab.state import address_of

_PATIENCE_S = 300.0
_AT_ONCE = 1_000           # outstanding commands; lhrs-sim limits them
_STEP_NS = 500_000
_LATE_NS = 20_000_000      # time for messages after the answer to a command: cancelled offers, last acknowledgements
_DATA_AT_FIRST = 2
_OFF_BEAT_NS = 7           # counting does not start at an instant when all processes publish their gauges
_VIRTUAL_MAX_NS = 60 * 10**9


@dataclasses.dataclass
class Traffic:
    """The messages in an interval of virtual time. A multicast counts as one message; a retransmission counts as
    another one."""

    of_operations: int = 0                                                      # messages that belong to a key operation
    kinds: "collections.Counter[str]" = dataclasses.field(default_factory=collections.Counter)   # messages, by kind
    told: list[Any] = dataclasses.field(default_factory=list)                   # events: RecoveryFinished and similar

    def without(self, background: "collections.Counter[str]") -> int:
        """The number of messages of kinds that do not occur while the file is idle."""
        return sum(count for kind, count in self.kinds.items() if kind not in background)


class SimFile:
    """A file with ``m`` = 4 data buckets per group; use it in ``with simulated_file(...)``."""

    def __init__(self, process: "subprocess.Popen[bytes]", context: "zmq.Context[Any]", control: str, events: str, k: int, record_bytes: int,
                 seed: int) -> None:
        self.pid = process.pid
        self._process, self._k, self._record_bytes = process, k, record_bytes
        self._dealer, self._events = context.socket(zmq.DEALER), context.socket(zmq.SUB)
        for socket, endpoint in ((self._dealer, control), (self._events, events)):
            socket.linger = 0
            socket.sndhwm = socket.rcvhwm = 0
            socket.connect(endpoint)
        self._ticket = 0
        self._replies: dict[int, Any] = {}
        self._draw = random.Random(seed)
        self._servers = {pb.DATA: _DATA_AT_FIRST, pb.PARITY: k + 1}    # servers started so far
        self._lost = 0                  # data buckets whose process has been ended
        self._detail = pb.COUNTS
        self._numbers: list[int] = []   # numbers of all processes
        self.keys: list[int] = []
        self.buckets = 0

    def close(self) -> None:
        """Closes the sockets."""
        self._dealer.close()
        self._events.close()

    # ---- asking

    def _send(self, process: int = 0, **body: Any) -> int:
        self._ticket += 1
        self._dealer.send(pb.Command(ticket=self._ticket, process=process, **body).SerializeToString())
        return self._ticket

    def _take(self, patience_s: float) -> None:
        if not self._dealer.poll(int(1000 * patience_s)):
            how = "has ended" if self._process.poll() is not None else f"did not answer within {patience_s:g} s"
            raise NotMeasured(f"The simulator {how}, with {self.buckets} buckets.")
        reply = pb.CommandReply.FromString(self._dealer.recv())
        self._replies[reply.ticket] = reply

    def _reply(self, ticket: int) -> Any:
        while ticket not in self._replies:
            self._take(_PATIENCE_S)
        reply = self._replies.pop(ticket)
        if reply.refusal != pb.NOT_REFUSED:
            raise NotMeasured(f"The simulator refused: {reply.text or pb.Refusal.Name(reply.refusal)}.")
        return reply

    def _ask(self, process: int = 0, **body: Any) -> Any:
        return self._reply(self._send(process, **body))

    def _state(self) -> Any:
        return self._ask(describe_simulation=pb.DescribeSimulation()).simulation

    def step(self, ns: int) -> None:
        """Advances virtual time by this much."""
        self._ask(step_clock=pb.StepClock(ns=ns))

    def _done(self, ticket: int) -> Any:
        """The answer to a command that takes virtual time."""
        for _ in range(_VIRTUAL_MAX_NS // _STEP_NS):
            if ticket in self._replies:
                return self._reply(ticket)
            self.step(_STEP_NS)
            while self._dealer.poll(0):
                self._take(0)
        raise NotMeasured(f"An order was not carried out within {_VIRTUAL_MAX_NS / 1e9:g} virtual seconds.")

    # ---- the file

    def await_existence(self) -> None:
        """Waits until the file has its first bucket."""
        for _ in range(100):
            file = self._ask(describe_file=pb.DescribeFile()).file
            if file.exists and file.at_rest:
                self.buckets = file.buckets
                listed = self._ask(list_processes=pb.ListProcesses()).processes.processes
                self._numbers = list({0, *(entry.process.node for entry in listed)})  # 0: the coordinator
                return
            self.step(10**8)
        raise NotMeasured(f"There is no simulated file after ten virtual seconds ({file.under_way or 'nothing is under way'}).")

    def _waiting(self, pool: int) -> int:
        """The number of servers in the pool: those that were started and have no place."""
        if pool == pb.DATA:
            return self._servers[pool] - self.buckets - self._lost
        return self._servers[pool] - self._k * _groups(self.buckets)

    def spares(self, data: int, parity: int) -> None:
        """Starts servers until at least this many wait in the pools."""
        self._start(pb.DATA, data - self._waiting(pb.DATA))
        self._start(pb.PARITY, parity - self._waiting(pb.PARITY))
        self.step(_STEP_NS)

    def _start(self, pool: int, count: int) -> None:
        if count > 0:
            word = "data" if pool == pb.DATA else "parity"
            first = self._servers[pool]
            self._servers[pool] += count
            self._begin(pb.StartProcesses(kind=pb.NODE, pool=pool, names=[f"{word}-further-{first + one}" for one in range(count)]))

    def _begin(self, order: Any) -> list[int]:
        numbers = [entry.process.node for entry in self._ask(start_processes=order).processes.processes]
        self._numbers += numbers
        self._tell(numbers)
        return numbers

    def client(self, name: str) -> int:
        """Starts a further client with the oldest image; returns its number."""
        number = self._begin(pb.StartProcesses(kind=pb.CLIENT, names=[name]))[0]
        self.step(_STEP_NS)
        return number

    def grow(self, buckets: int) -> None:
        """Splits until the file has this many data buckets, as if one bucket had overflowed each time."""
        while self.buckets < buckets:
            some = min(16, buckets - self.buckets)
            self._start(pb.DATA, some)
            self._start(pb.PARITY, self._k * (_groups(self.buckets + some) - _groups(self.buckets)))
            for _ in range(some):
                self.split()

    def split(self) -> Any:
        """Orders one split; returns its SplitResult."""
        done = self._done(self._send(force_split=pb.ForceSplit())).split
        self.buckets = done.new_bucket + 1
        return done

    def insert(self, client: int, count: int, window: int) -> Any:
        """Inserts records with keys of 64 random bits."""
        keys = [self._draw.getrandbits(64) for _ in range(count)]
        self.keys += keys
        return self._run(client, pb.INSERT, keys, window)

    def take_back(self, client: int, count: int) -> None:
        """Deletes the records that were inserted last."""
        keys, self.keys = self.keys[-count:], self.keys[:-count]
        self._run(client, pb.DELETE, keys, 64)

    def search(self, client: int, count: int) -> Any:
        """Searches for randomly drawn stored keys, one after the other."""
        return self._run(client, pb.SEARCH, self._draw.choices(self.keys, k=count), 1)

    def visit(self, client: int) -> None:
        """Lets the client visit every bucket: its image is then exact, and it knows the location of each bucket."""
        i = self.buckets.bit_length() - 1
        one = {address_of(key, i, self.buckets - (1 << i)): key for key in self.keys}
        self._run(client, pb.SEARCH, list(one.values()), 64)

    def _run(self, client: int, kind: int, keys: Sequence[int], window: int) -> Any:
        order = pb.RunWorkload(kind=kind, count=len(keys), keys=pb.LISTED, key_list=keys, length=self._record_bytes, window=window,
                               unchecked=kind == pb.SEARCH)
        done = self._done(self._send(client, run_workload=order)).workload
        if done.results["OK"] != len(keys) or done.unanswered or done.wrong or done.missing:
            raise NotMeasured(f"A workload of {len(keys)} operations in {self.buckets} buckets had {dict(done.results)}.")
        return done

    def lose(self, bucket: int) -> tuple[float, Any]:
        """Ends the process of a data bucket and waits for its recovery, and for another second in which all servers
        are told of it. Returns (virtual seconds from the end to RecoveryFinished, the body of that event). Call it
        within ``counted``."""
        holder = holder_of(self._ask(describe_file=pb.DescribeFile()).file, pb.Place(role=pb.DATA, number=bucket))
        fault = pb.Fault(number=1 + self._draw.getrandbits(52), lease_ms=1_000)
        fault.crash.SetInParent()
        began = self._state().virtual_ns
        self._ask(holder, arm_fault=pb.ArmFault(fault=fault))
        self._numbers.remove(holder)
        self._lost += 1
        traffic = self._traffic
        while not traffic.told:
            self.step(10 * _STEP_NS)
            self._read(0)
            if self._state().virtual_ns - began > _VIRTUAL_MAX_NS:
                raise NotMeasured(f"Bucket {bucket} was not recovered within {_VIRTUAL_MAX_NS / 1e9:g} virtual seconds.")
        done = traffic.told[0]
        self.step(10**9)
        return (done.time_ns - began) / 1e9, done.recovery_finished

    # ---- what is said

    def tell(self, detail: int) -> None:
        """Sets the detail level of all processes from now on."""
        self._detail = detail
        self._tell(self._numbers)

    def _tell(self, numbers: Sequence[int]) -> None:
        order = pb.SetDetail(detail=self._detail)
        for first in range(0, len(numbers), _AT_ONCE):
            for ticket in [self._send(number, set_detail=order) for number in numbers[first:first + _AT_ONCE]]:
                self._reply(ticket)

    _traffic = Traffic()
    _from_ns = 0
    _came = 0

    def counted(self, body: Callable[[], Any]) -> tuple[Any, Traffic]:
        """The result of ``body``, and all messages in that interval of virtual time, from the events of their
        senders. Processes must publish everything (``tell(FULL)``)."""
        self._events.subscribe(b"")
        try:
            deadline = time.monotonic() + _PATIENCE_S
            while not self._events.poll(20):  # once an event arrives, the publisher has seen our subscription
                self.step(10 * _STEP_NS)
                if time.monotonic() > deadline:
                    raise NotMeasured("The simulator tells nothing.")
            self.step(_OFF_BEAT_NS)
            before = self._state()
            self._traffic, self._from_ns, self._came = Traffic(), before.virtual_ns, 0
            given = body()
            self.step(_LATE_NS)
            wanted = self._state().events - before.events
            while self._came < wanted:
                if not self._events.poll(20_000):
                    raise NotMeasured(f"{wanted - self._came} of {wanted} events did not come.")
                self._read(0)
            if self._came > wanted:
                raise NotMeasured(f"{self._came} events came, and {wanted} were published.")
            return given, self._traffic
        finally:
            self._events.unsubscribe(b"")
            while self._events.poll(20):
                self._events.recv_multipart()

    def _read(self, patience_ms: int) -> None:
        traffic = self._traffic
        while self._events.poll(patience_ms):
            for event in pb.EventBatch.FromString(self._events.recv_multipart()[1]).events:
                if event.time_ns < self._from_ns:
                    continue
                self._came += 1
                if event.HasField("message_sent"):
                    traffic.kinds[event.message_sent.kind] += 1
                    traffic.of_operations += event.operation.number != 0
                elif event.HasField("recovery_finished"):
                    traffic.told.append(event)

    def cpu_s(self) -> float:
        """Processor time of the simulating thread."""
        try:
            return int(pathlib.Path(f"/proc/{self.pid}/schedstat").read_text(encoding="ascii").split()[0]) / 1e9
        except (OSError, IndexError):
            raise NotMeasured("This system does not tell the processor time of a thread (/proc/PID/schedstat).") from None

    def resident_bytes(self) -> int:
        """Memory of the simulating process."""
        return peers.resident_bytes([self.pid])


def _groups(buckets: int) -> int:
    return -(-buckets // 4)


@contextlib.contextmanager
def simulated_file(programs: pathlib.Path, k: int, record_bytes: int, seed: int) -> Iterator[SimFile]:
    """A new file with one data bucket, recovered automatically, in a simulator whose clock stands still."""
    try:
        process = subprocess.Popen(
            [str(programs / "lhrs-sim"), "--paused", "--die-with-parent", "-m", "4", "-k", str(k), "-b", "100000000", "--seed", str(seed),
             "--data-spares", str(_DATA_AT_FIRST), "--parity-spares", str(k + 1)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError as error:
        raise NotMeasured(f"lhrs-sim could not be run: {error}.") from None
    context: "zmq.Context[Any]" = zmq.Context()
    try:
        assert process.stdout is not None
        ready = dict(word.split("=", 1) for word in process.stdout.readline().decode().split() if "=" in word)
        if "control" not in ready or "events" not in ready:
            raise NotMeasured("lhrs-sim did not become ready.")
        file = SimFile(process, context, ready["control"], ready["events"], k, record_bytes, seed)
        try:
            file.await_existence()
            file.tell(pb.COUNTS)
            yield file
        finally:
            file.close()
    finally:
        peers.end(process)
        process.stdout.close()  # type: ignore[union-attr]
        context.term()
