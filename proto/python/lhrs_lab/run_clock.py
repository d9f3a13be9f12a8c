# SPDX-License-Identifier: GPL-3.0-or-later
"""One clock for everything in a run: the time of day when this package was loaded, advanced by the machine's steady
clock. Setting the wall clock therefore moves no event. Processes that are started here are given this clock."""
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
    """The environment of a process that belongs to this run."""
    return {**os.environ, VARIABLE: str(_ZERO_NS)}
