# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults: of processes that were started here, and of the network between any processes. Each except a kill ends
with its lease."""
import dataclasses
from typing import Any, Iterable, Optional, Sequence, Union

from . import messages as pb
from .bounds import bounded
from .context import Context, Who
from .errors import LabError
from .events import body_of
from .values import Row, fields_of
from .wire import Process

_FAULT_KINDS = {"network": "net", "partition": "partition", "pause": "pause", "crash": "kill"}


@dataclasses.dataclass(frozen=True)
class Fault(Row):
    """The result of a fault call, to be passed to ``resume``, ``restart`` or ``heal``."""

    id: int
    kind: str                     # 'kill', 'pause', 'net', 'partition'
    victims: tuple[str, ...]      # names of the processes
    numbers: tuple[int, ...]      # and their numbers
    begin_s: float                # of the run
    lease_s: Optional[float] = None
    at: Optional[str] = None      # the event at which a process is to end itself


@bounded
class FaultCalls(Context):
    """See the module."""

    # ---- of processes

    def _numbers(self, who: Union[Who, Fault]) -> list[int]:
        if isinstance(who, Fault):
            return list(who.numbers)
        return [process.number for process, _ in self._targets(who)]

    def _fault(self, kind: str, numbers: Iterable[int], begin: float, id_: int = 0, lease: Optional[float] = None,
               at: Optional[str] = None) -> Fault:
        numbers = tuple(numbers)
        return Fault(id_ or self._new_number(), kind, tuple(map(self._name_of, numbers)), numbers, begin, lease, at)

    def kill(self, target: Who, at: Optional[str] = None, count: int = 1, lease: float = 60) -> Fault:
        """Ends processes at once, like a crash; returns when they are gone. With ``at`` (an event, such as
        'SplitPrepared'), each process ends itself when it is about to publish the ``count``-th such event. The call
        then returns when that is armed, for ``lease`` seconds. LabError NotAllowed: not started here; Refused: has
        ended."""
        local = self._local_cluster()
        numbers, begin = self._numbers(target), self._log.now_s()
        self._changing()
        if at is None:
            local.kill(numbers)
            return self._fault("kill", numbers, begin)
        fault = self._new_fault(lease)
        fault.crash.at, fault.crash.count = body_of(at), count
        self._arm([(fault, numbers)], 5)
        return self._fault("kill", numbers, begin, fault.number, lease, at)

    def pause(self, target: Who, lease: float = 60) -> Fault:
        """Pauses processes until ``resume``, or for ``lease`` seconds. LabError NotAllowed, Refused."""
        local = self._local_cluster()
        numbers, begin = self._numbers(target), self._log.now_s()
        self._changing()
        local.pause(numbers, lease)
        return self._fault("pause", numbers, begin, lease=lease)

    def resume(self, target: Union[Who, Fault]) -> None:
        """Resumes paused processes. LabError Refused: one is not paused; NotAllowed."""
        local = self._local_cluster()
        numbers = self._numbers(target)
        self._changing()
        local.resume(numbers)

    def restart(self, target: Union[Who, Fault], timeout: float = 30) -> list[str]:
        """Starts the programs of ended processes again, and first ends those that still run. Servers are then empty
        spares; a coordinator rebuilds its state from the buckets. Returns their names, once the coordinator knows
        them. LabError NotAllowed, Refused (a client), Timeout (seconds)."""
        local = self._local_cluster()
        numbers = self._numbers_of_ended(target)
        self._changing()
        started = local.restart(numbers)
        for process in started:
            if process.kind == "coordinator" and self._clock is None:
                self._wire.follow(process.control)
        self._await_known(timeout)
        self._tell_new(started)
        return [process.name for process in started]

    def _numbers_of_ended(self, target: Union[Who, Fault]) -> list[int]:
        try:
            return self._numbers(target)
        except LabError as error:  # "the coordinator" may be the one that has ended
            if error.code == "Unreachable" and getattr(target, "role", "") == "coordinator":
                return [process.number for process in self._wire.processes(False) if process.kind == "coordinator"][-1:]
            raise

    def _await_known(self, timeout: float, started: Sequence[Process] = ()) -> None:
        """Waits until the coordinator lists all servers that were started here, including those of a simulator, and
        knows its file."""
        deadline = self._deadline(timeout)
        while True:
            try:
                is_listening = self.system == "lhrs" and self._describe_file().is_listening
                listed = {entry.process.node for entry in
                          self._ask(self._coordinator(), list_processes=pb.ListProcesses()).processes.processes}
                wanted = {process.number for process in self._wire.processes() if process.is_ours and process.kind == "node"}
                wanted |= {process.number for process in started}
                if not is_listening and wanted <= listed:
                    return
                what = "still listens for its file" if is_listening else f"knows {len(wanted & listed)} of {len(wanted)} servers"
            except LabError as error:
                if error.code not in ("Timeout", "Unreachable"):
                    raise
                what = error.message
            if deadline.left() <= 0:
                raise LabError("Timeout", f"After {timeout:g} s the coordinator {what}.")
            self._wait_beyond(self._log.committed, deadline, 0.05)

    def _tell_new(self, started: list[Process]) -> None:
        raise NotImplementedError

    # ---- of the network

    def _new_fault(self, lease: float) -> Any:
        number = self._new_number()
        return pb.Fault(number=number, lease_ms=max(1, int(lease * 1000)), seed=(self._seed ^ number << 1) & (1 << 64) - 1)

    def _peers(self, numbers: Iterable[int]) -> list[Any]:
        return [pb.FaultPeer(node=number, address=self._process(number).address) for number in numbers]

    def _arm(self, orders: list[tuple[Any, list[int]]], timeout: float) -> None:
        calls = [(number, pb.Command(arm_fault=pb.ArmFault(fault=fault))) for fault, numbers in orders for number in numbers]
        try:
            self._ask_all(calls, timeout)
        except LabError:
            self._heal_all(orders[0][0].number, timeout)
            raise

    def net(self, sender: Optional[Who] = None, receiver: Optional[Who] = None, kinds: Iterable[str] = (), drop: float = 0,
            duplicate: float = 0, reorder: float = 0, corrupt: float = 0, delay_ms: int = 0, jitter_ms: int = 0,
            bytes_per_second: Optional[int] = None, lease: float = 60, timeout: float = 10) -> Fault:
        """Disturbs the network from ``sender`` to ``receiver`` (None: any) for ``lease`` seconds, or until ``heal``.

        ``kinds``: names of the bodies of Message (none: all); ``drop``, ``duplicate``, ``reorder``, ``corrupt``:
        shares from 0 to 1; ``delay_ms``: one way, ``jitter_ms``: a random delay from 0 to this is added;
        ``bytes_per_second``: of each path. LabError BadArgument, Timeout."""
        begin = self._log.now_s()
        fault = self._new_fault(lease)
        for name, share in (("drop", drop), ("duplicate", duplicate), ("reorder", reorder), ("corrupt", corrupt)):
            if not 0 <= share <= 1:
                raise LabError("BadArgument", f"{name} is a share from 0 to 1, not {share!r}.")
            setattr(fault.network, name, share)
        fault.network.delay_ms, fault.network.jitter_ms = delay_ms, jitter_ms
        fault.network.bytes_per_second = bytes_per_second or 0
        fault.network.kinds.extend([kinds] if isinstance(kinds, str) else kinds)
        # If the sender is known, the fault acts there; otherwise at the receiver, for all senders and transports.
        if sender is None and receiver is not None:
            fault.network.way, at = pb.INCOMING, self._numbers(receiver)
        else:
            fault.network.way = pb.OUTGOING
            fault.network.peers.extend(self._peers(self._numbers(receiver)) if receiver is not None else [])
            at = self._numbers(sender) if sender is not None else [process.number for process in self._wire.processes()]
        self._changing()
        self._arm([(fault, at)], timeout)
        return self._fault("net", at, begin, fault.number, lease)

    def partition(self, side_a: Who, side_b: Union[Who, None] = None, direction: str = "both", lease: float = 60,
                  timeout: float = 10) -> Fault:
        """Cuts all paths between two sides for ``lease`` seconds, or until ``heal``. ``side_b`` None: all other
        processes, including those that join later. ``direction``: 'both', 'a_to_b', 'b_to_a'. LabError BadArgument,
        Timeout."""
        if direction not in ("both", "a_to_b", "b_to_a"):
            raise LabError("BadArgument", f"direction is 'both', 'a_to_b' or 'b_to_a', not {direction!r}.")
        begin, a = self._log.now_s(), self._numbers(side_a)
        is_rest = side_b is None
        b = [process.number for process in self._wire.processes() if process.number not in a] if side_b is None \
            else self._numbers(side_b)
        if not b or set(a) & set(b):
            raise LabError("BadArgument", "The two sides of a partition are different processes, and neither is empty.")
        first = self._new_fault(lease)
        second = pb.Fault()
        second.CopyFrom(first)
        first.partition.peers.extend(self._peers(a if is_rest else b))
        first.partition.all_but_peers = is_rest
        second.partition.peers.extend(self._peers(a))
        if direction != "both":
            first.partition.way = pb.OUTGOING if direction == "a_to_b" else pb.INCOMING
            second.partition.way = pb.INCOMING if direction == "a_to_b" else pb.OUTGOING
        self._changing()
        self._arm([(first, a), (second, b)], timeout)
        return self._fault("partition", [*a, *b], begin, first.number, lease)

    def heal(self, fault: Optional[Fault] = None, timeout: float = 10) -> int:
        """Ends a fault of the network (or one that waits for its event); without an argument, all faults and all
        pauses. Returns how many ended. LabError Refused: a kill cannot be healed, and a pause is ended by
        ``resume``."""
        resumed = 0
        if fault is not None and fault.kind == "pause":
            raise LabError("Refused", "A pause is ended by lab.resume.")
        if fault is not None and fault.kind == "kill" and fault.at is None:
            raise LabError("Refused", "A kill cannot be healed.", "lab.restart brings an empty spare back.")
        self._changing()
        if fault is None and self._local is not None:
            paused = list(self._local.paused())  # a paused process could not receive the command to heal
            self._local.resume(paused)
            resumed = len(paused)
        return resumed + len(self._heal_all(fault.id if fault else 0, timeout))

    def _heal_all(self, number: int, timeout: float) -> set[int]:
        healed: set[int] = set()
        for process in self._wire.processes():
            try:
                reply = self._ask(process.number, timeout, heal_faults=pb.HealFaults(number=number))
            except LabError as error:
                if error.code not in ("Unreachable", "NotAllowed"):
                    raise
                continue  # it has ended, or takes no faults
            healed.update(entry.requested.number for entry in reply.faults.faults)
        return healed

    def faults(self, timeout: float = 10) -> list[dict[str, Any]]:
        """The armed faults: {id, kind, processes, lease_left_s, requested, achieved}; achieved counts messages."""
        paused = self._local.paused() if self._local is not None else {}
        rows: dict[int, dict[str, Any]] = {}
        asked = [process for process in self._wire.processes() if process.number not in paused]
        replies = self._ask_all(((one.number, pb.Command(list_faults=pb.ListFaults())) for one in asked), timeout)
        for process, reply in zip(asked, replies):
            for entry in reply.faults.faults:
                what = entry.requested.WhichOneof("what")
                requested = fields_of(getattr(entry.requested, what)) if what else {}
                requested.pop("peers", None)
                row = rows.setdefault(entry.requested.number, {
                    "id": entry.requested.number, "kind": _FAULT_KINDS.get(what, ""), "processes": [],
                    "lease_left_s": 0.0, "requested": requested, "achieved": {}})
                row["processes"].append(process.name)
                row["lease_left_s"] = max(row["lease_left_s"], entry.lease_left_ms / 1000)
                for name, value in fields_of(entry.achieved).items():
                    if not isinstance(value, list):
                        former = row["achieved"].get(name, 0)
                        row["achieved"][name] = max(former, value) if name in ("delay_max_s", "lasted_s", "events_left") else former + value
        # A paused process does not answer; its fault is known here, where it was paused.
        return [*rows.values(), *({"id": None, "kind": "pause", "processes": [self._name_of(number)], "lease_left_s": left,
                                   "requested": {}, "achieved": {}} for number, left in paused.items())]

    def _faults_active(self) -> int:
        """The number of armed faults, paused processes and ended processes: these make a row of a measurement
        doubtful."""
        armed = {row["id"] for row in self.faults() if row["id"] is not None}
        local = self._local
        return len(armed) + (len(local.paused()) + local.ended() if local is not None else 0)
