# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulated cluster that was started here: one process, lhrs-sim, simulates all others. Where the system acts on
real processes, commands act on simulated ones."""
import concurrent.futures
import random
from typing import Any, Callable, Optional, Sequence

from . import messages as pb
from .errors import LabError
from .events import EventLog
from .local import Child, LocalCluster
from .virtual_clock import VirtualClock
from .wire import Process, Wire

_ASK_S = 5.0
_LOOK_S = 0.25
_KILL_LEASE_MS = 1000


class SimulatedCluster(LocalCluster):
    """The processes of a simulated cluster."""

    def __init__(self, wire: Wire, log: EventLog, bin_dir: Optional[str], patience_s: float, speed: float, seed: int,
                 waits: bool, system: str = "lhrs") -> None:
        """``waits``: virtual time waits for commands; otherwise it advances by itself."""
        super().__init__(wire, bin_dir, patience_s, system=system)
        self._log, self._speed, self._seed, self._waits = log, speed, seed, waits
        self._simulator = ""
        self.clock: Optional[VirtualClock] = None  # once the simulator runs, if its time waits
        self._numbers = random.Random(f"faults {seed}")

    def start_coordinator(self, arguments: Sequence[str]) -> Process:
        """Starts the simulator, without servers. Virtual time stands still until ``begin``."""
        first = self._start([("simulation", "lhrs-sim", [
            *arguments, "--seed", str(self._seed), "--speed", "max" if self._speed == 0 else f"{self._speed:g}", "--paused",
            *(["--servers", "0"] if self._is_ring else ["--data-spares", "0", "--parity-spares", "0"])])])[0]
        self._simulator = first.control
        if self._waits:
            self.clock = VirtualClock(self._wire, self._log, first.control, is_ours=True)
            self._ask(pb.Command(set_clock=pb.SetClock(is_paused=True, waits_for_commands=True)))
        else:
            self._wire.repeat("ended", _LOOK_S, self._look)
        return first

    def new_number(self) -> int:
        """Drawn by the seed, because the effect of a fault on messages depends on the number."""
        return max(1, self._numbers.getrandbits(53))

    def choose_patience(self) -> dict[str, Any]:
        """As LocalCluster does; virtual time is never late."""
        return {"wake_late_ms": None, "time_scale": 1}

    def begin(self) -> None:
        """All processes that are wanted at the start exist."""
        self._ask(pb.Command(set_clock=pb.SetClock(factor=self._speed)))

    def start_servers(self, pool: int, count: int) -> list[Process]:
        """Starts further servers that wait in a pool (messages.DATA, messages.PARITY, or for a ring
        messages.NO_ROLE)."""
        names = self._next_names(pool, count)
        return self._processes(pb.StartProcesses(kind=pb.NODE, pool=pool, names=names)) if names else []

    def start_client(self, name: str) -> Process:
        """Starts a client."""
        return self._processes(pb.StartProcesses(kind=pb.CLIENT, names=[name]))[0]

    def _processes(self, order: Any) -> list[Process]:
        started = [Process.of(entry.process) for entry in self._ask(pb.Command(start_processes=order)).processes.processes]
        for process in started:
            process.is_ours = True  # the simulator reports its end, not the coordinator
            self._wire.add(process)
        return started

    # ---- asking

    def _ask(self, command: Any, process: int = 0) -> Any:
        if self.clock is None:
            return self._result(self._wire.call(self._simulator, command, process))
        reply = self.clock.ask(command, process)
        self.clock.hear_out()
        return reply

    def _result(self, future: "concurrent.futures.Future[Any]") -> Any:
        try:
            return future.result(_ASK_S)
        except concurrent.futures.TimeoutError:
            self._wire.forget(future)
            raise LabError("Timeout", f"The simulator did not answer within {_ASK_S:g} s.") from None

    def _each(self, numbers: Sequence[int], command: Any) -> list[Any]:
        """Sends each process its own command, all at one instant of virtual time."""
        state = self._ask(pb.Command(describe_simulation=pb.DescribeSimulation())).simulation
        goes = len(numbers) > 1 and not state.is_paused and not state.waits_for_commands
        if goes:
            self._ask(pb.Command(set_clock=pb.SetClock(is_paused=True)))
        try:
            replies = []
            for number in numbers:
                one = pb.Command()
                one.CopyFrom(command)
                replies.append(self._ask(one, number))
            return replies
        finally:
            if goes:
                self._ask(pb.Command(set_clock=pb.SetClock(factor=state.factor)))

    def _look(self) -> None:
        """Runs in the wire's thread: finds the processes that have ended, which only the simulator sees."""
        def told(future: Any) -> None:
            if future.exception() is None:
                for number in future.result().simulation.ended:
                    self._wire.end(number, "killed")
        question = pb.Command(describe_simulation=pb.DescribeSimulation())
        self._wire.call(self._simulator, question).add_done_callback(told)

    def _ended(self, number: int, child: Child) -> Callable[[], None]:
        ended = super()._ended(number, child)

        def all_have() -> None:
            ended()
            self._wire.lose(child.ready["control"], "The simulator has ended.")
        return all_have

    # ---- faults of processes

    def _living_numbers(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            known = self._wire.find(number)
            if known is None:
                raise LabError("BadArgument", f"There is no process {number}.")
            if known.has_ended:
                raise LabError("Refused", f"The process {known.name} has ended already.")

    def kill(self, numbers: Sequence[int]) -> None:
        """Ends processes like a crash, all at one instant."""
        self._living_numbers(numbers)
        fault = pb.Fault(number=self.new_number(), lease_ms=_KILL_LEASE_MS)
        fault.crash.SetInParent()
        self._each(numbers, pb.Command(arm_fault=pb.ArmFault(fault=fault)))
        for number in numbers:
            self._wire.end(number, "killed on request")

    def pause(self, numbers: Sequence[int], lease_s: float) -> None:
        """Pauses them until ``resume``, or until the lease ends (virtual seconds)."""
        self._living_numbers(numbers)
        fault = pb.Fault(number=self.new_number(), lease_ms=max(1, round(lease_s * 1000)))
        fault.pause.SetInParent()
        self._each(numbers, pb.Command(arm_fault=pb.ArmFault(fault=fault)))

    def resume(self, numbers: Sequence[int]) -> None:
        """Resumes paused processes. LabError Refused: one is not paused."""
        self._living_numbers(numbers)
        listed = self._each(numbers, pb.Command(list_faults=pb.ListFaults()))
        for number, reply in zip(numbers, listed):
            pauses = [entry.requested.number for entry in reply.faults.faults if entry.requested.HasField("pause")]
            if not pauses:
                known = self._wire.find(number)
                raise LabError("Refused", f"The process {known.name if known else number} is not paused.")
            for fault in pauses:
                self._ask(pb.Command(heal_faults=pb.HealFaults(number=fault)), number)

    def paused(self) -> dict[int, float]:
        """Nothing: here pauses are faults like others, and listed with them."""
        return {}

    def ended(self) -> int:
        """How many processes have ended and were not restarted."""
        return sum(process.has_ended and process.how_it_ended != "started again" for process in self._wire.processes(False))

    def restart(self, numbers: Sequence[int]) -> list[Process]:
        """Starts other processes in their places: servers as empty spares, a coordinator that first listens for its
        file."""
        for number in numbers:
            known = self._wire.find(number)
            if known is not None and known.kind == "client":
                raise LabError("Refused", f"Servers and the coordinator are started again, not {known.name}: what a client "
                               "knows ends with its process.", "lab.client(NAME) starts another one.")
        started = self._processes(pb.StartProcesses(again=numbers))
        for number in numbers:
            self._wire.end(number, "started again")
            known = self._wire.find(number)
            if known is not None:
                known.how_it_ended = "started again"
        return started


__all__ = ["SimulatedCluster"]
