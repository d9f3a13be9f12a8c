# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders of results: Python writes what lhrs-play writes, can add to its results, and never overwrites them
unasked."""
import csv
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import rig

sys.path.insert(0, str(rig.ROOT / "proto/python"))

from lhrs_lab import Lab, LabError  # noqa: E402
from lhrs_lab.measure import is_within, median_interval  # noqa: E402
from lhrs_lab.results import Folder, new_run_id, united  # noqa: E402

SCENARIO = """const p = lab.params({ records: 5 });
lab.cluster({ m: 2, k: 1, b: 50, spares: { data: 2, parity: 1 } });
lab.measure({ name: 'x', repetitions: 2, warmUp: 0, run: () => ({ value: p.records }) });
"""


def read(path: pathlib.Path) -> list[dict[str, str]]:
    """The rows of the file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class Results(unittest.TestCase):
    """Most of these tests need no cluster."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def assertRefused(self, text, call, *arguments, **options):
        """Checks that the call raises a LabError BadArgument with these words."""
        with self.assertRaises(LabError) as caught:
            call(*arguments, **options)
        self.assertEqual(caught.exception.code, "BadArgument")
        self.assertIn(text, str(caught.exception))

    def put(self, run, column, **options):
        """Writes one row of a run into x.csv."""
        with Folder(self.directory, run, **options) as folder:
            folder.put("x", ["run", "simulated", column], [{"run": run, "simulated": False, column: 0.5}])

    def test_results_of_another_run_are_added_to_or_removed_when_asked_for(self):
        self.put("r1", "a")
        self.put("r1", "a")  # its own rows again
        self.assertEqual(read(self.directory / "x.csv"), [{"run": "r1", "simulated": "false", "a": "0.5"}])
        before = (self.directory / "x.csv").read_bytes()
        self.assertRefused("has results of other runs already (x.csv)", self.put, "r2", "b")
        self.assertEqual((self.directory / "x.csv").read_bytes(), before)
        self.put("r2", "b", append=True)
        self.assertEqual(read(self.directory / "x.csv"), [{"run": "r1", "simulated": "false", "a": "0.5", "b": ""}, {"run": "r2", "simulated": "false", "a": "", "b": "0.5"}])
        self.put("r1", "a", append=True)  # replaces them in place
        self.assertEqual([row["run"] for row in read(self.directory / "x.csv")], ["r1", "r2"])
        self.put("r3", "c", overwrite=True)
        self.assertEqual(read(self.directory / "x.csv"), [{"run": "r3", "simulated": "false", "c": "0.5"}])
        self.assertRefused("exclude each other", self.put, "r3", "c", append=True, overwrite=True)
        with Folder(self.directory, "r3"):
            self.assertRefused("Another run writes", self.put, "r3", "c")
        (self.directory / "file").touch()
        self.assertRefused("cannot be written", Folder, self.directory / "file", "r1")

    def test_columns_are_united_in_their_order(self):
        self.assertEqual(united(["run", "a", "machine"], ["run", "b", "machine"]), ["run", "b", "a", "machine"])
        self.assertEqual(united([], ["run", "a"]), ["run", "a"])

    def test_a_run_has_an_id_of_its_own(self):
        one, two = new_run_id(7), new_run_id(7)
        self.assertNotEqual(one, two)
        self.assertRegex(one, r"^20\d{6}T\d{6}\.\d{3}Z-[A-Za-z0-9._]+-\d+-7$")

    def test_the_medians_interval_is_that_of_the_binomial_distribution(self):
        for count, ends in ((1, None), (5, None), (6, (1, 6)), (8, (1, 8)), (9, (2, 8)), (20, (6, 15)), (100, (40, 61))):
            self.assertEqual(median_interval(range(count, 0, -1)), ends, count)
        self.assertTrue(is_within([100, 100, 100, 100, 95, 105], 5))
        self.assertFalse(is_within([100, 100, 100, 100, 94, 100], 5))
        self.assertFalse(is_within([1] * 5, 5))

    def test_python_and_lhrs_play_write_the_same_tables_into_one_folder(self):
        scenario = self.directory / "s.js"
        scenario.write_text(SCENARIO)
        out = self.directory / "out"
        done = subprocess.run([str(rig.PROGRAMS / "lhrs-play"), "--sim", "--speed", "max", "--csv", str(out), str(scenario)], capture_output=True,
                              text=True, check=False, timeout=50)
        self.assertEqual(done.returncode, 0, done.stderr)
        headers = {path.name: path.read_bytes().splitlines()[0] for path in sorted(out.glob("*.csv"))}
        self.assertEqual(list(headers), ["clusters.csv", "runs.csv", "x.csv", "x_summary.csv"])
        with Lab.start(m=2, k=1, b=50, spares={"data": 2, "parity": 1}, simulated=True, speed=10, bin_dir=str(rig.PROGRAMS)) as lab:
            lab.parameters["records"] = 5
            values = iter([1, 100] * 20)
            table = lab.measure("x", lambda _: {"value": 5}, repetitions=2, warm_up=0)
            lab.measure("y", lambda _: {"value": 7}, repetitions=2, warm_up=0, within=5, within_of="value", repetitions_max=30)
            lab.measure("z", lambda _: {"value": next(values)}, repetitions=2, warm_up=0, within=5, within_of="value", repetitions_max=8)
            lab.measure("told", lambda _: {"value": 7}, repetitions=1, warm_up=0, before=lambda _: lab.detail("full"))
            lab.measure("changed", lambda _: {"value": len(lab.detail("full"))}, repetitions=1, warm_up=0)
            self.assertRefused("go together", lab.measure, "y", lambda _: {"value": 7}, within=5)
            self.assertRefused("no number other", lab.measure, "w", lambda _: {"value": 7}, within=5, within_of="other")
            self.assertRefused("has results of other runs already", lab.write, out)
            lab.write(out, append=True)
        for name, header in headers.items():
            self.assertEqual((out / name).read_bytes().splitlines()[0], header, name)
        for name, rows in (("runs", 2), ("clusters", 2), ("x", 4), ("x_summary", 2), ("y", 6), ("z", 8)):
            self.assertEqual(len(read(out / f"{name}.csv")), rows, name)
        runs, clusters = read(out / "runs.csv"), read(out / "clusters.csv")
        self.assertEqual([row["run"] for row in clusters], [row["run"] for row in runs])
        self.assertTrue(re.match("^sim-", runs[0]["run"]) and runs[1]["run"] == table.run)
        for column in ("param_records", "parameters", "commit", "compiler", "instructions", "libraries", "machine", "simulated"):
            self.assertEqual(runs[0][column], runs[1][column], column)
        for column in set(clusters[0]) - {"run"}:
            self.assertEqual(clusters[0][column], clusters[1][column], column)
        self.assertEqual([(row["n"], row["within_percent"], row["reached"]) for row in read(out / "y_summary.csv")], [("6", "5", "true")])
        self.assertEqual([(row["n"], row["reached"]) for row in read(out / "z_summary.csv")], [("8", "false")])
        self.assertEqual([row["detail"] for name in ("told", "changed") for row in read(out / f"{name}.csv")], ["counts", ""])


if __name__ == "__main__":
    rig.main()
