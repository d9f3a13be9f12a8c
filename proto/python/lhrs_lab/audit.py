# SPDX-License-Identifier: GPL-3.0-or-later
"""The parity check: every rank's parity is what the data of its group encode to, computed here from digests.

A digest is a linear projection of a record over the file's field, so the parity matrix encodes digests as it encodes
records; nothing of what the processes compute is believed."""
import dataclasses
import functools
from typing import Any, Optional

from . import messages as pb
from .bounds import bounded
from .context import AGAIN_S
from .lamps import LampCalls
from .errors import LabError
from .values import Row, member_place
from .watcher import call

_PAGE = 4096


@dataclasses.dataclass(frozen=True)
class Audit(Row):
    """``ranks`` parity records were compared, ``unequal`` of them differ; ``first``: the first of those, in words."""

    ranks: int
    unequal: int
    first: Optional[str]


class Field:
    """GF(2^16) with polynomial 0x1100b, or GF(2^8) with 0x11d, by tables of logarithms."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self._order = (1 << bits) - 1
        self._exp = [0] * (2 * self._order)
        self._log = [0] * (self._order + 1)
        value, polynomial = 1, 0x1100B if bits == 16 else 0x11D
        for power in range(self._order):
            self._exp[power] = self._exp[power + self._order] = value
            self._log[value] = power
            value <<= 1
            if value > self._order:
                value ^= polynomial

    def multiply(self, a: int, b: int) -> int:
        """a b."""
        return self._exp[self._log[a] + self._log[b]] if a and b else 0

    def divide(self, a: int, b: int) -> int:
        """a / b; b is not 0."""
        return self._exp[self._log[a] + self._order - self._log[b]] if a else 0

    def coefficient(self, position: int, column: int) -> int:
        """Of the parity matrix: data position, parity column. Row 0 and column 0 are ones (column 0 alone in GF(2^8))."""
        if self.bits == 8:
            y = 128 + column
            return 1 if column == 0 else self.divide(y, y ^ position)
        y = 32 + column
        return self.divide(self.multiply(y, 32 ^ position), self.multiply(y ^ position, 32))

    def scaled(self, digest: int, coefficient: int) -> int:
        """A digest of eight bytes, each of its symbols times the coefficient."""
        mask = (1 << self.bits) - 1
        return sum(self.multiply(coefficient, digest >> shift & mask) << shift for shift in range(0, 64, self.bits))


@functools.cache
def field(bits: int) -> Field:
    """The field, made once."""
    return Field(bits)


@bounded
class AuditCalls(LampCalls):
    """See the module."""

    def audit(self, group: Optional[int] = None, timeout: float = 10) -> Audit:
        """Compares the parity of a group, or of all, with what its data encode to. Waits up to ``timeout`` seconds for
        rest. LabError Refused: the group is not at rest; BadArgument."""
        deadline = self._deadline(timeout)
        while True:
            file = self._describe_file()
            if group is not None:
                self._group_of(file, group)
            try:
                if not file.at_rest:
                    raise LabError("Refused", file.under_way or "splits are owed")
                self._judge(call("lab.audit", group, {"timeout": 1}), timeout)
                audits = [self._audit_group(file, one) for one in file.groups if group is None or one.number == group]
                return Audit(sum(one.ranks for one in audits), sum(one.unequal for one in audits),
                             next((one.first for one in audits if one.first), None))
            except LabError as error:
                if deadline.left() <= 0:
                    raise LabError("Refused", f"No audit within {timeout:g} s: {error.message.rstrip('.')}.",
                                   "Call lab.settle() first.") from None
            self._wait_beyond(self._log.committed, deadline, AGAIN_S)

    def _digests(self, name: str, member: Any) -> tuple[Any, dict[int, Any]]:
        """(the last page, {rank: its entry})."""
        ranks: dict[int, Any] = {}
        rank = 1
        while True:
            page = self._ask(self._process(member.holder.node).number,
                             audit=pb.Audit(rank_from=rank, count=_PAGE)).audit
            ranks.update((one.rank, one) for one in page.ranks)
            rank = page.next_rank
            if rank == 0:
                if page.held:
                    raise LabError("Refused", f"{name} has changes under way")
                return page, ranks

    def _audit_group(self, file: Any, group: Any) -> Audit:
        m = file.config.m
        gf = field(8 if file.config.field == pb.GF_8 else 16)
        data: dict[int, tuple[Any, dict[int, Any]]] = {}
        parity: list[tuple[str, int, Any, dict[int, Any]]] = []
        for member in group.view.members:
            name = member_place(group.number, m, member)
            page, ranks = self._digests(name, member)
            if member.role == pb.DATA:
                data[member.index] = (page, ranks)
            else:
                parity.append((name, member.index, page, ranks))
        count, unequal, first = 0, 0, None
        for name, column, page, parity_ranks in parity:
            for position, (data_page, _) in data.items():
                if position < len(page.applied) and page.applied[position] != data_page.sequence:
                    raise LabError("Refused", f"{name} has applied change {page.applied[position]} of position {position}, which "
                                   f"is at {data_page.sequence}")
            for rank in sorted(set(parity_ranks).union(*(ranks for _, ranks in data.values()))):
                count += 1
                records = {position: ranks[rank] for position, (_, ranks) in data.items() if rank in ranks}
                what = _difference(gf, column, parity_ranks.get(rank), records)
                if what:
                    unequal += 1
                    first = first or f"{name}, rank {rank}: {what}"
        return Audit(count, unequal, first)


def _difference(gf: Field, column: int, parity: Any, records: dict[int, Any]) -> str:
    if parity is None:
        return "there is no parity record"
    listed = {position: (key, length) for position, key, length in zip(parity.positions, parity.keys, parity.lengths)}
    if listed != {position: (record.keys[0], record.lengths[0]) for position, record in records.items()}:
        return "the key list is not that of the data buckets"
    sum_ = 0
    for position, record in records.items():
        sum_ ^= gf.scaled(record.digest, gf.coefficient(position, column))
    return "" if sum_ == parity.digest else "the parity is not what the data encode to"
