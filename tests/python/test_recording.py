# SPDX-License-Identifier: GPL-3.0-or-later
"""A recording read by SQL and by lhrs_lab.Recording: the SELECTs of scenarios/DATA.md exactly as written there, and
the views compared with the CSV files of the same run."""
import csv
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import rig

rig.require(("zmq", "python3-zmq"), ("google.protobuf", "python3-protobuf"))
sys.path.insert(0, str(rig.ROOT / "proto/python"))

from lhrs_lab import Recording  # noqa: E402
from lhrs_lab.recording import VIEWS  # noqa: E402

SCENARIO = r"""// recorded.js   @title Two clusters   @minutes 1   @needs 20 processes
// SPDX-License-Identifier: GPL-3.0-or-later
for (const k of CLUSTERS) {
    lab.step('k' + k, 'k = ' + k);
    lab.cluster({ m: 2, k: k, b: 8, recordBytes: 30, spares: { data: 9, parity: 9 } });
    const alice = lab.client('alice');
    lab.measure({ name: 'inserts', factors: { part: [1, 2] }, detail: 'full', warmUp: 0, repetitions: 1, run: c => alice.run({ do: 'insert', count: 10, window: 4 }) });
    lab.settle();
    lab.kill(k === 2 ? [lab.data(0), lab.parity(0, 0)] : lab.data(0));
    alice.run({ do: 'search', count: 10, window: 1 });
    lab.waitFor('RecoveryFinished');
    lab.settle();
}
"""
FILES = {"operation": "operations", "message": "messages", "split": "splits", "merge": "merges", "parity_creation": "parity_creations",
         "recovery": "recoveries", "fault": "faults"}


def selects() -> dict[str, str]:
    """{question: SELECT} of scenarios/DATA.md."""
    text = (rig.ROOT / "scenarios/DATA.md").read_text(encoding="utf-8")
    return {match[1]: match[0] for match in (re.match(r"-- ([^\n]*)\n.*", block, re.DOTALL) for block in re.findall(r"```sql\n(.*?)```", text, re.DOTALL)) if match}


def words(cell) -> str:
    """A cell in a form that both sides share: numbers with their first digits, truth values as 0 and 1."""
    text = {"true": "1", "false": "0"}.get(str(cell), "" if cell is None else str(cell))
    try:
        return f"{float(text):.7g}"
    except ValueError:
        return text


class Recorded(rig.Coded):
    """One run of two simulated clusters."""

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.directory = pathlib.Path(directory.name)
        scenario = cls.directory / "recorded.js"
        cls.path = cls.directory / "run.lhrun"
        for name, clusters in (("run", "[2, 1]"), ("one", "[2]")):
            scenario.write_text(SCENARIO.replace("CLUSTERS", clusters))
            done = subprocess.run([str(rig.PROGRAMS / "lhrs-play"), "--sim", "--speed", "4", "--record", str(cls.directory / f"{name}.lhrun"), "--csv", str(cls.directory / name),
                                   str(scenario)], capture_output=True, text=True, check=False, timeout=50)
            assert done.returncode == 0, done.stdout + done.stderr
        cls.recording = Recording(cls.path)
        cls.addClassCleanup(cls.recording.close)

    def copy(self, change: str = "") -> pathlib.Path:
        """A copy of the recording with a change."""
        path = self.directory / "changed.lhrun"
        shutil.copy(self.path, path)
        if change:
            base = sqlite3.connect(path)
            base.execute(change)
            base.commit()
            base.close()
        return path

    def test_the_selects_of_the_document_answer_what_they_say(self):
        asked = selects()
        self.assertEqual(len(asked), 3, sorted(asked))
        longest = self.recording.sql(asked["which operations took longest, and why"]).rows
        self.assertEqual(len(longest), 10)
        times = [row["time_ms"] for row in longest]
        self.assertEqual(times, sorted(times, reverse=True))
        self.assertEqual(times[0], max(row["time_ms"] for row in self.recording.table("operation").rows))
        # Operations that a kill delays come first, and their rows say so.
        self.assertTrue(any("failed" in (row["failures"] or "") for row in longest[:3]), longest[:3])
        deltas = self.recording.sql(asked["deltas per insert"]).rows
        # One delta to each parity bucket of the group: k of them, however many clusters there were.
        self.assertEqual([(row["cluster"], row["inserts"], row["deltas_per_insert"]) for row in deltas], [(1, 20, 2.0), (2, 20, 1.0)])
        kills = self.recording.sql(asked["kill to full k: until the group has all its members again"]).rows
        self.assertEqual(sorted((row["cluster"], row["place"]) for row in kills), [(1, "data 0"), (1, "parity 0.0"), (2, "data 0")])
        for row in kills:
            self.assertLess(0, row["noticed_after_s"])
            self.assertLess(row["noticed_after_s"], row["restored_after_s"])
            self.assertLessEqual(row["restored_after_s"], row["full_k_s"])
        both = [row["full_k_s"] for row in kills if row["cluster"] == 1]
        self.assertEqual(max(both), max(row["restored_after_s"] for row in kills if row["cluster"] == 1))

    def test_each_view_says_what_the_csv_file_says(self):
        with Recording(self.directory / "one.lhrun") as recording:
            for view, name in FILES.items():
                with (self.directory / f"one/{name}.csv").open(newline="", encoding="utf-8") as file:
                    rows = list(csv.DictReader(file))
                table = recording.table(view)
                both = [column for column in table.columns if rows and column in rows[0]]
                self.assertTrue(len(both) > 5 or not rows, f"{view}: {both}")
                self.assertEqual(sorted([words(row[column]) for column in both] for row in table.rows),
                                 sorted([words(row[column]) for column in both] for row in rows), view)
        for row in self.recording.table("recovery").rows:  # order to last acknowledgement, as in a Timing
            self.assertAlmostEqual(row["total_s"], row["process_s"] + row["comm_s"] + row["other_s"], 9)
        # Recoveries of different clusters in a session are not merged by their numbers.
        self.assertEqual([(row["cluster"], row["outcome"]) for row in self.recording.table("recovery").rows], [(1, "finished"), (2, "finished")])
        self.assertEqual(len(self.recording.table("operation").rows), 60)
        self.assertGreater(len(self.recording.table("message").rows), 200)

    def test_kills_are_faults_and_failures_have_their_group(self):
        faults = self.recording.table("fault").rows
        self.assertEqual([(row["cluster"], row["kind"], row["call"]) for row in faults], [(1, "kill", "lab.kill")] * 2 + [(2, "kill", "lab.kill")])
        for row in faults:
            self.assertEqual(row["begin_s"], row["end_s"])
            self.assertEqual(row["line"], 9)
        groups = self.recording.sql("SELECT k.name, e.grp FROM event e JOIN event_kind k USING (kind) WHERE k.name IN ('BucketFailed', 'RecoveryFinished')").rows
        self.assertEqual({row["grp"] for row in groups}, {0})

    def test_a_measurement_knows_its_events(self):
        rows = self.recording.sql("SELECT m.begin_ns, m.end_ns, b.t_ns AS begun, e.t_ns AS ended, (SELECT number FROM cluster c WHERE b.id BETWEEN c.first_event AND c.last_event) AS cluster"
                                  " FROM measurement m JOIN event b ON b.id = m.begin_event JOIN event e ON e.id = m.end_event ORDER BY m.id").rows
        self.assertEqual([row["cluster"] for row in rows], [1, 1, 2, 2])
        for row in rows:  # the last event before it began, and before it ended
            self.assertLessEqual(row["begun"], row["begin_ns"])
            self.assertLessEqual(row["begun"], row["ended"])
            self.assertLessEqual(row["ended"], row["end_ns"])

    def test_the_reader_refuses_and_says_what_is_damaged(self):
        self.assertIsNone(self.recording.damage())
        self.assertEqual(self.recording.meta["clean"], "1")
        with Recording(self.copy("DELETE FROM event WHERE id % 2 = 0")) as half:
            self.assertRegex(half.damage() or "", r"the table event lacks \d+ of \d+ rows")
        with Recording(self.copy("UPDATE caption SET text = 'nothing' WHERE id = 1")) as changed:
            self.assertIn("the table caption has changes", changed.damage() or "")
        self.assertCode("BadArgument", self.recording.table, "nothing")
        self.assertCode("BadArgument", self.recording.sql, "SELECT nothing")
        self.assertCode("BadArgument", Recording, self.directory / "recorded.js")
        with_log = self.copy("PRAGMA journal_mode = WAL")
        self.assertIn("has no end, or", self.assertCode("Refused", Recording, with_log))

    def test_a_recording_in_a_folder_that_cannot_be_written_is_read(self):
        folder = self.directory / "locked"
        folder.mkdir()
        path = shutil.copy(self.path, folder / "run.lhrun")
        os.chmod(path, 0o444)
        os.chmod(folder, 0o555)
        try:
            with Recording(path) as recording:
                for view in VIEWS:
                    self.assertEqual(recording.table(view).rows, self.recording.table(view).rows)
        finally:
            os.chmod(folder, 0o755)


if __name__ == "__main__":
    rig.main()
