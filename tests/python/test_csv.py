# SPDX-License-Identifier: GPL-3.0-or-later
"""CSV files that lhrs-play writes read back with Python's csv (and pandas, where it is), and scenarios/DATA.md explains each
of their columns."""
import csv
import importlib.util
import math
import pathlib
import re
import subprocess
import tempfile
import unittest

import rig

SCENARIO = r"""// tables.js   @title A short run for tables   @minutes 1   @needs 9 processes
// SPDX-License-Identifier: GPL-3.0-or-later
lab.step('a', 'Tables, "quoted"');
lab.cluster({ m: 2, k: 1, b: 8, recordBytes: 30, spares: { data: 4, parity: 3 } });
const alice = lab.client('alice');
alice.run({ do: 'insert', count: 10, window: 2 });
lab.measure({ name: 'search_time', factors: { window: [1, 4], searches: ['a, "b"\nc', 'd'] }, constants: { k: 1 }, repetitions: 2,
    run: c => alice.run({ do: 'search', count: 6, window: c.window }) });
lab.kill(lab.data(1));
lab.waitFor('RecoveryFinished');
lab.row('recovery', lab.recoveries()[0]);
lab.settle();
lab.expectEqual(lab.audit().unequal, 0, 'the parity encodes the data');
"""
FIRST = ["run", "simulated", "detail"]
OF_RUNS = ("runs.csv", "clusters.csv")  # a row is no observation, and has no level of detail
NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?")
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
    """One short run, at full speed and recorded."""

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.directory = pathlib.Path(directory.name)
        scenario = cls.directory / "tables.js"
        scenario.write_text(SCENARIO)
        recording = str(cls.directory / "run.lhrun")
        for name, options in (("measured", ["--speed", "max"]), ("recorded", ["--speed", "4", "--record", recording])):
            done = subprocess.run([str(rig.PROGRAMS / "lhrs-play"), "--sim", *options, "--csv", str(cls.directory / name), str(scenario)],
                                  capture_output=True, text=True, check=False, timeout=50)
            assert done.returncode == 0, done.stdout + done.stderr
        cls.sections = dictionary()
        cls.columns = {column: unit for section in cls.sections.values() for column, unit in section.items()}

    def files(self) -> list[pathlib.Path]:
        """All of them, those of the run included."""
        found = sorted(self.directory.glob("*/*.csv"))
        self.assertGreater(len(found), 20)
        return found

    def test_the_text_is_rfc_4180_and_every_row_says_which_run_it_is_of(self):
        for path in self.files():
            data = path.read_bytes()
            self.assertTrue(data.endswith(b"\r\n"), path.name)
            self.assertFalse(data.startswith(b"\xef\xbb\xbf"), path.name)
            columns, rows = read(path)
            first = FIRST[:2] if path.name in OF_RUNS else FIRST
            self.assertEqual(columns[:len(first)], first, path.name)
            self.assertEqual(len(set(columns)), len(columns), path.name)
            self.assertLessEqual(len({row["run"] for row in rows}), 1, path.name)
            for row in rows:
                self.assertRegex(row["run"], "^sim-[0-9a-f]{16}$")
                self.assertEqual(row["simulated"], "true")
        for name in ("measured", "recorded"):  # so that the tables of one run can be joined
            runs = {row["run"] for path in sorted((self.directory / name).glob("*.csv")) for row in read(path)[1]}
            self.assertEqual(len(runs), 1, runs)

    def test_one_row_is_one_observation_and_numbers_are_numbers(self):
        columns, rows = read(self.directory / "measured/search_time.csv")
        self.assertEqual(columns[3:8], ["repetition", "warm_up", "window", "searches", "k"])
        self.assertEqual(columns[-2:], ["faults", "machine"])
        self.assertEqual(len(rows), 4 * (1 + 2))  # cases, a warm-up and two repetitions
        self.assertEqual(sorted({row["searches"] for row in rows}), ['a, "b"\nc', "d"])
        self.assertEqual([row["warm_up"] for row in rows].count("true"), 4)
        for row in rows:
            self.assertEqual((row["detail"], row["operations"], row["wrong"]), ("counts", "6", "0"))
            self.assertAlmostEqual(float(row["per_op_ms"]), 1000 * float(row["total_s"]) / 6, 6)
        timing = read(self.directory / "measured/recovery.csv")[1]
        self.assertEqual([(row["failed_buckets"], row["repetition"], row["detail"]) for row in timing], [("1", "", "full")])
        self.assertAlmostEqual(float(timing[0]["total_s"]), sum(float(timing[0][name]) for name in ("process_s", "comm_s", "other_s")), 9)
        for path in self.files():
            for row in read(path)[1]:
                for column, cell in row.items():
                    unit = self.columns.get(re.sub("_(median|q1|q3)$", "", column), "")
                    if cell and unit in ("s", "ms", "bytes", "count", "ranks", "bits") and not (column == "searches" and unit == "count"):
                        self.assertTrue(NUMBER.fullmatch(cell) and math.isfinite(float(cell)), f"{path.name}: {column} is {cell!r}")
                    if cell and unit == "truth":
                        self.assertIn(cell, ("true", "false"), f"{path.name}: {column}")

    def test_the_summary_can_be_computed_again_from_the_rows(self):
        rows = [row for row in read(self.directory / "measured/search_time.csv")[1] if row["warm_up"] == "false"]
        summary = read(self.directory / "measured/search_time_summary.csv")[1]
        self.assertEqual([row["n"] for row in summary], ["2"] * 4)
        for line in summary:
            two = [float(row["total_s"]) for row in rows if (row["window"], row["searches"]) == (line["window"], line["searches"])]
            self.assertAlmostEqual(float(line["total_s_median"]), sum(two) / 2, 9)
            self.assertAlmostEqual(float(line["total_s_q1"]), min(two) + (max(two) - min(two)) / 4, 9)

    def test_every_column_is_in_the_data_dictionary(self):
        missing = [f"{path.name}: {column}" for path in self.files() for column in read(path)[0]
                   if re.sub("_(median|q1|q3)$", "", column) not in self.columns]
        for path in sorted((rig.ROOT / "scenarios/paper").glob("*.csv")):
            with path.open(newline="", encoding="utf-8") as file:
                missing += [f"paper/{path.name}: {column}" for column in next(csv.reader(file)) if column not in self.columns]
        self.assertEqual(missing, [])
        for path in sorted((self.directory / "recorded").glob("*.csv")):  # each table of a run has a section with just its columns
            if path.name in OF_RUNS:
                self.assertEqual(sorted(column for column in self.sections[path.name] if column != "param_*"), sorted(read(path)[0]), path.name)
            elif path.name in self.sections:
                self.assertEqual(FIRST + list(self.sections[path.name]), read(path)[0], path.name)
            else:
                self.assertRegex(path.name, "^(search_time|recovery)")
        self.assertLessEqual({name for name in self.sections if name.endswith(".csv")}, {path.name for path in self.files()})

    def test_a_columns_name_ends_with_its_unit(self):
        for section, columns in self.sections.items():
            for column, unit in columns.items():
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
