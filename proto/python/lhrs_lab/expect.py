# SPDX-License-Identifier: GPL-3.0-or-later
"""Expectations: conditions that must hold, each kept as a sentence with its outcome."""
import dataclasses
from typing import Any, Callable, Optional

from .context import Context
from .errors import CODES, LabError
from .events import Here, Where, body_of
from .values import Row, near


@dataclasses.dataclass(frozen=True)
class Expectation(Row):
    """An expectation that was checked."""

    text: str
    held: bool
    detail: str    # of a failed one: the value and the wanted value
    t_s: float     # of the run


class ExpectCalls(Context):
    """See the module."""

    expectations: list[Expectation]

    def expect(self, ok: Any, text: str, detail: str = "") -> None:
        """States that something must be true; kept in ``lab.expectations``. LabError ExpectationFailed: it is not."""
        self.expectations.append(Expectation(text, bool(ok), "" if ok else detail, self._log.now_s()))
        if not ok:
            raise LabError("ExpectationFailed", f"{text}: {detail}" if detail else text)

    def expect_equal(self, got: Any, wanted: Any, text: str) -> None:
        """States that two values must be equal. LabError ExpectationFailed names both."""
        self.expect(got == wanted, text, f"got {got!r}, wanted {wanted!r}")

    def expect_within(self, got: float, low: float, high: float, text: str) -> None:
        """States that a number must lie between two others, inclusive. LabError ExpectationFailed."""
        self.expect(low <= got <= high, text, f"got {got!r}, wanted {low!r} to {high!r}")

    def expect_none(self, kind: str, where: Where = None, since: Optional[Here] = None) -> None:
        """States that no such event has happened since the last changing call, or ``since``. LabError
        ExpectationFailed shows the first one."""
        self._catch_up()
        found = next(self._log.matching(self._since(since), body_of(kind), where), None)
        self.expect(found is None, f"no {kind}", "" if found is None else
                    f"{found.place or found.process} told of one after {found.t_s:.3f} s: {found.fields}")

    def expect_error(self, code: str, call: Callable[[], Any]) -> LabError:
        """States that ``call()`` must raise a LabError of this code, and returns that error. LabError
        ExpectationFailed: it does not."""
        if code not in CODES:
            raise LabError("BadArgument", f"There is no code {code}.", near(code, list(CODES)) or f"There are {', '.join(CODES)}.")
        try:
            got = call()
        except LabError as error:
            self.expect(error.code == code, f"an error {code}", f"got {error}")
            return error
        self.expect(False, f"an error {code}", f"got {got!r}")
        raise AssertionError("expect raises")


__all__ = ["ExpectCalls", "Expectation"]
