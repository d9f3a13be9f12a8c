# SPDX-License-Identifier: GPL-3.0-or-later
"""Virtual time that waits for commands: it advances in steps, and while the reply to a command that permits it is
awaited. What happens then depends on the seed and the calls only, not on the speed of this program and the machine."""
import time
from typing import Any, Optional

from . import messages as pb
from .errors import LabError
from .events import EventLog
from .wire import Wire

_NS = 1_000_000_000
_REAL_S = 600.0      # seconds of real time, beyond what the speed requires: the machine may be busy
_SILENCE_S = 30.0    # seconds of real time without any event, after which missing events count as lost
_LONGER, _STEP_MAX_MS = 8, 50
_TURNS = 16          # turns of a simulator during a step, between two looks at real time


class VirtualClock:
    """The clock of a simulation that waits for commands. Nothing happens between two calls. Each call therefore
    begins where the last one ended, and all events that were published until then have been received, in their
    order."""

    def __init__(self, wire: Wire, log: EventLog, endpoint: str, is_ours: bool) -> None:
        self._wire, self._log, self._endpoint, self._is_ours = wire, log, endpoint, is_ours
        self._elsewhere: Optional[int] = 0 if is_ours else None  # events that never arrive here; None: not known yet
        self.state = pb.SimulationState()                        # as last reported
        log.hold()

    @property
    def goes(self) -> bool:
        """Whether calls advance virtual time: it is not paused, and the simulation is not over."""
        return not self.state.is_paused and not self.state.is_over

    @property
    def now_ns(self) -> int:
        """Virtual time."""
        return int(self.state.virtual_ns)

    # ---- commands

    def awaited(self, command: Any, timeout: float) -> Any:
        """Prepares the command, which advances virtual time until it is answered, at most this many seconds."""
        if self.goes:
            command.passing_ns = max(1, int(timeout * _NS))
        return command

    def patience(self, timeout: float) -> float:
        """Seconds of real time for this many seconds of virtual time."""
        return timeout if not self.goes else _REAL_S + (timeout / self.state.factor if self.state.factor > 0 else 0)

    def ask(self, command: Any, process: int = 0, real_s: float = _REAL_S) -> Any:
        """The reply of the simulator to a command that it answers at once, whichever process the command is for."""
        future = self._wire.call(self._endpoint, command, process)
        try:
            reply = future.result(real_s)
        except TimeoutError:
            self._wire.forget(future)
            raise LabError("Timeout", f"The simulator did not answer within {real_s:g} s of real time.") from None
        if reply.HasField("simulation"):
            self.state = reply.simulation
        return reply

    def step(self, ns: int) -> bool:
        """Advances virtual time by this much, and receives what was published until then. False: not now, because
        another call advances it."""
        try:
            self.ask(pb.Command(step_clock=pb.StepClock(ns=ns)), real_s=self.patience(_TURNS * ns / _NS))
        except LabError as error:
            if error.code != "Refused":
                raise
            self.ask(pb.Command(describe_simulation=pb.DescribeSimulation()))
            self._hear()
            return False
        self._hear()
        return True

    def hear_out(self) -> None:
        """Lets everything that is due at this instant happen before the next command, and receives all that was
        published until now. So a call never sees an older state than in another run."""
        if self.goes:
            self.step(0)
        else:
            self.ask(pb.Command(describe_simulation=pb.DescribeSimulation()))
            self._hear()

    # ---- events

    def _hear(self) -> None:
        state = self.state
        if self._elsewhere is None or not self._log.wait_received(state.events - self._elsewhere, _SILENCE_S):
            self._take_stock()
        for number in state.ended:
            self._wire.end(number, "killed")  # only the simulator sees such an end
        is_zero_known = self._is_ours and state.virtual_ns > 0  # wall clocks begin when virtual time first advances
        self._log.commit(state.wall_ns, state.wall_ns - state.virtual_ns if is_zero_known else None)

    def _take_stock(self) -> None:
        """Finds out which events never arrive: they were published before this Lab subscribed, or were lost."""
        end = time.monotonic() + _REAL_S
        while time.monotonic() < end:
            before = self.ask(pb.Command(describe_simulation=pb.DescribeSimulation())).simulation.events
            told = []
            for process in self._wire.processes():
                question = pb.Command(take_snapshot=pb.TakeSnapshot(without_records=True))
                try:
                    told.append(self.ask(question, process.number).snapshot)
                except LabError as error:
                    if error.code == "Unreachable":
                        raise
                    continue  # it has ended or is paused, and publishes nothing
            if self.ask(pb.Command(describe_simulation=pb.DescribeSimulation())).simulation.events == before:
                for snapshot in told:
                    self._log.give_up(snapshot.process, snapshot.sequence)
                self._elsewhere = before - self._log.received
                return
        raise LabError("Timeout", "Another program lets virtual time pass without an end.")


class Deadline:
    """The end of a wait: after this many seconds of virtual time where that waits for commands, else of real time."""

    def __init__(self, clock: Optional[VirtualClock], timeout: float) -> None:
        self._clock = clock
        self._end = time.monotonic() + timeout
        self._end_ns = (clock.now_ns if clock is not None else 0) + int(timeout * _NS)
        self._steps = 0

    def left(self) -> float:
        """The seconds left; 0 or less: it has passed."""
        if self._clock is not None and self._clock.goes:
            return (self._end_ns - self._clock.now_ns) / _NS
        return self._end - time.monotonic()

    def next_step_ns(self) -> int:
        """How far virtual time advances before the next look. This depends only on the earlier steps of this wait,
        so all runs look at the same instants; long waits need fewer looks."""
        assert self._clock is not None
        length = min(1 + self._steps // _LONGER, _STEP_MAX_MS) * 1_000_000
        self._steps += 1
        return max(1, min(length, self._end_ns - self._clock.now_ns))
