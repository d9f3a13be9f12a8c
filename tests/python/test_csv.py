# SPDX-License-Identifier: GPL-3.0-or-later
"""The CSV files of all exports, read back with Python's csv (and pandas, if installed). scenarios/DATA.md must
explain exactly their columns, and derived columns must equal those computed again from the events of the recording."""
import collections
import csv
import importlib.util
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import unittest

import again
import rig

SCENARIO = r"""// tables.js   @title A short run for tables   @minutes 1   @needs 12 processes
// SPDX-License-Identifier: GPL-3.0-or-later
for (const records of [24, 40]) {
    lab.step('c' + records, 'Tables, "quoted"');
    lab.cluster({ m: 2, k: 1, b: 8, recordBytes: 30, spares: { data: 14, parity: 14 } });
    const alice = lab.client('alice'), since = lab.here();
    alice.insert();
    lab.raiseAvailability(2); // at once: the split pointer is at bucket 0
    lab.row('parity_creation', lab.addParity(0));
    alice.run({ do: 'insert', count: records, window: 2 });
    alice.insert('9007199254740993', 'beyond 2^53');
    lab.net({ to: lab.data(0), delayMs: 2 });
    lab.row('workload', Object.assign({ records: records }, alice.run({ do: 'update', count: 15, window: 1 })));
    lab.heal();
    if (records === 24)
        lab.row('once', { value: 0.1 + 0.2 });
    if (records === 24)
        lab.measure({ name: 'search_time', factors: { window: [1, 4], searches: ['a, "b"\nc', 'd'] }, constants: { k: 1 }, repetitions: 6,
            run: c => Object.assign({ unknown_s: null }, alice.run({ do: 'search', count: 6, window: c.window })) });
    lab.kill(lab.data(1));
    lab.waitFor('RecoveryFinished', { since: since });
    lab.settle();
    lab.row('recovery', lab.recoveries({ since: since })[0]);
    lab.expectEqual(lab.audit().unequal, 0, 'the parity encodes the data');
    lab.dwell(0.3);
}
lab.chart({ table: 'search_time', x: 'window', y: 'per_op_ms', by: ['searches'] });
"""
FIRST = ["run", "simulated", "detail"]
OF_RUNS = ("runs.csv", "clusters.csv")  # a row is not an observation, and has no level of detail
NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?")
HAS_CLIENT = unittest.skipUnless(all(importlib.util.find_spec(name) for name in ("google", "zmq")), "protobuf or zmq is not installed")
STATISTIC = re.compile("_(median|q1|q3|ci95_low|ci95_high|min|max|last)$")
UNITS = {"_s": "s", "_ms": "ms", "_bytes": "bytes", "_percent": "percent"}


def dictionary() -> dict[str, dict[str, str]]:
    """{section of DATA.md: {column: unit}}."""
    sections: dict[str, dict[str, str]] = {}
    name = ""
    for line in (rig.ROOT / "scenarios/DATA.md").read_text().splitlines():
        if line.startswith("## "):
            name = line[3:]
        elif match := re.match(r"\| `([^`]+)` \| ([^|]+) \|", line):
            sections.setdefault(name, {})[match[1]] = match[2].strip()
    return sections


def read(path: pathlib.Path) -> tuple[list[str], list[dict[str, str]]]:
    """Columns and rows; every row has a cell for every column."""
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file, strict=True)
        rows = list(reader)
    for row in rows:
        assert None not in row and None not in row.values(), f"{path.name}: a row has other columns than the first line"
    return list(reader.fieldnames or []), rows


class Tables(unittest.TestCase):
    """One short run of two clusters, at full speed and recorded, with all files that are written from it."""

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.directory = pathlib.Path(directory.name)
        scenario = cls.directory / "tables.js"
        scenario.write_text(SCENARIO)
        cls.recording = cls.directory / "run.lhrun"
        cls.said = {}
        for name, options in (("measured", ["--speed", "max"]), ("recorded", ["--speed", "4", "--record", cls.recording])):
            cls.run_program(name, "lhrs-play", "--sim", *options, "--csv", cls.directory / name, scenario)
        cls.run_program("ring", "lhrs-play", "--sim", "--speed", "max", "--set", "repetitions=1", "--csv", cls.directory / "ring",
                        rig.ROOT / "scenarios/walk.js")
        cls.has_window = (rig.PROGRAMS / "lhrs-gui").exists()
        if cls.has_window:
            cls.run_program("exported", "lhrs-gui", "--export", cls.recording, "--out", cls.directory / "exported")
            cls.run_program("report", "lhrs-report", cls.directory / "measured", "--paper", rig.ROOT / "scenarios/paper")
        cls.sections = dictionary()
        cls.columns = {column: unit for section in cls.sections.values() for column, unit in section.items()}

    @classmethod
    def run_program(cls, name: str, program: str, *arguments: object) -> None:
        """Runs the program and keeps its output under the name."""
        done = subprocess.run([str(rig.PROGRAMS / program), *map(str, arguments)], capture_output=True, text=True, check=False,
                              timeout=50, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
        assert done.returncode == 0, f"{program}: {done.stdout}{done.stderr}"
        cls.said[name] = done.stdout

    def files(self) -> list[pathlib.Path]:
        """All files, including those that describe the run."""
        found = sorted(path for path in self.directory.glob("*/*.csv") if path.parent.name != "python")
        self.assertGreater(len(found), 20)
        return found

    def known(self, column: str) -> str:
        """The name of the column in the document: for a summary or a chart, without the statistic."""
        return column if column in self.columns else STATISTIC.sub("", column)

    def test_the_text_is_rfc_4180_and_every_row_says_which_run_it_is_of(self):
        for path in self.files():
            data = path.read_bytes()
            self.assertTrue(data.endswith(b"\r\n"), path.name)
            self.assertFalse(data.startswith(b"\xef\xbb\xbf"), path.name)
            columns, rows = read(path)
            if path.name in ("comparison.csv", "shapes.csv"):
                continue  # it covers many runs
            first = FIRST[:2] if path.name in OF_RUNS else FIRST
            self.assertEqual(columns[:len(first)], first, path.name)
            self.assertEqual(len(set(columns)), len(columns), path.name)
            self.assertLessEqual(len({row["run"] for row in rows}), 1, path.name)
            for row in rows:
                self.assertRegex(row["run"], "^sim-[0-9a-f]{16}$")
                self.assertEqual(row["simulated"], "true")
        for name in ("measured", "recorded"):  # so that the tables of one run can be joined
            runs = {row["run"] for path in sorted((self.directory / name).glob("*.csv"))
                    if path.name not in ("comparison.csv", "shapes.csv") for row in read(path)[1]}
            self.assertEqual(len(runs), 1, runs)

    def test_one_row_is_one_observation_and_numbers_are_numbers(self):
        columns, rows = read(self.directory / "measured/search_time.csv")
        self.assertEqual(columns[3:8], ["repetition", "warm_up", "window", "searches", "k"])
        self.assertEqual(columns[-2:], ["faults", "machine"])
        self.assertEqual(len(rows), 4 * (1 + 6))  # cases, a warm-up and six repetitions
        self.assertEqual(sorted({row["searches"] for row in rows}), ['a, "b"\nc', "d"])
        self.assertEqual([row["warm_up"] for row in rows].count("true"), 4)
        for row in rows:
            self.assertEqual((row["detail"], row["operations"], row["wrong"]), ("counts", "6", "0"))
            self.assertAlmostEqual(float(row["per_op_ms"]), 1000 * float(row["total_s"]) / 6, 6)
        timing = read(self.directory / "measured/recovery.csv")[1]
        self.assertEqual([(row["failed_buckets"], row["repetition"], row["detail"]) for row in timing], [("1", "", "full")] * 2)
        for path in self.files():
            for row in read(path)[1]:
                for column, cell in row.items():
                    unit = self.columns.get(self.known(column), "")
                    if cell and unit in ("s", "ms", "bytes", "count", "ranks", "bits") and not (column == "searches" and path.name.startswith("search_time")):
                        self.assertTrue(NUMBER.fullmatch(cell) and math.isfinite(float(cell)), f"{path.name}: {column} is {cell!r}")
                    if cell and unit == "truth":
                        self.assertIn(cell, ("true", "false"), f"{path.name}: {column}")

    def test_the_summary_can_be_computed_again_from_the_rows(self):
        columns, rows = read(self.directory / "measured/search_time.csv")
        rows = [row for row in rows if row["warm_up"] == "false"]
        summary = read(self.directory / "measured/search_time_summary.csv")[1]
        self.assertEqual([row["n"] for row in summary], ["6"] * 4)
        for line in summary:
            of = [row for row in rows if (row["window"], row["searches"]) == (line["window"], line["searches"])]
            for metric in columns[columns.index("k") + 1:-2]:
                values = [float(row[metric]) for row in of if row[metric]]
                wanted = dict.fromkeys(("median", "q1", "q3", "ci95_low", "ci95_high"))
                if values:
                    wanted["q1"], wanted["median"], wanted["q3"] = statistics.quantiles(values, n=4, method="inclusive")
                    wanted["ci95_low"], wanted["ci95_high"] = again.interval_95(values)
                for statistic, value in wanted.items():
                    self.same(line[f"{metric}_{statistic}"], value, f"{metric}_{statistic}")
        self.assertEqual({line["unknown_s_median"] for line in summary}, {""})  # an unknown metric has columns too
        [line] = read(self.directory / "measured/once_summary.csv")[1]
        self.assertEqual([line[name] for name in ("n", "value_median", "value_q1", "value_q3", "value_ci95_low", "value_ci95_high")],
                         ["1", "0.30000000000000004", "", "", "", ""])

    @HAS_CLIENT
    def test_pythons_tables_are_the_same_files_to_the_byte(self):
        sys.path.insert(0, str(rig.ROOT / "proto/python"))
        from lhrs_lab.measure import Table
        columns, rows = read(self.directory / "measured/search_time.csv")
        table = Table("search_time", {"run": rows[0]["run"], "simulated": True, "machine": rows[0]["machine"]})
        for row in rows:
            def typed(names: list[str], row: dict[str, str] = row) -> dict[str, object]:
                return {name: None if row[name] == "" else float(row[name]) if NUMBER.fullmatch(row[name]) else row[name] for name in names}
            table.add(row["detail"], int(row["repetition"]), row["warm_up"] == "true", typed(["window", "searches", "k"]),
                      typed(columns[columns.index("k") + 1:-2]), int(row["faults"]))
        table.write_csv(self.directory / "python")
        for name in ("search_time.csv", "search_time_summary.csv"):
            self.assertEqual((self.directory / "python" / name).read_bytes(), (self.directory / "measured" / name).read_bytes(), name)

    def same(self, cell: str, value: object, where: object) -> None:
        """Checks that the cell has this value in its written form."""
        if value is None:
            self.assertEqual(cell, "", where)
        elif isinstance(value, bool):
            self.assertEqual(cell, "true" if value else "false", where)
        elif isinstance(value, float):
            self.assertNotEqual(cell, "", where)
            self.assertAlmostEqual(float(cell), value, 12, where)
        else:
            self.assertEqual(cell, str(value), where)

    def table(self, name: str, *keys: str) -> dict[tuple[object, ...], dict[str, str]]:
        """A table of the run, keyed by these columns; numbers are converted."""
        rows = read(self.directory / f"recorded/{name}.csv")[1]
        by = {tuple(int(row[key]) if row[key].isdigit() else row[key] for key in keys): row for row in rows}
        self.assertEqual(len(by), len(rows), f"{name}: each row has its own {keys}")
        return by

    @HAS_CLIENT
    def test_what_is_derived_is_what_the_events_give(self):
        run = again.Run(self.recording)
        self.assertEqual({told.cluster for told in run.events}, {1, 2})
        for name, keys, wanted in (("operations", ("cluster", "client", "op"), run.operations()), ("splits", ("cluster", "split"), run.splits()),
                                   ("merges", ("cluster", "merge"), run.merges()), ("recoveries", ("cluster", "recovery"), run.recoveries()),
                                   ("slices", ("cluster", "recovery", "slice_number"), run.slices())):
            rows = self.table(name, *keys)
            self.assertEqual(set(rows), set(wanted), name)
            self.assertTrue(name == "merges" or {key[0] for key in rows} == {1, 2}, f"{name}: rows of both clusters")
            for key, values in wanted.items():
                self.assertLessEqual({column for column in rows[key] if column not in (*FIRST, *keys)} - set(values), {"failed_parity"}, name)
                for column, value in values.items():
                    self.same(rows[key][column], value, f"{name} {key}: {column}")
        creations = read(self.directory / "recorded/parity_creations.csv")[1]
        self.assertEqual(len(creations), len(run.parity_creations()))
        for row, values in zip(creations, run.parity_creations()):
            for column, value in values.items():
                self.same(row[column], value, f"parity_creations: {column}")
        # Each sending and each arrival is in one row.
        messages = read(self.directory / "recorded/messages.csv")[1]
        for cluster in (1, 2):
            for kind, column in (("message_sent", "sent_s"), ("message_received", "received_s")):
                told = sorted(run.at(one.ns) for one in run.of(kind) if one.cluster == cluster)
                cells = sorted(float(row[column]) for row in messages if row["cluster"] == str(cluster) and row[column])
                self.assertEqual(len(cells), len(told))
                self.assertLess(max(abs(a - b) for a, b in zip(told, cells)), 1e-9)
        # The cost of an operation is the same in both tables.
        sent = collections.Counter((row["cluster"], row["client"], row["op"]) for row in messages if row["client"] and row["sent_s"])
        for key, row in self.table("operations", "cluster", "client", "op").items():
            self.assertEqual(sent[tuple(map(str, key))], int(row["messages_sent"] or 0), key)

    def test_a_recovery_and_a_workload_have_the_same_numbers_in_all_tables(self):
        recoveries = list(self.table("recoveries", "cluster", "recovery").values())
        timings = read(self.directory / "recorded/recovery.csv")[1]
        self.assertEqual([len(recoveries), len(timings)], [2, 2])
        for row, timing in zip(recoveries, timings):
            shared = (set(row) & set(timing)) - set(FIRST)
            self.assertGreaterEqual(shared, {"group", "manager", "decode", "slice", "slices", "records", "bytes", "detect_s", "total_s", "process_s",
                                             "comm_s", "other_s", "transfer_s", "whole_s"})
            for column in shared:
                self.assertEqual(row[column], timing[column], column)
            self.assertEqual(len(row["failed_data"].split()), int(timing["failed_buckets"]))
            self.assertLess(float(row["total_s"]), float(row["whole_s"]))
        creations = read(self.directory / "recorded/parity_creations.csv")[1]
        for timing in read(self.directory / "recorded/parity_creation.csv")[1]:
            self.assertIn({name: timing[name] for name in ("group", "column", "records", "bytes", "total_s", "process_s", "comm_s", "other_s", "transfer_s")},
                          [{name: row[name] for name in ("group", "column", "records", "bytes", "total_s", "process_s", "comm_s", "other_s", "transfer_s")}
                           for row in creations])
        operations = read(self.directory / "recorded/operations.csv")[1]
        for cluster, workload in enumerate(read(self.directory / "recorded/workload.csv")[1], 1):
            updates = [row for row in operations if (row["cluster"], row["kind"]) == (str(cluster), "update")]
            times = sorted(float(row["time_ms"]) for row in updates)
            ends = [float(row["begin_s"]) + float(row["time_ms"]) / 1e3 for row in updates]
            total = max(ends) - min(float(row["begin_s"]) for row in updates)
            self.assertEqual(int(workload["operations"]), len(updates))
            self.assertAlmostEqual(float(workload["total_s"]), total, 6)
            self.assertAlmostEqual(float(workload["per_op_ms"]), 1e3 * float(workload["total_s"]) / len(updates), 9)
            self.assertAlmostEqual(float(workload["p50_ms"]), times[math.ceil(0.5 * len(times)) - 1], delta=2e-5)
            self.assertAlmostEqual(float(workload["p99_ms"]), times[math.ceil(0.99 * len(times)) - 1], delta=2e-5)
            self.assertAlmostEqual(float(workload["max_ms"]), times[-1], delta=2e-5)  # kept in units of 16 ns
            for column in ("forwards", "resends"):
                self.assertEqual(int(workload[column]), sum(int(row[column]) for row in updates), column)
            self.assertEqual(int(workload["iams"]), sum(row["iam"] == "true" for row in updates))
            self.assertGreater(sum(int(row["faults"]) for row in updates), 0)

    def test_the_windows_charts_have_the_numbers_of_the_tables(self):
        if not self.has_window:
            self.skipTest("lhrs-gui is not built")
        exported = self.directory / "exported"
        operations = read(exported / "operations.csv")[1]
        kinds = collections.Counter(row["kind"] for row in operations)
        for kind in ("insert", "update", "search"):
            rows = read(exported / "chart_operations.csv")[1]
            self.assertAlmostEqual(sum(float(row[f"{kind}_per_second"]) * (float(row["to_s"]) - float(row["from_s"])) for row in rows), kinds[kind], 6)
            observed = [row for row in read(exported / "chart_messages.csv")[1] if int(row[f"{kind}_observed"])]
            of = [int(row["messages_sent"]) for row in operations if row["kind"] == kind and row["messages_sent"]]
            self.assertEqual(sum(int(row[f"{kind}_observed"]) for row in observed), len(of))
            self.assertAlmostEqual(sum(int(row[f"{kind}_observed"]) * float(row[f"{kind}_messages_per_operation"]) for row in observed), sum(of), 6)
        latency = [row for row in read(exported / "chart_latency.csv")[1] if row["ended"] != "0"]
        self.assertEqual(sum(int(row["ended"]) for row in latency), len(operations))
        self.assertAlmostEqual(max(float(row["max_ms"]) for row in latency), max(float(row["time_ms"]) for row in operations), 9)
        recoveries = {(row["cluster"], row["recovery"]): row for row in read(exported / "recoveries.csv")[1]}
        bars = read(exported / "chart_recovery.csv")[1]
        self.assertEqual(len(bars), len(recoveries))
        for row in bars:
            self.assertEqual(row, {column: recoveries[row["cluster"], row["recovery"]][column] for column in row})

    def test_a_key_has_all_its_digits(self):
        inserted = [row for row in read(self.directory / "recorded/operations.csv")[1] if row["key"] == "9007199254740993"]
        self.assertEqual([(row["cluster"], row["kind"]) for row in inserted if row["kind"] == "insert"], [("1", "insert"), ("2", "insert")])
        for path in self.files():
            for row in read(path)[1]:
                for column, cell in row.items():
                    if cell and self.columns.get(self.known(column)) in ("s", "ms", "bytes", "percent") and "e" not in cell:
                        self.assertEqual(repr(float(cell)).removesuffix(".0"), cell, f"{path.name}: {column} is the shortest text of its number")

    def test_the_list_of_what_was_written_is_complete(self):
        for name in ("measured", "recorded"):
            said = re.findall(rf"^written: {re.escape(str(self.directory / name))}/(.*)$", self.said[name], re.MULTILINE)
            wrote = {path.name for path in (self.directory / name).iterdir()} - {"report.html", "comparison.csv", "shapes.csv"}
            self.assertEqual(sorted(said), sorted(one for one in wrote if not one.endswith(".png") and not (one.endswith(".svg") and not one.endswith("_chart.svg"))))
        if self.has_window:
            said = re.findall(r"^written: .*/([^/\n]*)$", self.said["exported"], re.MULTILINE)
            self.assertEqual(sorted(said), sorted(path.name for path in (self.directory / "exported").iterdir()))

    def test_every_column_is_in_the_data_dictionary(self):
        missing, written = [], set()
        of_runs = {name: set() for name in OF_RUNS}  # a cluster has only the columns of its system
        for path in self.files():
            columns = read(path)[0]
            section = self.sections.get(path.name)
            if section is not None and path.name in OF_RUNS:
                of_runs[path.name] |= set(columns)
            elif section is not None:  # exactly its columns
                self.assertEqual(list(section) if path.name in ("comparison.csv", "shapes.csv") else FIRST + list(section), columns, path.name)
            missing += [f"{path.name}: {column}" for column in columns if self.known(column) not in self.columns and column != "unknown_s"
                        and not column.startswith(("unknown_s_", "param_"))]  # a scenario names its parameters
            written.add(path.name)
        for name, columns in of_runs.items():
            self.assertEqual(sorted(column for column in self.sections[name] if column != "param_*"),
                             sorted(column for column in columns if not column.startswith("param_")), name)
        for path in sorted((rig.ROOT / "scenarios/paper").glob("*.csv")):
            with path.open(newline="", encoding="utf-8") as file:
                missing += [f"paper/{path.name}: {column}" for column in next(csv.reader(file)) if column not in self.columns]
        self.assertEqual(missing, [])
        # No file is explained that is never written. The first two are checked by tests/lab/tst_measure_chart.cpp and
        # tst_records.cpp; simulated processes have no memory of their own.
        named = {name for name in self.sections if name.endswith(".csv")} - {"NAME_chart.csv", "records.csv", "chart_memory.csv"}
        if not self.has_window:
            named = {name for name in named if not name.startswith("chart_") and name not in ("comparison.csv", "shapes.csv")}
        self.assertLessEqual(named, written)

    def test_one_name_has_one_unit(self):
        units: dict[str, set[str]] = {}
        for columns in self.sections.values():
            for column, unit in columns.items():
                units.setdefault(column, set()).add(unit)
        self.assertEqual({column: found for column, found in units.items() if len(found) > 1}, {})

    def test_a_columns_name_ends_with_its_unit(self):
        for section, columns in self.sections.items():
            for column, unit in columns.items():
                column = STATISTIC.sub("", column)
                suffix = next((one for one in UNITS if column.endswith(one)), "")
                if suffix:
                    self.assertEqual(unit, UNITS[suffix], f"{section}: {column}")
                else:
                    self.assertTrue(unit not in UNITS.values() or column == "bytes" or f"{unit}_per_" in column,
                                    f"{section}: {column} in {unit}")

    def test_every_table_that_a_scenario_names_has_its_columns_explained(self):
        for path in sorted((rig.ROOT / "scenarios").glob("*.js")):
            text = path.read_text()
            for match in re.finditer(r"lab\.(?:row|measure)\(.*?(?:\}\)|\);)", text, re.DOTALL):
                for columns in re.findall(r"(?:factors|constants):\s*\{([^{}]*)\}|return \{([^{}]*)\}", match[0]):
                    for column in re.findall(r"(?:^|,)\s*(\w+):", columns[0] or columns[1]):
                        self.assertIn(column, self.columns, path.name)

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_pandas_reads_them(self):
        import pandas
        table = pandas.read_csv(self.directory / "measured/search_time.csv")
        self.assertEqual(str(table.dtypes["warm_up"]), "bool")
        self.assertEqual(str(table.dtypes["total_s"]), "float64")
        self.assertEqual(len(table[~table.warm_up].groupby(["window", "searches"]).total_s.median()), 4)


if __name__ == "__main__":
    rig.main()
