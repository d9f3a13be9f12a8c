# SPDX-License-Identifier: GPL-3.0-or-later
"""How a notebook displays a table, and how pandas gets it."""
import html
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence

from .errors import LabError
from .frames import frame

if TYPE_CHECKING:
    import pandas

_SHOWN = 60   # rows of a table that a notebook shows


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.6g}" if isinstance(value, float) else html.escape(str(value))


def html_table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]], caption: str) -> str:
    """An HTML table of the first rows. Columns with equal values in all rows are listed once, below it. Numbers have
    six digits here; the CSV file has all of them."""
    same = [] if len(rows) < 2 else [name for name in columns if all(row.get(name) == rows[0].get(name) for row in rows)]
    shown = [name for name in columns if name not in same] or list(columns)
    head = "".join(f"<th>{html.escape(name)}</th>" for name in shown)
    body = "".join("<tr>" + "".join(f"<td>{_cell(row.get(name))}</td>" for name in shown) + "</tr>" for row in rows[:_SHOWN])
    below = [f"{len(rows) - _SHOWN} further rows"] if len(rows) > _SHOWN else []
    if shown != list(columns):
        below += [f"{html.escape(name)} = {_cell(rows[0].get(name))}" for name in same if rows[0].get(name) is not None]
    foot = f"<p>{', '.join(below)}</p>" if below else ""
    return f"<table><caption>{html.escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{foot}"


class Shown:
    """A table that a notebook displays."""

    name: str
    rows: list[dict[str, Any]]

    @property
    def columns(self) -> list[str]:
        """The columns, in order."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        count = len(self.rows)
        return html_table(self.columns, self.rows, f"{self.name}: {count} row{'' if count == 1 else 's'}")

    def to_pandas(self, columns: Optional[Sequence[str]] = None) -> "pandas.DataFrame":
        """The rows as a DataFrame with these columns (None: all, in the order of the CSV file). Unknown values are
        missing (NA); counts stay integers. LabError Unsupported: pandas is not installed; BadArgument: there is no
        such column."""
        wanted = list(self.columns if columns is None else columns)
        unknown = [name for name in wanted if name not in self.columns]
        if unknown:
            raise LabError("BadArgument", f"The table {self.name} has no column {unknown[0]!r}.",
                           f"It has {', '.join(self.columns)}.")
        return frame(wanted, self.rows, f"the table {self.name}; its rows are in table.rows")
