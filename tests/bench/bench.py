# SPDX-License-Identifier: GPL-3.0-or-later
"""./run bench: compares this store with other stores, and with the limits of the machine, in one run.

Every figure is measured in this run; a figure that was not measured is listed with the reason. A row is the median
of its repetitions, with their minimum and maximum. Its target is met or missed by the median."""
import argparse
import csv
import dataclasses
import datetime
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import time
from typing import Optional

_TREE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(_TREE / "proto/python"))

import measures  # pylint: disable=wrong-import-position
import report  # pylint: disable=wrong-import-position
import scale  # noqa: F401  # pylint: disable=wrong-import-position,unused-import  # adds its measure
import flooded  # noqa: F401  # pylint: disable=wrong-import-position,unused-import  # adds its measure
import keyed  # noqa: F401  # pylint: disable=wrong-import-position,unused-import  # adds its measure
import watched  # noqa: F401  # pylint: disable=wrong-import-position,unused-import  # adds its measure
from lhrs_lab import LabError  # pylint: disable=wrong-import-position
from lhrs_lab.measure import machine  # pylint: disable=wrong-import-position
from peers import NotMeasured  # pylint: disable=wrong-import-position


@dataclasses.dataclass
class Result:
    """The outcome of a row."""

    target: measures.Target
    seen: list[measures.Seen]
    reason: str = ""   # why there are no values, or no more


def measure(one: measures.Measure, settings: measures.Settings) -> list[Result]:
    """Measures all rows of a measure."""
    results = {target.row: Result(target, []) for target in one.targets}
    reason = ""
    try:
        for seen in one.run(settings):
            if isinstance(seen, measures.Unseen):
                results[seen.row].reason = seen.reason
            else:
                results[seen.row].seen.append(seen)
    except (NotMeasured, LabError, OSError, KeyError, ValueError) as error:
        reason = str(error) if not isinstance(error, KeyError) else f"There is no figure of {error}."
    for result in results.values():
        if reason:
            result.seen.clear()  # an incomplete measurement does not count
        if not result.seen:
            result.reason = reason or result.reason or "this processor has no such instructions."
    return list(results.values())


def number(value: float) -> str:
    """The number with three significant digits."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def words_of(result: Result) -> report.Line:
    """The words for a row."""
    target = result.target
    bound = f"{'<=' if target.is_upper else '>='} {target.bound:g}{' ' + target.unit if target.unit else ''}"
    if not result.seen:
        return report.Line(target.row, target.quantity, "", bound, "none", f"not measured: {result.reason}")
    values = [seen.value for seen in result.seen]
    median = statistics.median(values)
    ours = statistics.median(seen.ours for seen in result.seen)
    unit, placement = result.seen[0].unit, result.seen[0].placement
    peer = [seen.peer for seen in result.seen if seen.peer is not None]
    beside = f" beside {number(statistics.median(peer))}" if peer else ""
    is_met = target.is_met(median)
    return report.Line(target.row, target.quantity, f"{number(median)} ({number(min(values))} to {number(max(values))}); "
                       f"ours {number(ours)}{beside} {unit}, {placement}", bound, "met" if is_met else "missed", "met" if is_met else "MISSED")


def line(result: Result) -> str:
    """A row of the printed table."""
    said = words_of(result)
    head = f"{said.row:<19}{said.quantity}\n{'':<19}"
    if said.outcome == "none":
        return head + said.words
    figures, origin = said.ours.split("; ", 1)
    return f"{head}{figures}, target {said.target}: {said.words}; {origin}"


def version_of(arguments: list[str]) -> str:
    """The first line of a program's version output; empty: the program is not installed."""
    if not shutil.which(arguments[0]):
        return ""
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    return (done.stdout.splitlines() or [""])[0].strip()


def package_version(name: str) -> str:
    """The version of a Debian package; empty: it is not installed, or this is not Debian."""
    if not shutil.which("dpkg-query"):
        return ""
    return subprocess.run(["dpkg-query", "-W", "-f=${Version}", name], capture_output=True, text=True, check=False).stdout


def main() -> int:
    """Parses the command line and runs the measures."""
    parser = argparse.ArgumentParser(prog="./run bench", description="This store beside other people's, in one run.")
    parser.add_argument("--quick", action="store_true", help="below five minutes: fewer operations, and not the largest recovery")
    parser.add_argument("--only", metavar="NAME", action="append", choices=[one.name for one in measures.MEASURES],
                        help="only this measure: " + ", ".join(one.name for one in measures.MEASURES))
    parser.add_argument("--repetitions", type=int, default=5, help="of each (5)")
    parser.add_argument("--out", type=pathlib.Path, default=_TREE / "build/bench", help="where bench.csv, the other tables, the charts and report.html go (build/bench)")
    parser.add_argument("--programs", type=pathlib.Path, default=_TREE / "build/optimised/bin", help="where the programs are")
    options = parser.parse_args()
    if options.repetitions < 1:
        parser.error("--repetitions is at least 1.")
    commit = subprocess.run(["git", "-C", str(_TREE), "describe", "--always", "--dirty"], capture_output=True, text=True,
                            check=False).stdout.strip()
    versions = {"redis": version_of(["redis-benchmark", "--version"]), "iperf3": version_of(["iperf3", "--version"]),
                "isa_l": package_version("libisal-dev"), "gf_complete": package_version("libgf-complete-dev")}
    about = {"run": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"), "commit": commit,
             "machine": machine(), "system": platform.platform(), **versions}
    print(f"{about['machine']}; {about['system']}; commit {commit}; "
          + ", ".join(f"{name} {version or 'not there'}" for name, version in versions.items()))
    print(f"load before: {os.getloadavg()[0]:.2f}{' - others work here too, which the figures will show' if os.getloadavg()[0] > 0.5 else ''}",
          flush=True)

    settings = measures.Settings(options.quick, options.repetitions, options.programs, pathlib.Path(__file__).resolve().parent, commit)
    begin, results = time.monotonic(), []
    for one in measures.MEASURES:
        if options.only and one.name not in options.only:
            continue
        for result in measure(one, settings):
            results.append(result)
            print(line(result), flush=True)
    write(options.out, about, results, options.quick)
    for note in settings.notes:
        print(note)
    for written in (*(table.write_csv(options.out) for table in settings.tables if table.rows), *(chart.write(options.out) for chart in settings.charts)):
        print(f"written: {os.path.relpath(written)}")
    report.write(options.out / "report.html", about, [words_of(result) for result in results], settings.notes, settings.tables, settings.charts)
    measured = [result for result in results if result.seen]
    met = sum(result.target.is_met(statistics.median(seen.value for seen in result.seen)) for result in measured)
    print(f"{met} met, {len(measured) - met} missed, {len(results) - len(measured)} not measured, "
          f"in {time.monotonic() - begin:.0f} s; every repetition is in {os.path.relpath(options.out / 'bench.csv')}, "
          f"the page in {os.path.relpath(options.out / 'report.html')}")
    return 0


def write(directory: pathlib.Path, about: dict[str, str], results: list[Result], quick: bool) -> None:
    """Writes the results as CSV, one repetition per row."""
    directory.mkdir(parents=True, exist_ok=True)
    with open(directory / "bench.csv", "w", newline="", encoding="utf-8") as file:
        writer: Optional["csv.DictWriter[str]"] = None
        for result in results:
            for repetition, seen in enumerate(result.seen, 1):
                target = result.target
                row = {"run": about["run"], "row": seen.row, "repetition": repetition, "value": f"{seen.value:.9g}",
                       "target": f"{target.bound:g}", "target_is": "at most" if target.is_upper else "at least",
                       "value_unit": target.unit, "ours": f"{seen.ours:.9g}", "peer": "" if seen.peer is None else f"{seen.peer:.9g}",
                       "unit": seen.unit, "placement": seen.placement, "quick": str(quick).lower(),
                       **{name: about[name] for name in about if name != "run"}}
                if writer is None:
                    writer = csv.DictWriter(file, list(row))
                    writer.writeheader()
                writer.writerow(row)


if __name__ == "__main__":
    sys.exit(main())
