# SPDX-License-Identifier: GPL-3.0-or-later
"""Witnesses: a checksum of every record of some buckets, kept here and not in the file, for a later comparison."""
import dataclasses
import hashlib
from typing import AbstractSet, Any, Optional, Sequence

from . import messages as pb
from .errors import LabError
from .invariants import InvariantCalls
from .values import Row, Target, place_name

_PAGE = 512
_Contents = dict[int, tuple[str, bytes]]   # by rank: key or keys, checksum
_Pinned = dict[tuple[str, int], bytes]     # by place and rank: the bytes themselves


@dataclasses.dataclass(frozen=True)
class Compared(Row):
    """``records`` at the time of the witness; of these, ``equal``, ``changed`` and ``missing`` now; ``extra``: new
    ranks. ``first``: the first difference, in words; ``pinned``: {place, rank, key, before, now (bytes, or None),
    equal} of each rank whose bytes were kept."""

    records: int
    equal: int
    changed: int
    missing: int
    extra: int
    first: Optional[str]
    pinned: list[dict[str, Any]]


class Witness:
    """The contents of buckets at one time. Made by ``lab.witness(target)``."""

    def __init__(self, calls: "WitnessCalls", target: Target, pin: Sequence[int]) -> None:
        self._calls = calls
        self._target = target
        self._pin = frozenset(pin)
        self._before, self._bytes = calls._contents_of(target, self._pin)
        self._judged = calls._judge_witness(target)   # the same witness in the lhrs-play that judges the invariants

    def compare(self) -> Compared:
        """Reads the same buckets again, whichever processes hold them now. LabError Unreachable: one of them is not
        running."""
        now, now_bytes = self._calls._contents_of(self._target, self._pin)
        if self._judged:
            self._calls._judge(f"void {self._judged}.compare()", 0)
        equal = changed = missing = extra = 0
        first = None
        for place, before in self._before.items():
            after = now.get(place, {})
            for rank in sorted(set(before) | set(after)):
                if before.get(rank) == after.get(rank):
                    equal += 1
                    continue
                what = "is new" if rank not in before else "is missing" if rank not in after else "is another"
                first = first or f"{place}, rank {rank} {what}"
                extra += rank not in before
                missing += rank not in after
                changed += rank in before and rank in after
        pinned = [{"place": place, "rank": rank, "key": self._before[place][rank][0], "before": data,
                   "now": now_bytes.get((place, rank)), "equal": now_bytes.get((place, rank)) == data}
                  for (place, rank), data in sorted(self._bytes.items())]
        return Compared(sum(map(len, self._before.values())), equal, changed, missing, extra, first, pinned)


class WitnessCalls(InvariantCalls):
    """See the module."""

    def witness(self, target: Target, pin: Sequence[int] = ()) -> Witness:
        """Keeps a checksum of every record of some data or parity buckets, and the bytes of the ranks in ``pin``.
        LabError BadArgument, Refused."""
        if not isinstance(target, Target) or target.role not in ("data", "parity"):
            raise LabError("BadArgument", f"lab.witness needs data or parity buckets, not {target}.")
        if not all(isinstance(rank, int) and rank >= 1 for rank in pin):
            raise LabError("BadArgument", f"pin of lab.witness is a list of ranks, from 1, not {pin!r}.", "pin=[17]")
        return Witness(self, target, pin)

    def _contents_of(self, target: Target, pin: AbstractSet[int]) -> tuple[dict[str, _Contents], _Pinned]:
        found: dict[str, _Contents] = {}
        kept: _Pinned = {}
        for process, place in self._targets(target):
            ranks: _Contents = {}
            rank = 1
            while rank:
                page = self._ask(process.number, read_contents=pb.ReadContents(rank_from=rank, count=_PAGE)).contents
                ranks.update((one.rank, (str(one.key), hashlib.sha256(one.value).digest())) for one in page.data)
                ranks.update((one.rank, (_keys(one.members), hashlib.sha256(one.parity).digest())) for one in page.parity)
                kept.update(((place_name(place), one.rank), one.value) for one in page.data if one.rank in pin)
                kept.update(((place_name(place), one.rank), one.parity) for one in page.parity if one.rank in pin)
                rank = page.next_rank
            found[place_name(place)] = ranks
        return found, kept


def _keys(members: Sequence[pb.ContentsPage.ParityMember]) -> str:
    return " ".join(f"{one.position}:{one.key}" for one in members)


__all__ = ["Compared", "Witness", "WitnessCalls"]
