# SPDX-License-Identifier: GPL-3.0-or-later
"""A ring that walks: each node knows only its successor. Nodes join and leave, and pass each query on until its
owner has it."""
import dataclasses
from typing import TYPE_CHECKING, Any, Iterable, Optional

from . import messages as pb
from .bounds import bounded
from .context import ASK_S, Context, Who
from .errors import LabError
from .values import RESULT_WORDS, Row, seconds, text_of

if TYPE_CHECKING:
    from .lab import Lab

_AT_ONCE = 64


@dataclasses.dataclass(frozen=True)
class RingNode(Row):
    """A node of the ring: it answers for the ids from the one after ``begins_after`` up to its own."""

    name: str
    id: int
    begins_after: int
    successor: str
    keys: Optional[int]         # None: it does not answer


@dataclasses.dataclass(frozen=True)
class Ring(Row):
    """The ring: its nodes by id, and the nodes that wait outside."""

    bits: int                   # ids are numbers modulo 2^bits
    nodes: list[RingNode]
    outside: list[str]
    keys: int                   # of all nodes that answer
    changes: int                # joins and leaves so far
    under_way: Optional[str]    # in words
    broken: Optional[str]       # why it accepts no changes now
    at_rest: bool


@dataclasses.dataclass(frozen=True)
class RingChange(Row):
    """A completed join or leave; ``keys``: how many keys were moved."""

    change: int
    node: str
    id: int
    keys: int


@dataclasses.dataclass(frozen=True)
class LookUp(Row):
    """A key that was looked up through a given node. ``result``: 'found' or 'not found'; ``steps``: how often the
    query was passed on."""

    key: int
    result: str
    value: Optional[bytes]
    owner: str
    steps: int
    time_ms: float

    @property
    def text(self) -> Optional[str]:
        """The value as text; None: there is no value, or it is not text."""
        return None if self.value is None else text_of(self.value)


@dataclasses.dataclass(frozen=True)
class LookUps(Row):
    """Keys that were looked up from every node. ``steps``: on average."""

    nodes: int
    look_ups: int
    found: int
    missing: int
    steps: float
    steps_most: int


@bounded
class RingCalls(Context):
    """See the module."""

    def _describe_ring(self) -> Any:
        if self.system != "walk":
            raise LabError("ClusterMismatch", "This is for a ring; this cluster is a file of LH*RS.", "Lab.start(system='walk') makes a ring.")
        return self._ask(self._coordinator(), walk=pb.WalkCommand(describe_ring=pb.DescribeRing())).walk.ring

    def _await_ring(self, nodes: int, timeout: float) -> None:
        """Waits until this many nodes are in the ring and it is at rest."""
        deadline = self._deadline(timeout)
        while True:
            ring = self._describe_ring()
            if len(ring.ring) >= nodes and ring.at_rest:
                return
            if deadline.left() <= 0:
                raise LabError("Timeout", f"The ring has {len(ring.ring)} of {nodes} nodes after {timeout:g} s.")
            self._wait_beyond(self._log.committed, deadline, 0.05)

    def _keys_of(self, ring: Any) -> dict[int, int]:
        keys = {}
        for node in ring.ring:
            if node.node in ring.lost:
                continue
            try:
                keys[node.node] = self._ask(node.node, ASK_S, statistics=pb.Statistics()).gauges.records
            except LabError as error:
                if error.code != "Unreachable":
                    raise
        return keys

    def ring(self) -> Ring:
        """The ring as its master knows it, with the keys of its nodes. LabError ClusterMismatch: the cluster is a file."""
        ring = self._describe_ring()
        keys, size = self._keys_of(ring), len(ring.ring)
        nodes = [RingNode(self._name_of(node.node), node.id, ring.ring[at - 1].id, self._name_of(ring.ring[(at + 1) % size].node),
                          keys.get(node.node)) for at, node in enumerate(ring.ring)]
        living = {process.number for process in self._wire.processes()}
        return Ring(ring.config.bits, nodes, sorted(self._name_of(one) for one in ring.spares if one in living), sum(keys.values()),
                    ring.change, ring.under_way or None, ring.broken or None, ring.at_rest)

    def _settle_ring(self, timeout: float) -> Ring:
        try:
            self._ask(self._coordinator(), timeout + 1, await_rest=pb.AwaitRest(timeout_ms=max(1, int(timeout * 1000))))
        except LabError as error:
            if error.code == "Timeout":
                raise LabError("Timeout", f"Not at rest after {timeout:g} s: {error.message}.") from None
            raise
        return self.ring()

    def _node(self, who: Who) -> int:
        process = self._targets(who)[0][0]
        if process.kind != "node":
            raise LabError("BadArgument", f"{process.name} is not a node of a ring.", "Name one: lab.process('node-3').")
        return process.number

    def join(self, node: Optional[Who] = None, timeout: float = 10) -> RingChange:
        """Lets a node join the ring (None: any node that waits outside); it gets a part of its successor's keys.
        Returns when the join is complete. LabError Refused, Timeout (seconds), BadArgument, ClusterMismatch."""
        return self._change(timeout, pb.WalkCommand(join_ring=pb.JoinRing(node=0 if node is None else self._node(node))))

    def leave(self, node: Who, timeout: float = 10) -> RingChange:
        """Lets a node leave the ring; it gives its keys to its successor. Returns when that is complete. LabError as
        join."""
        return self._change(timeout, pb.WalkCommand(leave_ring=pb.LeaveRing(node=self._node(node))))

    def _change(self, timeout: float, order: Any) -> RingChange:
        self._describe_ring()
        self._changing()
        done = self._ask(self._coordinator(), timeout, walk=order).walk.change
        if done.undone:
            raise LabError("Refused", f"The change of the ring was undone: {done.undone}.")
        return RingChange(done.change, self._name_of(done.node.node), done.node.id, done.keys)


@bounded
class RingClientCalls:
    """The additional calls of a client of a ring."""

    _lab: "Lab"
    number: int

    def look_up(self, key: int, via: Optional[Who] = None, timeout: float = 10) -> LookUp:
        """Looks up a key through a node of the ring (None: one that the client draws). LabError Timeout (seconds),
        Refused, BadArgument, ClusterMismatch."""
        lab = self._lab
        lab._describe_ring()
        lab._changing()
        found = lab._ask(self.number, timeout, walk=self._order(key, 0 if via is None else lab._node(via))).walk.looked_up
        if found.result not in (pb.OK, pb.NOT_FOUND):
            raise LabError("Timeout", f"look_up of key {key}: {RESULT_WORDS.get(found.result, 'no result')} after {seconds(found.time_ns):g} s.",
                           "A node on the way is silent: see lab.ring().broken.")
        is_there = found.result == pb.OK
        return LookUp(key, "found" if is_there else "not found", found.value if is_there else None, lab._name_of(found.owner), found.steps,
                      found.time_ns / 1e6)

    def look_up_all(self, keys: Iterable[int], timeout: float = 20) -> LookUps:
        """Looks up each key through each node of the ring. LabError Timeout (seconds, for 64 look-ups that run
        together), ClusterMismatch."""
        lab = self._lab
        ring = lab._describe_ring()
        lab._changing()
        asked = [(self.number, pb.Command(walk=self._order(key, node.node))) for key in keys for node in ring.ring]
        answers: list[Any] = []
        for at in range(0, len(asked), _AT_ONCE):
            answers += [reply.walk.looked_up for reply in lab._ask_all(asked[at:at + _AT_ONCE], timeout)]
        found, steps = sum(one.result == pb.OK for one in answers), [one.steps for one in answers]
        return LookUps(len(ring.ring), len(answers), found, len(answers) - found, sum(steps) / len(steps) if steps else 0.0, max(steps, default=0))

    @staticmethod
    def _order(key: int, via: int) -> Any:
        return pb.WalkCommand(look_up=pb.LookUp(key=key, via=via))


__all__ = ["LookUp", "LookUps", "Ring", "RingCalls", "RingChange", "RingClientCalls", "RingNode"]
