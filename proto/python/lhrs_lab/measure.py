# SPDX-License-Identifier: GPL-3.0-or-later
"""Measurements: repeated over all combinations of factors, one observation per row, written as the CSV files of
lhrs-play."""
import dataclasses
import datetime
import functools
import itertools
import math
import os
import pathlib
import re
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, Union

from . import figures
from . import paper as papers
from .bounds import bounded
from .charts import Chart
from .errors import LabError
from .faults import FaultCalls
from .frames import Rows
from .gate import GateCalls
from .results import Folder, cluster_row, file_name, inputs_digest, new_run_id, program_facts, run_row
from .shown import Shown
from .state import StateCalls
from .values import DETAILS, Row, near, quartiles

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
        pass  # not Linux: the text says that it is unknown
    return f"{model}, {os.cpu_count()} cores, {gibibytes:.0f} GiB"


@dataclasses.dataclass(frozen=True)
class Goal:
    """Repetitions continue until the median of these metrics is known within this percentage (``is_within``)."""

    percent: float
    metrics: tuple[str, ...]


def median_interval(values: Sequence[float]) -> Optional[tuple[float, float]]:
    """The interval between two of the values that contains the median of their distribution in at least 95 of 100
    cases, for any distribution (order statistics). None: there are fewer than six values."""
    count, below, out = len(values), 0.0, None
    for left in range((count + 1) // 2):
        below += math.exp(math.lgamma(count + 1) - math.lgamma(left + 1) - math.lgamma(count - left + 1) - count * math.log(2))
        if below > 0.025 or 2 * left + 1 >= count:
            break
        out = left
    ordered = sorted(values)
    return None if out is None else (ordered[out], ordered[count - 1 - out])


def is_within(values: Sequence[float], percent: float) -> bool:
    """Whether both ends of the interval differ from the median by at most this percentage of it."""
    ends = median_interval(values)
    if ends is None:
        return False
    middle = quartiles(values)[1]
    return max(middle - ends[0], ends[1] - middle) <= percent / 100 * abs(middle)


class Table(Shown):
    """Rows of one measurement. A notebook displays it, and ``to_pandas()`` returns a DataFrame. Each row is a dict
    with run, simulated, detail, repetition, warm_up, the factors, the metrics, faults (the number of active ones)
    and machine."""

    def __init__(self, name: str, identity: Mapping[str, Any], describe: Callable[[Folder], None] = lambda folder: None) -> None:
        """``describe`` writes the description of the run into a folder."""
        self.name = name
        self._describe = describe
        self.goal: Optional[Goal] = None
        self.rows: list[dict[str, Any]] = []
        self._identity = identity
        self._factors: list[str] = []
        self._metrics: list[str] = []

    def add(self, detail: Optional[str], repetition: Optional[int], warm_up: bool, factors: Case, metrics: Case, faults: int) -> None:
        """Adds one observation."""
        self._factors += [name for name in factors if name not in self._factors]
        self._metrics = [name for name in [*self._metrics, *(one for one in metrics if one not in self._metrics)]
                         if name not in self._factors]
        self.rows.append({"run": self._identity["run"], "simulated": self._identity["simulated"], "detail": detail,
                          "repetition": repetition, "warm_up": warm_up, **factors, **metrics, "faults": faults,
                          "machine": self._identity["machine"]})

    @property
    def factors(self) -> list[str]:
        """The columns of the factors, in order."""
        return list(self._factors)

    @property
    def metrics(self) -> list[str]:
        """The columns of the metrics, in order."""
        return list(self._metrics)

    @property
    def run(self) -> str:
        """The id of its run: start (UTC), host, process and seed; for a simulated run a digest of everything that
        determines it."""
        return str(self._identity["run"])

    @property
    def is_simulated(self) -> bool:
        """Whether its times are virtual."""
        return bool(self._identity["simulated"])

    @property
    def columns(self) -> list[str]:
        """The columns of the CSV file, in order."""
        return [*_FIRST, *self._factors, *self._metrics, *_LAST]

    def summary(self) -> Rows[dict[str, Any]]:
        """A dict for each case, without warm-ups: the factors, n, and for each metric METRIC_median, METRIC_q1 and
        METRIC_q3 (None for one value), METRIC_ci95_low and METRIC_ci95_high (the median's 95 % interval; None for
        fewer than 6 values)."""
        cases: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for row in self.rows:
            if not row["warm_up"]:
                cases.setdefault(tuple(repr(row.get(name)) for name in self._factors), []).append(row)
        out: Rows[dict[str, Any]] = Rows()
        for rows in cases.values():
            line: dict[str, Any] = {"run": self._identity["run"], "simulated": self._identity["simulated"],
                                    "detail": rows[0]["detail"] if len({row["detail"] for row in rows}) == 1 else None}
            line.update((name, rows[0].get(name)) for name in self._factors)
            line["n"] = len(rows)
            if self.goal is not None:
                line["within_percent"] = self.goal.percent
                line["reached"] = all(is_within([row[metric] for row in rows if isinstance(row.get(metric), (int, float))], self.goal.percent)
                                      for metric in self.goal.metrics)
            for name in self._metrics:
                values = [row[name] for row in rows if isinstance(row.get(name), (int, float)) and math.isfinite(row[name])]
                three = quartiles(values) if values else (None, None, None)
                line[f"{name}_median"] = three[1]
                line[f"{name}_q1"], line[f"{name}_q3"] = (three[0], three[2]) if len(values) > 1 else (None, None)
                line[f"{name}_ci95_low"], line[f"{name}_ci95_high"] = median_interval(values) or (None, None)
            out.append(line)
        return out

    def figure(self, y: Union[str, Sequence[str], None] = None, x: Optional[str] = None, by: Union[str, Sequence[str], None] = None,
               where: Optional[Mapping[str, Any]] = None, title: Optional[str] = None, log: bool = False) -> "Figure":
        """A matplotlib Figure: the medians of the metric ``y`` as a line over the column ``x``, every run as a dot,
        and a line for each combination of the columns ``by``, with a label that states the settings. Several metrics
        ``y`` are side by side; ``where``: values of columns that rows must have; ``log``: logarithmic axes. None:
        the first metric, over the first factor that varies, with a line for each combination of the other varying
        factors. ``table.figure().savefig("x.svg")``. LabError Unsupported: matplotlib is not installed; BadArgument:
        there is no such column, or no row."""
        return figures.figure(self, y, x, by, where or {}, title, log)

    def write_csv(self, directory: Union[str, "os.PathLike[str]"] = ".", append: bool = False, overwrite: bool = False) -> pathlib.Path:
        """Writes NAME.csv and NAME_summary.csv (RFC 4180, UTF-8), and the description of the run into runs.csv and
        clusters.csv; returns the path of the first file. ``append``: results of other runs in the directory stay;
        ``overwrite``: they are removed. LabError BadArgument: there are such results and neither is given, or a file
        cannot be written."""
        with Folder(directory, self.run, append, overwrite) as folder:
            self._describe(folder)
            return self.put(folder)

    def put(self, folder: Folder) -> pathlib.Path:
        """Writes its rows and summary into an open folder; returns the path of the first file."""
        path = folder.put(file_name(self.name), self.columns, self.rows)
        summary = self.summary()
        if summary:
            folder.put(f"{file_name(self.name)}_summary", list(summary[0]), summary)
        return path


def cases_of(factors: Mapping[str, Sequence[Any]]) -> list[Case]:
    """All combinations; the last factor varies fastest."""
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

    tables: dict[str, Table]       # by name: the measurements so far
    charts: list[Chart]            # the requested charts
    parameters: dict[str, Any]     # what you set in this run: columns of runs.csv
    config: Any
    _run_started: str
    _inputs: Optional[str] = None      # see inputs_digest; None: the inputs do not determine the tables
    _options: Optional[list[str]] = None  # of the simulated cluster that was started here
    _watch_bin: Optional[str]

    @functools.cached_property
    def _facts(self) -> dict[str, str]:
        return program_facts(self._watch_bin)

    @functools.cached_property
    def _run(self) -> str:
        """The id of this run in all its tables; decided when the first table begins."""
        if self._options is not None:
            self._inputs = inputs_digest(self._seed, self._options, self.parameters, self._facts)
        return new_run_id(self._seed) if self._inputs is None else f"sim-{self._inputs}"

    def _identity(self) -> Mapping[str, Any]:
        return {"run": self._run, "simulated": self.simulated, "machine": machine()}

    def _describe(self, folder: Folder) -> None:
        run = run_row(self._run, self._inputs, self.simulated, self._run_started, machine(), self._seed, self._facts,
                      self.parameters)
        folder.put("runs", list(run), [run])
        if self.config is not None or self.system != "lhrs":
            cluster = cluster_row(run, self.config, {"record_bytes": self._record_bytes, "keys": self.key_file is not None, **self._started_with})
            folder.put("clusters", list(cluster), [cluster])

    def _table(self, name: str) -> Table:
        return self.tables.setdefault(name, Table(name, self._identity(), self._describe))

    def measure(self, name: str, run: Callable[[Case], Result], factors: Optional[Mapping[str, Sequence[Any]]] = None,
                cases: Optional[Sequence[Case]] = None, constants: Optional[Case] = None, repetitions: int = 5,
                warm_up: int = 1, order: str = "shuffled", before: Optional[Callable[[Case], Any]] = None,
                after: Optional[Callable[[Case], Any]] = None, detail: str = "counts", within: Optional[float] = None,
                within_of: Union[str, Sequence[str], None] = None, repetitions_max: int = 100) -> Table:
        """Repeats ``run(case)`` over all combinations of ``factors`` (or over ``cases``) and keeps one row for each.

        ``run`` returns a Timing, a Workload, or a dict; their numbers become the metrics. ``before`` and ``after``
        are not measured. Each repetition goes through the cases in an ``order`` drawn by the seed ('shuffled') or as
        'given'; ``warm_up`` repetitions come first and are marked. With ``within`` = 5 and ``within_of`` =
        'total_s', each case is repeated, at least ``repetitions`` and at most ``repetitions_max`` times, until the
        95 % confidence interval of the median of that metric (or of those) is no more than 5 per cent away from it;
        the summary says whether that was reached. The rows are appended to the table of that name; an error in
        ``run`` ends the table but keeps its rows. LabError BadArgument: no number was returned; Refused: the gate is
        closed."""
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
            raise LabError("BadArgument", f"The name of a table has 1 to 64 letters, digits, - and _, not {name[:80]!r}.")
        if order not in ("shuffled", "given") or detail not in DETAILS:
            raise LabError("BadArgument", f"order is 'shuffled' or 'given', detail one of {', '.join(DETAILS)}.")
        given = [dict(case) for case in cases] if cases is not None else cases_of(factors or {})
        if within is not None and not 0.001 <= within <= 100:
            raise LabError("BadArgument", f"within is per cent of the median, from 0.001 to 100, not {within!r}.")
        if (within is None) != (within_of is None):
            raise LabError("BadArgument", "within and within_of go together.", "within=5, within_of='total_s' repeats until the median of total_s is known to 5 per cent.")
        table = self._table(name)
        table.goal = None if within is None or within_of is None else Goal(within, (within_of,) if isinstance(within_of, str) else tuple(within_of))
        values: list[dict[str, list[float]]] = [{metric: [] for metric in (table.goal.metrics if table.goal else ())} for _ in given]
        former = self.detail(detail)
        most = repetitions if table.goal is None else max(repetitions, repetitions_max)
        turn = list(range(len(given)))
        try:
            for round_ in range(1, warm_up + most + 1):
                is_warm_up = round_ <= warm_up
                turn = sorted(turn)
                if table.goal is not None and round_ > warm_up + repetitions:
                    percent = table.goal.percent
                    turn = [one for one in turn if not all(is_within(known, percent) for known in values[one].values())]
                if order == "shuffled":
                    self._random.shuffle(turn)
                for one in turn:
                    metrics = self._once(table, given[one], run, before, after, constants or {}, detail, round_ if is_warm_up else round_ - warm_up, is_warm_up)
                    for metric, known in values[one].items():
                        if metric not in metrics:
                            raise LabError("BadArgument", f"The function run of lab.measure returned no number {metric}, which within_of names.")
                        if not is_warm_up:
                            known.append(metrics[metric])
        finally:
            self.detail(former)
        return table

    def _once(self, table: Table, case: Case, run: Callable[[Case], Result], before: Optional[Callable[[Case], Any]], after: Optional[Callable[[Case], Any]],
              constants: Case, detail: str, repetition: int, is_warm_up: bool) -> Case:
        """One observation, which is added to the table; returns its metrics."""
        self._not_gated()
        if before is not None:
            before(case)
        if self._detail != detail:  # before() may have changed the level
            self.detail(detail)
        faults = self._faults_active()
        metrics = numbers_of(run(case))
        self._not_gated()
        facts = {**case, **constants}
        metrics = {key: value for key, value in metrics.items() if key not in facts}
        in_force = detail if self._detail == detail else None  # if run() changed it, no single word describes the level
        table.add(in_force, repetition, is_warm_up, facts, metrics, max(faults, self._faults_active()))
        if after is not None:
            after(case)
        return metrics

    def row(self, name: str, values: Result) -> int:
        """Adds one row by hand to the table of that name: numbers are metrics, words and truth values are factors.
        Returns its number."""
        table = self._table(name)
        given = values.as_dict() if isinstance(values, Row) else dict(values)
        factors = {key: value for key, value in given.items() if isinstance(value, (str, bool))}
        table.add(self._detail, None, False, factors, numbers_of(given), self._faults_active())
        return len(table.rows)

    @staticmethod
    def paper(name: str, where: Optional[Mapping[str, Any]] = None, suspect: bool = False) -> Rows[dict[str, Any]]:
        """Rows of a published table (scenarios/paper/README.md): ``lab.paper("search", {"config": 2})``;
        ``suspect``: includes doubtful values. None: the source does not give the value. LabError BadArgument: no
        such table or column."""
        return papers.paper(name, where, suspect)

    def chart(self, table: Union[str, Table], x: str, y: Union[str, Sequence[str]], by: Union[str, Sequence[str]] = (),
              paper: Optional[str] = None, where: Optional[Mapping[str, Any]] = None, title: Optional[str] = None, log: bool = False,
              suspect: bool = False) -> Chart:
        """Draws a table: medians with quartiles over the column ``x``, a panel for each quantity of ``y``, a line
        for each combination of ``by`` (above six lines, a panel for each value of the first column), both axes
        logarithmic with ``log``. ``paper``: published values of that table as dashed lines, for the same conditions
        (``suspect``: includes doubtful values). ``where``: values of columns that rows must have. The Chart follows
        its table; ``chart.write(directory)`` writes NAME_chart.svg. lhrs-play draws it. LabError BadArgument: no
        such table or column; Unsupported: there is no lhrs-play."""
        name = table.name if isinstance(table, Table) else table
        if name not in self.tables:
            raise LabError("BadArgument", f"There is no table {name[:80]!r} yet.",
                           near(name, list(self.tables)) or "lab.measure or lab.row makes one; then its chart follows it.")
        before = sum(one.table == name for one in self.charts)
        made = Chart(f"{name}_chart" + (f"_{before + 1}" if before else ""), self.tables[name], x, y, by, paper, where, title, log, suspect, self._watch_bin)
        self.charts.append(made)
        return made

    def write(self, directory: Union[str, "os.PathLike[str]"] = ".", append: bool = False, overwrite: bool = False) -> list[pathlib.Path]:
        """Writes all tables as CSV files and all charts as SVG files, as lhrs-play --csv does, and the description
        of the run into runs.csv; returns the paths of tables and charts. ``append``: results of other runs in the
        directory stay; ``overwrite``: they are removed. LabError BadArgument: there are such results and neither is
        given, or a file cannot be written."""
        with Folder(directory, self._run, append, overwrite) as folder:
            self._describe(folder)
            return [*(table.put(folder) for table in self.tables.values()), *(chart.write(directory) for chart in self.charts)]


def numbers_of(result: Result) -> Case:
    """The numbers that ``run`` returned, and unknown values (None), whose columns stay. LabError BadArgument: there
    is no number."""
    given = result.as_dict() if isinstance(result, Row) else dict(result) if isinstance(result, Mapping) else {}
    numbers = {key: value for key, value in given.items()
               if value is None or isinstance(value, (int, float)) and not isinstance(value, bool)}
    if all(value is None for value in numbers.values()):
        raise LabError("BadArgument", "The function run of lab.measure returned no number.",
                       "Return a Timing, the result of a workload, or a dict such as {'value': 42}.")
    return numbers


def started_now() -> str:
    """The present time: UTC, ISO 8601 with milliseconds."""
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
