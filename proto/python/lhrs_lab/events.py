# SPDX-License-Identifier: GPL-3.0-or-later
"""The events of the processes, in the order in which they arrived, and the gaps between them."""
import dataclasses
import threading
import time
from typing import Any, Callable, Iterator, Mapping, Optional, Union

from . import messages as pb, run_clock
from .errors import LabError
from .values import fields_of, near, place_name

_HOLDERS = [pb.Event.DESCRIPTOR, *(field.message_type for field in pb.Event.DESCRIPTOR.oneofs_by_name["of_system"].fields)]
_BODIES = {field.message_type.name: field.name for holder in _HOLDERS for field in holder.oneofs_by_name["body"].fields}
_KINDS = {body: kind for kind, body in _BODIES.items()}

_OTHER_CLOCK_NS = 2_000_000_000  # a process whose clock differs by more was not started here


def body_of(kind: str) -> str:
    """The field of Event for 'SplitFinished' or 'split_finished'. LabError BadArgument: there is no such event."""
    if kind in _BODIES:
        return _BODIES[kind]
    if kind in _KINDS:
        return kind
    raise LabError("BadArgument", f"There is no event {kind}.",
                   near(kind, list(_BODIES)) or "The kinds are the messages of proto/event.proto.")


def told_by(event: Any) -> tuple[str, Any]:
    """(name of the field, message) of the body of the event, whichever system it belongs to; ('', None): it has
    none."""
    system = event.WhichOneof("of_system")
    holder = getattr(event, system) if system else event
    name = holder.WhichOneof("body") or ""
    return name, getattr(holder, name) if name else None


@dataclasses.dataclass(frozen=True)
class Event:
    """One event. The fields of its kind are also attributes: ``event.new_bucket`` is ``event.fields['new_bucket']``.

    Times end in ``_s`` and are seconds. ``t_s`` counts from the beginning of this Lab (in virtual time if the
    cluster is simulated)."""

    kind: str                  # 'SplitFinished'
    t_s: float
    process: str               # its name
    place: str                 # of the process at that time: 'data 5', 'parity 1.0', or empty
    op: int                    # number of the client's operation that the event belongs to; 0: none
    client: str                # the client of that operation; empty: none
    sequence: int              # of the event in its process, from 1
    fields: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """A row for tables (scenarios/DATA.md): where and when, then the fields. None: not known. If a field has the
        name of one of the first columns, its column begins with ``body_``."""
        first = {"t_s": self.t_s, "event_kind": self.kind, "process": self.process, "place": self.place or None, "client": self.client or None,
                 "op": self.op or None, "seq": self.sequence}
        return {**first, **{f"body_{name}" if name in first else name: value for name, value in self.fields.items()}}

    def __getattr__(self, name: str) -> Any:
        fields = object.__getattribute__(self, "fields")
        if name in fields:
            return fields[name]
        raise AttributeError(f"{self.kind} has no field {name}; its fields are {', '.join(fields)}")


@dataclasses.dataclass(frozen=True)
class Gap:
    """Events of a process that never arrived: numbers ``first`` to ``last``."""

    process: str
    first: int
    last: int
    t_s: float      # when it was noticed
    reason: str     # 'lost': by process or network; 'joined late': published before this Lab subscribed

    def as_dict(self) -> dict[str, Any]:
        """A row for tables, with the columns of gaps.csv."""
        return {"process": self.process, "seq_first": self.first, "seq_last": self.last, "t_s": self.t_s, "reason": self.reason}


@dataclasses.dataclass(frozen=True)
class Here:
    """A position in the order of events, for ``since``."""

    index: int
    t_s: float


Where = Union[Mapping[str, Any], Callable[[Event], Any], None]


class EventLog:
    """The events of a run. Written by the thread that reads the sockets, read by any other thread.

    Only the newest ``keep`` events are kept; the number of older ones that were dropped is counted."""

    def __init__(self, keep: int) -> None:
        self._keep = max(1000, keep)
        self._changed = threading.Condition()
        self._events: list[tuple[int, Any]] = []    # process number, message
        self._base = 0                              # index of the first that is kept
        self._following: dict[int, int] = {}        # by process: the next sequence expected
        self._names: dict[int, str] = {}
        self._gaps: list[Gap] = []
        self._received = 0                          # from the first of each process on: arrived or given up
        self._arrived: Optional[list[tuple[int, Any]]] = None  # wait for ``commit``; None: nothing waits
        self._too_old = 0                           # of those, dropped meanwhile
        self._start_wall_ns = 0
        self._is_simulated = False
        self._last_wall_ns = 0                      # of a simulated cluster
        self._ahead_ns: dict[int, int] = {}         # by how much a process's clock was ahead at its first batch

    # ---- written by the reading thread

    def take(self, header: Any, batch: Any) -> None:
        """Takes a batch of one process."""
        with self._changed:
            self._names[header.process] = header.name
            self._is_simulated = self._is_simulated or header.simulated
            first_ns = last_ns = header.wall_ns
            if header.simulated and batch.events:  # its header has the time of day, the events have virtual time
                first_ns, last_ns = batch.events[0].wall_ns, batch.events[-1].wall_ns
            self._last_wall_ns = max(self._last_wall_ns, last_ns)
            if self._start_wall_ns == 0:
                self._start_wall_ns = first_ns if header.simulated else run_clock.now_ns()
            if header.process not in self._ahead_ns:  # once: neither clock may jump from then on
                ahead = 0 if header.simulated or header.wall_ns == 0 else header.wall_ns - run_clock.now_ns()
                self._ahead_ns[header.process] = ahead if abs(ahead) > _OTHER_CLOCK_NS else 0
            expected = self._following.get(header.process)
            if header.first_sequence > (expected or 1):
                self._miss(header.process, header.first_sequence - 1,
                           (first_ns - self._ahead_ns[header.process] - self._start_wall_ns) / 1e9)
            new = [(header.process, event) for event in batch.events if event.sequence >= (expected or 0)]
            self._follow(header.process, header.first_sequence + header.count, expected or header.first_sequence)
            if self._arrived is None:
                self._append(new)
            else:
                self._arrived += new
                if len(self._arrived) > 2 * self._keep:  # the oldest cannot be among those that are kept
                    self._arrived.sort(key=_order)
                    self._too_old += len(self._arrived) - self._keep
                    del self._arrived[:-self._keep]
            self._changed.notify_all()

    def _miss(self, process: int, last: int, t_s: float) -> None:
        expected = self._following.get(process)
        self._gaps.append(Gap(self._names.get(process, str(process)), expected or 1, last, t_s,
                              "lost" if expected else "joined late"))

    def _follow(self, process: int, following: int, before: int) -> None:
        self._following[process] = max(before, following)
        self._received += self._following[process] - before

    def _append(self, new: list[tuple[int, Any]], too_old: int = 0) -> None:
        self._events += new
        count = len(self._events) + too_old
        if count > self._keep:
            kept = self._keep * 3 // 4
            self._base += count - kept
            del self._events[:-kept]

    def hold(self) -> None:
        """From now on events wait until ``commit``, because they arrive in batches per process, and the order of
        batches of different processes follows no clock."""
        with self._changed:
            self._arrived = []

    def commit(self, now_wall_ns: int, start_wall_ns: Optional[int]) -> None:
        """Makes the events that have arrived readable, in the order of virtual time, which is now ``now_wall_ns``.
        The run's clock began at ``start_wall_ns`` (None: unchanged)."""
        with self._changed:
            self._start_wall_ns = start_wall_ns or self._start_wall_ns or now_wall_ns
            self._last_wall_ns = now_wall_ns
            if self._arrived:
                self._append(sorted(self._arrived, key=_order), self._too_old)
                self._arrived, self._too_old = [], 0
                self._changed.notify_all()

    def give_up(self, process: int, sequence: int) -> None:
        """The missing events of a process up to this number will not arrive."""
        with self._changed:
            expected = self._following.get(process)
            if (expected or 1) <= sequence:
                self._miss(process, sequence, max(0.0, (self._last_wall_ns - self._start_wall_ns) / 1e9))
                self._follow(process, sequence + 1, expected or sequence + 1)

    def begin(self) -> None:
        """Starts the run's clock now, for real processes."""
        with self._changed:
            if self._start_wall_ns == 0:
                self._start_wall_ns = run_clock.now_ns()

    def name(self, number: int, name: str) -> None:
        """Sets the name of a process, even if it never published an event."""
        with self._changed:
            self._names.setdefault(number, name)

    def wake(self) -> None:
        """Something else has changed: wakes the waiting threads."""
        with self._changed:
            self._changed.notify_all()

    # ---- read by anybody

    @property
    def committed(self) -> int:
        """The index after the last event."""
        with self._changed:
            return self._base + len(self._events)

    @property
    def received(self) -> int:
        """The number of events that have arrived since the first one of each process, including those that are known
        to be missing."""
        with self._changed:
            return self._received

    def now_s(self) -> float:
        """Seconds since the run began; in a simulated cluster, at its last event or at the last ``commit``."""
        with self._changed:
            now = self._last_wall_ns if self._is_simulated else run_clock.now_ns()
            return max(0.0, (now - self._start_wall_ns) / 1e9) if self._start_wall_ns else 0.0

    def gaps(self) -> list[Gap]:
        """The gaps, in the order in which they were noticed."""
        with self._changed:
            return list(self._gaps)

    def forgotten(self) -> int:
        """How many events were dropped because they were too old."""
        with self._changed:
            return self._base

    def wait_beyond(self, index: int, deadline: float) -> bool:
        """Waits until there are events from ``index`` on, or something else has changed; False: the deadline (of
        time.monotonic) has passed and there are none."""
        with self._changed:
            if self._base + len(self._events) > index:
                return True
            self._changed.wait(max(0.0, deadline - time.monotonic()))
            return self._base + len(self._events) > index or time.monotonic() < deadline

    def wait_folded(self, process: int, sequence: int, deadline: float) -> bool:
        """Waits until the events of a process have arrived up to that one."""
        with self._changed:
            return self._changed.wait_for(lambda: self._following.get(process, 1) > sequence,
                                          max(0.0, deadline - time.monotonic()))

    def wait_received(self, count: int, silence_s: float) -> bool:
        """Waits until this many events were ``received``. False: no event has arrived for ``silence_s``."""
        with self._changed:
            silent_at = time.monotonic() + silence_s
            while self._received < count:
                before = self._received
                self._changed.wait(max(0.0, silent_at - time.monotonic()))
                if self._received != before:
                    silent_at = time.monotonic() + silence_s
                elif time.monotonic() >= silent_at:
                    return False
            return True

    def raw_since(self, index: int) -> tuple[int, list[tuple[int, Any]]]:
        """(index after the last, [(process number, message)]) of the kept events from ``index`` on."""
        with self._changed:
            return self._base + len(self._events), self._events[max(0, index - self._base):]

    def shown(self, process: int, event: Any) -> Event:
        """The event in the form for users of this package."""
        name_of_body, body = told_by(event)
        with self._changed:
            name = self._names.get(process, str(process))
            client = event.operation.client
            client_name = self._names.get(client, str(client)) if client else ""
            start = self._start_wall_ns + self._ahead_ns.get(process, 0)
        # A simulated process that publishes something before virtual time has advanced has no wall clock yet.
        t_s = max(0.0, (event.wall_ns - start) / 1e9) if self._is_simulated else (event.wall_ns - start) / 1e9
        return Event(_KINDS.get(name_of_body, "Unknown"), t_s, name, place_name(event.place),
                     event.operation.number, client_name, event.sequence,
                     fields_of(body) if body is not None else {})

    def matching(self, index: int, kind: Optional[str], where: Where) -> Iterator[Event]:
        """The kept events from ``index`` on that are of this kind (a field of Event) and fit ``where``."""
        for process, message in self.raw_since(index)[1]:
            if kind is None or told_by(message)[0] == kind:
                event = self.shown(process, message)
                if fits(event, where):
                    yield event


def _order(told: tuple[int, Any]) -> tuple[int, int, int]:
    """Sort key by virtual time; events of one instant are grouped by process."""
    return told[1].wall_ns, told[0], told[1].sequence


def fits(event: Event, where: Where) -> bool:
    """Whether all fields that ``where`` names are equal, or the function ``where`` returns true."""
    if where is None:
        return True
    if callable(where):
        return bool(where(event))
    for name, value in where.items():
        if name not in event.fields and name not in ("t_s", "process", "place", "op", "client", "sequence"):
            raise LabError("BadArgument", f"{event.kind} has no field {name}.",
                           f"Its fields are {', '.join([*event.fields, 'process', 'place', 'op', 'client'])}.")
        if getattr(event, name) != value:
            return False
    return True
