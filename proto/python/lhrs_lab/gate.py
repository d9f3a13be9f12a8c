# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds: no new operations, or no messages at all. Both last until they are ended, or until this Python ends: they
have leases that are renewed here. In a simulated cluster that was started here they need no renewal, because it ends
with this Python."""
import dataclasses
import time
from typing import Any, Callable, Optional, Sequence

from . import messages as pb
from .bounds import bounded
from .context import Context
from .errors import LabError
from .values import Row
from .wire import Process

_LEASE_S, _PERIOD_S = 5.0, 1.5
_FOR_EVER_MS = 2**32 - 1
_ANSWER_S = 3.0
_ARRIVAL_S = 0.1       # by then a sent message is held at its receiver, or was lost
_FLIGHT_NS = 1_000_000 # step of virtual time between two looks, where it advances by commands
_PROCESSES_MAX, _SIMULATED_MAX = 64, 1000
_HINT = "Lab.start(gate=True) starts processes whose messages can be held. A simulated cluster always has that."


@dataclasses.dataclass(frozen=True)
class Held(Row):
    """A message at the closed gate of its receiver, or one that was released."""

    kind: str                 # as in proto/message.proto: 'insert'
    sender: str               # names of processes
    receiver: str
    id: int                   # given by its sender
    number: int               # in the receiver's queue
    size_bytes: int
    process: int = dataclasses.field(default=0, repr=False)   # number of the receiver


class _Look:
    """The state of all gates at about one time."""

    def __init__(self) -> None:
        self.held: list[tuple[int, Held]] = []  # since when; the oldest first
        self.under_way = 0                      # messages sent and not arrived, including lost ones
        self.coming = 0                         # of simulated processes: exact, and with commands
        self.next_timer_ns = -1


@bounded
class GateCalls(Context):
    """See the module."""

    _is_gated = False
    _is_paused = False                   # virtual time was paused
    _unanswered: dict[str, list[Any]]    # by the purpose of the repeated command
    _is_holding = False
    _gate_trouble = ""

    # ---- the workload

    def hold_workload(self, on: bool = True, timeout: float = 10) -> int:
        """Makes all clients, including those that start later, stop beginning new operations, or resume: operations
        under way end, commanded ones wait, workloads stand still. Returns how many clients hold. LabError Timeout
        (seconds)."""
        self._changing()
        self._is_holding = on
        self._wire.repeat("workload", _PERIOD_S, self._renew_hold if on and not self._holds_for_ever() else None)
        order = self._hold_order(on)
        clients = [process.number for process in self._wire.processes() if process.kind == "client"]
        replies = self._ask_all(((number, pb.Command(hold_workload=order)) for number in clients), timeout)
        return sum(reply.client.is_held for reply in replies)

    def _holds_for_ever(self) -> bool:
        """Whether the hold needs no renewal: a simulator that was started here ends with this Python, and each
        renewal would be a step of the client."""
        return self._clock is not None and self._local is not None

    def _hold_order(self, on: bool) -> Any:
        return pb.HoldWorkload(is_held=on, lease_ms=_FOR_EVER_MS if self._holds_for_ever() else int(_LEASE_S * 1000))

    def _renew_hold(self) -> None:
        order = self._hold_order(True)
        self._tell_each("workload", [one for one in self._wire.processes() if one.kind == "client"], lambda: pb.Command(hold_workload=order))

    # ---- the gate

    def gate(self, on: bool = True, within: float = 0.02) -> dict[str, Any]:
        """Closes or opens the gate at all processes. While it is closed, no message is delivered and no protocol
        clock advances (so that no lease and no retransmission expires); arriving messages are held. Real processes
        need ``Lab.start(gate=True)``; simulated ones always have a gate. Calls that wait for an operation do not
        return meanwhile; use ``c.start`` to begin one. Returns {'now_s', 'closed'}.

        within: seconds in which each real process must have stopped its clock; if one is later, the gate is opened
        again everywhere. LabError Unsupported (no gate), Refused (it did not close, and why)."""
        self._changing()
        if on:
            self._close_gates(within)
        else:
            self._open_gates()
        self._catch_up()  # includes what was delivered before
        return {"now_s": self._log.now_s(), "closed": on}

    @staticmethod
    def _gate_order(on: bool) -> Any:
        # The same time for all: all clocks leave out the same interval, however late each process receives the command.
        return pb.Command(set_gate=pb.SetGate(is_closed=on, lease_ms=int(_LEASE_S * 1000), at_ns=time.monotonic_ns()))

    def _close_gates(self, within: float) -> None:
        processes, most = self._wire.processes(), _SIMULATED_MAX if self.simulated else _PROCESSES_MAX
        if not 1 <= len(processes) <= most:
            raise LabError("Refused", f"The gate is for 1 to {most} processes, and there are {len(processes)}.")
        self._is_gated, self._gate_trouble = True, ""
        self._wire.repeat("gate", _PERIOD_S, self._renew_gate)
        order = self._gate_order(True)
        try:
            for process, reply in self._gates(order, max(within, _ANSWER_S)):
                late = (reply.gate.stopped_ns - order.set_gate.at_ns) / 1e9
                if not reply.gate.is_closed or late > within:
                    raise LabError("Refused", f"{process.name} stopped its clock {1000 * late:.0f} ms after the command, and {1000 * within:g} ms are "
                                   "allowed: the gate is open again everywhere.",
                                   "On a busy machine lab.gate(within=0.2) waits longer.")
            if self._time_waits():
                self._look_when_landed()
        except BaseException:
            self._open_gates()
            raise

    def _open_gates(self) -> None:
        self._wire.repeat("gate", 0, None)
        self._is_gated = False
        self._gates(self._gate_order(False), _ANSWER_S)

    def _gates(self, command: Any, timeout: float) -> list[tuple[Process, Any]]:
        """(process, reply) of all living processes. LabError Unsupported: one has no gate; otherwise the error of
        the reply."""
        deadline = time.monotonic() + timeout
        asked = []
        for process in self._wire.processes():
            one = pb.Command()
            one.CopyFrom(command)
            asked.append((process, self._wire.call(process.control, one, process.number)))
        replies = []
        trouble: Optional[LabError] = None
        for process, future in asked:
            try:
                replies.append((process, self._result(future, max(0.001, deadline - time.monotonic()), process.name)))
            except LabError as error:
                if error.code == "NotAllowed":
                    trouble = LabError("Unsupported", f"{process.name} was started without --gate: its messages and its clock go on.", _HINT)
                elif error.code != "Unreachable":  # a process that has ended holds nothing
                    trouble = trouble or LabError(error.code, f"The gate of {process.name}: {error.message}")
        if trouble is not None and not (command.HasField("set_gate") and not command.set_gate.is_closed and trouble.code == "Unsupported"):
            raise trouble
        return replies

    def _renew_gate(self) -> None:
        """Runs in the wire's thread; also tells processes that joined later. A gate that is closed at only some
        processes must not remain."""
        def told(future: Any) -> None:
            error = None if future.cancelled() else future.exception()
            if isinstance(error, LabError) and error.code in ("NotAllowed", "Refused") and self._is_gated:
                self._is_gated, self._gate_trouble = False, f"{error.message} The gate is open again everywhere."
                self._wire.repeat("gate", 0, None)
                self._tell_each("gate", self._wire.processes(), lambda: self._gate_order(False))
        self._tell_each("gate", self._wire.processes(), lambda: self._gate_order(True), told)

    def _tell_each(self, name: str, processes: Sequence[Process], command: Callable[[], Any],
                   told: Optional[Callable[[Any], None]] = None) -> None:
        """Sends without waiting; replies that have not arrived by the next call are dropped."""
        for old in self._unanswered.pop(name, ()):
            self._wire.forget(old)
        sent = self._unanswered.setdefault(name, [])
        for process in processes:
            future = self._wire.call(process.control, command(), process.number)
            if told is not None:
                future.add_done_callback(told)
            sent.append(future)

    def _tell_holds(self, started: Sequence[Process]) -> None:
        """Tells processes that join later, so that they are held like the others."""
        if self._is_holding:
            self._ask_all((one.number, pb.Command(hold_workload=self._hold_order(True)))
                          for one in started if one.kind == "client")
        if self._is_gated and not self.simulated:
            self._ask_all((one.number, self._gate_order(True)) for one in started)

    # ---- what is held

    def _look(self) -> _Look:
        look = _Look()
        for process, reply in self._gates(pb.Command(describe_gate=pb.DescribeGate()), _ANSWER_S):
            state = reply.gate
            if not state.is_closed:
                raise LabError("Refused", self._gate_trouble or f"The gate of {process.name} is open: messages are delivered as they come.",
                               "lab.gate() closes the gate.")
            look.coming += state.coming
            look.held += [(one.since_ns, self._held_message(one, process.number)) for one in state.messages]
            look.under_way += state.messages_out - state.messages_in
            if state.next_timer_ns >= 0 and (look.next_timer_ns < 0 or state.next_timer_ns < look.next_timer_ns):
                look.next_timer_ns = state.next_timer_ns
        look.held.sort(key=lambda entry: entry[0])
        return look

    def _held_message(self, one: Any, receiver: int) -> Held:
        return Held(one.kind, self._name_of(getattr(one, "from")), self._name_of(receiver), one.id, one.number, one.bytes, receiver)

    def held(self) -> list[Held]:
        """The messages that the closed gate holds, oldest first, at most 256 of each process. LabError Refused (it
        is open), Unsupported (no gate)."""
        return [message for _, message in self._look().held]

    def release(self, count: int = 1, message: Optional[Held] = None, drop: bool = False, clock: bool = False,
                timeout: float = 60) -> list[Held]:
        """Releases ``count`` messages from the closed gate, oldest first, each as one step of its receiver; messages
        that the step sends are held in turn. Returns the released messages, fewer than wanted when nothing more is
        held.

        message: release this one, from ``lab.held()``; drop: lose it instead; clock: if nothing is held, all clocks
        advance to the next timer of any process (otherwise they stand still). LabError Refused (the gate is open),
        Timeout (seconds)."""
        if count < 1:
            raise LabError("BadArgument", "lab.release lets at least one message through; one that is named is an entry of lab.held().")
        self._changing()
        released: list[Held] = []
        deadline = time.monotonic() + timeout
        look = self._look()
        if not look.held and look.coming and self._time_waits():  # messages before timers
            look = self._look_when_landed()
        under_way = look.under_way
        while len(released) < count and time.monotonic() < deadline:
            if message is None and not look.held:
                if not clock or look.next_timer_ns < 0:
                    break
                # All clocks advance together; otherwise a lessor would forget a lease before the lessee does.
                self._gates(pb.Command(release_held=pb.ReleaseHeld(advance_ns=max(1, look.next_timer_ns))), _ANSWER_S)
            else:
                one = message or look.held[0][1]
                reply = self._ask(one.process, _ANSWER_S, release_held=pb.ReleaseHeld(number=one.number, is_dropped=drop))
                released += [self._held_message(passed, one.process) for passed in reply.gate.released]
            look = self._look_when_arrived(under_way)
            under_way = look.under_way
            if message is not None:
                break
        self._catch_up()
        return released

    def _look_when_arrived(self, under_way: int) -> _Look:
        """Looks until no more messages are under way than before; limited in time, because a lost message never
        arrives."""
        if self._time_waits():
            return self._look_when_landed()
        deadline = time.monotonic() + _ARRIVAL_S
        while True:
            look = self._look()
            if look.under_way <= under_way or time.monotonic() >= deadline:
                return look

    def _time_waits(self) -> bool:
        """Virtual time stands still, or advances only by commands: messages under way do not arrive by themselves."""
        if not self.simulated:
            return False
        state = self._ask_simulator(describe_simulation=pb.DescribeSimulation()).simulation
        return bool(not state.is_over and (state.is_paused or state.waits_for_commands))

    def _look_when_landed(self) -> _Look:
        """Advances virtual time until nothing is under way; limited, because a fault may delay a message."""
        look, passed_ns = self._look(), 0
        while look.coming and passed_ns < _ARRIVAL_S * 1e9:
            self._ask_simulator(step_clock=pb.StepClock(ns=_FLIGHT_NS))
            passed_ns += _FLIGHT_NS
            look = self._look()
        return look

    def _not_gated(self) -> None:
        if self._is_paused:
            raise LabError("Refused", "Nothing is measured while virtual time stands still.",
                           "lab.clock(speed=1) lets it go on.")
        if self._is_gated:
            raise LabError("Refused", "Nothing is measured while the gate is closed: messages and clocks stand still.",
                           "lab.gate(False) opens it.")


__all__ = ["GateCalls", "Held"]
