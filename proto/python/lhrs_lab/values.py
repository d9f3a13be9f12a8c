# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages as plain values, and the words for places, states and results."""
import dataclasses
import math
import secrets
from typing import TYPE_CHECKING, Any, Optional, Sequence

from google.protobuf.descriptor import FieldDescriptor

from . import messages as pb
from .frames import frame_of

if TYPE_CHECKING:
    import pandas

RESULT_WORDS = {
    pb.OK: "ok", pb.NOT_FOUND: "not found", pb.EXISTS: "exists", pb.RETRY: "not carried out, may be repeated",
    pb.LOST: "lost", pb.UNKNOWN_OUTCOME: "unknown outcome", pb.INVALID: "invalid"}
STATE_WORDS = {
    pb.INIT: "starting", pb.UP: "up", pb.SPLITTING: "splitting", pb.MERGING: "merging", pb.FAILED: "failed",
    pb.RECOVERING: "being rebuilt", pb.MEMBER_LOST: "lost"}
GROUP_STATE_WORDS = {
    pb.GROUP_UP: "up", pb.GROUP_FROZEN: "frozen", pb.GROUP_DEGRADED: "degraded", pb.GROUP_LOST: "lost"}
PATH_WORDS = {
    pb.DIRECT: "direct", pb.FORWARDED: "forwarded", pb.BY_COORDINATOR: "coordinator",
    pb.RECORD_RECOVERY: "record recovery"}
DETAILS = {"full": pb.FULL, "operations": pb.OPERATIONS, "sampled": pb.SAMPLED, "records": pb.RECORDS, "counts": pb.COUNTS}


@dataclasses.dataclass(frozen=True)
class Row:
    """The result of a call: fields as attributes, and as a dict for tables."""

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, in order; the values themselves, not copies."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def to_pandas(self) -> "pandas.DataFrame":
        """The fields as a DataFrame of one row; ``Rows`` makes one of several. LabError Unsupported: pandas is not installed."""
        return frame_of([self], None, f"this {type(self).__name__}")


@dataclasses.dataclass(frozen=True)
class Target:
    """What a call refers to; resolved to processes when it is used. Made by ``lab.data(5)`` and similar calls."""

    role: str                        # 'data', 'parity', 'coordinator', 'manager', 'spare', 'process'
    numbers: tuple[int, ...] = ()    # bucket numbers, or parity columns
    group: int = 0                   # of parity buckets, and of a recovery manager
    name: str = ""                   # of a process, or the pool of a spare
    index: int = 0                   # which of the spares

    def __str__(self) -> str:
        if self.role == "data":
            return "data " + ", ".join(map(str, self.numbers))
        if self.role == "parity":
            return ", ".join(f"parity {self.group}.{column}" for column in self.numbers)
        if self.role == "manager":
            return f"manager of group {self.group}"
        return f"spare {self.name} {self.index}" if self.role == "spare" else self.name or self.role


def new_number() -> int:
    """A fault number that no other fault has."""
    return max(1, secrets.randbits(53))


def seconds(ns: int) -> float:
    """Nanoseconds as seconds."""
    return ns / 1e9


def place_name(place: Any) -> str:
    """'data 5', 'parity 1.0'; empty: no place."""
    if place.role == pb.DATA:
        return f"data {place.number}"
    return f"parity {place.number}.{place.column}" if place.role == pb.PARITY else ""


def member_place(group: int, m: int, member: Any) -> str:
    """The place of a member of a group's view, in words."""
    if member.role == pb.DATA:
        return f"data {group * m + member.index}"
    return f"parity {group}.{member.index}"


_NUMBERS = (FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64, FieldDescriptor.CPPTYPE_UINT32,
            FieldDescriptor.CPPTYPE_INT32)


def _value(field: FieldDescriptor, value: Any) -> Any:
    if field.cpp_type == FieldDescriptor.CPPTYPE_ENUM:
        known = field.enum_type.values_by_number.get(value)
        return known.name if known else str(value)
    if field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
        return place_name(value) if field.message_type.name == "Place" else fields_of(value)
    return seconds(value) if field.name.endswith("_ns") and field.cpp_type in _NUMBERS else value


def fields_of(message: Any) -> dict[str, Any]:
    """A message as a dict. Names are as in the .proto file, but nanoseconds become seconds (``_ns`` becomes ``_s``),
    enumerators become their names, and places become words ('data 5'). Absent messages are left out."""
    fields = {}
    for field in message.DESCRIPTOR.fields:
        name = field.name[:-3] + "_s" if field.name.endswith("_ns") else field.name
        value = getattr(message, field.name)
        if field.label == FieldDescriptor.LABEL_REPEATED:
            is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
            fields[name] = dict(sorted(value.items())) if is_map else [_value(field, one) for one in value]
        elif field.cpp_type != FieldDescriptor.CPPTYPE_MESSAGE or message.HasField(field.name):
            fields[name] = _value(field, value)
    return fields


def cell(value: Any) -> str:
    """A cell as lhrs-play writes it: a decimal point, the shortest number that reads back exactly, true and false,
    empty for an unknown value."""
    if value is None or isinstance(value, float) and not math.isfinite(value):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(float(value)).removesuffix(".0") if isinstance(value, float) else str(value)


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """(lower quartile, median, upper quartile), interpolated linearly between neighbours."""
    ascending = sorted(values)

    def at(share: float) -> float:  # the same formula as in the program, for equal digits
        place = share * (len(ascending) - 1)
        low = math.floor(place)
        return ascending[low] + (place - low) * (ascending[min(low + 1, len(ascending) - 1)] - ascending[low])

    return at(0.25), at(0.5), at(0.75)


def near(word: str, known: list[str]) -> str:
    """A hint that names the nearest known word; empty: none is near."""
    import difflib
    found = difflib.get_close_matches(word, known, 1)
    return f"Did you mean {found[0]}?" if found else ""


def text_of(data: bytes) -> Optional[str]:
    """The bytes as text; None: they are not text."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
