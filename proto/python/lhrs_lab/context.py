# SPDX-License-Identifier: GPL-3.0-or-later
"""What all calls of a Lab share: querying processes, finding targets, and the events."""
import concurrent.futures
import math
import pathlib
import random
import time
from typing import Any, Iterable, Optional, Sequence, Union

from . import messages as pb
from .errors import LabError
from .events import EventLog, Here
from .local import LocalCluster
from .values import Target, new_number, place_name
from .virtual_clock import Deadline, VirtualClock
from .wire import Process, Wire, is_running_here, is_sound

ASK_S = 5.0
AGAIN_S = 0.02
_GONE_S = 0.05

#: A target, the name of a process, something with a ``name`` such as a Client, or a list of these.
Who = Union[Target, str, Any, Sequence[Any]]


class Context:
    """The connections of a Lab. Its calls may be made from several threads, but "since the last changing call"
    refers to the calls of all threads together."""

    def __init__(self, keep_events: int, seed: int) -> None:
        self._log = EventLog(keep_events)
        self._wire = Wire(self._log)
        self._local: Optional[LocalCluster] = None
        self._key_file: Optional[pathlib.Path] = None  # of a cluster that was not started here
        self._clock: Optional[VirtualClock] = None  # of a simulated cluster whose virtual time waits for commands
        self._cursor = 0               # events before the last changing call
        self._detail = "full"
        self._seed = seed
        self._random = random.Random(seed)
        self._record_bytes = 100
        self._is_closed = False
        self._unanswered: dict[str, list[Any]] = {}
        self.simulated = False         # whether the cluster is a simulated one (lhrs-sim)
        self.system = "lhrs"           # a file of LH*RS ("lhrs"), or a ring ("walk")

    @property
    def key_file(self) -> Optional[pathlib.Path]:
        """A key of this cluster, for programs that connect to ``endpoint``; None: it has no keys."""
        return self._local.key_file if self._local is not None else self._key_file

    # ---- asking

    def _changing(self) -> None:
        self._cursor = self._log.committed

    def _result(self, future: "concurrent.futures.Future[Any]", timeout: float, whom: str) -> Any:
        try:
            reply = future.result(timeout if self._clock is None else self._clock.patience(timeout))
        except concurrent.futures.TimeoutError:
            self._wire.forget(future)
            raise LabError("Timeout", f"{whom} did not answer within {timeout:g} s.") from None
        except LabError:  # virtual time may have passed nevertheless
            self._hear_out()
            raise
        self._hear_out()
        return reply

    def _await(self, future: "concurrent.futures.Future[Any]", timeout: float) -> Any:
        """The reply to a command that runs beside others. LabError Timeout: there is no reply yet."""
        if self._clock is not None:
            deadline = self._deadline(timeout)
            while not future.done() and self._wait_beyond(self._log.committed, deadline):
                pass
            timeout = 0
        try:
            return future.result(timeout)
        except concurrent.futures.TimeoutError:
            raise LabError("Timeout", "It is not done.") from None

    def _hear_out(self) -> None:
        """Where virtual time waits for commands: receives all that has happened until now before anything else is
        asked."""
        if self._clock is not None:
            self._clock.hear_out()

    def _awaited(self, command: Any, timeout: float) -> Any:
        """Prepares the command: virtual time that waits for commands advances until it is answered, at most this
        many seconds."""
        return command if self._clock is None else self._clock.awaited(command, timeout)

    def _deadline(self, timeout: float) -> Deadline:
        """A deadline after this many seconds: of virtual time where that waits for commands, so that a program waits
        equally long in every run."""
        return Deadline(self._clock, timeout)

    def _wait_beyond(self, index: int, deadline: Deadline, at_most: float = math.inf) -> bool:
        """Waits until there are events from ``index`` on, or something else has changed, or ``at_most`` seconds have
        passed. Virtual time that waits for commands advances by one step. False: the deadline has passed and there
        are none."""
        clock = self._clock
        if clock is None:
            until = time.monotonic() + min(deadline.left(), at_most)
            return self._log.wait_beyond(index, until) or deadline.left() > 0
        if self._log.committed > index or deadline.left() <= 0:
            return self._log.committed > index
        if not clock.goes or not clock.step(deadline.next_step_ns()):
            # Virtual time is not ours to advance now; another program may advance it.
            self._log.wait_beyond(index, time.monotonic() + min(deadline.left(), AGAIN_S))
            clock.hear_out()
        return self._log.committed > index or deadline.left() > 0

    def _send(self, number: int, command: Any) -> "concurrent.futures.Future[Any]":
        process = self._wire.find(number)
        if process is None:
            raise LabError("Unreachable", f"There is no process {number}.")
        if process.has_ended:
            raise LabError("Unreachable", f"The process {process.name} has ended ({process.how_it_ended}).")
        return self._wire.call(process.control, command, number)

    def _ask(self, number: int, timeout: float = ASK_S, **body: Any) -> Any:
        """The reply to one command, e.g. ``self._ask(process, statistics=pb.Statistics())``."""
        future = self._send(number, self._awaited(pb.Command(**body), timeout))
        return self._result(future, timeout, self._name_of(number))

    def _ask_all(self, questions: Iterable[tuple[int, Any]], timeout: float = ASK_S) -> list[Any]:
        """Sends several (process, Command) at once; the replies are in the same order. Where virtual time waits for
        commands they are sent one after the other, while virtual time stands still. Otherwise the run would depend
        on how many arrive before the first is carried out."""
        if self._clock is not None:
            replies, end = [], self._deadline(timeout)
            for number, command in questions:
                left = max(0.001, end.left())
                future = self._send(number, self._awaited(command, left))
                replies.append(self._result(future, left, self._name_of(number)))
            return replies
        sent = [(number, self._send(number, command)) for number, command in questions]
        deadline = time.monotonic() + timeout
        return [self._result(future, max(0.001, deadline - time.monotonic()), self._name_of(number))
                for number, future in sent]

    def _name_of(self, number: int) -> str:
        process = self._wire.find(number)
        return process.name if process else f"process {number}"

    def _coordinator(self) -> int:
        for process in reversed(self._wire.processes()):
            if process.kind == "coordinator":
                return process.number
        raise LabError("Unreachable", "The coordinator has ended.", "lab.restart(lab.coordinator()) starts another one.")

    def _ask_simulator(self, timeout: float = ASK_S, **body: Any) -> Any:
        """The reply of the simulator, which is not a process of the cluster. LabError Refused: the cluster is a real
        one."""
        if self._clock is not None:
            reply = self._clock.ask(pb.Command(**body), real_s=self._clock.patience(timeout))
            self._hear_out()
            return reply
        for process in self._wire.processes(False):
            if process.is_simulated:
                return self._result(self._wire.call(process.control, pb.Command(**body)), timeout, "the simulator")
        raise LabError("Refused", "Real processes have no virtual time.", "Lab.start(simulated=True), or Lab.connect to lhrs-sim.")

    def _describe_file(self, timeout: float = ASK_S) -> Any:
        if self.system != "lhrs":
            raise LabError("ClusterMismatch", "This is for a file of LH*RS; this cluster is a ring.", "See lab.ring(), lab.join(), client.look_up().")
        return self._ask(self._coordinator(), timeout, describe_file=pb.DescribeFile()).file

    def _group_of(self, file: Any, number: int) -> Any:
        for group in file.groups:
            if group.number == number:
                return group
        raise LabError("BadArgument", f"Group {number} does not exist: the file has {len(file.groups)}.")

    def _catch_up(self) -> None:
        """Waits until all events that were published before now have arrived."""
        if self._clock is not None:
            self._clock.hear_out()
            return
        asked = []
        for process in self._wire.processes():
            command = pb.Command(take_snapshot=pb.TakeSnapshot(without_records=True))
            asked.append((process, self._wire.call(process.control, command, process.number)))
        deadline = time.monotonic() + 2
        for process, future in sorted(asked, key=lambda one: _is_gone(one[0])):  # false before true
            patience = _GONE_S if _is_gone(process) else deadline - time.monotonic()
            try:
                snapshot = future.result(max(0.001, patience)).snapshot
            except (concurrent.futures.TimeoutError, LabError):  # without an answer there is nothing to wait for
                self._wire.forget(future)
                continue
            self._log.wait_folded(snapshot.process, snapshot.sequence, deadline)

    def _since(self, since: Optional[Here]) -> int:
        if since is None:
            return self._cursor
        if not isinstance(since, Here):
            raise LabError("BadArgument", f"since must be what lab.here() gave, not {since!r}.")
        return since.index

    # ---- targets

    def _targets(self, who: Who) -> list[tuple[Process, Any]]:
        """(process, place or None) of each process that is meant, each once."""
        if isinstance(who, (list, tuple)):
            found = [one for part in who for one in self._targets(part)]
        elif isinstance(who, Target):
            found = self._of_target(who)
        else:
            found = self._of_name(who if isinstance(who, str) else getattr(who, "name", str(who)))
        unique = {process.number: (process, place) for process, place in found}
        if not unique:
            raise LabError("BadArgument", f"{who!r} names no process.", "Name lab.data(0), lab.coordinator(), a client, or a list.")
        return list(unique.values())

    def _one_place(self, target: Target, call: str) -> tuple[Process, Any]:
        if not isinstance(target, Target) or target.role not in ("data", "parity") or len(target.numbers) != 1:
            raise LabError("BadArgument", f"{call} needs one bucket, such as lab.data(0) or lab.parity(0, 0), not {target}.")
        return self._targets(target)[0]

    def _of_target(self, target: Target) -> list[tuple[Process, Any]]:
        if target.role == "coordinator":
            return [(self._process(self._coordinator()), None)]
        if target.role == "process":
            return self._of_name(target.name)
        file = self._describe_file()
        if target.role == "manager":
            place = _manager_of(self._group_of(file, target.group).view, target.group)
            return [(self._process(holder_of(file, place)), place)]
        if target.role == "spare":
            if self._clock is not None:  # there the wire does not ask for the list periodically
                self._list_processes()
            members = {member.holder.node for group in file.groups for member in group.view.members}
            pool = pb.PARITY if target.name == "parity" else pb.DATA
            spares = [process for process in self._wire.processes() if process.kind == "node" and process.pool == pool
                      and process.number not in members and not (process.place and process.place.role)]
            if target.index >= len(spares):
                raise LabError("BadArgument", f"There is no {target}: {len(spares)} wait in that pool.")
            return [(spares[target.index], None)]
        found = []
        for place in self._places(target):
            holder = holder_of(file, place)
            if holder == 0:
                raise LabError("BadArgument", f"{place_name(place)} does not exist: the file has {file.buckets} data buckets "
                               f"in {len(file.groups)} groups.")
            found.append((self._process(holder), place))
        return found

    @staticmethod
    def _places(target: Target) -> list[Any]:
        if target.role == "data":
            return [pb.Place(role=pb.DATA, number=number) for number in target.numbers]
        return [pb.Place(role=pb.PARITY, number=target.group, column=column) for column in target.numbers]

    def _of_name(self, name: str) -> list[tuple[Process, Any]]:
        # A restarted server has the name of its predecessor: the living process is meant.
        for living in (True, False):
            for process in reversed(self._wire.processes(living)):
                if name in (process.name, str(process.number)):
                    return [(process, process.place)]
        raise LabError("BadArgument", f"There is no process {name}.")

    def _process(self, number: int) -> Process:
        process = self._wire.find(number)
        if process is None:  # a coordinator knows of it before its list has reached us
            self._list_processes()
            process = self._wire.find(number)
        if process is None:
            raise LabError("Unreachable", f"There is no process {number}.")
        return process

    def _list_processes(self) -> None:
        """Asks the coordinator for the list of processes, and for the present place of each."""
        for entry in self._ask(self._coordinator(), list_processes=pb.ListProcesses()).processes.processes:
            if is_sound(entry.process):
                self._wire.add(Process.of(entry.process))
                known = self._wire.find(entry.process.node)
                if known is not None:
                    known.place = entry.place

    def _new_number(self) -> int:
        """A fault number that no other fault has; drawn by the seed in a simulated cluster that was started here."""
        return self._local.new_number() if self._local is not None else new_number()

    def _local_cluster(self) -> LocalCluster:
        if self._local is None:
            raise LabError("NotAllowed", "Processes of a cluster that was not started here are not touched.",
                           "Lab.start(...) starts one of its own.")
        return self._local


def _is_gone(process: Process) -> bool:
    """Whether a process of a connected cluster has ended. This program does not see its end, and the coordinator
    lists it for a while; but it can be looked up if it runs on this machine. A process that is not visible from here
    may still be asked."""
    return process.pid != 0 and not is_running_here(process)


def _manager_of(view: Any, group: int) -> Any:
    """The parity bucket that recovers the group now, or would recover it: the chosen one, else the first that is up."""
    up = [member.index for member in view.members if member.role == pb.PARITY and member.state == pb.UP]
    if not up:
        raise LabError("BadArgument", f"Group {group} has no parity bucket that could be its recovery manager.")
    is_chosen = view.state in (pb.GROUP_FROZEN, pb.GROUP_DEGRADED) and view.manager in up
    return pb.Place(role=pb.PARITY, number=group, column=view.manager if is_chosen else up[0])


def holder_of(file: Any, place: Any) -> int:
    """Number of the process that holds a place, according to the coordinator; 0: there is no such place."""
    m = max(1, file.config.m)
    is_data = place.role == pb.DATA
    number = place.number // m if is_data else place.number
    index = place.number % m if is_data else place.column
    for group in file.groups:
        if group.number == number:
            for member in group.view.members:
                if member.role == place.role and member.index == index:
                    return int(member.holder.node)
    return 0
