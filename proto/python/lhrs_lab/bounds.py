# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounds of the numbers that are passed to calls: one table, which every public call of the package obeys."""
import functools
import math
import numbers
from typing import Any, Callable, TypeVar

from .errors import LabError

_LONG = 1e9          # seconds: thirty years
_U32, _U64 = 2**32 - 1, 2**64 - 1
_CLASS = TypeVar("_CLASS", bound=type)

#: By the name of the parameter: least, most, whether only whole numbers are taken. The bounds are those of ``lab`` in
#: scenarios and of lhrs-coordinator.
BOUNDS: dict[str, tuple[float, float, bool]] = {
    "m": (1, 32, True), "k": (0, 8, True), "b": (1, 2**28, True), "K": (0, 8, True),
    "record_bytes": (0, 65_535, True), "slice": (1, 2**24, True), "load_control": (0.1, 1, False), "seed": (0, _U64, True),
    "keep_events": (1, _U32, True), "data": (0, 2000, True), "parity": (0, 2000, True), "speed": (0, 100, False),
    "timeout": (0, _LONG, False), "patience": (0, _LONG, False), "seconds_": (0, _LONG, False), "within": (0, _LONG, False),
    "lease": (0.001, 3600, False), "count": (0, _U32, True), "batch": (1, 2**20, True), "window": (1, math.inf, False), "rate": (0.001, 1e7, False),
    "skew": (0.01, 10, False), "key_space": (0, _U64, True), "times_every": (0, _U32, True), "keep": (0, _U32, True),
    "key": (0, _U64, True), "first": (0, _U64, True), "group": (0, _U32, True), "rank": (0, _U32, True), "start": (0, _U32, True), "limit": (0, _U32, True),
    "sample": (0, _U32, True), "number": (0, _U32, True), "column": (0, 7, True), "index": (0, _U32, True), "manager": (0, 7, True),
    "drop": (0, 1, False), "duplicate": (0, 1, False), "reorder": (0, 1, False), "corrupt": (0, 1, False),
    "delay_ms": (0, 60_000, True), "jitter_ms": (0, 60_000, True), "bytes_per_second": (0, _U64, True),
    "nodes": (1, 300, True), "outside": (0, 300, True), "bits": (8, 64, True),
    "repetitions": (1, _U32, True), "repetitions_max": (1, _U32, True), "warm_up": (0, _U32, True),
}


def check(name: str, value: Any) -> None:
    """LabError BadArgument: the value is not a number within the bounds of this parameter."""
    low, high, is_whole = BOUNDS[name]
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool) and low <= value <= high
    if not is_number or is_whole and value != int(value):
        raise LabError("BadArgument", f"{name} is a {'whole ' if is_whole else ''}number from {low:.15g} to {high:.15g}, not {value!r:.80}.")


def _is_asked_for(value: Any, annotation: Any) -> bool:
    """Whether the value must be a number: it is not None, and not a word or list where the call also takes those."""
    return value is not None and not (isinstance(value, (str, list, tuple, range)) and "Union" in str(annotation))


def _checked(function: Callable[..., Any]) -> Callable[..., Any]:
    names = function.__code__.co_varnames[:function.__code__.co_argcount + function.__code__.co_kwonlyargcount]
    hints = function.__annotations__
    bounded = [(place, name) for place, name in enumerate(names) if name in BOUNDS and ("int" in str(hints[name]) or "float" in str(hints[name]))]
    if not bounded:
        return function

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        for place, name in bounded:
            value = args[place] if place < len(args) else kwargs.get(name)
            if _is_asked_for(value, hints[name]):
                check(name, value)
        return function(*args, **kwargs)
    return checked


def bounded(cls: _CLASS) -> _CLASS:
    """A class whose public calls check the numbers that are passed to them."""
    for name, member in list(vars(cls).items()):
        if name.startswith("_"):
            continue
        if isinstance(member, (classmethod, staticmethod)):
            setattr(cls, name, type(member)(_checked(member.__func__)))
        elif callable(member) and hasattr(member, "__code__"):
            setattr(cls, name, _checked(member))
    return cls
