# SPDX-License-Identifier: GPL-3.0-or-later
"""A measurement's table in the product's own look: medians with quartiles over a column, a panel for each quantity,
a line for each combination of other columns, and published values as dashed lines. lhrs-play draws it, so the file
has the same bytes as one that a scenario's lab.chart writes."""
import csv
import io
import os
import pathlib
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

from . import play
from .errors import LabError
from .frames import Rows
from .paper import Published, value_of
from .values import cell

if TYPE_CHECKING:
    from .measure import Table

_QUANTITIES_MAX, _BY_MAX = 12, 6
_NO_POINT = ("run", "simulated", "detail")   # columns that every file has


class Chart:
    """A chart of a table, made by ``lab.chart``. It is drawn from the table's current rows each time. A notebook
    displays it."""

    def __init__(self, name: str, table: "Table", x: str, y: Union[str, Sequence[str]], by: Union[str, Sequence[str]] = (),
                 paper: Optional[str] = None, where: Optional[Mapping[str, Any]] = None, title: Optional[str] = None, log: bool = False,
                 suspect: bool = False, bin_dir: Optional[str] = None) -> None:
        """``name``: of its file, without .svg; ``bin_dir``: where the programs are; the others as for ``lab.chart``."""
        self.name = name
        self._table, self._bin_dir = table, bin_dir
        kept: dict[str, Any] = {column: cell(value) for column, value in (where or {}).items()}
        self._order: dict[str, Any] = {
            "table": table.name, "x": x, "y": names_of(y, "y", 1, _QUANTITIES_MAX), "by": names_of(by, "by", 0, _BY_MAX),
            "where": {**kept, "suspect": True} if suspect else kept, "log": bool(log), "title": title or None,
            "paper": None if paper is None else Published(paper).name}
        self._drawn(points=True)  # reports wrong columns now

    @property
    def table(self) -> str:
        """The name of its table."""
        return self._table.name

    @property
    def rows(self) -> Rows[dict[str, Any]]:
        """The points of the chart, one dict each: origin ('here', 'published'), the columns of ``by``, x, quantity,
        median, q1, q3, n."""
        reader = csv.DictReader(io.StringIO(self._drawn(points=True), newline=""))
        words = {"origin", "quantity", *self._order["by"]}
        return Rows({name: text if name in words else value_of(text) for name, text in row.items() if name not in _NO_POINT} for row in reader)

    def svg(self) -> str:
        """The picture, with text as text. LabError Unsupported: there is no lhrs-play to draw it."""
        return self._drawn()

    def _repr_svg_(self) -> str:
        return self.svg()

    def write(self, directory: Union[str, "os.PathLike[str]"] = ".") -> pathlib.Path:
        """Writes NAME.svg and returns its path. LabError BadArgument: it cannot be written."""
        path, picture = pathlib.Path(directory) / f"{self.name}.svg", self.svg()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(picture, encoding="utf-8")
        except OSError as error:
            raise LabError("BadArgument", f"{path} cannot be written: {error.strerror}.", "Name another directory.") from None
        return path

    def _drawn(self, points: bool = False) -> str:
        return play.chart(self._bin_dir, self._table.columns, self._table.rows, self._order, points)


def names_of(given: Union[str, Sequence[str]], option: str, least: int, most: int) -> list[str]:
    """One name, or a list of names. LabError BadArgument: there are too few or too many, or they are not names."""
    names = [given] if isinstance(given, str) else list(given)
    if not least <= len(names) <= most or not all(isinstance(one, str) and one for one in names):
        raise LabError("BadArgument", f"The option {option} of lab.chart is the name of a column, or a list of {least} to {most} of them.",
                       f"{option}=['total_s', 'process_s']")
    return names


__all__ = ["Chart", "names_of"]
