# SPDX-License-Identifier: GPL-3.0-or-later
"""Measurements: repeated over all combinations of factors, one observation a row, written as the CSV files of lhrs-play."""
import csv
import datetime
import itertools
import os
import pathlib
import re
from typing import Any, Callable, Mapping, Optional, Sequence, Union

from . import chart as charts
from . import paper as papers
from .bounds import bounded
from .chart import Chart, cell, quartiles
from .errors import LabError
from .faults import FaultCalls
from .gate import GateCalls
from .shown import Shown
from .state import StateCalls
from .values import DETAILS, Row, near

Case = dict[str, Any]
Result = Union[Row, Mapping[str, Any]]

_FIRST = ("run", "simulated", "detail", "repetition", "warm_up")
_LAST = ("faults", "machine")
_CASES_MAX = 1_000_000


def machine() -> str:
    """This machine in words: processor, cores, memory."""
    model, gibibytes = "unknown processor", 0.0
    try:
        models = re.findall(r"^model name\s*:\s*(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
        model = " ".join(models[0].split()) if models else model
        gibibytes = int(pathlib.Path("/proc/meminfo").read_text().split()[1]) / (1 << 20)
    except OSError:
        pass  # not Linux: the words say that it is not known
    return f"{model}, {os.cpu_count()} cores, {gibibytes:.0f} GiB"


class Table(Shown):
    """Rows of one measurement. It shows itself in a notebook, and ``to_pandas()`` gives a DataFrame. Each is a dict with run, simulated, detail, repetition, warm_up, the factors, the metrics,
    faults (how many acted) and machine."""

    def __init__(self, name: str, identity: Mapping[str, Any]) -> None:
        self.name = name
        self.rows: list[dict[str, Any]] = []
        self._identity = identity
        self._factors: list[str] = []
        self._metrics: list[str] = []

    def add(self, detail: str, repetition: Optional[int], warm_up: bool, factors: Case, metrics: Case, faults: int) -> None:
        """One observation."""
        self._factors += [name for name in factors if name not in self._factors]
        self._metrics = [name for name in [*self._metrics, *(one for one in metrics if one not in self._metrics)]
                         if name not in self._factors]
        self.rows.append({"run": self._identity["run"], "simulated": self._identity["simulated"], "detail": detail,
                          "repetition": repetition, "warm_up": warm_up, **factors, **metrics, "faults": faults,
                          "machine": self._identity["machine"]})

    @property
    def factors(self) -> list[str]:
        """Columns of what was set, in order."""
        return list(self._factors)

    @property
    def metrics(self) -> list[str]:
        """Columns of what was measured, in order."""
        return list(self._metrics)

    @property
    def run(self) -> str:
        """Which run it is of: start (UTC) and seed."""
        return str(self._identity["run"])

    @property
    def is_simulated(self) -> bool:
        """Whether its times are virtual."""
        return bool(self._identity["simulated"])

    @property
    def columns(self) -> list[str]:
        """Of the CSV file, in order."""
        return [*_FIRST, *self._factors, *self._metrics, *_LAST]

    def summary(self) -> list[dict[str, Any]]:
        """A dict for each case, without warm-ups: the factors, n, and METRIC_median, METRIC_q1, METRIC_q3."""
        cases: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for row in self.rows:
            if not row["warm_up"]:
                cases.setdefault(tuple(repr(row.get(name)) for name in self._factors), []).append(row)
        out = []
        for rows in cases.values():
            line: dict[str, Any] = {"run": self._identity["run"], "simulated": self._identity["simulated"],
                                    "detail": rows[0]["detail"]}
            line.update((name, rows[0].get(name)) for name in self._factors)
            line["n"] = len(rows)
            for name in self._metrics:
                values = [row[name] for row in rows if isinstance(row.get(name), (int, float))]
                three = quartiles(values) if values else (None, None, None)
                line[f"{name}_median"], line[f"{name}_q1"], line[f"{name}_q3"] = three[1], three[0], three[2]
            out.append(line)
        return out

    def write_csv(self, directory: Union[str, "os.PathLike[str]"] = ".") -> pathlib.Path:
        """Writes NAME.csv and NAME_summary.csv (RFC 4180, UTF-8); the path of the first. LabError BadArgument: it cannot."""
        path = pathlib.Path(directory) / f"{self.name}.csv"
        summary = self.summary()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, self.columns, self.rows)
            if summary:
                _write(path.with_name(f"{self.name}_summary.csv"), list(summary[0]), summary)
        except OSError as error:
            raise LabError("BadArgument", f"{path} cannot be written: {error.strerror}.", "Name another directory.") from None
        return path


def _write(path: pathlib.Path, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows([cell(row.get(name)) for name in columns] for row in rows)


def cases_of(factors: Mapping[str, Sequence[Any]]) -> list[Case]:
    """All combinations, the last factor turning fastest."""
    count = 1
    for name, values in factors.items():
        if isinstance(values, str) or not len(values):
            raise LabError("BadArgument", f"The factor {name} needs a list of values.")
        count *= len(values)
    if count > _CASES_MAX:
        raise LabError("BadArgument", f"The factors give {count} cases; {_CASES_MAX} are the most.")
    return [dict(zip(factors, values)) for values in itertools.product(*factors.values())]


@bounded
class MeasureCalls(StateCalls, FaultCalls, GateCalls):
    """See the module."""

    tables: dict[str, Table]       # by name: what was measured so far
    charts: list[Chart]            # that were asked for
    _run_started: str

    def _identity(self) -> Mapping[str, Any]:
        return {"run": f"{self._run_started} seed {self._seed}", "simulated": self.simulated, "machine": machine()}

    def measure(self, name: str, run: Callable[[Case], Result], factors: Optional[Mapping[str, Sequence[Any]]] = None,
                cases: Optional[Sequence[Case]] = None, constants: Optional[Case] = None, repetitions: int = 5,
                warm_up: int = 1, order: str = "shuffled", before: Optional[Callable[[Case], Any]] = None,
                after: Optional[Callable[[Case], Any]] = None, detail: str = "counts") -> Table:
        """Repeats ``run(case)`` over all combinations of ``factors`` (or over ``cases``) and keeps one row each.

        ``run`` gives a Timing, a Workload, or a dict; their numbers become the metrics. ``before`` and ``after`` are not
        measured. Each repetition goes through the cases in an ``order`` drawn by the seed ('shuffled') or as 'given';
        ``warm_up`` repetitions come first and are marked. The table is appended to the one of that name; an error in
        ``run`` ends it but keeps its rows. LabError BadArgument: no number was returned; Refused: the gate is closed."""
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
            raise LabError("BadArgument", f"The name of a table has 1 to 64 letters, digits, - and _, not {name[:80]!r}.")
        if order not in ("shuffled", "given") or detail not in DETAILS:
            raise LabError("BadArgument", f"order is 'shuffled' or 'given', detail one of {', '.join(DETAILS)}.")
        given = [dict(case) for case in cases] if cases is not None else cases_of(factors or {})
        table = self.tables.setdefault(name, Table(name, self._identity()))
        former = self.detail(detail)
        try:
            for round_ in range(1, warm_up + repetitions + 1):
                turn = list(given)
                if order == "shuffled":
                    self._random.shuffle(turn)
                is_warm_up = round_ <= warm_up
                for case in turn:
                    self._not_gated()
                    if before is not None:
                        before(case)
                    faults = self._faults_active()
                    metrics = numbers_of(run(case))
                    self._not_gated()
                    facts = {**case, **(constants or {})}
                    table.add(detail, round_ if is_warm_up else round_ - warm_up, is_warm_up, facts,
                              {key: value for key, value in metrics.items() if key not in facts}, max(faults, self._faults_active()))
                    if after is not None:
                        after(case)
        finally:
            self.detail(former)
        return table

    def row(self, name: str, values: Result) -> int:
        """Adds one row by hand to the table of that name: numbers are metrics, words and truth values factors. Its number."""
        table = self.tables.setdefault(name, Table(name, self._identity()))
        given = values.as_dict() if isinstance(values, Row) else dict(values)
        factors = {key: value for key, value in given.items() if isinstance(value, (str, bool))}
        table.add(self._detail, None, False, factors, numbers_of(given), self._faults_active())
        return len(table.rows)

    @staticmethod
    def paper(name: str, where: Optional[Mapping[str, Any]] = None, suspect: bool = False) -> list[dict[str, Any]]:
        """Rows of a table that the papers printed (scenarios/paper/README.md): ``lab.paper("search", {"config": 2})``; ``suspect``:
        those in doubt, too. None: the source does not give it. LabError BadArgument: no such table or column."""
        return papers.paper(name, where, suspect)

    def chart(self, table: Union[str, Table], x: str, y: Union[str, Sequence[str]], by: Union[str, Sequence[str]] = (),
              paper: Optional[str] = None, where: Optional[Mapping[str, Any]] = None, title: Optional[str] = None, log: bool = False,
              suspect: bool = False) -> Chart:
        """Draws a table: medians with quartiles over the column ``x``, a panel for each quantity of ``y``, a line for each combination
        of ``by`` (above six lines a panel for each value of the first), both axes logarithmic with ``log``. ``paper``: published
        values of that table dashed beside them, under the same values (``suspect``: those in doubt, too). ``where``: values of
        columns that rows must have. The Chart follows its table; ``chart.write(directory)`` makes NAME_chart.svg. LabError
        BadArgument: no such table or column."""
        name = table.name if isinstance(table, Table) else table
        if name not in self.tables:
            raise LabError("BadArgument", f"There is no table {name[:80]!r} yet.",
                           near(name, list(self.tables)) or "lab.measure or lab.row makes one; then its chart follows it.")
        before = sum(one.table == name for one in self.charts)
        made = charts.made(f"{name}_chart" + (f"_{before + 1}" if before else ""), self.tables[name], x, y, by, paper, where, title, log, suspect)
        self.charts.append(made)
        return made

    def write(self, directory: Union[str, "os.PathLike[str]"] = ".") -> list[pathlib.Path]:
        """Writes all tables as CSV files and all charts as SVG files, as lhrs-play --csv does; the paths. LabError BadArgument."""
        return [*(table.write_csv(directory) for table in self.tables.values()), *(chart.write(directory) for chart in self.charts)]


def numbers_of(result: Result) -> Case:
    """The numbers in what ``run`` gave. LabError BadArgument: there is none."""
    given = result.as_dict() if isinstance(result, Row) else dict(result) if isinstance(result, Mapping) else {}
    numbers = {key: value for key, value in given.items() if isinstance(value, (int, float)) and not isinstance(value, bool)}
    if not numbers:
        raise LabError("BadArgument", "The function run of lab.measure returned no number.",
                       "Return a Timing, the result of a workload, or a dict such as {'value': 42}.")
    return numbers


def started_now() -> str:
    """This moment, as a run is called: UTC, ISO 8601."""
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
