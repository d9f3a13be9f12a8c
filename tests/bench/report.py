# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a run: the table of targets, and the charts of measurements without a target. It is self-contained.
The charts are those of lab.chart, as in the report of ./run paper, whose style the page has."""
import dataclasses
import html
import pathlib
from typing import Mapping, Sequence

from lhrs_lab import Chart, LabError
from lhrs_lab.measure import Table

_HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>LH*RS: what this machine measured</title>
<style>
body{font:16px/1.45 'DejaVu Sans',sans-serif;max-width:64em;margin:2em auto;padding:0 1em;color:#1a1a1a;background:#fff}
table{border-collapse:collapse;margin:.5em 0 1.5em;width:100%}td,th{border-bottom:1px solid #ccc;padding:.25em .6em;text-align:left;vertical-align:top}
.n{text-align:right;white-space:nowrap}tr.met td:last-child{color:#00664a}tr.missed td:last-child{color:#a33f00;font-weight:bold}tr.none td:last-child{color:#555}
svg{width:100%;height:auto;border:1px solid #ddd;margin:.5em 0}small{color:#555}.sim{background:#f0e442;padding:.4em .8em;font-weight:bold}
</style></head><body>
<h1>LH*RS: what this machine measured</h1>
"""


@dataclasses.dataclass(frozen=True)
class Line:
    """A row of the table of targets, as words."""

    row: str
    quantity: str
    ours: str         # the median, minimum and maximum, and the figures that they come from
    target: str
    outcome: str      # 'met', 'missed', or 'none'
    words: str        # the outcome for people, or why there is no figure


def write(path: pathlib.Path, about: Mapping[str, str], lines: Sequence[Line], notes: Sequence[str], tables: Sequence[Table],
          charts: Sequence[Chart]) -> None:
    """Writes the page. LabError BadArgument: it cannot be written."""
    facts = ", ".join(f"{name.replace('_', '-')} {value or 'not there'}" for name, value in about.items())
    page = [_HEAD, f"<p>{html.escape(facts)}.</p>\n"]
    page += [f"<p>{html.escape(note)}</p>\n" for note in notes]
    if lines:
        page.append("<h2>Targets</h2>\n<p>Medians of the repetitions, with the least and the most; every repetition is in bench.csv.</p>\n"
                    "<table><tr><th>row<th>quantity<th>measured<th>target<th></tr>\n")
        page += ["<tr class={}><td>{}<td>{}<td>{}<td class=n>{}<td>{}</tr>\n".format(
            line.outcome, *(html.escape(cell) for cell in (line.row, line.quantity, line.ours, line.target, line.words))) for line in lines]
        page.append("</table>\n")
    for table in tables:
        own = [chart for chart in charts if chart.table == table.name]
        if not own:
            continue
        title = "simulated" if table.is_simulated else "processes of this machine"
        page.append(f"<h2>Cost against size: {title}</h2>\n")
        if table.is_simulated:
            page.append("<p class=sim>SIMULATED: messages are counted and times are virtual. They say nothing of this machine; only the "
                        "memory of the simulating process, and the seconds that it takes, do.</p>\n")
        page.append(f"<p>Medians with quartiles; every repetition is in {table.name}.csv.</p>\n")
        page += [chart.svg() + "\n" for chart in own]
        page.append(_summary(table))
    page.append("</body></html>\n")
    try:
        path.write_text("".join(page), encoding="utf-8")
    except OSError as error:
        raise LabError("BadArgument", f"{path} cannot be written: {error.strerror}.", "Name another directory.") from None


def _summary(table: Table) -> str:
    """The medians that the charts show, as a table with a column for each size."""
    rows = table.summary()
    sizes = [row["buckets"] for row in rows]
    out = "<table><tr><th>median" + "".join(f"<th class=n>{size:,}" for size in sizes) + "</tr>\n"
    for metric in table.metrics:
        cells = (row[f"{metric}_median"] for row in rows)
        out += f"<tr><td>{html.escape(metric.replace('_', ' '))}" + "".join(f"<td class=n>{_number(cell)}" for cell in cells) + "</tr>\n"
    return out + "</table>\n"


def _number(value: object) -> str:
    if not isinstance(value, (int, float)):
        return ""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
