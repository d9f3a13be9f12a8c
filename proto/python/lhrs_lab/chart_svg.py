# SPDX-License-Identifier: GPL-3.0-or-later
"""A chart as SVG. Nothing is needed for it; text stays text."""
import math
from typing import TYPE_CHECKING, Callable

if TYPE_CHECKING:
    from .chart import Drawn, Panel, Series

_BACKGROUND, _TEXT, _MUTED, _GRID = "#ffffff", "#1a1a1a", "#555555", "#dddddd"
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#8f3f73")   # of lines; beyond them the marks differ
_EM = 14.0             # pixels of ordinary text
_FOOT_EMS, _FOOT_LINE = 0.8, 1.1  # height of the letters of the foot and of its lines
_POINTS_MAX = 600      # of a line with marks; of a longer one each column of pixels keeps its extremes
_DOTS = "  ·  "

_Box = tuple[float, float, float, float]   # left, top, width, height


def picture(drawn: "Drawn") -> str:
    """The whole file."""
    columns = max(1, min(drawn.columns, len(drawn.panels)))
    rows = max(1, -(-len(drawn.panels) // columns))
    return _Picture(drawn, 960 if columns == 1 else 480 * columns, max(540, 340 * rows + 120), columns, rows).text_of_all()


def _num(value: float) -> str:
    return f"{math.floor(abs(value) * 10 + 0.5) / 10 * (-1 if value < 0 else 1):.8g}"


def _shown(value: float) -> str:
    """'12 500' with narrow spaces, '0.25', '3e-05'."""
    text = f"{value:.5g}"
    if "e" in text or abs(value) < 10_000:
        return text
    whole, point, part = text.partition(".")
    sign, digits = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
    groups: list[str] = []
    while digits:
        groups.insert(0, digits[-3:])
        digits = digits[:-3]
    return sign + "\u202f".join(groups) + point + part


def _width(text: str, em: float) -> float:
    """About: there are no fonts here. Letters of DejaVu Sans are 0.6 em wide on average."""
    return 0.6 * em * len(text)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def _unit(title: str) -> str:
    """The unit: ms of "per op (ms)"; empty: it has none."""
    return title[:-1].rpartition("(")[2] if title.endswith(")") and "(" in title else ""


class _Axis:
    def __init__(self, low: float, high: float, is_log: bool, ticks: list[float]) -> None:
        self.low, self.high, self.is_log, self.ticks = low, high, is_log, ticks

    def share(self, value: float) -> float:
        """How far along the axis: 0 to 1."""
        if self.is_log:
            return (math.log10(value) - math.log10(self.low)) / (math.log10(self.high) - math.log10(self.low))
        return (value - self.low) / (self.high - self.low)

    @classmethod
    def linear(cls, low: float, high: float, steps: float, are_whole: bool) -> "_Axis":
        """About ``steps`` round numbers; between whole ones there is nothing (half a parity bucket)."""
        if not high > low:
            high = low + (1 if low == 0 else abs(low))
        rough = (high - low) / steps
        power = 10.0 ** math.floor(math.log10(rough))
        step = 10 * power
        for factor in (5.0, 2.0, 1.0):
            if factor * power >= rough * 0.999:
                step = factor * power
        if are_whole:
            step = max(step, 1.0)
        axis = cls(math.floor(low / step) * step, math.ceil(high / step) * step, False, [])
        at = axis.low
        while at <= axis.high + step / 2:
            axis.ticks.append(0.0 if abs(at) < step / 1e6 else at)
            at += step
        return axis

    @classmethod
    def logarithmic(cls, low: float, high: float) -> "_Axis":
        """Decades, and 2 and 5 between them where there are few."""
        axis = cls(low / 1.15, high * 1.15, True, [])
        is_short = math.log10(axis.high / axis.low) < 2.5
        power = 10.0 ** math.floor(math.log10(axis.low))
        while power <= axis.high:
            axis.ticks += [factor * power for factor in (1.0, 2.0, 5.0)
                           if (factor == 1 or is_short) and axis.low <= factor * power <= axis.high]
            power *= 10
        if len(axis.ticks) < 2:
            axis.ticks = [low, high]
        return axis


class _Picture:
    def __init__(self, drawn: "Drawn", width: int, height: int, columns: int, rows: int) -> None:
        self._drawn, self._width, self._height, self._columns, self._rows = drawn, width, height, columns, rows
        self._out = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="DejaVu Sans">\n',
            f'<title>{_escaped(drawn.title)}</title>\n<rect width="{width}" height="{height}" fill="{_BACKGROUND}"/>\n']

    def text_of_all(self) -> str:
        """The file."""
        drawn, width = self._drawn, float(self._width)
        self._text(_EM, 1.6 * _EM, drawn.title, "start", 1.25, True)
        foot = [drawn.origin]
        if drawn.source:
            foot.append(f"dashed, hollow marks: published, {drawn.source}")
        if any(point.q3 > point.q1 for panel in drawn.panels for series in panel.series for point in series.points):
            foot.append("medians; bars from the lower to the upper quartile")
        lines = self._foot_lines([part for part in foot if part], width - 2 * _EM)
        below = _FOOT_LINE * _EM * (len(lines) - 1)  # the last of them stands where a single one does
        for i, line in enumerate(lines):
            y = self._height - 0.6 * _EM - below + _FOOT_LINE * _EM * i
            self._text(_EM, y, line, "start", _FOOT_EMS, False, _MUTED)
        if drawn.nothing:
            self._text(width / 2, self._height / 2, drawn.nothing + ".", "middle", 1.1, True, _MUTED)
            return "".join(self._out) + "</svg>\n"
        legend = self._legend(_EM, width - 2 * _EM, self._height - 2.2 * _EM - below)
        each_width = (width - 2 * _EM) / self._columns
        each_height = (self._height - 2.4 * _EM - 2.4 * _EM - below - legend) / self._rows
        for i, panel in enumerate(drawn.panels):
            self._panel(panel, i + self._columns >= len(drawn.panels), (
                _EM + each_width * (i % self._columns), 2.4 * _EM + each_height * (i // self._columns), each_width, each_height))
        if drawn.is_simulated and drawn.source:
            x, y = _num(width / 2), _num(self._height / 2)
            self._out.append(f'<text x="{x}" y="{y}" text-anchor="middle" font-size="{_num(4 * _EM)}" font-weight="bold" fill="{_TEXT}" '
                             f'fill-opacity="0.25" transform="rotate(-18 {x} {y})">SIMULATED TIME</text>\n')
        return "".join(self._out) + "</svg>\n"

    @staticmethod
    def _foot_lines(parts: list[str], width: float) -> list[str]:
        """As many parts in a line as it has room for."""
        lines = [""]
        for part in parts:
            longer = lines[-1] + _DOTS + part if lines[-1] else part
            if not lines[-1] or _width(longer, _FOOT_EMS * _EM) <= width:
                lines[-1] = longer
            else:
                lines.append(part)
        return lines

    def _text(self, x: float, y: float, words: str, anchor: str, ems: float, is_bold: bool, colour: str = _TEXT) -> None:
        bold = ' font-weight="bold"' if is_bold else ""
        self._out.append(f'<text x="{_num(x)}" y="{_num(y)}" text-anchor="{anchor}" font-size="{_num(ems * _EM)}"{bold} fill="{colour}">'
                         f"{_escaped(words)}</text>\n")

    def _line(self, x1: float, y1: float, x2: float, y2: float, colour: str, width: float) -> None:
        self._out.append(f'<line x1="{_num(x1)}" y1="{_num(y1)}" x2="{_num(x2)}" y2="{_num(y2)}" stroke="{colour}" stroke-width="{_num(width)}"/>\n')

    def _mark(self, x: float, y: float, number: int, is_hollow: bool) -> None:
        """Circle, square, triangle, diamond: one after the other as the colours repeat. Hollow: published."""
        r, colour = 0.28 * _EM, _COLOURS[number % len(_COLOURS)]
        style = f'fill="{_BACKGROUND if is_hollow else colour}" stroke="{colour}" stroke-width="1.6"'
        shape = number // len(_COLOURS) % 4
        if shape == 0:
            self._out.append(f'<circle cx="{_num(x)}" cy="{_num(y)}" r="{_num(r)}" {style}/>\n')
        elif shape == 1:
            self._out.append(f'<rect x="{_num(x - r)}" y="{_num(y - r)}" width="{_num(2 * r)}" height="{_num(2 * r)}" {style}/>\n')
        elif shape == 2:
            self._out.append(f'<path d="M{_num(x)} {_num(y - 1.2 * r)}L{_num(x + 1.2 * r)} {_num(y + r)}L{_num(x - 1.2 * r)} {_num(y + r)}Z" {style}/>\n')
        else:
            self._out.append(f'<path d="M{_num(x)} {_num(y - 1.4 * r)}L{_num(x + 1.4 * r)} {_num(y)}L{_num(x)} {_num(y + 1.4 * r)}L{_num(x - 1.4 * r)} '
                             f'{_num(y)}Z" {style}/>\n')

    @staticmethod
    def _stroke(series: "Series") -> str:
        return 'stroke-width="1.6"' if series.is_published else 'stroke-width="2.6"'

    def _legend(self, left: float, width: float, bottom: float) -> float:
        """Names of lines above the foot, in as many rows as they need; the height of that."""
        each: dict[tuple[int, bool], "Series"] = {}
        for panel in self._drawn.panels:
            for series in panel.series:
                each.setdefault((series.colour, series.is_published), series)
        # What is published has the colour of ours; the foot tells them apart.
        entries = [each[key] for key in sorted(each) if not (key[1] and (key[0], False) in each)]
        if len(entries) == 1 and entries[0].name == "here":
            return 0
        rows: list[list["Series"]] = [[]]
        at = 0.0
        for entry in entries:
            wide = 4 * _EM + _width(entry.name, _EM)
            if at > 0 and at + wide > width:
                rows.append([])
                at = 0
            rows[-1].append(entry)
            at += wide
        height = 1.5 * _EM * len(rows)
        y = bottom - height + 0.8 * _EM
        for row in rows:
            at = left
            for entry in row:
                dashes = ' stroke-dasharray="6 4"' if entry.is_published else ""
                self._out.append(f'<line x1="{_num(at)}" y1="{_num(y)}" x2="{_num(at + 2 * _EM)}" y2="{_num(y)}" '
                                 f'stroke="{_COLOURS[entry.colour % len(_COLOURS)]}" {self._stroke(entry)}{dashes}/>\n')
                self._mark(at + _EM, y, entry.colour, entry.is_published)
                self._text(at + 2.5 * _EM, y + 0.35 * _EM, entry.name, "start", 1, False)
                at += 4 * _EM + _width(entry.name, _EM)
            y += 1.5 * _EM
        return height

    def _axis(self, panel: "Panel", is_x: bool, steps: float) -> _Axis:
        if is_x and self._drawn.words:
            return _Axis(-0.5, len(self._drawn.words) - 0.5, False, [float(i) for i in range(len(self._drawn.words))])
        # Quantities of one unit are compared by eye, so they have one scale: a mean beside its percentiles, a part beside the whole.
        unit = _unit(panel.title)
        panels = [other for other in self._drawn.panels
                  if other is panel or (not is_x and unit and _unit(other.title) == unit)]
        values = [value for other in panels for series in other.series for point in series.points
                  for value in ((point.x,) if is_x else (point.median, point.q1, point.q3)) if not self._drawn.is_log or value > 0]
        if not values:
            return _Axis.linear(0, 1, steps, False)
        low, high = min(values), max(values)
        if self._drawn.is_log:
            return _Axis.logarithmic(low, high)
        are_whole = all(value == math.floor(value) for value in values)
        # A quantity begins at 0; a factor where it is, unless 0 is near.
        return _Axis.linear(min(0.0, low) if not is_x or low < 0.3 * high else low, high, steps, are_whole)

    def _panel(self, panel: "Panel", is_last: bool, box: _Box) -> None:
        """``is_last``: no panel is below it, so that it says what the axis is."""
        left, top, width, height = box
        y = self._axis(panel, False, min(max(height / (3.5 * _EM), 2.0), 8.0))
        labels = max((_width(_shown(tick), 0.9 * _EM) for tick in y.ticks), default=0.0)
        px, py, wide, high = left + labels + _EM, top + 2 * _EM, width - labels - 2.4 * _EM, height - (5.4 if is_last else 4.2) * _EM
        bottom, right = py + high, px + wide
        x = self._axis(panel, True, min(max(wide / (6 * _EM), 2.0), 8.0))

        def at_x(value: float) -> float:
            return px + wide * x.share(value)

        def at_y(value: float) -> float:
            return bottom - high * (0 if y.is_log and value <= 0 else y.share(value))
        self._text(px, top + 1.3 * _EM, panel.title, "start", 1, True)
        below = math.inf  # words that would touch are left out
        for tick in y.ticks:
            self._line(px, at_y(tick), right, at_y(tick), _GRID, 1)
            if at_y(tick) + _EM <= below:
                below = at_y(tick)
                self._text(px - 0.4 * _EM, at_y(tick) + 0.32 * _EM, _shown(tick), "end", 0.9, False)
        written = -math.inf
        for tick in x.ticks:
            words = self._drawn.words[int(tick)] if self._drawn.words else _shown(tick)
            half = _width(words, 0.9 * _EM) / 2
            self._line(at_x(tick), bottom, at_x(tick), bottom + 4, _MUTED, 1)
            if at_x(tick) - half >= written:
                self._text(at_x(tick), bottom + 1.3 * _EM, words, "middle", 0.9, False)
                written = at_x(tick) + half + 0.4 * _EM
        self._line(px, bottom, right, bottom, _MUTED, 1.2)
        self._line(px, py, px, bottom, _MUTED, 1.2)
        if is_last:
            self._text(px + wide / 2, bottom + 2.6 * _EM, self._drawn.x_title, "middle", 0.9, False, _MUTED)
        if not panel.series:
            self._text(px + wide / 2, py + high / 2, "no value", "middle", 1, False, _MUTED)
        # What is ours lies above what is published.
        for series in sorted(panel.series, key=lambda one: not one.is_published):
            self._series(series, at_x, at_y)

    def _series(self, series: "Series", at_x: Callable[[float], float], at_y: Callable[[float], float]) -> None:
        colour = _COLOURS[series.colour % len(_COLOURS)]
        is_long = len(series.points) > _POINTS_MAX
        path: list[str] = []
        i = 0
        while i < len(series.points):
            x, least = at_x(series.points[i].x), series.points[i].median
            most, end = least, i + 1
            while is_long and end < len(series.points) and math.floor(at_x(series.points[end].x)) == math.floor(x):
                least, most = min(least, series.points[end].median), max(most, series.points[end].median)
                end += 1
            path += [f"{_num(x)},{_num(at_y(one))}" for one in ((least, most) if most > least else (least,))]
            i = end
        dashes = ' stroke-dasharray="6 4"' if series.is_published else ""
        if not self._drawn.words or is_long:  # between words nothing lies, and a line would say so
            self._out.append(f'<polyline points="{" ".join(path)}" fill="none" stroke="{colour}" {self._stroke(series)} stroke-linejoin="round"{dashes}/>\n')
        if is_long:
            return
        for point in series.points:
            x, r = at_x(point.x), 0.25 * _EM
            if point.q3 > point.q1:
                self._line(x, at_y(point.q1), x, at_y(point.q3), colour, 1.4)
                self._line(x - r, at_y(point.q1), x + r, at_y(point.q1), colour, 1.4)
                self._line(x - r, at_y(point.q3), x + r, at_y(point.q3), colour, 1.4)
            self._mark(x, at_y(point.median), series.colour, series.is_published)


__all__ = ["picture"]
