# SPDX-License-Identifier: GPL-3.0-or-later
"""What the processes tell: events in the order in which they arrived, and what is missing between them."""
import dataclasses
import threading
import time
from typing import Any, Callable, Iterator, Mapping, Optional, Union

from . import messages as pb, run_clock
from .errors import LabError
from .values import fields_of, near, place_name

_BODIES = {field.message_type.name: field.name for field in pb.Event.DESCRIPTOR.oneofs_by_name["body"].fields}
_KINDS = {body: kind for kind, body in _BODIES.items()}

_OTHER_CLOCK_NS = 2_000_000_000  # a process whose clock is further away was started by somebody else


def body_of(kind: str) -> str:
    """The field of Event for 'SplitFinished' or 'split_finished'. LabError BadArgument: there is no such event."""
    if kind in _BODIES:
        return _BODIES[kind]
    if kind in _KINDS:
        return kind
    raise LabError("BadArgument", f"There is no event {kind}.",
                   near(kind, list(_BODIES)) or "The kinds are the messages of proto/event.proto.")


@dataclasses.dataclass(frozen=True)
class Event:
    """One event. The fields of its kind are attributes as well: ``event.new_bucket`` is ``event.fields['new_bucket']``.

    Times end in ``_s`` and are seconds. ``t_s`` counts from the moment at which this Lab began (virtual time, of a
    simulated cluster)."""

    kind: str                  # 'SplitFinished'
    t_s: float
    process: str               # its name
    place: str                 # of the process then: 'data 5', 'parity 1.0', or empty
    op: int                    # number of the client's operation that it serves; 0: none
    client: str                # whose operation; empty: none
    sequence: int              # at its process, from 1
    fields: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        fields = object.__getattribute__(self, "fields")
        if name in fields:
            return fields[name]
        raise AttributeError(f"{self.kind} has no field {name}; its fields are {', '.join(fields)}")


@dataclasses.dataclass(frozen=True)
class Gap:
    """Events of a process that never came: numbers ``first`` to ``last``."""

    process: str
    first: int
    last: int
    t_s: float      # when it was noticed
    reason: str     # 'lost': the process or the network dropped them; 'joined late': published before this Lab listened


@dataclasses.dataclass(frozen=True)
class Here:
    """A place in the order of events, for ``since``."""

    index: int
    t_s: float


Where = Union[Mapping[str, Any], Callable[[Event], Any], None]


class EventLog:
    """The events of a run. Filled by the thread that reads the sockets, read by any other.

    Only the newest ``keep`` events stay; how many older ones were forgotten is counted."""

    def __init__(self, keep: int) -> None:
        self._keep = max(1000, keep)
        self._changed = threading.Condition()
        self._events: list[tuple[int, Any]] = []    # process number, message
        self._base = 0                              # index of the first that is kept
        self._following: dict[int, int] = {}        # by process: the next sequence expected
        self._names: dict[int, str] = {}
        self._gaps: list[Gap] = []
        self._start_wall_ns = 0
        self._is_simulated = False
        self._last_wall_ns = 0
        self._ahead_ns: dict[int, int] = {}         # of a process' clock, as it was at its first word

    # ---- written by the reading thread

    def take(self, header: Any, batch: Any) -> None:
        """A batch of one process."""
        with self._changed:
            self._names[header.process] = header.name
            self._is_simulated = self._is_simulated or header.simulated
            self._last_wall_ns = max(self._last_wall_ns, header.wall_ns)
            if self._start_wall_ns == 0:
                self._start_wall_ns = header.wall_ns if header.simulated else run_clock.now_ns()
            if header.process not in self._ahead_ns:  # once: neither clock jumps from then on
                ahead = 0 if header.simulated or header.wall_ns == 0 else header.wall_ns - run_clock.now_ns()
                self._ahead_ns[header.process] = ahead if abs(ahead) > _OTHER_CLOCK_NS else 0
            expected = self._following.get(header.process)
            if header.first_sequence > (expected or 1):
                self._gaps.append(Gap(header.name, expected or 1, header.first_sequence - 1,
                                      (header.wall_ns - self._ahead_ns[header.process] - self._start_wall_ns) / 1e9,
                                      "lost" if expected else "joined late"))
            for event in batch.events:
                if event.sequence >= (expected or 0):
                    self._events.append((header.process, event))
            self._following[header.process] = max(expected or 0, header.first_sequence + header.count)
            if len(self._events) > self._keep:
                forgotten = len(self._events) - self._keep * 3 // 4
                del self._events[:forgotten]
                self._base += forgotten
            self._changed.notify_all()

    def begin(self) -> None:
        """Run time begins now, unless an event of a simulated cluster said when."""
        with self._changed:
            if self._start_wall_ns == 0 and not self._is_simulated:
                self._start_wall_ns = run_clock.now_ns()

    def name(self, number: int, name: str) -> None:
        """A process is called so, even if it never told anything."""
        with self._changed:
            self._names.setdefault(number, name)

    def wake(self) -> None:
        """Something else has changed: whoever waits looks again."""
        with self._changed:
            self._changed.notify_all()

    # ---- read by anybody

    @property
    def committed(self) -> int:
        """Index behind the last event."""
        with self._changed:
            return self._base + len(self._events)

    def now_s(self) -> float:
        """Seconds since the run began; of a simulated cluster, as of its last event."""
        with self._changed:
            now = self._last_wall_ns if self._is_simulated else run_clock.now_ns()
            return max(0.0, (now - self._start_wall_ns) / 1e9) if self._start_wall_ns else 0.0

    def gaps(self) -> list[Gap]:
        """What is missing, in the order in which it was noticed."""
        with self._changed:
            return list(self._gaps)

    def forgotten(self) -> int:
        """How many events were too old to be kept."""
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

    def raw_since(self, index: int) -> tuple[int, list[tuple[int, Any]]]:
        """(index behind the last, [(process number, message)]) of the kept events from ``index`` on."""
        with self._changed:
            return self._base + len(self._events), self._events[max(0, index - self._base):]

    def shown(self, process: int, event: Any) -> Event:
        """The event as users of this package see it."""
        body = event.WhichOneof("body")
        with self._changed:
            name = self._names.get(process, str(process))
            client = event.operation.client
            client_name = self._names.get(client, str(client)) if client else ""
            start = self._start_wall_ns + self._ahead_ns.get(process, 0)
        return Event(_KINDS.get(body, "Unknown"), (event.wall_ns - start) / 1e9, name, place_name(event.place),
                     event.operation.number, client_name, event.sequence,
                     fields_of(getattr(event, body)) if body else {})

    def matching(self, index: int, kind: Optional[str], where: Where) -> Iterator[Event]:
        """The kept events from ``index`` on of that kind (a field of Event) that fit ``where``."""
        for process, message in self.raw_since(index)[1]:
            if kind is None or message.WhichOneof("body") == kind:
                event = self.shown(process, message)
                if fits(event, where):
                    yield event


def fits(event: Event, where: Where) -> bool:
    """Whether all fields that ``where`` names are equal, or the function says so."""
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
