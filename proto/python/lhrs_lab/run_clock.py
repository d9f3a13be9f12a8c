# SPDX-License-Identifier: GPL-3.0-or-later
"""One clock for all that belongs to a run: the time of day as it was when this package was loaded, and from then on as the
machine's steady clock goes. A wall clock that is set moves no event. Processes that are started here are told of it."""
import os
import time

VARIABLE = "LHRS_RUN_CLOCK"


def _zero_of(word: str) -> int:
    digits = word[1:] if word.startswith("-") else word
    return int(word) if digits.isascii() and digits.isdigit() else time.time_ns() - time.monotonic_ns()


_ZERO_NS = _zero_of(os.environ.get(VARIABLE, ""))


def now_ns() -> int:
    """Nanoseconds since 1970, by the run's clock."""
    return _ZERO_NS + time.monotonic_ns()


def environment() -> dict[str, str]:
    """That of a process which belongs to this run."""
    return {**os.environ, VARIABLE: str(_ZERO_NS)}
