# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of the papers of 2003 and 2004 (scenarios/paper), for comparison with your own."""
import csv
import pathlib
from typing import Any, Mapping, Optional

from .errors import LabError
from .frames import Rows
from .values import near

_HERE = pathlib.Path(__file__).resolve().parent


def directory() -> pathlib.Path:
    """The directory of the tables: in an installed package, or else in the tree that contains this package."""
    installed = _HERE / "_paper"
    return installed if installed.is_dir() else _HERE.parents[2] / "scenarios" / "paper"


class Published:
    """One table: its columns, and its rows as text."""

    def __init__(self, name: str) -> None:
        """LabError BadArgument: there is no table of that name, or it cannot be read."""
        path = directory() / f"{name}.csv"
        known = sorted(one.stem for one in directory().glob("*.csv"))
        if name not in known:
            raise LabError("BadArgument", f"There is no published table {name[:80]!r} in {directory()}.",
                           near(name, known) or (f"There are {', '.join(known)}." if known else "The directory scenarios/paper is missing."))
        self.name = name
        try:
            with path.open(newline="", encoding="utf-8") as file:
                reader = csv.DictReader(file)
                self.rows: list[dict[str, str]] = list(reader)
                self.columns = list(reader.fieldnames or [])
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise LabError("BadArgument", f"{path} cannot be read: {error}.") from None

    def need(self, column: str) -> None:
        """LabError BadArgument: the table has no such column."""
        if column not in self.columns:
            raise LabError("BadArgument", f"The published table {self.name} has no column {column}.",
                           near(column, self.columns) or f"Its columns are {', '.join(self.columns)}.")

    @staticmethod
    def is_doubtful(row: Mapping[str, str]) -> bool:
        """Whether the value is marked as unreliable."""
        return "SUSPECT" in row.get("note", "")


def number(text: str) -> Optional[float]:
    """A cell as a number; None: it is not a number."""
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def is_equal(a: str, b: str) -> bool:
    """Whether two cells are equal: as numbers if both are numbers."""
    x, y = number(a), number(b)
    return x == y if x is not None and y is not None else a == b


def value_of(text: str) -> Any:
    """A cell as a number or a word; None: it is empty."""
    value = number(text)
    return None if text == "" else text if value is None else int(value) if value.is_integer() and "." not in text else value


def paper(name: str, where: Optional[Mapping[str, Any]] = None, suspect: bool = False) -> Rows[dict[str, Any]]:
    """Rows of a published table, as printed: ``paper("search", {"config": 2})``; ``where``: values of columns to
    keep; ``suspect``: includes doubtful values. Cells that the source does not give are None. LabError BadArgument:
    no such table or column."""
    table = Published(name)
    for column in where or {}:
        table.need(column)
    return Rows({column: value_of(text) for column, text in row.items()} for row in table.rows
                if (suspect or not table.is_doubtful(row)) and all(is_equal(row[column], str(value)) for column, value in (where or {}).items()))


__all__ = ["Published", "directory", "is_equal", "number", "paper", "value_of"]
