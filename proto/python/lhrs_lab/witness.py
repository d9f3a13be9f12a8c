# SPDX-License-Identifier: GPL-3.0-or-later
"""Witnesses: a checksum of every record of some buckets, kept here and not in the file, to be compared with what they hold later."""
import dataclasses
import hashlib
from typing import Optional, Sequence

from . import messages as pb
from .context import Context
from .errors import LabError
from .values import Row, Target, place_name

_PAGE = 512
_Contents = dict[int, tuple[str, bytes]]   # by rank: key or keys, checksum


@dataclasses.dataclass(frozen=True)
class Compared(Row):
    """``records`` at the time of the witness; of them ``equal``, ``changed``, ``missing`` now; ``extra``: new ranks.
    ``first``: the first that differs, in words."""

    records: int
    equal: int
    changed: int
    missing: int
    extra: int
    first: Optional[str]


class Witness:
    """What buckets held at one time. Made by ``lab.witness(target)``."""

    def __init__(self, calls: "WitnessCalls", target: Target) -> None:
        self._calls = calls
        self._target = target
        self._before = calls._contents_of(target)

    def compare(self) -> Compared:
        """Reads the same buckets again, whichever processes hold them now. LabError Unreachable: one is not there."""
        now = self._calls._contents_of(self._target)
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
        return Compared(sum(map(len, self._before.values())), equal, changed, missing, extra, first)


class WitnessCalls(Context):
    """See the module."""

    def witness(self, target: Target) -> Witness:
        """Keeps a checksum of every record of some data or parity buckets. LabError BadArgument, Refused."""
        if not isinstance(target, Target) or target.role not in ("data", "parity"):
            raise LabError("BadArgument", f"lab.witness needs data or parity buckets, not {target}.")
        return Witness(self, target)

    def _contents_of(self, target: Target) -> dict[str, _Contents]:
        found: dict[str, _Contents] = {}
        for process, place in self._targets(target):
            ranks: _Contents = {}
            rank = 1
            while rank:
                page = self._ask(process.number, read_contents=pb.ReadContents(rank_from=rank, count=_PAGE)).contents
                ranks.update((one.rank, (str(one.key), hashlib.sha256(one.value).digest())) for one in page.data)
                ranks.update((one.rank, (_keys(one.members), hashlib.sha256(one.parity).digest())) for one in page.parity)
                rank = page.next_rank
            found[place_name(place)] = ranks
        return found


def _keys(members: Sequence[pb.ContentsPage.ParityMember]) -> str:
    return " ".join(f"{one.position}:{one.key}" for one in members)


__all__ = ["Compared", "Witness", "WitnessCalls"]
