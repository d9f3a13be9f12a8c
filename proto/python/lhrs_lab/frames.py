# SPDX-License-Identifier: GPL-3.0-or-later
"""Results as pandas DataFrames. pandas is imported when a frame is requested, so that nothing else needs it."""
import dataclasses
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, TypeVar

from .errors import LabError

if TYPE_CHECKING:
    import pandas

_T = TypeVar("_T")
_SIGNED = 1 << 63


def frame(columns: Sequence[str], rows: Sequence[Mapping[str, Any]], what: str) -> "pandas.DataFrame":
    """A DataFrame of these columns. Unknown values are missing (NA); counts stay integers. ``what``: the subject,
    for the error. LabError Unsupported: pandas is not installed."""
    try:
        import pandas  # pylint: disable=import-outside-toplevel
    except ImportError:
        raise LabError("Unsupported", f"There is no DataFrame of {what}, because this Python has no pandas.",
                       "Install it: apt install python3-pandas, or pip install lhrs_lab[frames].") from None
    cells = {}
    for name in columns:
        values = [row.get(name) for row in rows]
        cells[name] = pandas.Series(values, dtype=_dtype(values))
    return pandas.DataFrame(cells, columns=list(columns))


def _dtype(values: Sequence[Any]) -> str:
    """The type of a column. What pandas guesses depends on the values, and keys beside missing values lose digits."""
    known = [value for value in values if value is not None]
    kinds = set(map(type, known))
    if kinds == {bool}:
        return "boolean"
    if kinds == {int} and -_SIGNED <= min(known) and max(known) < 2 * _SIGNED:
        return "Int64" if max(known) < _SIGNED else "UInt64" if min(known) >= 0 else "object"
    return "float64" if kinds and kinds <= {int, float} else "object"


def as_row(one: Any) -> Mapping[str, Any]:
    """A result as a dict: its fields by name."""
    if isinstance(one, Mapping):
        return one
    return one.as_dict() if hasattr(one, "as_dict") else {field.name: getattr(one, field.name) for field in dataclasses.fields(one)}


def frame_of(rows: Sequence[Any], columns: Optional[Sequence[str]], what: str) -> "pandas.DataFrame":
    """A DataFrame of results or dicts; without ``columns`` those of all rows, in the order of first appearance.
    LabError Unsupported; BadArgument: no row has such a column."""
    dicts = [as_row(one) for one in rows]
    known = list(dict.fromkeys(name for row in dicts for name in row))
    for name in columns or ():
        if name not in known and dicts:
            raise LabError("BadArgument", f"There is no column {name!r} in {what}.", f"There are {', '.join(known)}.")
    return frame(known if columns is None else columns, dicts, what)


class Rows(list[_T]):
    """A list of results that can become a DataFrame: ``lab.events().to_pandas()``. It can also be made from your own
    results: ``Rows([alice.search(key) for key in keys]).to_pandas()``."""

    def to_pandas(self, columns: Optional[Sequence[str]] = None) -> "pandas.DataFrame":
        """A DataFrame with one row for each of them and these columns (None: all); scenarios/DATA.md explains their
        names. Lists stay lists. LabError Unsupported: pandas is not installed; BadArgument: there is no such column."""
        return frame_of(self, columns, f"{len(self)} results")


__all__ = ["Rows", "as_row", "frame", "frame_of"]
