# SPDX-License-Identifier: GPL-3.0-or-later
"""A measurement's table as a picture: medians with quartiles over a column, a panel for each quantity, a line for each combination of
other columns, and published values dashed beside them. The same as lab.chart of a scenario draws, to the byte."""
import dataclasses
import functools
import math
import os
import pathlib
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

from .chart_svg import picture
from .errors import LabError
from .paper import Published, is_equal, number
from .values import near

if TYPE_CHECKING:
    from .measure import Table

_LINES_MAX = 6     # of a panel; above it there is one for each value of the first column of `by`
_QUANTITIES_MAX, _BY_MAX = 12, 6
_HARDWARE = {"1": " (733 MHz, 100 Mb/s)", "2": " (1.8 GHz, 1 Gb/s)"}

_Group = tuple[str, ...]   # values of the columns of `by`


def _compare(a: str, b: str) -> int:
    """Numbers in their order, then words in that of the alphabet."""
    x, y = number(a), number(b)
    if x is not None and y is not None:
        return (x > y) - (x < y)
    if (x is None) != (y is None):
        return 1 if x is None else -1
    return (a > b) - (a < b)


_key = functools.cmp_to_key(_compare)


def _group_key(group: _Group) -> list[Any]:
    return [_key(value) for value in group]


def cell(value: Any) -> str:
    """A cell as lhrs-play writes it: a decimal point, the shortest number that reads back exactly, true and false, empty for what
    is not known."""
    if value is None or isinstance(value, float) and not math.isfinite(value):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(float(value)).removesuffix(".0") if isinstance(value, float) else str(value)


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """(lower quartile, median, upper quartile), linear between neighbours."""
    ascending = sorted(values)

    def at(share: float) -> float:  # as the program computes it, to the last digit
        place = share * (len(ascending) - 1)
        low = math.floor(place)
        return ascending[low] + (place - low) * (ascending[min(low + 1, len(ascending) - 1)] - ascending[low])

    return at(0.25), at(0.5), at(0.75)


@dataclasses.dataclass(frozen=True)
class Point:
    """``n``: repetitions; 0: published."""

    x: float
    median: float
    q1: float
    q3: float
    n: int


@dataclasses.dataclass(frozen=True)
class Series:
    """A line, by x."""

    name: str
    is_published: bool
    colour: int
    points: list[Point]


@dataclasses.dataclass
class Panel:
    """One quantity."""

    title: str
    series: list[Series]


@dataclasses.dataclass
class Drawn:
    """A chart as it is to be drawn."""

    title: str
    x_title: str
    is_log: bool
    is_simulated: bool
    origin: str = ""          # LIVE or SIMULATED, and the run
    source: str = ""          # of published values; empty: there are none
    nothing: str = ""         # why there is nothing to draw; empty: there is
    words: list[str] = dataclasses.field(default_factory=list)   # on the x axis in place of numbers, from 0
    columns: int = 1          # panels beside each other
    panels: list[Panel] = dataclasses.field(default_factory=list)
    rows: list[dict[str, Any]] = dataclasses.field(default_factory=list)


class Chart:
    """A chart of a table, made by ``lab.chart``. It is drawn anew from the table's rows each time. In a notebook it shows itself."""

    def __init__(self, name: str, table: "Table", x: str, y: Sequence[str], by: Sequence[str], paper: Optional[str],
                 where: Mapping[str, Any], title: Optional[str], log: bool, suspect: bool) -> None:
        self.name = name      # of its file, without .svg
        self._table, self._x, self._y, self._by = table, x, list(y), list(by)
        self._where = {column: cell(value) for column, value in where.items()}
        self._title, self._is_log, self._suspect = title, log, suspect
        self._published = Published(paper) if paper is not None else None
        self._drawn()         # wrong columns are told now

    @property
    def table(self) -> str:
        """The name of its table."""
        return self._table.name

    @property
    def rows(self) -> list[dict[str, Any]]:
        """What is drawn, a dict for each point: origin ('here', 'published'), the columns of ``by``, x, quantity, median, q1, q3, n."""
        return self._drawn().rows

    def svg(self) -> str:
        """The picture, with text as text."""
        return picture(self._drawn())

    def _repr_svg_(self) -> str:
        return self.svg()

    def write(self, directory: Union[str, "os.PathLike[str]"] = ".") -> pathlib.Path:
        """Writes NAME.svg; its path. LabError BadArgument: it cannot."""
        path = pathlib.Path(directory) / f"{self.name}.svg"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.svg(), encoding="utf-8")
        except OSError as error:
            raise LabError("BadArgument", f"{path} cannot be written: {error.strerror}.", "Name another directory.") from None
        return path

    # ---- from rows to lines

    def _drawn(self) -> Drawn:
        table = self._table
        known = [*table.factors, *table.metrics, "repetition"]
        for column in (self._x, *self._y, *self._by):
            if column not in known:
                raise LabError("BadArgument", f"The table {table.name} has no column {column}.",
                               near(column, known) or f"Its columns are {', '.join(known)}.")
        drawn = Drawn(self._title or table.name.replace("_", " "), quantity_name(self._x), self._is_log, table.is_simulated,
                      f"{'SIMULATED' if table.is_simulated else 'LIVE'}  ·  run {table.run}")
        rows = []
        for row in table.rows:
            cells = {column: cell(row.get(column)) for column in known}
            cells["repetition"] = cells["repetition"] or "0"
            if not row["warm_up"] and cells[self._x] and all(
                    column not in known or is_equal(cells[column], value) for column, value in self._where.items()):
                rows.append((cells[self._x], tuple(cells[column] for column in self._by), cells))
        if not rows:
            drawn.nothing = f"No row of {table.name} yet; a measurement adds one each time"
            return drawn
        places = _places([x for x, _, _ in rows])
        groups = sorted({group for _, group, _ in rows}, key=_group_key)
        if any(number(x) is None for x in places):
            drawn.words = places
        lines = _Lines(drawn, self._x, self._y, self._by, groups)
        measured: dict[tuple[_Group, Union[str, float]], list[dict[str, str]]] = {}
        for x, group, cells in rows:
            measured.setdefault((group, _place(x)), []).append(cells)
        for q, quantity in enumerate(self._y):
            for g, group in enumerate(groups):
                points = []
                for index, place in enumerate(places):
                    values = [value for cells in measured.get((group, _place(place)), ())
                              if (value := number(cells[quantity])) is not None]
                    if values:
                        low, middle, high = quartiles(values)
                        points.append(Point(float(index) if drawn.words else float(place), middle, low, high, len(values)))
                lines.add(g, q, False, points)
        if self._published is not None:
            self._add_published(lines, self._published)
        if not any(panel.series for panel in drawn.panels):
            drawn.nothing = "No value is above 0, which logarithmic axes need" if drawn.is_log else f"No row has a value of {', '.join(self._y)}"
        return drawn

    def _add_published(self, lines: "_Lines", table: Published) -> None:
        """Only lines that we have, too."""
        for column in (self._x, *self._by, *self._where):
            table.need(column)
        if not any(one in table.columns for one in self._y):
            table.need(self._y[0])
        sources: list[str] = []
        for g, group in enumerate(lines.groups):
            for q, quantity in enumerate(self._y):
                points = []
                for row in table.rows:
                    value, place = number(row.get(quantity, "")), lines.place(row[self._x])
                    if value is None or place is None or table.is_doubtful(row) and not self._suspect or not all(
                            is_equal(row[column], wanted) for column, wanted in (*self._where.items(), *zip(self._by, group))):
                        continue
                    points.append(Point(place, value, value, value, 0))
                    config = row.get("config", "")
                    source = row.get("source", "") + (f", configuration {config}{_HARDWARE.get(config, '')}" if config else "")
                    sources += [source] if source not in sources else []
                lines.add(g, q, True, points)
        lines.drawn.source = "; ".join(sources)


class _Lines:
    """Which line is in which panel, and in which colour."""

    def __init__(self, drawn: Drawn, x: str, y: list[str], by: list[str], groups: list[_Group]) -> None:
        self.drawn, self._x, self._y, self._by, self.groups = drawn, x, y, by, groups
        self._is_faceted = len(groups) > _LINES_MAX and len(by) > 1
        self._facets = _distinct([group[0] for group in groups]) if self._is_faceted else [""]
        self._others = sorted({group[1:] for group in groups}, key=_group_key) if self._is_faceted else []
        for facet in self._facets:
            for quantity in y:
                title = quantity_name(quantity)
                drawn.panels.append(Panel(f"{title}, {series_name(by[:1], (facet,))}" if self._is_faceted else title, []))
        drawn.columns = len(y) if self._is_faceted else min(len(y), 3)

    def place(self, x: str) -> Optional[float]:
        """On the x axis; None: it has none."""
        if not self.drawn.words:
            return number(x)
        return next((float(index) for index, word in enumerate(self.drawn.words) if is_equal(word, x)), None)

    def add(self, g: int, q: int, is_published: bool, points: list[Point]) -> None:
        """A line of this group and quantity, unless nothing of it can be drawn."""
        points = sorted((one for one in points if math.isfinite(one.median)
                         and (not self.drawn.is_log or one.median > 0 and (one.x > 0 or self.drawn.words))), key=lambda one: one.x)
        if not points:
            return
        group, columns, panel, colour = self.groups[g], self._by, q, g
        if self._is_faceted:
            panel = self._facets.index(next(one for one in self._facets if is_equal(one, group[0]))) * len(self._y) + q
            group, columns = group[1:], columns[1:]
            colour = self._others.index(group)
        name = series_name(columns, group) or "here"
        for one in points:
            self.drawn.rows.append({
                "origin": "published" if is_published else "here", **dict(zip(self._by, self.groups[g])),
                self._x: self.drawn.words[int(one.x)] if self.drawn.words else one.x, "quantity": self._y[q], "median": one.median,
                "q1": None if is_published else one.q1, "q3": None if is_published else one.q3, "n": None if is_published else one.n})
        if is_published:
            name = "published" if name == "here" else f"{name}, published"
        self.drawn.panels[panel].series.append(Series(name, is_published, colour, points))


def _place(x: str) -> Union[str, float]:
    """The same for '1' and '1.0'."""
    value = number(x)
    return x if value is None else value


def _places(words: Sequence[str]) -> list[str]:
    """Each once: numbers in their order, then words as they came; what was told first stands first."""
    numbers = _distinct([word for word in words if number(word) is not None])
    return numbers + list(dict.fromkeys(word for word in words if number(word) is None))


def _distinct(words: Sequence[str]) -> list[str]:
    """In order, each once; '1' and '1.0' are one."""
    out: list[str] = []
    for word in sorted(words, key=_key):
        if not out or _compare(out[-1], word) != 0:
            out.append(word)
    return out


def quantity_name(column: str) -> str:
    """'total_s' as 'total (s)': the unit is the end of a column's name (scenarios/DATA.md)."""
    for unit in ("s", "ms", "bytes", "percent"):
        if column.endswith(f"_{unit}"):
            return f"{column[:-len(unit) - 1].replace('_', ' ')} ({unit})"
    return column.replace("_", " ")


def series_name(columns: Sequence[str], values: Sequence[str]) -> str:
    """'failed buckets 2, rs': a number needs the name of its column, a word says what it is."""
    parts = []
    for column, value in zip(columns, values):
        shown = column.replace("_", " ")
        if value in ("true", "false"):
            parts.append(shown if value == "true" else f"no {shown}")
        else:
            parts.append(f"{shown} {value}" if number(value) is not None else value or f"{shown} unknown")
    return ", ".join(parts)


def names_of(given: Union[str, Sequence[str]], option: str, least: int, most: int) -> list[str]:
    """One name, or a list of them. LabError BadArgument: they are too few, too many, or no names."""
    names = [given] if isinstance(given, str) else list(given)
    if not least <= len(names) <= most or not all(isinstance(one, str) and one for one in names):
        raise LabError("BadArgument", f"The option {option} of lab.chart is the name of a column, or a list of {least} to {most} of them.",
                       f"{option}=['total_s', 'process_s']")
    return names


def made(name: str, table: "Table", x: str, y: Union[str, Sequence[str]], by: Union[str, Sequence[str]], paper: Optional[str],
         where: Optional[Mapping[str, Any]], title: Optional[str], log: bool, suspect: bool) -> Chart:
    """A chart from the arguments of ``lab.chart``."""
    return Chart(name, table, x, names_of(y, "y", 1, _QUANTITIES_MAX), names_of(by, "by", 0, _BY_MAX), paper, where or {}, title, log, suspect)


__all__ = ["Chart", "Drawn", "Panel", "Point", "Series", "cell", "made", "quartiles"]
