# SPDX-License-Identifier: GPL-3.0-or-later
"""The parity check: whether the parity of every rank is what the data of its group encode to. lhrs-play computes it
from digests, with the same code as the window."""
import dataclasses
from typing import Optional

from . import play
from .bounds import bounded
from .context import AGAIN_S
from .errors import LabError
from .invariants import InvariantCalls
from .values import Row
from .watcher import call


@dataclasses.dataclass(frozen=True)
class Audit(Row):
    """``ranks`` parity records were compared, ``unequal`` of them differ; ``first``: the first of those, in words."""

    ranks: int
    unequal: int
    first: Optional[str]


@bounded
class AuditCalls(InvariantCalls):
    """The call ``audit``."""

    def audit(self, group: Optional[int] = None, timeout: float = 10) -> Audit:
        """Compares the parity of a group, or of all, with what its data encode to. Waits up to ``timeout`` seconds for
        rest. LabError Refused: the group is not at rest; BadArgument; Unsupported: there is no lhrs-play."""
        deadline = self._deadline(timeout)
        while True:
            file = self._describe_file()
            if group is not None:
                self._group_of(file, group)
            try:
                if not file.at_rest:
                    raise LabError("Refused", file.under_way or "splits are owed")
                return self._audit_now(group, timeout)
            except LabError as error:
                if error.code == "Unsupported":
                    raise
                if deadline.left() <= 0:
                    raise LabError("Refused", f"No audit within {timeout:g} s: {error.message.rstrip('.')}.",
                                   "Call lab.settle() first.") from None
            self._wait_beyond(self._log.committed, deadline, AGAIN_S)

    def _audit_now(self, group: Optional[int], timeout: float) -> Audit:
        """By the lhrs-play that watches, so that the result counts for the invariants; otherwise by one that only
        audits."""
        told = self._judge(call("lab.audit", group, {"timeout": 1}), timeout)
        if told is None:
            told = play.audit(self._watch_bin, self._process(self._coordinator()).control, group, self.key_file)
        return Audit(int(told["ranks"]), int(told["unequal"]), told["first"])
