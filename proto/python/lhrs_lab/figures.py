# SPDX-License-Identifier: GPL-3.0-or-later
"""A measurement as a matplotlib Figure: the medians as a line, every run as a dot. matplotlib is imported when a
figure is requested. The product's own look is in charts.py."""
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

from .errors import LabError
from .values import cell, near, quartiles

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .measure import Table

_UNITS = ("s", "ms", "bytes", "percent")
_WIDTH, _HEIGHT = 7.0, 5.0   # inches, for one quantity
_Key = tuple[Any, ...]


def quantity_name(column: str) -> str:
    """'total_s' as 'total (s)': the suffix of a column's name is its unit (scenarios/DATA.md)."""
    for unit in _UNITS:
        if column.endswith(f"_{unit}"):
            return f"{column[:-len(unit) - 1].replace('_', ' ')} ({unit})"
    return column.replace("_", " ")


def in_force(columns: Sequence[str], values: Sequence[Any]) -> str:
    """'window = 16, scheme = xor': the settings during the measurement."""
    return ", ".join(f"{column.replace('_', ' ')} = {cell(value) or 'unknown'}" for column, value in zip(columns, values))


def figure(table: "Table", y: Union[str, Sequence[str], None], x: Optional[str], by: Union[str, Sequence[str], None], where: Mapping[str, Any],
           title: Optional[str], log: bool) -> "Figure":
    """See Table.figure."""
    try:
        from matplotlib.figure import Figure  # pylint: disable=import-outside-toplevel
    except ImportError:
        raise LabError("Unsupported", f"There is no Figure of the table {table.name}, because this Python has no matplotlib.",
                       "Install it: apt install python3-matplotlib, or pip install lhrs_lab[figures]. lab.chart draws without it.") from None
    rows = [row for row in table.rows if not row["warm_up"]]
    _need(table, where)
    rows = [row for row in rows if all(row.get(column) == value for column, value in where.items())]
    varies = [name for name in table.factors if len({repr(row.get(name)) for row in rows}) > 1]
    along = x or next(iter([*varies, *table.factors]), "repetition")
    quantities = _names(y, table.metrics[:1])
    lines = _names(by, [name for name in varies if name != along])
    _need(table, [along, *quantities, *lines])
    rows = [row for row in rows if row.get(along) is not None]
    if not rows or not quantities:
        raise LabError("BadArgument", f"The table {table.name} has no row to be drawn: there are {len(table.rows)}, warm-ups included, of which none "
                       f"fits{' ' + in_force(list(where), list(where.values())) if where else ''}.")
    drawn = Figure(figsize=(_WIDTH * len(quantities), _HEIGHT), layout="constrained")
    words = _words(rows, along)
    same = [name for name in table.factors if name not in (*varies, along)]
    details = {row["detail"] for row in rows}
    held = in_force([*same, "detail"], [*(rows[0].get(name) for name in same), details.pop() if len(details) == 1 else None])
    for axes, quantity in zip(drawn.subplots(1, len(quantities), squeeze=False)[0], quantities):
        for group, members in _groups(rows, lines).items():
            _line(axes, members, along, quantity, words, in_force(lines, group) or held)
        axes.set(xlabel=quantity_name(along), ylabel=quantity_name(quantity))
        if words:
            axes.set_xticks(range(len(words)), words)
            axes.set_xlim(-0.5, len(words) - 0.5)
        if log:
            axes.set(yscale="log", **({} if words else {"xscale": "log"}))
        elif all(row[quantity] >= 0 for row in rows if _is_number(row.get(quantity))):
            axes.set_ylim(bottom=0)  # as in lab.chart
        axes.legend()
    below = f"{'SIMULATED' if table.is_simulated else 'LIVE'}; {held}; line: medians, dots: runs"
    drawn.suptitle(f"{title or table.name.replace('_', ' ')}\n{below}", fontsize="medium")
    return drawn


def _names(given: Union[str, Sequence[str], None], otherwise: list[str]) -> list[str]:
    return otherwise if given is None else [given] if isinstance(given, str) else list(given)


def _need(table: "Table", columns: Any) -> None:
    known = [*table.factors, *table.metrics, "repetition"]
    for column in columns:
        if column not in known:
            raise LabError("BadArgument", f"The table {table.name} has no column {column}.",
                           near(column, known) or f"Its columns are {', '.join(known)}.")


def _words(rows: Sequence[Mapping[str, Any]], along: str) -> list[str]:
    """Places of the x axis that are not numbers, in the order of their appearance; empty: all are numbers."""
    values = [row[along] for row in rows]
    if all(map(_is_number, values)):
        return []
    return list(dict.fromkeys(map(cell, values)))


def _groups(rows: Sequence[Mapping[str, Any]], lines: Sequence[str]) -> dict[_Key, list[Mapping[str, Any]]]:
    groups: dict[_Key, list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row.get(name) for name in lines), []).append(row)
    return dict(sorted(groups.items(), key=lambda item: [(not _is_number(one), one if _is_number(one) else 0, cell(one)) for one in item[0]]))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _line(axes: Any, rows: Sequence[Mapping[str, Any]], along: str, quantity: str, words: Sequence[str], label: str) -> None:
    dots: dict[Any, list[float]] = {}
    for row in rows:
        if _is_number(row.get(quantity)):
            dots.setdefault(words.index(cell(row[along])) if words else row[along], []).append(row[quantity])
    places = sorted(dots)
    # There are no values between words, and a line would suggest some.
    [line] = axes.plot(places, [quartiles(dots[place])[1] for place in places], label=label, **({"linestyle": "none", "marker": "_", "markersize": 18}
                                                                                                 if words else {}))
    axes.plot([place for place in places for _ in dots[place]], [value for place in places for value in dots[place]], linestyle="none", marker="o",
              markersize=4, alpha=0.5, color=line.get_color())


__all__ = ["figure", "in_force", "quantity_name"]
